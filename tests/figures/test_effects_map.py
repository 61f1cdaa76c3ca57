"""The heat map of what axes change, and the bars of scores."""

import numpy as np
import pytest

from rivae.figures.effect_cells import (
    BLANK,
    ENOUGH,
    effect_columns,
    effect_height,
    effect_table,
    signed,
)
from rivae.figures.effects import effect_heatmap
from rivae.figures.palette import DARK, LIGHT, contrast
from rivae.figures.score_bars import ScoreBar, score_bars
from rivae.figures.tables import figure_rows
from rivae.figures.theme import alt_text, escape
from rivae.runs.results import Change


def change(name, size, kind="factor"):
    return Change(kind=kind, name=name, change=size, chance=0.1)


CHANGES = [
    [change("sweet", 0.8), change("cakes", -0.4, "tag")],
    [],
    [change("red", -1.5), change("cakes", 0.9, "tag"), change("ice", 2.0, "word")],
]
NAMES = ["savory ↔ dessert", "z2", "<b>"]


def test_columns_are_factors_then_tags_then_words_in_the_order_of_the_axes():
    assert effect_columns(CHANGES) == [
        ("factor", "sweet"),
        ("factor", "red"),
        ("tag", "cakes"),
        ("word", "ice"),
    ]
    assert effect_columns(CHANGES, ["blue"], 2) == [("factor", "red"), ("factor", "blue")]
    assert effect_columns(CHANGES, ["blue"])[2] == ("factor", "blue"), "without effect, so last"


def test_words_are_left_out_where_there_is_enough_else():
    many = [[change(f"f{i}", 1.0) for i in range(ENOUGH)], [change("ice", 3.0, "word")]]
    assert ("word", "ice") not in effect_columns(many)
    assert ("word", "ice") in effect_columns([many[0][1:], many[1]])


def test_the_largest_changes_are_kept():
    many = [[change(f"t{i}", i / 10, "tag") for i in range(1, 40)]]
    assert {name for _, name in effect_columns(many, most=3)} == {"t39", "t38", "t37"}


@pytest.mark.parametrize("dark", [False, True])
def test_cells_have_their_sign_and_chance_is_blank(dark):
    figure = effect_heatmap(CHANGES, NAMES, axes=[4, 0, 2], dark=dark)
    heat, layer = figure.data
    expected = [[0.8, np.nan, -0.4, np.nan], [np.nan] * 4, [np.nan, -1.5, 0.9, 2.0]]
    np.testing.assert_array_equal(heat.z, expected)
    assert (heat.zmin, heat.zmax) == (-2, 2), "as far down as up"
    assert heat.colorscale[0][1] == (DARK if dark else LIGHT).diverging[0]
    assert {(a.x, a.y): a.text for a in figure.layout.annotations} == {
        (0, 0): "+.80",
        (2, 0): "−.40",
        (1, 2): "−1.50",
        (2, 2): "+.90",
        (3, 2): "+2.00",
    }
    assert [list(cell) for cell in layer.customdata[:2]] == [[4, 0], [4, 1]]
    hovers = dict(zip(map(tuple, layer.customdata), layer.hovertext, strict=True))
    assert hovers[4, 0].endswith("+.80 s.d., chance .10") and "(factor)" in hovers[4, 0]
    assert hovers[0, 3].endswith(BLANK)
    assert "&lt;b&gt;" in hovers[2, 0], "names are text"
    assert figure.layout.height == effect_height(3)


@pytest.mark.parametrize("dark", [False, True])
def test_the_table_of_a_page_says_what_the_chart_of_a_file_says(dark):
    chosen = (2, ("tag", "cakes"))
    figure = effect_heatmap(CHANGES, NAMES, axes=[4, 0, 2], selected=chosen, dark=dark)
    table = effect_table(CHANGES, NAMES, axes=[4, 0, 2], selected=chosen, dark=dark)
    assert table["label"] == alt_text(figure)
    hovers = dict(zip(map(tuple, figure.data[1].customdata), figure.data[1].hovertext, strict=True))
    texts = {(a.x, a.y): (a.text, a.font.color) for a in figure.layout.annotations}
    for r, row in enumerate(table["rows"]):
        for c, cell in enumerate(row["cells"]):
            assert hovers[row["axis"], c] == escape(cell["title"]).replace("\n", "<br>")
            written = (cell["text"], cell["ink"]) if "text" in cell else None
            assert texts.get((c, r)) == written, "blank where it is no more than chance"
            if "fill" in cell:
                assert contrast(cell["fill"], cell["ink"]) >= 4.5
    assert table["selected"] == [2, 2]
    assert [row["title"] for row in table["rows"]] == NAMES, "plain text, which the browser escapes"
    assert table["scale"]["ends"] == ["−2.00", "+2.00"]


def test_the_chosen_cell_is_framed_and_the_sentence_says_what_is_largest():
    figure = effect_heatmap(CHANGES, NAMES, selected=(2, ("tag", "cakes")))
    frames = [s for s in figure.layout.shapes if s.type == "rect"]
    assert [((s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2) for s in frames] == [(2, 2)]
    said = alt_text(figure)
    assert "savory ↔ dessert changes sweet most (+.80)" in said
    assert "z2 changes none of them measurably" in said and "<b> changes ice most (+2.00)" in said
    assert any(2.0 in row.values() for row in figure_rows(figure)), "the numbers can be exported"


def test_no_axis_changes_anything():
    figure = effect_heatmap([[], []], ["z1", "z2"], [("factor", "red")])
    assert np.isnan(np.asarray(figure.data[0].z, dtype=float)).all()
    assert (signed(0.004), signed(-0.25)) == ("+.00", "−.25")


def test_bars_say_their_score_interval_chance_and_source():
    bar = ScoreBar("D <i>", 0.5, chance=0.004, interval=(0.4, 1.6), source='of 9 "queries"; seed 0')
    drawn = score_bars([bar, ScoreBar("Sure", 0.25, "1 of 4")], "Scores & more")
    assert "D &lt;i&gt;" in drawn and ".40 to 1.60, chance .004" in drawn and ">.50<" in drawn
    assert 'title="of 9 &quot;queries&quot;; seed 0"' in drawn and "Scores &amp; more" in drawn
    assert "width:50.0%" in drawn and "left:40.0%;width:100.0%" in drawn, "within the track"
    assert "1 of 4" in drawn and drawn.count("interval") == 1
