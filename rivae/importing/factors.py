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
MAX_NAME = 200  # characters of a column name, and of a level
# How tables write that a number is not known; among words they may mean something ("none").
GAPS = {"n/a", "#n/a", "na", "<na>", "nan", "null", "none", "-", "?"}
TOO_MANY = f"more than {MAX_CLASSES} different words"
MAX_WHOLE = 2**53  # floats cannot tell larger integers apart


class FactorReader:
    """Learns the kinds of the columns from all records, then makes numbers of their cells.

    A column of numbers is continuous; with few whole numbers, ordinal; with words, categorical. A
    column with an empty cell, or with too many different words, is not used (``refused``).
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._seen: dict[str, set[str]] = {name: set() for name in columns}  # the first different
        self._words: dict[str, set[str]] = {name: set() for name in self._seen}  # no numbers
        self._empty, self._gaps = dict.fromkeys(self._seen, 0), dict.fromkeys(self._seen, 0)
        self.refused = {
            name: "its name is not a plain text of up to 200 characters"
            for name in self._seen
            if clean(name) != name or len(name) > MAX_NAME
        }

    def look(self, record: Mapping[str, Any]) -> None:
        """Learn from the cells of one usable record."""
        for name, seen in self._seen.items():
            if name in self.refused:
                continue
            cell = clean(record.get(name))
            if not cell:
                self._empty[name] += 1
                continue
            if len(seen) <= MAX_CLASSES:
                seen.add(cell)
            if _number(cell) is None:
                self._gaps[name] += cell.lower() in GAPS
                if len(self._words[name]) <= MAX_CLASSES:
                    self._words[name].add(cell)

    def columns(self) -> tuple[FactorColumn, ...]:
        """The usable columns, in the order given."""
        out = []
        for name, seen in self._seen.items():
            words, n_empty = self._words[name], self._empty[name]
            if len(words) < len(seen) and {word.lower() for word in words} <= GAPS:
                n_empty, words = n_empty + self._gaps[name], set()
            if name in self.refused or not (seen or n_empty):
                continue
            if n_empty:
                self.refused[name] = _no_value(n_empty)
            elif not words:
                out.append(_numeric(name, {float(value) for value in seen}, len(seen)))
            elif len(seen) > MAX_CLASSES:
                self.refused[name] = TOO_MANY
            else:
                levels = tuple(sorted({value[:MAX_NAME] for value in seen}))
                out.append(FactorColumn(name=name, kind="categorical", levels=levels))
        return tuple(out)


def _no_value(n: int) -> str:
    records = "1 record has" if n == 1 else f"{n:,} records have"
    return f"{records} no value: fill the gaps, or leave such records out"


def _numeric(name: str, numbers: set[float], n_spellings: int) -> FactorColumn:
    few = len(numbers) <= MAX_ORDINAL and n_spellings <= MAX_CLASSES
    if few and all(map(_is_whole, numbers)):
        levels = tuple(f"{int(value)}" for value in sorted(numbers))
        return FactorColumn(name=name, kind="ordinal", levels=levels)
    return FactorColumn(name=name, kind="continuous")


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
                out[column.name] = float(column.levels.index(clean(cell)[:MAX_NAME]))
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


def _number(cell: str) -> float | None:
    """What a cell says as a finite number, if it says one."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
