"""Tables: CSV, TSV, JSON lines (also gzipped), JSON lists, Parquet, tars, record by record.

A faulty line becomes ``Broken``, and reading continues with the next one; a file that is mostly
broken, or that cannot be read to its end, is refused. Only one record is in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path

from rivae.base.errors import DataError
from rivae.base.reading.csv_rows import csv_rows
from rivae.base.reading.encodings import checked_encoding
from rivae.base.reading.found_encoding import fits_better, only_in_cp1252, wrong_encoding
from rivae.base.reading.json_tables import check_lines, document_rows, line_rows, refuse_json
from rivae.base.reading.parquet import column_names, open_parquet, parquet_rows
from rivae.base.reading.row import MAX_COLUMNS, MAX_FIELD, Broken, Record, check_header, check_share
from rivae.base.reading.shards import is_tar, shard_rows, shards
from rivae.base.reading.tar_rows import tar_rows
from rivae.base.reading.text_files import Note, open_text

__all__ = [
    "MAX_FIELD",
    "SUFFIXES",
    "Broken",
    "Note",
    "Record",
    "all_columns",
    "preview",
    "records",
    "rows",
    "table_kind",
]

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".tar")
TELL_EVERY = 2_000  # records
BETTER = "the table looks like {}, not like the encoding that was given"
READ_AS_CP1252 = "latin-1 is read as cp1252, which has letters where latin-1 has none"
# What people have instead of a table, and how they get one.
_OTHERS = dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods", ".numbers"), "save its sheet as CSV")
_OTHERS |= dict.fromkeys((".feather", ".arrow", ".ipc"), "write it as Parquet")
_OTHERS |= dict.fromkeys((".zip", ".7z", ".bz2", ".xz", ".zst"), "unpack it first")
_OTHERS |= dict.fromkeys((".db", ".sqlite", ".dta", ".sav", ".rds", ".h5"), "write it as CSV")


def records(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of ``path`` one after the other; all must be sound.

    Args:
        encoding: of text files; a byte order mark counts more.

    Raises:
        DataError: in one sentence, with the line where there is one.
    """
    for row in _rows(path, encoding, lenient=False):
        if isinstance(row, Broken):
            raise DataError(f"{path.name}, line {row.line}: {row.detail}")
        yield row


def rows(
    path: Path,
    encoding: str = "utf-8",
    usecols: Collection[str] | None = None,
    note: Note | None = None,
    leave_out_damaged: bool = False,
) -> Iterator[Record | Broken]:
    """``records``, with a ``Broken`` in place of each that is not sound.

    A line of CSV that lacks only its last cells is sound here: they are empty.

    Args:
        usecols: the columns whose cells are looked at, all by default; those of others may be None.
        note: called with each guess, its place and an example.
        leave_out_damaged: of a folder's files, one that is damaged is a ``Broken``.

    Raises:
        DataError: in one sentence, when the file is not of its kind, or mostly broken.
    """
    if not path.is_dir():
        return _rows(path, encoding, usecols, note)

    def read(shard: Path) -> Iterator[Record | Broken]:
        return _rows(shard, encoding, usecols, note)

    return shard_rows(path, read, note, leave_out_damaged)


def _rows(
    path: Path,
    encoding: str,
    usecols: Collection[str] | None = None,
    note: Note | None = None,
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
        yield from _not_mostly_broken(path.name, tar_rows(path, usecols))
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
        raise DataError(f"{path.name} cannot be read to its end: {error}") from error


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


def preview(
    path: Path, encoding: str = "utf-8", n: int = 200, leave_out_damaged: bool = False
) -> list[Record]:
    """The sound ones of the first ``n`` records."""
    first = islice(rows(path, encoding, leave_out_damaged=leave_out_damaged), n)
    return [row for row in first if not isinstance(row, Broken)]


def has_late_columns(path: Path) -> bool:
    """Whether records may have columns that the first ones lack."""
    return path.is_dir() or is_tar(path) or "json" in table_kind(path)


def is_text_table(path: Path) -> bool:
    """Whether a table has an encoding."""
    return not path.is_dir() and table_kind(path) not in (".parquet", ".tar")


def table_files(path: Path) -> list[Path]:
    """The files of a table: itself, or those of a folder."""
    return shards(path) if path.is_dir() else [path]


def all_columns(
    path: Path, encoding: str = "utf-8", tell: Callable[[int], object] | None = None
) -> tuple[str, ...]:
    """The columns of a table in the order they appear, at most ``MAX_COLUMNS``.

    JSON, tars and folders are read to their end, as their records need not have the same columns;
    the others name theirs at the beginning, but for columns without a name, of which those in the
    preview count.

    Args:
        tell: called every some thousand records with their number.

    Raises:
        DataError: as ``rows``.
    """
    if not path.is_dir() and table_kind(path) == ".parquet":
        with open_parquet(path) as file:
            return tuple(column_names(file, path.name))
    names: dict[str, None] = {}
    some = rows(path, encoding, ()) if has_late_columns(path) else preview(path, encoding)
    for n, row in enumerate(some, start=1):
        if tell is not None and n % TELL_EVERY == 0:
            tell(n)
        if not isinstance(row, Broken) and not row.keys() <= names.keys():
            names |= dict.fromkeys(row)
        if len(names) > MAX_COLUMNS:
            break
    return tuple(names)[:MAX_COLUMNS]
