import math

import numpy as np
import pytest

from rivae.metrics.digits import PAIRS, digit_metrics
from rivae.plots.bars import metric_bars
from rivae.plots.digits import coverage_bars, transition_heatmap
from rivae.plots.palette import LIGHT
from rivae.plots.tables import Score
from rivae.plots.theme import alt_text

SCORES = [
    Score("ours", "recall_at_1", 0.9, 0.02, 1.0),
    Score("base <x>", "recall_at_1", 0.1, None, 0.13),
    Score("ours", "mcc", math.nan),
    Score("base <x>", "mcc", 0.4),
    Score("ours", "median_rank", 1.5, 0.1, 1.0, higher_is_better=False),
    Score("base <x>", "median_rank", 6.0, 0.5, 6.0, higher_is_better=False),
]


def traces(figure, name):
    return [t for t in figure.data if t.name == name]


def test_ranks_do_not_share_the_axis_of_shares():
    figure = metric_bars(SCORES)
    assert [t.yaxis for t in traces(figure, "ours")] == ["y", "y2"]
    assert list(figure.layout.xaxis.ticktext) == ["R@1 ↑", "MCC ↑"]
    assert list(figure.layout.xaxis2.ticktext) == ["MedR ↓"]


def test_bars_whiskers_and_the_paper_beside_them():
    figure = metric_bars(SCORES)
    ours = traces(figure, "ours")[0]
    assert ours.y[0] == 0.9
    assert ours.error_y.array[0] == 0.02
    paper = traces(figure, "paper")[0]
    assert list(paper.y) == [1.0, 0.13]
    for x, bar in zip(paper.x, (ours, traces(figure, "base &lt;x&gt;")[0]), strict=True):
        assert abs(x - bar.x[0]) < bar.width / 2  # on its own bar
    assert sum(bool(t.showlegend) for t in traces(figure, "paper")) == 1


def test_an_undefined_score_is_no_bar_of_height_zero_without_a_word():
    figure = metric_bars(SCORES)
    notes = [a for a in figure.layout.annotations if a.text == "undefined"]
    assert len(notes) == 1
    assert notes[0].x == pytest.approx(traces(figure, "ours")[0].x[1])
    assert "undefined" in traces(figure, "ours")[0].hovertext[1]


def test_the_description_says_who_is_best():
    assert alt_text(metric_bars(SCORES)) == (
        "Bars of 3 scores for ours and base <x>: R@1 best for ours (0.90), MCC best for base <x> "
        "(0.40) and MedR best for ours (1.50)."
    )
    assert "D 0.78 (paper 0.83)" in alt_text(
        metric_bars([Score("ours", "disentanglement", 0.78, None, 0.83)])
    )


def test_rows_take_their_colours():
    figure = metric_bars(SCORES, colors={"ours": LIGHT.series[4], "base <x>": LIGHT.series[5]})
    assert traces(figure, "ours")[0].marker.color == LIGHT.series[4]


def test_digit_transitions():
    table = np.zeros((3, len(PAIRS)))
    table[1, PAIRS.index((4, 9))], table[0, 0] = 0.8, 0.2
    figure = transition_heatmap(table, selected=(2, 1))
    np.testing.assert_allclose(figure.data[0].z, table)
    assert figure.layout.xaxis.ticktext[PAIRS.index((4, 9))] == "4<br>9"
    cells = {
        tuple(cell): text
        for cell, text in zip(figure.data[1].customdata, figure.data[1].hovertext, strict=True)
    }
    assert cells[PAIRS.index((4, 9)), 1].startswith("4 ↔ 9 along z<sub>2</sub><br>80%")
    assert "z2 (4–9 for 80% of the queries)" in alt_text(figure)
    assert any(s.line.color == LIGHT.frame for s in figure.layout.shapes)
    with pytest.raises(ValueError):
        transition_heatmap(table[:, :10])


def test_coverage_shows_the_row_whose_entropy_it_is():
    table = np.zeros((2, len(PAIRS)))
    table[0, :9], table[1, 9:18] = 0.5, 0.1
    result = digit_metrics(table)
    union = np.array(result["coverage"].parts["union"])
    figure = coverage_bars(union, result["coverage"].score, overlap=result["overlap"].score)
    np.testing.assert_allclose(figure.data[0].y, np.r_[np.full(18, 1 / 18), np.zeros(27)])
    assert "coverage .76" in figure.layout.title.text  # log 18 / log 45
    assert "27 pairs never occur" in alt_text(figure)
    assert figure.layout.shapes[0].y0 == pytest.approx(1 / 45)
