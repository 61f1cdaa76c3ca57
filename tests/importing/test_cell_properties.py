"""Lists are drawn, written as programs write them, and must come back as they were drawn."""

from __future__ import annotations

import html
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.reading.typed_text import clean
from rivae.data.importing.lines import MAX_LINE, MAX_LINES, MAX_TITLE
from rivae.data.importing.report import UnusableError
from rivae.data.importing.texts import ListColumn, TextColumn

FIRST = (
    "2 cups",
    "½",
    "flour",
    "baker's",
    "crème",
    "面粉",
    "ข้าว",
    "आलू",
    "バター",
    "bơ",
    "М",
    "1,5 kg",
)
NEXT = (
    *FIRST,
    *("'best'", '5"', '"soft"', "'n'", "half & half", "R&D", "chopped,", "warm;", "(sifted, fine)"),
    *(
        "a\\b",
        "100%",
        "x=y",
        "3:1",
        "[opt]",
        "{x}",
        "1/2",
        "#1",
        "e.g.",
        "nan",
        "None",
        "...",
        "a<b",
    ),
)
items = st.builds(
    lambda first, others: " ".join((first, *others)),
    st.sampled_from(FIRST),
    st.lists(st.sampled_from(NEXT), max_size=4),
)
lists = st.lists(items, min_size=2, max_size=6)


def as_numpy(found: list[str], width: int = 40) -> str:
    with np.printoptions(threshold=sys.maxsize, linewidth=width):
        return str(np.array(found))


def as_objects(found: list[str]) -> str:
    with np.printoptions(threshold=sys.maxsize, linewidth=60):
        return repr(np.array([*found, np.nan], dtype=object))


def in_r(found: list[str]) -> str:
    return f"c({', '.join(json.dumps(item, ensure_ascii=False) for item in found)}, NA)"


def in_postgres(found: list[str]) -> str:
    return f"{{{','.join(json.dumps(item, ensure_ascii=False) for item in found)},NULL}}"


def as_entries(found: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(item)}</li>' for item in found)}</ul>"


WRITINGS = {
    "a list": list,
    "a tuple": tuple,
    "objects": lambda found: [{"text": item} for item in found],
    "JSON": json.dumps,
    "indented JSON": lambda found: json.dumps([*found, None], ensure_ascii=False, indent=1),
    "JSON in JSON": lambda found: json.dumps(json.dumps(found)),
    "Python": str,
    "Python with nan": lambda found: f"[nan, {str(found)[1:]}",
    "a Python tuple": lambda found: repr(tuple(found)),
    "ordered keys": lambda found: repr(dict.fromkeys(found).keys()),
    "NumPy": as_numpy,
    "narrow NumPy": lambda found: as_numpy(found, 10),
    "NumPy's texts": lambda found: repr([np.str_(item) for item in found]),
    "an array": lambda found: repr(np.array(found)),
    "an array of objects": as_objects,
    "R": in_r,
    "PostgreSQL": in_postgres,
    "HTML list": as_entries,
    "HTML breaks": lambda found: "<br/>".join(map(html.escape, found)),
    "HTML as text": lambda found: html.escape("<br>".join(map(html.escape, found))),
    "HTML paragraphs": lambda found: "".join(f"<p>{html.escape(item)}</p>\n" for item in found),
    "lines": "\n".join,
    "lines of Windows": "\r\n".join,
    "lines with bullets": lambda found: "\n".join(f"- {item}" for item in found),
    "bars": "|".join,
}


def read(column: ListColumn, cell: object) -> tuple[str, ...]:
    return column.read(cell, [])


@pytest.mark.parametrize("role", ["ingredients", "instructions", "tags"])
@pytest.mark.parametrize("writing", WRITINGS)
@given(found=lists)
def test_every_writing_is_read(writing: str, role: str, found: list[str]) -> None:
    column, cell = ListColumn("x", role), WRITINGS[writing](found)
    column.look(cell)
    wanted = dict.fromkeys(found) if writing == "ordered keys" else found
    assert read(column, cell) == tuple(wanted)


@given(
    st.lists(st.tuples(lists, st.sampled_from(sorted({*WRITINGS} - {"ordered keys"}))), max_size=9)
)
def test_a_column_may_mix_them(drawn: list[tuple[list[str], str]]) -> None:
    column = ListColumn("x", "ingredients")
    cells = [WRITINGS[writing](found) for found, writing in drawn]
    for cell in cells:
        column.look(cell)
    assert [read(column, cell) for cell in cells] == [tuple(found) for found, _ in drawn]


plain = st.lists(
    st.sampled_from(
        ["2 cups flour", "salt", "面粉", "1,5 kg Mehl", "bean (dried, white)", "crème"]
    ),
    min_size=2,
    max_size=6,
)


@given(
    st.lists(
        st.tuples(plain, st.sampled_from([", ", ",", "; ", ";", "、", "，", "، "])), min_size=1
    )
)
def test_marks_part_items_that_hold_none(drawn: list[tuple[list[str], str]]) -> None:
    column = ListColumn("x", "ingredients")
    cells = [mark.join(found) for found, mark in drawn]
    for cell in cells:
        column.look(cell)
    remarks: list[tuple[str, str]] = []
    assert [column.read(c, remarks) for c in cells] == [tuple(found) for found, _ in drawn]
    assert len(remarks) == len(cells)


@given(st.lists(plain, min_size=1), st.sampled_from(["list", "semicolons", "lines", "described"]))
def test_commas_part_nothing_where_one_item_holds_one(drawn: list[list[str]], where: str) -> None:
    column = ListColumn("x", "ingredients")
    cells = [", ".join(found) for found in drawn]
    other = {
        "list": ["1 onion, chopped"],
        "semicolons": "1 onion, chopped; salt",
        "lines": "1 onion, chopped\nsalt",
        "described": "1 onion, finely chopped, 2 eggs",
    }[where]
    for cell in (*cells[:1], other, *cells[1:]):
        column.look(cell)
    for cell in cells:
        remarks: list[tuple[str, str]] = []
        assert column.read(cell, remarks) == (cell,)
        assert len(remarks) == 1 and cell[:20] in remarks[0][1]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["flour", "2 cups"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from(
                ["name", "text", "amount", "unit", "value", "steps", "itemListElement", "en", "de"]
                + ["flour", "1", "step", "note", "min", "@type"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
ROLES = ["ingredients", "instructions", "tags"]


@given(values, st.sampled_from(ROLES))
def test_no_text_holds_the_brackets_of_a_program(value: object, role: str) -> None:
    for cell in (value, json.dumps(value), repr(value)):
        column = ListColumn("x", role)
        column.look(cell)
        lines = column.read(cell, []) if isinstance(cell, list | tuple | dict) else ()
        title, beyond = TextColumn("x").read(value, [])
        assert all((*lines, *beyond)) and not set("[]{}'") & set("".join((title, *lines, *beyond)))


strange = st.text(st.sampled_from("[](){}'\",\\ abn\n<>/&;#|:=、.c"), max_size=80)


@given(strange, st.sampled_from(ROLES))
def test_whatever_a_cell_holds_is_bounded_and_loses_no_word(text: str, role: str) -> None:
    column = ListColumn("x", role)
    column.look(text)
    lines = column.read(text, [])
    assert all(line and clean(line) == line for line in lines)
    title, beyond = TextColumn("x").read(text, [])
    assert clean(title) == title and all(beyond)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" * 150_000,
        "['" * 90_000,
        "['a' " * 30_000 + "]",
        "['" + "' '" * 50_000 + "x]",
        "[' " + "', '" * 40_000 + 'x"]',
        "('" + "\\" * 150_000 + "')",
        "{" + "a:" * 90_000 + "}",
        "<script>" * 20_000,
        "<!--" * 40_000,
        "<b " * 60_000,
        "<b " + "=" * 150_000,
        "&amp;" * 35_000,
        "&" * 190_000,
        "(" * 90_000 + "," * 90_000,
        "a," * 90_000,
        ";" * 190_000,
        ". " * 90_000,
        "#a " * 60_000,
        "\n- " * 60_000,
        "Array\n(" + "\n " * 90_000 + ")",
        "a:9:{" + 'i:0;s:1:"' * 15_000 + "}",
        "ly ed " * 30_000 + ",",
    ],
    ids=lambda text: text[:6],
)
def test_cells_built_to_cost_time_are_read_all_the_same(text: str) -> None:
    for role in ROLES:
        column = ListColumn("x", role)
        column.look(text)
        lines = column.read(text, [])
        assert len(lines) <= MAX_LINES and max(map(len, lines), default=0) <= MAX_LINE
    title, beyond = TextColumn("x").read(text, [])
    assert len(title) <= MAX_TITLE and len(beyond) <= MAX_LINES


def test_objects_built_to_cost_time_are_read_all_the_same() -> None:
    for key in ("value", "name", "flour", "text"):
        cell: object = {}
        for _ in range(150):
            cell = {key: cell}
        for role in ROLES:
            assert len(ListColumn("x", role).read(cell, [])) <= 1
    with pytest.raises(UnusableError):
        ListColumn("x", "ingredients").read(["x" * 1000] * 300, [])
