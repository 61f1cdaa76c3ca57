"""The benchmark's results: where they are, whether they can be read, their summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import DataError
from rivae.installed import APP_FILES

if TYPE_CHECKING:
    from rivae.benchmark.summary import SummaryLine

# A row is some 100 bytes; the whole report has a few thousand of them.
MAX_BYTES, MAX_ROWS = 64 * 2**20, 500_000
TEXTS = ("dataset", "method", "state", "metric")
NUMBERS = ("score", "seed", "draw")


def results_file() -> Path:
    """``$RIVAE_RESULTS/results.parquet``, else that of the project itself."""
    folder = os.environ.get("RIVAE_RESULTS")
    return (Path(folder) if folder else APP_FILES / "benchmarks" / "results") / "results.parquet"


def summary() -> list[SummaryLine]:
    """The lines of all tables; none where no benchmark has run yet.

    Raises:
        DataError: the file is damaged, too large, or no table of results.
    """
    path = results_file()
    try:
        found = path.stat()
    except OSError:
        return []
    return _summary(str(path), found.st_mtime_ns, found.st_size)


@st.cache_resource(max_entries=2, show_spinner=False)
def _summary(path: str, written: int, size: int) -> list[SummaryLine]:
    from rivae.benchmark.rows import read_rows
    from rivae.benchmark.summary import summarise

    check(Path(path), size)
    try:
        return summarise(read_rows(Path(path).parent))
    except (ValueError, TypeError, KeyError, OverflowError):
        raise _foreign(Path(path)) from None


def check(path: Path, size: int) -> None:
    """Look at the file's own description before its rows are read.

    Raises:
        DataError: the file is damaged, too large, or no table of results.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if size > MAX_BYTES:
        raise DataError(f"{path.name} is larger than {MAX_BYTES >> 20} MB: run the benchmark again")
    try:
        with pq.ParquetFile(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
    except (OSError, pa.ArrowException):
        raise DataError(f"{path.name} is damaged: delete it and run the benchmark again") from None
    if n_rows > MAX_ROWS:
        raise DataError(f"{path.name} has more than {MAX_ROWS:,} rows: run the benchmark again")
    types = {field.name: field.type for field in schema}
    is_text = (pa.types.is_string, pa.types.is_large_string)
    is_number = (pa.types.is_integer, pa.types.is_floating)
    for names, allowed in ((TEXTS, is_text), (NUMBERS, is_number)):
        if not all(name in types and any(f(types[name]) for f in allowed) for name in names):
            raise _foreign(path)


def _foreign(path: Path) -> DataError:
    return DataError(f"{path.name} is no table of benchmark results: run the benchmark again")
