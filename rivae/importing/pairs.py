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

from rivae.data import segmenting
from rivae.data.base import Recipe
from rivae.data.store import FactorColumn, PairStore, StoreItem
from rivae.data.store.features import OWN, SIDES, read_matrix, write_features
from rivae.errors import DataError
from rivae.importing.ahead import ahead
from rivae.importing.factors import FactorReader, factor_values
from rivae.importing.mapping import Mapping
from rivae.importing.pictures import PictureFiles, stored_picture
from rivae.importing.report import ImportReport, UnusableError
from rivae.importing.session import ImportSettings, Progress
from rivae.importing.texts import MAX_TITLE, lines, one_line
from rivae.reading.contents import content_hash, file_content
from rivae.reading.tables import Broken, Record, rows
from rivae.reading.typed_text import LOST

TELL_EVERY = 2_000  # records
PAPER_LINES = 20  # the paper's filter: 1-20 ingredients and 1-20 instructions
PARTITIONS = {
    "train": "train",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "dev": "validation",
    "test": "test",
}


@dataclass
class _Read:
    """What a record holds, and why it cannot be used all the same."""

    recipe: Recipe
    partition: str
    picture: bytes = b""
    twin: bytes = b""
    factors: dict[str, float] = field(default_factory=dict)
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
        self._matrices = dict(zip(SIDES, map(read_matrix, embeddings or ()), strict=False))
        self.encoding, self.files_so_far = encoding, ""
        self._n_records, self._done = 0, 0
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
        for record in rows(self.table, self.encoding, self.mapping.factors):
            self._n_records += 1
            if self._n_records % TELL_EVERY == 0:
                tell(f"checking {self.table.name}: {self._n_records:,} records", 0.0)
            if not isinstance(record, Broken):
                columns |= dict.fromkeys(record)
                reader.look(record)
        if columns:
            self.mapping.check(columns)
        with PictureFiles(self.images):
            pass  # a wrong place is reported now, not after the folder was made
        for side, matrix in self._matrices.items():
            if len(matrix) != self._n_records:
                raise DataError(
                    f"the {side} matrix has {len(matrix):,} rows but {self.table.name} "
                    f"{self._n_records:,} records: give one row per record"
                )
        self._columns = reader.columns()
        for name, why in reader.refused.items():
            report.note(f"column '{name[:60]}' is not used as a factor", why)
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
                        report.leave_out(str(error), which, _shown(record, self.mapping.picture))
                    yield None
                    continue
                seen_ids.add(key)
                if number < skip:
                    yield None
                    continue
                if found.twin and found.twin in seen_pictures:
                    report.note("same picture as another record", which, seen_pictures[found.twin])
                seen_pictures.setdefault(found.twin, recipe.id)
                said = " ".join(_texts(recipe))
                if LOST in said:
                    report.note(f"text with characters that are none, shown as {LOST}", which)
                for remark in segmenting.remarks(said):
                    report.note(remark, which, recipe.title)
                yield StoreItem(recipe, found.picture, found.partition, found.factors)

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
        recipe, partition = self._text(record, number)
        found = _Read(recipe, partition)
        if number < skip:  # only its id is wanted
            return found
        try:
            if settings.paper_filter:
                check_paper_filter(recipe)
            if self.mapping.picture is not None:
                data = files.read(one_line(record.get(self.mapping.picture), 1000))
                found.twin = hashlib.blake2b(data, digest_size=12).digest()
                if decode:
                    found.picture = stored_picture(data, settings.side)
            found.factors = factor_values(self._columns, record)
        except UnusableError as error:
            found.problem = error
        return found

    def after(self, folder: Path) -> None:
        """Store the rows of the embeddings that belong to the stored items."""
        if self._matrices:
            rows = np.array(PairStore(folder).column("record"), dtype=np.int64)
            about = {"source": [path.name for path in self.embeddings or ()]}
            write_features(folder, OWN, self._matrices, rows, about)

    def _text(self, record: Record, number: int) -> tuple[Recipe, str]:
        m = self.mapping

        def cells(column: str | None) -> tuple[str, ...]:
            return lines(record.get(column)) if column else ()

        recipe = Recipe(
            id=(one_line(record.get(m.id), MAX_TITLE) if m.id else "") or str(number),
            title=one_line(record.get(m.title), MAX_TITLE) if m.title else "",
            ingredients=cells(m.ingredients),
            instructions=cells(m.instructions),
            tags=cells(m.tags),
            url=one_line(record.get(m.url), 2000) if m.url else "",
        )
        if not (recipe.title or recipe.ingredients or recipe.instructions):
            raise UnusableError("text is empty")
        partition = ""
        if m.partition:
            said = one_line(record.get(m.partition), 100).lower()
            if said not in PARTITIONS:
                raise UnusableError("partition is none of train, validation, test")
            partition = PARTITIONS[said]
        return recipe, partition


def _chained(content: str, read: _Read) -> str:
    """The hash of the files so far, and of one more record's picture."""
    if not read.twin:
        return content
    return str(content_hash(content.encode() + read.twin).hexdigest())


def check_paper_filter(recipe: Recipe) -> None:
    """Raise UnusableError unless there are 1-20 ingredients and 1-20 instructions."""
    for name, found in (("ingredients", recipe.ingredients), ("instructions", recipe.instructions)):
        if not found:
            raise UnusableError(f"no {name}")
        if len(found) > PAPER_LINES:
            raise UnusableError(f"more than {PAPER_LINES} {name} (the paper's filter)")


def _texts(recipe: Recipe) -> tuple[str, ...]:
    lines = (*recipe.ingredients, *recipe.instructions, *recipe.tags)
    return (recipe.id, recipe.title, recipe.url, *lines)


def _shown(record: Record, column: str | None) -> str:
    return str(record.get(column, ""))[:80] if column else ""
