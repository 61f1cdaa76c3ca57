"""CSV: read back exactly, and no cell of it is a formula."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.csv_text import csv_line, escaped, to_csv, unescaped
from rivae.figures import export
from rivae.figures.heatmap import correlation_heatmap

FORMULAS = (
    *("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "\nx", '=HYPERLINK("x";"y")', "＝1+1"),
    *(
        "  =1+1",
        "-2+3+cmd|' /C calc'!A0",
        "--1",
        "+-1",
        "-1.5e",
        "- fat",
        "-",
        "'=1",
        "''-1",
        "' =1",
    ),
)
NUMBERS = ("-1.5", "+2", "-.5", "3", "-1e-05", "0.25", "-7.")
PLAIN = (
    "",
    "lemon",
    "a=b",
    "1-2",
    "it's",
    "'quoted'",
    "’",
    "sour – sweet",
    "Ärger",
    "a, b",
    'an "x"',
)


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_rows_can_be_read_back():
    rows = [{"name": 'a "quoted", name\nin two lines', "x": 0.1}, {"x": math.nan, "y": None}]
    back = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert back[0] == {"name": rows[0]["name"], "x": "0.1", "y": ""}
    assert back[1] == {"name": "", "x": "", "y": ""}
    assert to_csv([]) == "\n" and to_csv([{"a": 1}]) == "a\n1\n"


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_text_in_a_spreadsheet(text):
    assert cells(csv_line([text, 1])) == [[f"'{text}", "1"]]
    assert cells(to_csv([{text: text}])) == [[f"'{text}"], [f"'{text}"]]
    assert unescaped(escaped(text)) == text


@pytest.mark.parametrize("text", [*NUMBERS, *PLAIN])
def test_numbers_and_plain_text_stay_as_they_are(text):
    assert cells(csv_line([text, "end"])) == [[text, "end"]]
    ((said, _),) = cells(csv_line([text, "end"], names=True))
    assert said[:1] not in ("+", "-") and unescaped(said) == text


def test_numbers_are_never_taken_for_text():
    values = [-1.5, -3, np.float64(-0.25), np.int64(-2), True, float("-inf")]
    assert cells(csv_line(values)) == [["-1.5", "-3", "-0.25", "-2", "True", "-inf"]]


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2), min_size=1)
)
def test_any_texts_come_back(rows):
    text = "".join(map(csv_line, rows))
    assert [[unescaped(cell) for cell in row] for row in cells(text)] == rows
    assert not any(c[:1] in tuple("=@\t\r\n") for row in cells(text) for c in row if c)


def test_the_numbers_of_a_chart_pass_that_writer():
    made = export.export_bytes(correlation_heatmap(np.eye(2), ["=1+1", "-2"]), "csv").decode()
    assert {row[0] for row in cells(made)[1:]} == {"'=1+1", "-2"}


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js on this machine")
def test_the_browser_writes_the_same(repo_root, tmp_path):
    rows = [[text, "x"] for text in (*FORMULAS, *NUMBERS, *PLAIN)]
    script = (
        f"import {{ csvOf }} from {json.dumps((repo_root / 'assets/components/csv.js').as_uri())}\n"
        f"process.stdout.write(csvOf({json.dumps(rows)}))"
    )
    (tmp_path / "write.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", str(tmp_path / "write.mjs")], capture_output=True, check=True)
    assert done.stdout.decode() == "".join(map(csv_line, rows))
