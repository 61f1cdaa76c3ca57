"""A column of numbers is one, in whatever way they are written."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.data.importing.factors import FactorReader
from rivae.data.importing.numbers import NumberColumn, written
from rivae.data.importing.report import ImportReport, UnusableError


def read(cells, name="x"):
    """The factor column of these cells, the values (None for no number), and the report."""
    reader, report = FactorReader([name]), ImportReport()
    for cell in cells:
        reader.look({name: cell})
    columns = reader.columns()
    reader.tell(report)
    values = []
    for cell in cells if columns else ():
        try:
            values.append(reader.values({name: cell})[name])
        except UnusableError:
            values.append(None)
    return (columns or (None,))[0], values, report, reader


# Decimal mark, thousands mark, in front, behind, minus
WRITINGS = [
    (".", "", "", "", "-"),
    (",", "", "", "", "-"),
    (".", ",", "", "", "-"),
    (",", ".", "", "", "−"),
    (",", " ", "", "", "-"),
    (".", " ", "", "", "-"),
    (",", "\u202f", "", "\xa0€", "-"),
    (".", "'", "CHF ", "", "-"),
    (".", "’", "", "", "-"),
    (".", ",", "$", "", "-"),
    (",", "", "", " %", "−"),
    (".", "", "", "%", "-"),
    (".", "", "", " kcal", "-"),
    (",", ".", "", " g", "–"),
]


def write(number: Decimal, places: int, writing: tuple[str, ...]) -> str:
    """``number`` as people write it."""
    decimal, thousands, before, after, minus = writing
    digits = f"{abs(number):,.{places}f}"
    digits = digits.replace(",", "T").replace(".", decimal).replace("T", thousands)
    return (minus if number < 0 else "") + before + digits + after


numbers = st.lists(st.integers(-(10**9), 10**9), min_size=14, max_size=40)


@given(st.sampled_from(WRITINGS), st.integers(1, 4), numbers)
def test_numbers_are_read_as_they_were_meant(writing, places, drawn):
    """With a few decimals that tell which mark is which: 1,234 alone may be either."""
    meant = [*(Decimal(n).scaleb(-places) for n in drawn), *[Decimal("0.25")] * len(drawn)]
    cells = [write(number, max(places, 2), writing) for number in meant]
    cells[len(drawn) :] = [write(number, 2, writing) for number in meant[len(drawn) :]]
    column, values, report, _ = read(cells)
    assert column.kind == "continuous" and values == [float(number) for number in meant]
    plain = all(map(_is_plain, cells))
    assert bool(report.notes) != plain, "what is read otherwise than it is written is said"


def _is_plain(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["1,234", "2,345", "12"], 1234),  # thousands: nothing says otherwise
        (["1,234", "0,5", "2,75"], 1.234),
        (["1,234", "0.5", "2.75"], 1234),
        (["1.234", "0,5", "2,75"], 1234),
        (["1.234", "2.345", "9.125"], 1.234),
        (["1.234", "2.345", "0,5"], 1.234),  # one comma does not make thousands of all others
        (["1,23,456", "7"], 123456),
        (["007", "012"], 7),
        (["1e3", "2"], 1000),
        (["1_000", "2"], 1000),
        (["٣", "4"], 3),
        (["+3", "4"], 3),
        ([3, "4"], 3),
        ([1.234, "0,5", "7,5"], 1.234),  # a number of the file needs no reading
        (["1 hour", "2 hours"], 1),
        (["120 kcal", "130"], 120),
    ],
)
def test_the_column_as_a_whole_decides(cells, first):
    column, values, _, _ = read([*cells, *map(str, range(100, 120))])
    assert column.kind == "continuous" and values[0] == first and None not in values


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1/2", "2-3", "12:30", "2024-01-05", "0x10", "1st", "M8", "1 - low", "Infinity"]
    + ["nan", "1.2.3", "1,2,3", "1,,5", "--5", "+-5", "1 h 20 min", "100/100g", "(5)", "1 2 3"],
)
def test_words_are_no_numbers(text):
    assert written(text) is None and not NumberColumn().look(text)


@given(st.text(max_size=30))
def test_any_text_is_a_finite_number_or_none(text):
    column = NumberColumn()
    if column.look(text):
        number = column.reading().number(text)
        assert number is not None and math.isfinite(number)


ODD = ["abc", "Infinity", "-inf", "about 5", "1/2", "7 apples or so", "12:30"]


@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=3), st.integers(0, 39), st.booleans())
def test_a_few_odd_cells_leave_it_a_number_and_are_quoted(odd, place, whole):
    cells = [str(i if whole else i / 7) for i in range(40)]
    cells[place:place] = odd
    column, values, report, _ = read(cells)
    assert column.kind == "continuous"
    assert [v is None for v in values] == [cell in odd for cell in cells]
    (said,) = (text for texts in report.examples.values() for text in texts)
    assert "40" in said and f" {len(odd)} " in said and all(cell in said for cell in odd)


@pytest.mark.parametrize("cell", ["007", "9007199254740993", "1,234", "1e400 kg"])
def test_what_a_number_loses_is_said(cell):
    *_, report, _ = read([cell, *map(str, range(100, 140))])
    assert any(cell in text for texts in report.examples.values() for text in texts)


def test_numbers_of_another_unit_are_odd():
    for cells, odd in (
        ([f"{i / 7:.2f} %" for i in range(40)], "5"),
        ([f"{i / 7:.2f}" for i in range(40)], "5 %"),
        ([f"{i / 7:.2f} kg" for i in range(40)], "5 g"),
    ):
        column, values, report, _ = read([*cells, odd])
        assert column.kind == "continuous" and values[-1] is None and None not in values[:-1]
        assert any(f"({odd})" in text for texts in report.examples.values() for text in texts)


def test_levels_stay_levels_beside_an_odd_cell():
    cells = [str(i % 5 + 1) for i in range(40)]
    column, values, _, reader = read([*cells, "five"])
    assert column.kind == "ordinal" and column.levels == ("1", "2", "3", "4", "5")
    assert values[:3] == [0, 1, 2] and values[-1] is None
    assert "1–5" in reader.about(column)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([True, False], "categorical"),
        (["yes", "no"], "categorical"),
        (["36", "M", "38"], "categorical"),
        (["1 - low", "2 - high"], "categorical"),
        (["1 kg", "500 g"], "categorical"),  # two units are not one number
        (["12 %", "0.12"], "categorical"),
        (["1", "2"], "ordinal"),
        (["1 star", "5 stars"], "ordinal"),
        (["1.5", "2"], "continuous"),
        (["9007199254740993", "1"], "continuous"),
    ],
)
def test_kinds(cells, kind):
    column, values, _, reader = read(cells * 20)
    assert column.kind == kind and None not in values
    assert reader.about(column)


def test_a_record_says_which_cell_is_no_number():
    *_, reader = read([*(str(i / 7) for i in range(40)), "abc"])
    with pytest.raises(UnusableError) as caught:
        reader.values({"x": "abc"})
    assert "x" in str(caught.value) and caught.value.what == "abc"
