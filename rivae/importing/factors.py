"""Reads factor columns of a table as numbers, a few ordered levels, or names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rivae.data.store import FactorColumn
from rivae.importing.report import UnusableError
from rivae.reading.typed_text import clean

MAX_ORDINAL = 12  # different whole numbers that count as levels
MAX_CLASSES = 100
MAX_NAME = 200  # characters of a column name
MAX_WHOLE = 2**53  # floats cannot tell larger integers apart


class FactorReader:
    """Learns the kinds of the columns from all records, then makes numbers of their cells.

    A column of numbers is continuous; with few whole numbers, ordinal; of words, categorical. A
    column with an empty cell, or with too many different words, is not used (``refused``).
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._numeric = dict.fromkeys(columns, True)
        self._values: dict[str, set[Any]] = {name: set() for name in self._numeric}
        self.refused = {
            name: "its name is not a plain text of up to 200 characters"
            for name in self._numeric
            if clean(name) != name or len(name) > MAX_NAME
        }

    def look(self, record: Mapping[str, Any]) -> None:
        """Learn from the cells of one usable record."""
        for name in self._values:
            if name in self.refused:
                continue
            cell: object = record.get(name)
            number = _number(cell)
            if number is None and not (cell := clean(cell)):
                self.refused[name] = "a record has no value"
                continue
            if number is None:
                self._numeric[name] = False
            seen = self._values[name]
            if len(seen) <= MAX_CLASSES:
                seen.add(cell if number is None else number)
            elif not self._numeric[name]:
                self.refused[name] = f"more than {MAX_CLASSES} different words"

    def columns(self) -> tuple[FactorColumn, ...]:
        """The usable columns, in the order given."""
        out = []
        for name, seen in self._values.items():
            if name in self.refused or not seen:
                continue
            if not self._numeric[name] and len(seen) > MAX_CLASSES:
                self.refused[name] = f"more than {MAX_CLASSES} different words"
            elif self._numeric[name]:
                few = len(seen) <= MAX_ORDINAL and all(map(_is_whole, seen))
                levels = tuple(f"{int(v)}" for v in sorted(seen)) if few else ()
                kind = "ordinal" if few else "continuous"
                out.append(FactorColumn(name=name, kind=kind, levels=levels))  # type: ignore[arg-type]
            else:
                words = tuple(sorted(str(value)[:200] for value in seen))
                out.append(FactorColumn(name=name, kind="categorical", levels=words))
        return tuple(out)


def factor_values(columns: Iterable[FactorColumn], record: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of one record: values, or codes 0, 1, 2 … of levels.

    Raises:
        UnusableError: for a record that ``FactorReader`` has not looked at.
    """
    out = {}
    for column in columns:
        cell = record.get(column.name)
        try:
            if column.kind == "categorical":
                out[column.name] = float(column.levels.index(clean(cell)[:200]))
                continue
            number = cell if type(cell) is float else float(clean(cell))
            if column.kind == "ordinal":
                number = float(column.levels.index(f"{int(number)}"))
            out[column.name] = number
        except (ValueError, OverflowError):
            raise UnusableError("known factor has another kind of value") from None
    return out


def _is_whole(value: float) -> bool:
    return abs(value) < MAX_WHOLE and value == int(value)


def _number(cell: object) -> float | None:
    """A cell as a finite number, if it is or says one."""
    try:
        value = cell if type(cell) is float else float(clean(cell))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
