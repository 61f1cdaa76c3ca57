"""Parquet files: rows of any Arrow types, and matrices of numbers, within bounds.

Arrow checks the form of a file; this module bounds its unpacked size and handles values that
Python has no object for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rivae.base.arrays import in_reach
from rivae.base.errors import DataError
from rivae.base.reading.matrix_columns import MatrixColumns, is_list_type, matrix_columns
from rivae.base.reading.places import is_remote, open_remote, reached
from rivae.base.reading.regular import begins_with, not_read

MAX_ROWS = 100_000_000
FREE_ROWS = 1_000_000  # more than these take at least a byte each
BATCH_ROWS, BATCH_BYTES = 500, 64 * 2**20
FREE_BYTES, MAX_RATIO = 64 * 2**20, 100  # of a matrix; more take a byte for so many
_MAGIC = b"PAR1"
_DIFFER = "its lists differ in length: row {:,} has {:,} numbers, not {:,}"
# Damaged pages and names raise nearly any error.
_ERRORS = (
    OSError,
    pa.ArrowException,
    ValueError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    AttributeError,
)


def is_parquet(path: Path) -> bool:
    """Whether a file is named or begins as Parquet."""
    return path.suffix.lower() == ".parquet" or begins_with(path, _MAGIC)


def open_parquet(path: Path) -> pq.ParquetFile:
    """The file, when it states no more rows than its size can hold.

    Raises:
        DataError: in one sentence.
    """
    try:
        with reached(path) if is_remote(path) else nullcontext():
            size = path.stat().st_size
        with pq.ParquetFile(_source(path)) as file:
            columns = [file.schema.column(i) for i in range(len(file.schema))]
            bytes_of = [c.path for c in columns if c.physical_type == "BYTE_ARRAY"]
        # As they are stored, each different value once: a few bytes can repeat a large one.
        file = pq.ParquetFile(_source(path), read_dictionary=bytes_of)
    except _ERRORS as error:
        raise not_read(f"{path.name} cannot be read as Parquet: {_short(error)}", error) from error
    n = file.metadata.num_rows
    if not 0 <= n <= MAX_ROWS or n > max(FREE_ROWS, size):
        file.close()
        raise DataError(f"{path.name} states {n:,} rows in {size:,} bytes: write it again")
    return file


def _source(path: Path) -> Any:
    """What Arrow opens: it reads files of this machine by itself."""
    return open_remote(path) if is_remote(path) else path


def column_names(file: pq.ParquetFile, name: str) -> list[str]:
    """The columns of a file.

    Raises:
        DataError: a name is not text.
    """
    try:
        return list(file.schema_arrow.names)
    except _ERRORS as error:
        raise DataError(f"{name} has columns that cannot be read: {_short(error)}") from error


def parquet_rows(
    file: pq.ParquetFile, name: str, usecols: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows one after the other.

    The cells of columns that are not ``usecols`` are None and cost nothing; all are by default.
    Text that is not UTF-8 comes as bytes, and a value that Python has no object for (a date beyond
    the year 9999) as text, a number or None.

    Raises:
        DataError: the file is damaged.
    """
    try:
        names = file.schema_arrow.names
        read = None if usecols is None else [name for name in names if name in usecols]
        for batch in _batches(file, read):
            columns = dict.fromkeys(names, [None] * len(batch))
            columns |= zip(batch.schema.names, map(_cells, batch.columns), strict=True)
            for cells in zip(*columns.values(), strict=True):
                yield dict(zip(columns, cells, strict=True))
    except _ERRORS as error:
        raise not_read(f"{name} cannot be read as Parquet: {_short(error)}", error) from error


def _batches(file: pq.ParquetFile, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """The rows in order, never so many at once that those of pictures fill the memory.

    Group by group: Arrow has no batch of lists or structs over the border of two.
    """
    for i in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(i)
        most = BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
        n_rows = min(max(most, 1), BATCH_ROWS)
        yield from file.iter_batches(batch_size=n_rows, row_groups=[i], columns=columns)


def parquet_matrix_columns(path: Path, words: Sequence[str] = ()) -> MatrixColumns:
    """Which columns ``parquet_matrix`` reads.

    Raises:
        DataError: in one sentence.
    """
    with open_parquet(path) as file:
        column_names(file, path.name)
        return matrix_columns(file.schema_arrow, path.name, words)


def parquet_matrix(path: Path, words: Sequence[str] = ()) -> NDArray[np.float32]:
    """The floats of a file: of D columns, or of one column of lists of D.

    Rows beyond what float32 can be squared in are scaled, see ``rivae.base.arrays.in_reach``.

    Args:
        words: see ``matrix_columns``.

    Raises:
        DataError: in one sentence.
    """
    columns_read = list(parquet_matrix_columns(path, words).taken)
    with open_parquet(path) as file:
        most = max(FREE_BYTES, MAX_RATIO * path.stat().st_size)
        parts: list[NDArray[np.float32]] = []
        n_bytes, n_rows = 0, 0
        try:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=columns_read):
                columns = [_stored(batch.column(name)) for name in columns_read]
                if is_list_type(columns[0].type):
                    part = _of_lists(columns[0], n_rows)
                else:
                    part = np.column_stack([_floats(column) for column in columns])
                if parts and part.shape[1] != parts[0].shape[1]:
                    lengths = part.shape[1], parts[0].shape[1]
                    raise ValueError(_DIFFER.format(n_rows + 1, *lengths))
                parts.append(in_reach(part).astype(np.float32, copy=False))
                n_bytes, n_rows = n_bytes + parts[-1].nbytes, n_rows + len(batch)
                if n_bytes > most:
                    raise ValueError(f"it unpacks to more than {MAX_RATIO} times its size")
            return np.concatenate(parts)
        except _ERRORS as error:
            words = f"{path.name} is not a table of numbers: {_short(error)}"
            raise not_read(words, error) from error


def parquet_cells(path: Path, name: str) -> list[Any]:
    """The cells of one column.

    Raises:
        DataError: the file is damaged.
    """
    with open_parquet(path) as file:
        return [row[name] for row in parquet_rows(file, path.name, (name,))]


def _of_lists(column: pa.Array, n_before: int) -> NDArray[Any]:
    """(rows, D) of lists, and of lists of one list."""
    lengths = pc.list_value_length(column)
    if column.null_count or len(pc.unique(lengths)) > 1:
        widths = [n or 0 for n in lengths.to_pylist()]
        usual = next((n for n in widths if n), 0)
        odd = next(i for i, n in enumerate(widths) if n != usual)
        raise ValueError(_DIFFER.format(n_before + odd + 1, widths[odd], usual))
    inner = _stored(column.flatten())
    if is_list_type(inner.type):
        if len(inner) != len(column):
            raise ValueError("a row is several lists of numbers: give the mean of them, or one")
        return _of_lists(inner, n_before)
    return _floats(inner).reshape(len(column), -1)


def _floats(column: pa.Array) -> NDArray[Any]:
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values


def _stored(column: pa.Array) -> pa.Array:
    while isinstance(column, pa.ExtensionArray):
        column = column.storage
    return column


def _cells(column: pa.Array) -> list[Any]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        categories = pc.unique(column.indices.drop_null())
        values = _cells(column.dictionary.take(categories))
        by_number = dict(zip(categories.to_pylist(), values, strict=True))
        return [by_number.get(number) for number in column.indices.to_pylist()]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        rest = iter(_cells(column.flatten()))
        lengths = pc.list_value_length(column).to_pylist()
        return [None if n is None else list(islice(rest, n)) for n in lengths]
    try:
        return column.to_pylist()
    except _ERRORS:
        pass  # one value is enough, so each is tried
    types = (_with_bytes(kind), pa.string(), pa.int64())
    return [_cell(column[i], types) for i in range(len(column))]


def _cell(value: pa.Scalar, types: tuple[pa.DataType, ...]) -> Any:
    try:
        return value.as_py()
    except _ERRORS:
        pass
    for other in types:
        try:
            return value.cast(other).as_py()
        except _ERRORS:
            continue
    return None


def _with_bytes(kind: pa.DataType) -> pa.DataType:
    """Bytes in place of text, which may not be UTF-8."""
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return pa.large_binary() if is_text else kind


def _short(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
