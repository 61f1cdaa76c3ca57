"""One table, written in every format."""

import pytest

from rivae.base.table import Cell, Column, Table

TABLE = Table(
    [
        Column("name"),
        Column("R@1 ↑", lambda value: Cell(" (1.0)", f"{value:.2f}"), numeric=True),
    ],
    [["a|b & <c>", 0.984], ["=x", 0.5]],
)


def test_markdown_masks_text_and_aligns_numbers():
    assert TABLE.markdown().splitlines() == [
        "| name | R@1 ↑ |",
        "|---|---:|",
        r"| a\|b &amp; &lt;c&gt; | **0.98** (1.0) |",
        "| =x | **0.50** (1.0) |",
    ]


def test_latex_has_the_same_cells():
    assert TABLE.latex().splitlines()[1:6] == [
        r"\begin{tabular}{lc}",
        r"\toprule",
        r"name & R@1 $\uparrow$ \\",
        r"\midrule",
        r"a|b \& <c> & \textbf{0.98} (1.0) \\",
    ]


def test_csv_has_the_values_themselves_and_no_formula():
    assert TABLE.csv() == "name,R@1 ↑\na|b & <c>,0.984\n'=x,0.5\n"


def test_plain_text_is_padded_without_spaces_at_the_end():
    rows = [["a", "10"], ["longer", ""]]
    assert Table.of(["x", "value"], rows).text() == "x       value\na       10\nlonger\n"


def test_a_row_needs_a_value_for_every_column():
    with pytest.raises(ValueError):
        Table.of(["x", "value"], [["alone"]]).markdown()
