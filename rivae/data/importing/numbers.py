"""How a column writes its numbers: decimal commas, thousands marks, units."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

MAX_LENGTH = 60  # characters of a number with its unit
MAX_UNITS = 100  # different ones in a column; more are words
MAX_WHOLE = 2**53  # floats cannot tell larger whole numbers apart
_NUMBERS = (str, int, float, Decimal)  # what float() reads
_RATIOS = ("%", "‰")  # a number without it may mean another thing
_CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "chf", "cny", "inr", "aud", "cad", "us"})
_PLACES = frozenset({"st", "nd", "rd", "th"})  # 1st, 2nd: an order, no unit
_SAME = str.maketrans({"\u2212": "-", "\u2013": "-", "\uff0d": "-", "\u2019": "'", "\u02bc": "'"})
_CELL = re.compile(
    r"(?P<sign>[+-]?) ?(?P<before>[^\d\s.,'+-]{0,4}) ?(?P<minus>[+-]?)"
    r"(?P<body>(?:\d|[.,](?=\d))(?:[\d.,]|[ '](?=\d))*)(?P<exponent>(?:[eE][+-]?\d+)?)"
    r" ?(?P<unit>[^\d.,]{0,24}\.?)"
)
_POINT, _COMMA = re.compile(r"\d+\.\d*|\.\d+"), re.compile(r"\d*,\d+")
_GROUPS = {  # thousands mark -> numbers in groups, with or without decimals
    ",": re.compile(r"[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?"),
    ".": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?"),
    " ": re.compile(r"[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?"),
    "'": re.compile(r"[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?"),
}
_CODE = re.compile(r"0\d+")
_THREE = re.compile(r"\.\d{3}$")  # 1.234 may be a thousand, or one and a bit


def as_number(cell: object) -> float | None:
    """The finite number that a cell is, or that Python reads in its text."""
    if not isinstance(cell, _NUMBERS):
        return None
    try:
        value = float(cell)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A text that can be read as a number.

    Attributes:
        point: the number if "." is the decimal mark; None where "," must be it.
        comma: the number if "," is the decimal mark; None where "." must be it.
        unit: what stands with the number, in small letters; "" without.
    """

    point: float | None
    comma: float | None
    unit: str = ""


def written(text: str) -> Written | None:
    """The readings of a cleaned text; None where it is no finite number."""
    match = _CELL.fullmatch(text.translate(_SAME)) if len(text) <= MAX_LENGTH else None
    if match is None:
        number = as_number(text)  # 1_000, and digits of other scripts with their own marks
        return None if number is None else Written(number, number)
    unit = _unit(match["before"].strip(), match["unit"].strip())
    if unit is None or (match["sign"] and match["minus"]):
        return None
    body, exponent = match["body"], match["exponent"]
    start = "-" if "-" in (match["sign"], match["minus"]) else ""
    point, comma = (
        None if digits is None else as_number(f"{start}{digits}{exponent}")
        for digits in (_digits(body, decimal, may_group=not exponent) for decimal in ".,")
    )
    return None if point is None and comma is None else Written(point, comma, unit)


def _digits(body: str, decimal: str, may_group: bool) -> str | None:
    """A number as Python writes it, if ``decimal`` can be its decimal mark."""
    plain = _POINT if decimal == "." else _COMMA
    if body.isdecimal() or plain.fullmatch(body):
        return body.replace(",", ".")
    for mark, groups in _GROUPS.items():
        if may_group and mark != decimal and groups.fullmatch(body):
            other = "," if decimal == "." else "."
            is_mixed = mark != other and other in body
            return None if is_mixed else body.replace(mark, "").replace(decimal, ".")
    return None


def _unit(before: str, after: str) -> str | None:
    """The unit of a number; None where the words around it are more than a unit."""
    before, after = before.casefold(), after.casefold()
    if before:
        signs = any(unicodedata.category(c) == "Sc" for c in before)
        return before if not after and (signs or before in _CURRENCIES) else None
    if after in _PLACES or len(after.split()) > 2 or re.search(r"[-:/'(]", after):
        return None
    return after.rstrip(".").removesuffix("s") or after  # 1 hour and 2 hours are of one unit


@dataclass(frozen=True)
class Reading:
    """How the numbers of a column are read.

    Attributes:
        decimal: its decimal mark; a cell that cannot have it is read with the other one.
        units: of the cells that are numbers; "" for cells without a unit.
        n: such cells.
        odd: the first cell with each other unit -> how many there are.
        otherwise: what was read otherwise than it is written, as "0,5 as 0.5".
    """

    decimal: str
    units: frozenset[str]
    n: int
    odd: dict[str, int]
    otherwise: tuple[str, ...]

    @property
    def unit(self) -> str:
        """The unit of all of them, or ""."""
        return max(self.units, default="")

    def number(self, text: str) -> float | None:
        """The number in a text; None without."""
        number = as_number(text)
        if number is not None and ("." not in text or self.decimal == "."):
            return number if "" in self.units else None
        writing = written(text)
        return None if writing is None or writing.unit not in self.units else self.choose(writing)

    def choose(self, number: Written) -> float | None:
        """The reading with this decimal mark, else the only one."""
        first, second = (number.point, number.comma)[:: 1 if self.decimal == "." else -1]
        return second if first is None else first


class NumberColumn:
    """Learns from the texts of a column how it writes numbers.

    The decimal mark is decided for the column as a whole: where more cells need a comma (0,5) than
    need a point, 1,234 is one and a bit; else it is a thousand.
    """

    def __init__(self) -> None:
        self._units: Counter[str] = Counter()
        self._n_point = self._n_comma = self._n_three = 0
        self._first: dict[tuple[str, str], str] = {}  # unit, how it is written -> the first such

    def look(self, text: str) -> bool:
        """Learn from one text; False when it is no number."""
        number = as_number(text)
        if number is not None and not _THREE.search(text):  # as most are
            self._units[""] += 1
            self._n_point += "." in text
            kind = "plain"
            if _CODE.fullmatch(text):
                kind = "code"
            elif abs(number) >= MAX_WHOLE:
                kind = "large"
            if ("", kind) not in self._first:
                self._first["", kind] = text
            return True
        writing = written(text)
        if writing is None or (writing.unit not in self._units and len(self._units) >= MAX_UNITS):
            return False
        self._units[writing.unit] += 1
        kind = "unit" if number is None else "plain"
        if writing.point is None:
            self._n_comma, kind = self._n_comma + 1, "comma"
        elif writing.comma is None:
            self._n_point += 1
        elif writing.point != writing.comma:
            self._n_three, kind = self._n_three + ("." in text), "three"
        self._first.setdefault((writing.unit, kind), text)
        return True

    def reading(self) -> Reading:
        """How its numbers are read, after all texts were looked at."""
        comma = self._n_comma > self._n_point and self._n_comma >= self._n_three
        units = _of_one_kind(self._units)
        reading = Reading(
            decimal="," if comma else ".",
            units=frozenset(units),
            n=sum(self._units[unit] for unit in units),
            odd={
                next(text for (unit, _), text in self._first.items() if unit == other): count
                for other, count in self._units.items()
                if other not in units
            },
            otherwise=(),
        )
        otherwise = tuple(
            f"{text} as {number:.17g}"
            for (unit, kind), text in self._first.items()
            if unit in units and (number := reading.number(text)) is not None
            # A code loses its zeros, and a large number its last digits.
            if kind in ("code", "large") or number != as_number(text)
        )
        return replace(reading, otherwise=otherwise)


def _of_one_kind(counts: Mapping[str, int]) -> set[str]:
    """The units of the cells whose numbers can be compared.

    Cells without a unit are of the only unit that there is, unless it is a ratio: 12 % and 0.12.
    """
    bare, unit_counts = counts.get("", 0), {unit: n for unit, n in counts.items() if unit}
    if not unit_counts:
        return {""}
    unit = max(unit_counts, key=lambda u: unit_counts[u])
    if not bare:
        return {unit}
    if len(unit_counts) == 1 and unit not in _RATIOS:
        return {unit, ""}
    return {""} if bare >= unit_counts[unit] else {unit}
