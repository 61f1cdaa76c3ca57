"""A user's own pairs: a table with picture names and texts, and the pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rivae.base.errors import DataError
from rivae.base.progress import Progress
from rivae.base.reading.contents import content_hash, file_content
from rivae.base.reading.encodings import TWICE_ENCODED, twice_encoded
from rivae.base.reading.tables import Broken, InputTable, Note, Record
from rivae.base.reading.typed_text import LOST
from rivae.data import segmenting
from rivae.data.importing.columns import what_became
from rivae.data.importing.embeddings import Embeddings
from rivae.data.importing.factors import FactorReader
from rivae.data.importing.mapping import LOOKED_AT, Choices, Mapping
from rivae.data.importing.picture_cells import shown_cell
from rivae.data.importing.picture_files import PictureFiles
from rivae.data.importing.pictures import stored_picture
from rivae.data.importing.records import RecordReader, check_paper_filter, spread_records
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.importing.session import ImportSettings
from rivae.data.recipe import Recipe
from rivae.data.store import FactorColumn, PairStore, StoreItem
from rivae.data.store.features import OWN, features_content
from rivae.data.store.twins import NO_MARK, mark_of
from rivae.data.tokenizer import is_plain

TELL_EVERY = 2_000  # records


@dataclass
class _Read:
    """What a record holds, or the problem for which it cannot be used."""

    recipe: Recipe
    partition: str
    picture: bytes = b""
    twin: bytes = NO_MARK
    factors: dict[str, float] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)  # what was guessed, and where
    problem: UnusableError | None = None


@dataclass(frozen=True)
class _Reader:
    """Reads one numbered record, in a thread or on a worker of a cluster.

    Attributes:
        picture: the column of the pictures; None without.
        skip: of the records before this one only the ids are wanted.
        decode: of a picture more than its hash.
    """

    texts: RecordReader
    factors: FactorReader
    picture: str | None
    files: PictureFiles
    settings: ImportSettings
    skip: int = 0
    decode: bool = True

    def __call__(self, numbered_record: tuple[int, Record | Broken]) -> _Read:
        """What the record holds.

        Raises:
            UnusableError: its text cannot be used.
        """
        number, record = numbered_record
        if isinstance(record, Broken):
            raise UnusableError(record.reason)
        recipe, partition, remarks = self.texts.read(record, number)
        pair = _Read(recipe, partition, remarks=remarks)
        if number < self.skip:
            return pair
        try:
            if self.settings.paper_filter:
                check_paper_filter(recipe)
            if self.picture is not None:
                picture = self.files.read(record.get(self.picture))
                pair.remarks += picture.remarks
                pair.twin = mark_of(picture.data)
                if self.decode:
                    side = self.settings.side
                    pair.picture, picture_remarks = stored_picture(picture.data, side)
                    pair.remarks += picture_remarks
            pair.factors = self.factors.values(record)
        except UnusableError as error:
            pair.problem = error
        return pair


def _cells(table: InputTable, column: str) -> Iterator[object]:
    """The cells of a column, of the records that can be read."""
    for record in table.rows((column,)):
        if not isinstance(record, Broken):
            yield record.get(column)


class PairsImport:
    """A table and its pictures as a ``Source``.

    Args:
        table: CSV, TSV, JSON lines, a JSON list, Parquet, a tar of samples, or a folder of these
            two, as a path or with how it is read.
        images: folders and zips that hold the pictures; none where they stand in the table.
        mapping: which column is what; without a picture column items have no pictures.
        embeddings: matrices of the two sides with one row per record of the table, which become
            the store's features "own".
        choices: what the mapping was made of; columns that appear late in the table are then
            mapped as those that it begins with.

    Raises:
        DataError: when a matrix cannot be read.
    """

    def __init__(
        self,
        table: InputTable | Path,
        images: Sequence[Path],
        mapping: Mapping,
        embeddings: tuple[Path, Path] | None = None,
        choices: Choices | None = None,
    ) -> None:
        self.table = table if isinstance(table, InputTable) else InputTable(table)
        self.images, self.mapping = tuple(images), mapping
        self._begun_with, self._choices = mapping, choices
        self.embeddings, self.synthetic = embeddings, False
        self._own_vectors = Embeddings(embeddings)
        self.files_so_far = ""
        self._n_records, self._n_done = 0, 0
        self._texts = RecordReader(mapping)
        self._factors = FactorReader(mapping.factors)

    def fingerprint(self) -> dict[str, Any]:
        """Names of the files, the content of the table, and the settings."""
        name = self.table.path.name
        inside = self.mapping.picture is not None and not self.images
        places = name if inside else ", ".join(path.name for path in self.images)
        late = self.table.has_late_columns
        return {
            "kind": f"{name} with pictures from {places}",
            "content": self.table.content(),
            "mapping": self._begun_with.model_dump(mode="json"),
            # With the mapping that it begins with, this tells what becomes of late columns.
            "chosen": self._choices.roles if self._choices and late else None,
            "encoding": self.table.encoding,
            "embeddings": [path.name for path in self.embeddings or ()],
            **({"damaged": "left out"} if self.table.leaves_out_damaged else {}),
        }

    def _numbered(self) -> Iterator[tuple[int, Record | Broken]]:
        """The records to be read with their pictures, which are read where they are decoded."""
        return enumerate(self.table.rows(in_place=(self.mapping.picture or "",)))

    def files_read(self, settings: ImportSettings, tell: Progress) -> str:
        """The bytes of the matrices, and of every picture in the order of the records."""
        if self.mapping.picture is None:
            return self._of_matrices()
        if not self._n_records:
            self.factor_columns(ImportReport(), tell)
        content = self._of_matrices()
        with self._files() as files:
            work = self._reader(files, settings, decode=False)
            for (number, _), read in spread_records(self._numbered(), work):
                if number % TELL_EVERY == 0:
                    tell(f"comparing pictures: {number:,} records", 1.0)
                with suppress(UnusableError):
                    content = _chained(content, read())
        return content

    def _files(self) -> PictureFiles:
        column = self.mapping.picture or ""
        table = replace(self.table, path=self.table.path.resolve())
        cells = partial(_cells, table, column)
        return PictureFiles(self.images, cells)

    def _reader(self, files: PictureFiles, settings: ImportSettings, **which: Any) -> _Reader:
        return _Reader(self._texts, self._factors, self.mapping.picture, files, settings, **which)

    def _of_matrices(self) -> str:
        try:
            parts = [file_content(path) for path in self.embeddings or ()]
        except OSError as error:
            raise DataError(f"the embeddings cannot be read: {error.strerror}") from error
        return str(content_hash(" ".join(parts).encode()).hexdigest())

    def factor_columns(self, report: ImportReport, tell: Progress) -> tuple[FactorColumn, ...]:
        """Reads the table once, which also finds most faults before any picture is opened.

        It is read twice if columns that appear late have a role.
        """
        columns = self._look(tell, report.note)
        head = self.table.preview(LOOKED_AT)
        if self._choices is not None:
            mapping = self._choices.completed(self.mapping, columns, head)
            if mapping != self.mapping:
                self.mapping = mapping
                self._look(tell)
        elif columns:
            self.mapping.check(columns)
        with PictureFiles(self.images):
            pass  # a wrong place is reported now, not after the folder was made
        self._own_vectors.match(self.table.path.name, self._n_records, report)
        usable = self._factors.columns()
        roles = None if self._choices is None else self._choices.roles
        report.columns = what_became(columns, self.mapping, self._factors, head, roles)
        self._factors.tell(report)
        self._texts.tell(report)
        return usable

    def _look(self, tell: Progress, note: Note | None = None) -> list[str]:
        """Look at all records; the columns."""
        self._factors, self._texts = FactorReader(self.mapping.factors), RecordReader(self.mapping)
        columns: dict[str, None] = {}  # JSON lines need not all have the same columns
        number = -1
        looked_at = (*self.mapping.looked_at, *self._own_vectors.begin(self.mapping.id))
        records = self.table.rows(looked_at, note)
        for number, record in enumerate(records):
            if number % TELL_EVERY == TELL_EVERY - 1:
                tell(f"checking {self.table.path.name}: {number + 1:,} records", 0.0)
            self._own_vectors.look(record)
            if not isinstance(record, Broken):
                columns |= dict.fromkeys(record)
                self._factors.look(record)
                self._texts.look(record, number)
        self._n_records = number + 1
        return list(columns)

    def share_done(self) -> float:
        """By records."""
        return self._n_done / max(self._n_records, 1)

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int, tell: Progress
    ) -> Iterator[StoreItem | None]:
        """See ``Source.items``."""
        seen_ids: set[bytes] = set()
        seen_pictures: dict[bytes, str] = {}
        if not skip and self.mapping.picture is not None:
            self.files_so_far = self._of_matrices()
        with self._files() as files:
            work = self._reader(files, settings, skip=skip)
            have_pictures = self.mapping.picture is not None
            for (number, record), read in spread_records(self._numbered(), work, have_pictures):
                self._n_done, which = number, f"record {number + 1}"
                if isinstance(record, Broken):
                    if number >= skip:
                        report.leave_out(record.reason, f"line {record.line}", record.detail)
                    yield None
                    continue
                try:
                    pair = read()
                    if self.files_so_far:
                        self.files_so_far = _chained(self.files_so_far, pair)
                    recipe = pair.recipe
                    which = f"{which} ({recipe.id})"
                    key = hashlib.blake2b(recipe.id.encode(), digest_size=12).digest()
                    if key in seen_ids:
                        raise UnusableError("id occurs twice")
                    if number >= skip:
                        if pair.problem is not None:
                            raise pair.problem
                        self._own_vectors.require(number)
                        if self._own_vectors and self.mapping.picture is None:
                            pair.twin = self._own_vectors.mark(number)
                except UnusableError as error:
                    if number >= skip:
                        column = self.mapping.picture
                        cell = shown_cell(record.get(column, "")) if column else ""
                        report.leave_out(str(error), which, error.what or cell)
                    yield None
                    continue
                seen_ids.add(key)
                if number < skip:
                    yield None
                    continue
                if pair.twin != NO_MARK:
                    if pair.twin in seen_pictures:
                        other = seen_pictures[pair.twin]
                        report.note("same picture as another record", which, other)
                    seen_pictures.setdefault(pair.twin, recipe.id)
                for remark, what in (*pair.remarks, *_of_characters(recipe)):
                    report.note(remark, which, what)
                yield StoreItem(recipe, pair.picture, pair.partition, pair.factors, mark=pair.twin)

    def after(self, folder: Path) -> None:
        """Store the rows of the embeddings that belong to the stored items."""
        if self._own_vectors:
            self._own_vectors.write(
                folder, np.array(PairStore(folder).column("record"), dtype=np.int64)
            )
            features_content(folder, OWN)  # kept: who opens a run of it need not read all of it


def _chained(content: str, read: _Read) -> str:
    """The hash of the files so far, and of one more record's picture."""
    if read.twin == NO_MARK:
        return content
    return str(content_hash(content.encode() + read.twin).hexdigest())


def _of_characters(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """What the report says of the characters of a record's texts."""
    lines = (*recipe.ingredients, *recipe.instructions, *recipe.tags)
    words = " ".join((recipe.id, recipe.title, recipe.url, *lines))
    if is_plain(words):  # as most are; none of the following is
        return
    if LOST in words:
        yield f"text with characters that are none, shown as {LOST}", ""
    if correct_text := twice_encoded(words):
        yield TWICE_ENCODED, correct_text
    for remark in segmenting.remarks(words):
        yield remark, recipe.title
