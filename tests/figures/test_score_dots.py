import math

import pytest

from rivae.figures.score_dots import score_dots
from rivae.figures.tables import Score, figure_rows
from rivae.figures.theme import alt_text


def score(row, column, value, **more):
    return Score(row, column, value, low=value - 0.05, high=value + 0.05, n=3, **more)


SCORES = [
    score("RIVAE", "recall_at_1", 0.6, paper=0.35),
    score("a <b>", "recall_at_1", 0.4),
    Score("DCCA", "recall_at_1", None, state="failed", reason="the loss is <nan>"),
    Score("chance", "recall_at_1", 0.001),
    score("RIVAE", "median_rank", 2.0, higher_is_better=False),
    Score("chance", "median_rank", 500.5, higher_is_better=False),
    score("RIVAE", "r2", 0.9),
    score("a <b>", "r2", -0.4),
]


def figure(**settings):
    return score_dots(SCORES, chance={"chance"}, **settings)


def traces(made, name):
    return [t for t in made.data if t.name == name]


def test_every_mean_has_a_dot_inside_its_interval():
    made = figure()
    dots = {(t.xaxis, y): x for t in traces(made, "ours") for x, y in zip(t.x, t.y, strict=True)}
    assert dots == {
        ("x", 0): 0.6,
        ("x", 1): 0.4,
        ("x2", 0): 2.0,
        ("x3", 0): 0.9,
        ("x3", 1): -0.4,
    }
    bars = [t for t in made.data if t.mode == "lines" and t.name is None and t.x]
    for bar in bars:
        for low, high, y in zip(bar.x[::3], bar.x[1::3], bar.y[::3], strict=True):
            assert low < dots[bar.xaxis, y] < high


def test_the_paper_and_chance_are_marked_and_told_once_in_the_legend():
    made = figure()
    (paper,) = [t for t in traces(made, "paper") if t.x]
    assert (list(paper.x), list(paper.y), paper.marker.symbol) == ([0.35], [0], "diamond-open")
    levels = traces(made, "chance")
    assert [t.x[0] for t in levels] == [0.001, 500.5]
    told = [t.name for t in made.data if t.showlegend]
    assert sorted(told) == ["chance", "ours", "paper"]
    assert "chance" not in made.layout.yaxis.ticktext, "a line, not a row"


def test_a_failure_stands_in_its_row():
    (failed,) = [t for t in figure().data if t.mode == "text"]
    assert (list(failed.text), list(failed.y)) == (["failed"], [2])
    assert failed.hovertext == ("the loss is &lt;nan&gt;",)


def test_scales_hold_what_is_drawn():
    layout = figure().layout
    assert layout.xaxis.range[0] <= 0 and layout.xaxis.range[1] >= 1
    assert layout.xaxis2.type == "log" and set(layout.xaxis2.tickvals) >= {1, 10, 100}, "ranks"
    assert layout.xaxis3.range[0] < -0.4, "R² below 0"


def test_ranks_of_one_order_of_size_have_numbers_to_read_them_by():
    near = [score(f"run {value}", "median_rank", value) for value in (58.0, 70.0, 500.5)]
    ticks = score_dots(near).layout.xaxis.tickvals
    assert {50, 100, 200, 500} <= set(ticks)


def test_names_are_escaped_and_may_be_given():
    made = figure(names={"RIVAE": "ours <i>"})
    assert list(made.layout.yaxis.ticktext) == ["ours &lt;i&gt;", "a &lt;b&gt;", "DCCA"]
    hovers = [text for t in traces(made, "ours") for text in t.hovertext]
    assert all("a <b>" not in text for text in hovers) and any("a &lt;b&gt;" in h for h in hovers)


def test_the_best_of_each_metric_is_told_and_chance_takes_no_part():
    text = alt_text(figure())
    assert "R@1 ↑ best RIVAE 0.600" in text and "MedR ↓ best RIVAE 2.00" in text
    assert alt_text(score_dots([])) == "Means with 95 % intervals of each method: nothing measured."


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_not_drawn(value):
    made = score_dots([Score("a", "recall_at_1", value), score("b", "recall_at_1", 0.5)])
    assert [list(t.x) for t in traces(made, "ours")] == [[0.5]]


def test_many_metrics_take_several_lines():
    names = ["mcc", "r2", "disentanglement", "completeness", "informativeness", "recall_at_1"]
    made = score_dots([score("a", name, 0.5) for name in names])
    assert made.layout.xaxis6.domain[0] == 0 and made.layout.yaxis6.domain[0] == 0
    assert len(figure_rows(made)) == len(names), "exports have a row per mean"
