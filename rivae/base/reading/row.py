"""What a reader of tables yields, and the bounds that all of them keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rivae.base.errors import DataError

Record = dict[str, Any]
MAX_FIELD = 4 * 2**20  # characters of a cell of CSV, or of a JSON line
MAX_COLUMNS = 2_000
MAX_EMPTY = 100_000  # empty lines
MAX_BROKEN = 20  # from here on, half of the lines must be sound


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that is not a record.

    Attributes:
        line: where it begins, counted from 1; of a JSON list, which element it is.
        reason: the kind of fault, the same for all such lines.
        detail: the fault of this line.
    """

    line: int
    reason: str
    detail: str


def check_share(name: str, n_broken: int, n: int, last: Broken) -> None:
    """Raise DataError when most of the first ``n`` records are broken."""
    if n_broken >= MAX_BROKEN and 2 * n_broken > n:
        raise DataError(
            f"{name} is not a sound table: {n_broken:,} of its first {n:,} records are broken "
            f"(line {last.line}: {last.detail})"
        )


def check_header(name: str, header: list[str]) -> None:
    """Raise DataError for column names that cannot be told apart, or are too many, or none.

    Columns without a name do not count.
    """
    names = [column for column in header if column]
    if len(names) > MAX_COLUMNS:
        raise DataError(f"{name} has more than {MAX_COLUMNS:,} columns")
    if not names:
        raise DataError(f"{name} is empty: its first line must name the columns")
    if len(set(names)) < len(names):
        twice = next(column for column in names if names.count(column) > 1)
        raise DataError(f"{name} names the column '{twice[:60]}' twice: rename one")
