"""A user's own embeddings of an import: read, reported, and matched with its table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import DataError, shown
from rivae.base.reading.matrix_columns import is_index
from rivae.base.reading.parquet import is_parquet, parquet_cells, parquet_matrix_columns
from rivae.base.reading.tables import Broken, Record
from rivae.base.reading.typed_text import clean
from rivae.data.importing.mapping import IDS
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.store.features import OWN, SIDES, WORDS_OF, read_matrix, write_features
from rivae.data.store.twins import mark_of

LEFT_OUT = "columns that are no numbers of the embeddings, left out"
COUNTS = "columns of the embeddings that only count up: leave them out if they are an index"
SHUFFLED = "indexes of embeddings in another order: their rows are taken in the order of the file"
MATCHED = "rows of the {} matrix were found by column '{}', not by their order"
UNMATCHED = "rows of the {} matrix were taken in their order: column '{}' names other rows"
NO_ROW = "no row of the embeddings has its id"
_LOOKED_AT = 1_000  # rows, to tell a column that counts
_FEWEST = 10
_LONGEST = 60  # letters of a cell that are compared as they are


class Embeddings:
    """The matrices of both sides.

    Args:
        paths: of the pictures' and of the texts' matrix; None where there are none.

    Raises:
        DataError: a matrix cannot be read.
    """

    def __init__(self, paths: tuple[Path, Path] | None) -> None:
        self.paths = dict(zip(SIDES, paths or (), strict=False))
        self._matrices = {side: read_matrix(path, side) for side, path in self.paths.items()}
        self._columns = {
            side: parquet_matrix_columns(path, WORDS_OF[side])
            for side, path in self.paths.items()
            if is_parquet(path)
        }
        self._id_column: str | None = None
        self._cells: dict[str, list[str]] = {}
        self._rows: dict[str, NDArray[np.int64]] = {}

    def __bool__(self) -> bool:
        return bool(self.paths)

    def begin(self, id_column: str | None) -> tuple[str, ...]:
        """Before all records are looked at: the columns of the table that may tell whose a row is,
        by their names, which stand next to the numbers, too.

        Args:
            id_column: of the table.
        """
        self._id_column = id_column
        names = dict.fromkeys(name for c in self._columns.values() for name in c.keys)
        if names and id_column:
            names[id_column] = None
        self._cells = {name: [] for name in names}
        return tuple(names)

    def look(self, record: Record | Broken) -> None:
        """Take the cells of one record."""
        for name, cells in self._cells.items():
            cells.append("" if isinstance(record, Broken) else _plain(record.get(name)))

    def match(self, table: str, n_records: int, report: ImportReport) -> None:
        """Find the row of each record, and tell the report what was read.

        A row is found by the ids of the table where the matrix has these too, or by another column
        of the same name whose cells all differ; without one by its place.

        Args:
            table: its name.

        Raises:
            DataError: it is not clear which row belongs to which record.
        """
        self._tell(report)
        for side, matrix in self._matrices.items():
            rows = None
            for name, table_keys, theirs in self._keys(side):
                rows = _rows_by(table_keys, theirs)
                if rows is not None:
                    if len(matrix) != n_records or (rows != np.arange(n_records)).any():
                        size = f"{len(matrix):,} rows"
                        n_found = int((rows >= 0).sum())
                        report.note(MATCHED.format(side, name), self._file(side), size, n_found)
                    break
                if len(table_keys) != len(theirs):
                    continue
                if set(table_keys) & set(theirs):
                    raise DataError(self._another(side, name))
                report.note(UNMATCHED.format(side, name), self._file(side), theirs[0])
            if rows is None and len(matrix) != n_records:
                raise DataError(
                    f"the {side} matrix has {len(matrix):,} rows but {table} "
                    f"{n_records:,} records: give one row per record"
                )
            self._rows[side] = np.arange(n_records) if rows is None else rows

    def _keys(self, side: str) -> Iterator[tuple[str, list[str], list[str]]]:
        """(name, cells of the table, cells of the matrix) of what may tell whose a row is."""
        names = self._columns[side].keys if side in self._columns else ()
        is_id = {name: name == self._id_column or name.lower() in IDS for name in names}
        for name in sorted(names, key=lambda name: not is_id[name]):
            table_keys = self._cells[self._id_column if is_id[name] and self._id_column else name]
            if any(table_keys):
                theirs = [_plain(cell) for cell in parquet_cells(self.paths[side], name)]
                if len(set(theirs)) == len(theirs):
                    yield name, table_keys, theirs
                elif table_keys != theirs and sorted(table_keys) == sorted(theirs):
                    raise DataError(self._another(side, name))

    def _another(self, side: str, name: str) -> str:
        return (
            f"{self._file(side)} has as many rows as the table has records, but with another "
            f"'{shown(name)}' than these: put the rows in the order of the table, or remove this "
            "column to take them as they are"
        )

    def _tell(self, report: ImportReport) -> None:
        if not self._matrices:
            return
        pictures, texts = (self._matrices[side].shape[1] for side in SIDES)
        remark = f"embeddings: {pictures:,} numbers a row for pictures, {texts:,} for texts"
        descriptions = (
            f"{side} {self._file(side)}"
            + (f" ({self._columns[side].sentence})" if side in self._columns else "")
            for side in SIDES
        )
        report.note(remark, "; ".join(descriptions))
        of_matrix = {
            (self.paths[side], name) for side, c in self._columns.items() for name in c.taken
        }
        others = {
            (self.paths[side], name): None
            for side, c in self._columns.items()
            for name in c.left_out
        }
        for path, name in others:
            if (path, name) not in of_matrix:  # by the other side
                report.note(LEFT_OUT, path.name, name)
            if is_index(name) and _is_shuffled(parquet_cells(path, name)):
                report.note(SHUFFLED, path.name, name)
        for side, matrix in self._matrices.items():
            for number in _counting(matrix[:_LOOKED_AT]):
                report.note(COUNTS, self._file(side), f"number {number + 1} of each row")

    def _file(self, side: str) -> str:
        return self.paths[side].name

    def require(self, number: int) -> None:
        """Raise UnusableError where a record has no row."""
        if any(rows[number] < 0 for rows in self._rows.values()):
            raise UnusableError(NO_ROW)

    def mark(self, number: int) -> bytes:
        """What records with the same embedding of their picture share, see ``twins``."""
        side = SIDES[0]
        return mark_of(self._matrices[side][self._rows[side][number]].tobytes())

    def write(self, folder: Path, records: NDArray[np.int64]) -> None:
        """Store the rows of the items in ``folder``, which are these records of the table.

        Raises:
            DataError: a row is all zero or not finite, or the disk refuses.
        """
        rows = {side: self._rows[side][records] for side in SIDES}
        about = {"source": [path.name for path in self.paths.values()]}
        write_features(folder, OWN, self._matrices, rows, about)


def _rows_by(table_keys: list[str], theirs: list[str]) -> NDArray[np.int64] | None:
    """The row of each record, -1 for none, by the cells of a column; None where they do not tell.

    Cells that differ here and there, each in its place, tell that the order is the same. In as many
    rows as records, where only some are found and at other places, anything may be meant.
    """
    place = {cell: i for i, cell in enumerate(theirs)}
    rows = np.array([place.get(cell, -1) for cell in table_keys], dtype=np.int64)
    is_matched = rows >= 0
    if not is_matched.any():
        return None
    if len(table_keys) == len(theirs) and not is_matched.all():
        in_order = np.arange(len(table_keys))
        return in_order if (rows == in_order)[is_matched].all() else None
    return rows


def _counting(rows: NDArray[Any]) -> list[int]:
    """The columns that hold rising whole numbers, as row numbers and indexes do."""
    if len(rows) < _FEWEST:
        return []
    with np.errstate(invalid="ignore"):
        is_whole = (rows == np.floor(rows)).all(axis=0)
        return np.flatnonzero(is_whole & (np.diff(rows, axis=0) > 0).all(axis=0)).tolist()


def _is_shuffled(index: list[Any]) -> bool:
    """Whether an index numbers its rows 0 … n - 1, in another order."""
    return index != (rows := list(range(len(index)))) and set(index) == set(rows)


def _plain(cell: Any) -> str:
    """A cell as text, whether it is 7, 7.0 or "7"."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = clean(cell)
    if len(text) > _LONGEST:
        return mark_of(text.encode()).hex()
    whole = text.removesuffix(".0")
    return whole if whole.isdigit() else text
