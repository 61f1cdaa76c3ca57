"""Tables: CSV, TSV, JSON lines (also gzipped), JSON lists, Parquet, tars, record by record.

A faulty line becomes ``Broken``, and reading continues with the next one; a file that is mostly
broken, or that cannot be read to its end, is refused. Only one record is in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from rivae.base.errors import DataError
from rivae.base.reading.contents import content_hash, file_content
from rivae.base.reading.csv_rows import csv_rows
from rivae.base.reading.encodings import checked_encoding
from rivae.base.reading.found_encoding import fits_better, only_in_cp1252, wrong_encoding
from rivae.base.reading.json_tables import check_lines, document_rows, line_rows, refuse_json
from rivae.base.reading.parquet import column_names, open_parquet, parquet_rows
from rivae.base.reading.regular import not_read
from rivae.base.reading.row import MAX_COLUMNS, MAX_FIELD, Broken, Record, check_header, check_share
from rivae.base.reading.shards import is_tar, shard_rows, shards
from rivae.base.reading.tar_rows import tar_rows
from rivae.base.reading.text_files import Note, open_text

__all__ = ["MAX_FIELD", "SUFFIXES", "Broken", "InputTable", "Note", "Record", "table_kind"]

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".tar")
BETTER = "the table looks like {}, not like the encoding that was given"
READ_AS_CP1252 = "latin-1 is read as cp1252, which has letters where latin-1 has none"
# What people have instead of a table, and how they get one.
_OTHERS = dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods", ".numbers"), "save its sheet as CSV")
_OTHERS |= dict.fromkeys((".feather", ".arrow", ".ipc"), "write it as Parquet")
_OTHERS |= dict.fromkeys((".zip", ".7z", ".bz2", ".xz", ".zst"), "unpack it first")
_OTHERS |= dict.fromkeys((".db", ".sqlite", ".dta", ".sav", ".rds", ".h5"), "write it as CSV")


@dataclass(frozen=True)
class InputTable:
    """A table as its owner has it: a file, or a folder whose files are read as one.

    Attributes:
        path: of the file or the folder, here or in an object store (``rivae.base.reading.places``).
        encoding: of text files; a byte order mark counts more.
        leaves_out_damaged: of a folder's files, the rest of one that is damaged is a ``Broken``.
    """

    path: Path
    encoding: str = "utf-8"
    leaves_out_damaged: bool = False

    def rows(
        self,
        usecols: Collection[str] | None = None,
        note: Note | None = None,
        in_place: Collection[str] = (),
    ) -> Iterator[Record | Broken]:
        """``records``, with a ``Broken`` in place of each that is not sound.

        A line of CSV that lacks only its last cells is sound here: they are empty.

        Args:
            usecols: the columns whose cells are looked at, all by default; those of others may be
                None.
            note: called with each guess, its place and an example.
            in_place: columns whose cells may be a ``FilePart``, to be read where they are needed.

        Raises:
            DataError: in one sentence, when the file is not of its kind, or mostly broken.
        """
        if not self.is_folder:
            return _rows(self.path, self.encoding, usecols, note, in_place)

        def read(shard: Path) -> Iterator[Record | Broken]:
            return _rows(shard, self.encoding, usecols, note, in_place)

        return shard_rows(self.path, read, note, self.leaves_out_damaged)

    def records(self) -> Iterator[Record]:
        """The records one after the other; all must be sound.

        Raises:
            DataError: in one sentence, with the line where there is one.
        """
        for row in _rows(self.path, self.encoding, lenient=False):
            if isinstance(row, Broken):
                raise DataError(f"{self.path.name}, line {row.line}: {row.detail}")
            yield row

    def preview(self, n: int = 200) -> list[Record]:
        """The sound ones of the first ``n`` records."""
        return [row for row in islice(self.rows(), n) if not isinstance(row, Broken)]

    def columns(self) -> tuple[str, ...]:
        """The columns in the order they appear, at most ``MAX_COLUMNS``.

        JSON, tars and folders are read to their end, as their records need not have the same
        columns; the others name theirs at the beginning, but for columns without a name, of which
        those in the preview count.

        Raises:
            DataError: as ``rows``.
        """
        if not self.is_folder and table_kind(self.path) == ".parquet":
            with open_parquet(self.path) as file:
                return tuple(column_names(file, self.path.name))
        names: dict[str, None] = {}
        some = self.rows(()) if self.has_late_columns else self.preview()
        for row in some:
            if not isinstance(row, Broken) and not row.keys() <= names.keys():
                names |= dict.fromkeys(row)
            if len(names) > MAX_COLUMNS:
                break
        return tuple(names)[:MAX_COLUMNS]

    @cached_property
    def is_folder(self) -> bool:
        """Whether its files are read as one."""
        return self.path.is_dir()

    @property
    def files(self) -> list[Path]:
        """Its files: itself, or those of a folder."""
        return shards(self.path) if self.is_folder else [self.path]

    @property
    def has_late_columns(self) -> bool:
        """Whether records may have columns that the first ones lack."""
        return self.is_folder or is_tar(self.path) or "json" in table_kind(self.path)

    @property
    def is_text(self) -> bool:
        """Whether it has an encoding."""
        return not self.is_folder and table_kind(self.path) not in (".parquet", ".tar")

    def content(self) -> str:
        """A hash of what it holds: of a folder, with the names of its files.

        Raises:
            DataError: it cannot be read.
        """
        files = self.files
        try:
            content, *others = map(file_content, files)
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror}") from error
        if not self.is_folder:
            return content
        names = [path.name for path in files]
        return str(content_hash(" ".join((*names, content, *others)).encode()).hexdigest())


def _rows(
    path: Path,
    encoding: str,
    usecols: Collection[str] | None = None,
    note: Note | None = None,
    in_place: Collection[str] = (),
    lenient: bool = True,
) -> Iterator[Record | Broken]:
    kind = table_kind(path)
    if kind == ".parquet":
        with open_parquet(path) as file:
            names = column_names(file, path.name)
            check_header(path.name, names)
            yield from parquet_rows(file, path.name, usecols)
        return
    if kind == ".tar":
        yield from _not_mostly_broken(path.name, tar_rows(path, usecols, in_place))
        return
    codec = checked_encoding(encoding)
    try:
        with open_text(path, encoding, note) as stream:
            if kind == ".json":
                rows = document_rows(path, stream, stream.encoding, note)
            elif kind in (".jsonl", ".ndjson"):
                check_lines(path.name, stream)
                rows = line_rows(path.name, stream)
            else:
                refuse_json(path.name, stream)
                usual = "\t" if kind == ".tsv" else ","
                rows = csv_rows(path.name, stream, usual, note, lenient)
            yield from _not_mostly_broken(path.name, rows)
        if note is not None and codec != "utf-8":
            _note_encoding(path, encoding, note)
    except UnicodeError as error:
        raise wrong_encoding(path, encoding) from error
    except (OSError, EOFError, zlib.error) as error:
        raise not_read(f"{path.name} cannot be read to its end: {error}", error) from error


def _not_mostly_broken(name: str, rows: Iterator[Record | Broken]) -> Iterator[Record | Broken]:
    n_broken = 0
    for n, row in enumerate(rows, start=1):
        if isinstance(row, Broken):
            n_broken += 1
            check_share(name, n_broken, n, row)
        yield row


def _note_encoding(path: Path, encoding: str, note: Note) -> None:
    """What a person may not expect of the encoding that was given."""
    if better := fits_better(path, encoding):
        note(BETTER.format(better[0]), path.name, better[1])
    elif checked_encoding(encoding) == "iso8859-1" and (place := only_in_cp1252(path)):
        note(READ_AS_CP1252, *place)


def table_kind(path: Path) -> str:
    """The suffix that says how ``path`` is read, without ".gz".

    Raises:
        DataError: when it is not a file, or of another kind.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist or is not a file: check the path")
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
        if suffixes[-1:] == [".json"]:
            raise DataError(f"{path.name} is packed: unpack it first, or name JSON lines .jsonl.gz")
    kind = suffixes[-1] if suffixes else ""
    if is_tar(path):
        return ".tar"
    if kind in _OTHERS:
        raise DataError(f"{path.name} is not a table that can be read: {_OTHERS[kind]}")
    if kind not in SUFFIXES:
        raise DataError(f"{path.name} is not a table: give a file ending in {', '.join(SUFFIXES)}")
    return kind
