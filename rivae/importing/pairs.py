"""A user's own pairs: a table with picture names and texts, and the pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rivae.data.base import Recipe
from rivae.data.store import FactorColumn, PairStore, StoreItem
from rivae.data.store.twins import NO_MARK, mark_of
from rivae.errors import DataError
from rivae.importing.ahead import ahead
from rivae.importing.embeddings import Embeddings
from rivae.importing.factors import FactorReader, factor_values
from rivae.importing.mapping import Mapping
from rivae.importing.pictures import PictureFiles, stored_picture
from rivae.importing.records import RecordReader, check_paper_filter
from rivae.importing.report import ImportReport, UnusableError
from rivae.importing.session import ImportSettings, Progress
from rivae.importing.texts import one_line
from rivae.reading.contents import content_hash, file_content
from rivae.reading.tables import Broken, Record, rows
from rivae.reading.typed_text import LOST

TELL_EVERY = 2_000  # records


@dataclass
class _Read:
    """What a record holds, and why it cannot be used all the same."""

    recipe: Recipe
    partition: str
    picture: bytes = b""
    twin: bytes = NO_MARK
    factors: dict[str, float] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)  # what was guessed, and where
    problem: UnusableError | None = None


class PairsImport:
    """A table and its pictures as a ``Source``.

    Args:
        table: CSV, TSV, JSON lines, a JSON list, or Parquet.
        images: folders and zips; names are looked up in this order.
        mapping: which column is what; without a picture column items have no pictures.
        embeddings: matrices of the two sides with one row per record of the table, which become
            the store's features "own".

    Raises:
        DataError: when a matrix cannot be read.
    """

    def __init__(
        self,
        table: Path,
        images: Sequence[Path],
        mapping: Mapping,
        encoding: str = "utf-8",
        embeddings: tuple[Path, Path] | None = None,
    ) -> None:
        self.table, self.images, self.mapping = table, tuple(images), mapping
        self.embeddings, self.synthetic = embeddings, False
        self._own = Embeddings(embeddings, mapping.id)
        self.encoding, self.files_so_far = encoding, ""
        self._n_records, self._done = 0, 0
        self._texts = RecordReader(mapping)
        self._columns: tuple[FactorColumn, ...] = ()

    def fingerprint(self) -> dict[str, Any]:
        """Names of the files, the content of the table, and the settings."""
        try:
            with self.table.open("rb") as stream:
                content = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16))
        except OSError as error:
            raise DataError(f"{self.table} cannot be read: {error.strerror}") from error
        return {
            "kind": f"{self.table.name} with pictures from "
            f"{', '.join(path.name for path in self.images)}",
            "content": content.hexdigest(),
            "mapping": self.mapping.model_dump(mode="json"),
            "encoding": self.encoding,
            "embeddings": [path.name for path in self.embeddings or ()],
        }

    def files_read(self, settings: ImportSettings, tell: Progress) -> str:
        """The bytes of the matrices, and of every picture in the order of the records."""
        if self.mapping.picture is None:
            return self._of_matrices()
        if not self._n_records:
            self.factor_columns(ImportReport(), tell)
        content = self._of_matrices()
        with PictureFiles(self.images) as files:
            work = partial(self._read, files=files, settings=settings, skip=0, decode=False)
            records = enumerate(rows(self.table, self.encoding))
            for (number, _), read in ahead(records, work):
                if number % TELL_EVERY == 0:
                    tell(f"comparing pictures: {number:,} records", 1.0)
                with suppress(UnusableError):
                    content = _chained(content, read())
        return content

    def _of_matrices(self) -> str:
        try:
            parts = [file_content(path) for path in self.embeddings or ()]
        except OSError as error:
            raise DataError(f"the embeddings cannot be read: {error.strerror}") from error
        return str(content_hash(" ".join(parts).encode()).hexdigest())

    def factor_columns(self, report: ImportReport, tell: Progress) -> tuple[FactorColumn, ...]:
        """Reads the table once, which also finds most faults before any picture is opened."""
        reader = FactorReader(self.mapping.factors)
        columns: dict[str, None] = {}  # JSON lines need not all have the same columns
        self._n_records, self._texts = 0, RecordReader(self.mapping)
        looked_at = (*self.mapping.looked_at, *self._own.begin())
        for record in rows(self.table, self.encoding, looked_at):
            self._n_records += 1
            if self._n_records % TELL_EVERY == 0:
                tell(f"checking {self.table.name}: {self._n_records:,} records", 0.0)
            if not isinstance(record, Broken):
                columns |= dict.fromkeys(record)
                reader.look(record)
                self._texts.look(record)
            self._own.look(record)
        if columns:
            self.mapping.check(columns)
        with PictureFiles(self.images):
            pass  # a wrong place is reported now, not after the folder was made
        self._own.match(self.table.name, self._n_records, report)
        self._columns = reader.columns()
        for name, why in reader.refused.items():
            report.note(f"column '{name[:60]}' is not used as a factor", why)
        self._texts.tell(report)
        return self._columns

    def share_done(self) -> float:
        """By records."""
        return self._done / max(self._n_records, 1)

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int, tell: Progress
    ) -> Iterator[StoreItem | None]:
        """See ``Source.items``."""
        seen_ids: set[bytes] = set()
        seen_pictures: dict[bytes, str] = {}
        if not skip and self.mapping.picture is not None:
            self.files_so_far = self._of_matrices()
        with PictureFiles(self.images) as files:
            records = enumerate(rows(self.table, self.encoding))
            work = partial(self._read, files=files, settings=settings, skip=skip)
            n_threads = 0 if self.mapping.picture is None else None
            for (number, record), read in ahead(records, work, n_threads):
                self._done, which = number, f"record {number + 1}"
                if isinstance(record, Broken):
                    if number >= skip:
                        report.leave_out(record.reason, f"line {record.line}", record.detail)
                    yield None
                    continue
                try:
                    found = read()
                    if self.files_so_far:
                        self.files_so_far = _chained(self.files_so_far, found)
                    recipe = found.recipe
                    which = f"{which} ({recipe.id})"
                    key = hashlib.blake2b(recipe.id.encode(), digest_size=12).digest()
                    if key in seen_ids:
                        raise UnusableError("id occurs twice")
                    if number >= skip and found.problem is not None:
                        raise found.problem
                except UnusableError as error:
                    if number >= skip:
                        what = error.what or _shown(record, self.mapping.picture)
                        report.leave_out(str(error), which, what)
                    yield None
                    continue
                seen_ids.add(key)
                if number < skip:
                    yield None
                    continue
                if found.twin != NO_MARK:
                    if found.twin in seen_pictures:
                        other = seen_pictures[found.twin]
                        report.note("same picture as another record", which, other)
                    seen_pictures.setdefault(found.twin, recipe.id)
                if LOST in " ".join(_texts(recipe)):
                    report.note(f"text with characters that are none, shown as {LOST}", which)
                for remark, what in found.remarks:
                    report.note(remark, which, what)
                yield StoreItem(
                    recipe, found.picture, found.partition, found.factors, mark=found.twin
                )

    def _read(
        self,
        numbered: tuple[int, Record | Broken],
        files: PictureFiles,
        settings: ImportSettings,
        skip: int,
        decode: bool = True,
    ) -> _Read:
        """What one record holds, of its picture only the hash unless ``decode``; in a thread.

        Raises:
            UnusableError: its text cannot be used.
        """
        number, record = numbered
        if isinstance(record, Broken):
            raise UnusableError(record.reason)
        recipe, partition, remarks = self._texts.read(record, number)
        found = _Read(recipe, partition, remarks=remarks)
        if number < skip:  # only its id is wanted
            return found
        try:
            if settings.paper_filter:
                check_paper_filter(recipe)
            if self.mapping.picture is not None:
                data = files.read(one_line(record.get(self.mapping.picture), 1000))
                found.twin = mark_of(data)
                if decode:
                    found.picture = stored_picture(data, settings.side)
            if self._own:
                mark = self._own.mark(number)
                found.twin = mark if self.mapping.picture is None else found.twin
            found.factors = factor_values(self._columns, record)
        except UnusableError as error:
            found.problem = error
        return found

    def after(self, folder: Path) -> None:
        """Store the rows of the embeddings that belong to the stored items."""
        if self._own:
            self._own.write(folder, np.array(PairStore(folder).column("record"), dtype=np.int64))


def _chained(content: str, read: _Read) -> str:
    """The hash of the files so far, and of one more record's picture."""
    if read.twin == NO_MARK:
        return content
    return str(content_hash(content.encode() + read.twin).hexdigest())


def _texts(recipe: Recipe) -> tuple[str, ...]:
    lines = (*recipe.ingredients, *recipe.instructions, *recipe.tags)
    return (recipe.id, recipe.title, recipe.url, *lines)


def _shown(record: Record, column: str | None) -> str:
    return str(record.get(column, ""))[:80] if column else ""
