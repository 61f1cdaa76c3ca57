"""Reads factor columns of a table as numbers, a few ordered levels, or names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from rivae.base.errors import shown
from rivae.base.reading.typed_text import clean
from rivae.data.importing.numbers import MAX_WHOLE, NumberColumn, Reading, as_number
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.store import FactorColumn

MAX_ORDINAL = 12  # different whole numbers that count as levels
MAX_CLASSES = 100
MAX_NAME = 200  # characters of a column name, and of a level
# How tables write that a number is not known; among words they may mean something ("none").
GAPS = {"n/a", "#n/a", "na", "<na>", "nan", "null", "none", "-", "?"}
TOO_MANY = f"more than {MAX_CLASSES} different words"
ODD_SHARE = 0.1  # of the cells may be no number in a column of numbers
ODD_SHOWN = 3
_TYPES = (int, float, Decimal)


@dataclass
class _Column:
    """What was seen of one column."""

    cells: set[str] = field(default_factory=set)  # the first different cells
    numbers: set[float] = field(default_factory=set)  # the first different numbers that are no text
    odd: dict[str, None] = field(default_factory=dict)  # the first different cells without number
    texts: NumberColumn = field(default_factory=NumberColumn)
    n_typed: int = 0
    n_odd: int = 0
    n_gaps: int = 0  # words of GAPS
    n_empty: int = 0

    def look(self, value: Any) -> None:
        """Learn from one cell."""
        cell = clean(value)
        if not cell:
            self.n_empty += 1
            return
        if len(self.cells) <= MAX_CLASSES:
            self.cells.add(cell)
        if self._is_number(value) if _is_typed(value) else self.texts.look(cell):
            return
        if cell.lower() in GAPS:
            self.n_gaps += 1
        else:
            self.n_odd += 1
            if len(self.odd) < ODD_SHOWN:
                self.odd[cell] = None

    def _is_number(self, value: Any) -> bool:
        number = as_number(value)
        if number is None:
            return False
        self.n_typed += 1
        if len(self.numbers) <= MAX_CLASSES:
            self.numbers.add(number)
        return True


class FactorReader:
    """Learns the kinds of the columns from all records, then makes numbers of their cells.

    A column of numbers is continuous; with few whole numbers, ordinal; with words, categorical. Up
    to a tenth of the cells of a column of numbers may be something else: records with such a cell
    cannot be used. A column with an empty cell, or with too many different words, is not used
    (``refused``).
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = {name: _Column() for name in columns}
        self._readings: dict[str, Reading] = {}
        self._usable: tuple[FactorColumn, ...] = ()
        self.refused = {
            name: "its name is not a plain text of up to 200 characters"
            for name in self._columns
            if clean(name) != name or len(name) > MAX_NAME
        }

    def look(self, record: Mapping[str, Any]) -> None:
        """Learn from the cells of one usable record."""
        for name, column in self._columns.items():
            if name not in self.refused:
                column.look(record.get(name))

    def columns(self) -> tuple[FactorColumn, ...]:
        """The usable columns, in the order given, after all records were looked at."""
        columns = (self._column(name, entry) for name, entry in self._columns.items())
        self._usable = tuple(column for column in columns if column is not None)
        return self._usable

    def _column(self, name: str, entry: _Column) -> FactorColumn | None:
        reading = entry.texts.reading()
        n = entry.n_typed + reading.n
        n_odd = entry.n_odd + sum(reading.odd.values())
        numeric = n > 0 and n_odd <= ODD_SHARE * (n + n_odd)
        n_gaps = entry.n_empty + (entry.n_gaps if numeric else 0)
        if name in self.refused or not (entry.cells or n_gaps):
            return None
        if n_gaps:
            self.refused[name] = _no_value(n_gaps)
        elif numeric:
            self._readings[name] = reading
            texts = {reading.number(cell) for cell in entry.cells}
            numbers = entry.numbers | {number for number in texts if number is not None}
            return _numeric(name, numbers, len(entry.cells))
        elif len(entry.cells) > MAX_CLASSES:
            self.refused[name] = TOO_MANY
        else:
            levels = tuple(sorted({value[:MAX_NAME] for value in entry.cells}))
            return FactorColumn(name=name, kind="categorical", levels=levels)
        return None

    def tell(self, report: ImportReport) -> None:
        """Note which columns cannot be used, and what was read as a number."""
        for name, why in self.refused.items():
            report.note(f"column '{name[:60]}' is not used as a factor", why)
        for name, reading in self._readings.items():
            entry, label = self._columns[name], shown(name, 60)
            n_odd = entry.n_odd + sum(reading.odd.values())
            if n_odd:
                report.note(
                    f"column '{label}' has cells that are not numbers; records with one are left "
                    "out",
                    _counted(entry.n_typed + reading.n, n_odd, [*entry.odd, *reading.odd]),
                )
            if reading.otherwise:
                report.note(
                    f"column '{label}' is read as numbers", "; ".join(reading.otherwise[:4])
                )

    def values(self, record: Mapping[str, Any]) -> dict[str, float]:
        """The numbers of one record: values, or codes 0, 1, 2 … of levels.

        Raises:
            UnusableError: a cell of a column of numbers is none; or for a record that was not
                looked at.
        """
        return {column.name: self._value(column, record) for column in self._usable}

    def _value(self, column: FactorColumn, record: Mapping[str, Any]) -> float:
        value = record.get(column.name)
        try:
            if column.kind == "categorical":
                return float(column.levels.index(clean(value)[:MAX_NAME]))
            number = self._number(column.name, value)
            if number is None:
                raise UnusableError(f"'{shown(column.name, 60)}' is not a number", clean(value))
            if column.kind == "ordinal":
                number = float(column.levels.index(f"{int(number)}"))
            return number
        except ValueError:
            raise UnusableError("known factor has another kind of value") from None

    def _number(self, name: str, value: Any) -> float | None:
        if _is_typed(value):
            return as_number(value)
        return self._readings[name].number(clean(value))

    def about(self, column: FactorColumn) -> str:
        """What a column became, in a few words: "a number in kcal"."""
        levels = column.levels
        if column.kind == "continuous":
            unit = self._readings[column.name].unit
            return f"a number in {unit}" if unit else "a number"
        if column.kind == "categorical":
            return f"{len(levels)} names" if len(levels) > 1 else "one name only"
        if len(levels) == 1:
            return f"one level only, {levels[0]}"
        gapless = len(levels) == int(levels[-1]) - int(levels[0]) + 1
        between = f"{levels[0]}–{levels[-1]}"
        return f"levels {between}" if gapless else f"{len(levels)} levels in {between}"


def _is_typed(value: Any) -> bool:
    """Whether a cell is a number by its type, so that its text needs no reading."""
    return isinstance(value, _TYPES) and not isinstance(value, bool)


def _counted(n: int, n_odd: int, examples: list[str]) -> str:
    quotes = ", ".join(shown(cell, 40) for cell in examples[:ODD_SHOWN])
    more = ", …" if n_odd > ODD_SHOWN else ""
    return f"{n:,} numbers and {n_odd:,} other cell{'s'[: n_odd > 1]} ({quotes}{more})"


def _no_value(n: int) -> str:
    records = "1 record has" if n == 1 else f"{n:,} records have"
    return f"{records} no value: fill the gaps, or leave such records out"


def _numeric(name: str, numbers: set[float], n_spellings: int) -> FactorColumn:
    few = len(numbers) <= MAX_ORDINAL and n_spellings <= MAX_CLASSES
    if few and all(map(_is_whole, numbers)):
        levels = tuple(f"{int(value)}" for value in sorted(numbers))
        return FactorColumn(name=name, kind="ordinal", levels=levels)
    return FactorColumn(name=name, kind="continuous")


def _is_whole(value: float) -> bool:
    return abs(value) < MAX_WHOLE and value == int(value)
