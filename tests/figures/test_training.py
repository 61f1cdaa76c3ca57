import math
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image

from rivae.figures.sheet import Picture, Text, to_image
from rivae.figures.theme import alt_text
from rivae.figures.training import (
    panels_of,
    term_panels,
    thinning_note,
    training_overlay,
    training_panels,
)
from rivae.figures.traversals import preview_sheet


@dataclass
class Curve:
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    per_point: int = 1


def curve(values, per_point=1, first=1, spread=0.0):
    y = np.array(values, dtype=float)
    x = np.arange(first, first + len(y), dtype=float)
    return Curve(x, y, y - spread, y + spread, per_point)


TERMS = {"objective": curve([3, 2, 1, -1]), "embedding": curve([2, 1]), "kl": curve([4, 3, 2, 1])}
SCORES = {
    "score": curve([0.1, 0.2]),
    "recall_at_1": curve([0.0, 0.1]),
    "median_rank": curve([9.0, 5.0]),
    "mcc": curve([0.3, 0.4]),
}
STAGES = [("first", 1, 2), ("joint", 3, 4)]


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def whole(terms, scores):
    return [*panels_of(terms, scores), *term_panels(terms)]


def test_each_term_has_a_panel_scores_share_theirs_and_what_trains_now_comes_first():
    panels = whole(TERMS, SCORES)
    how_it_is_doing = ["validation", "factors", "median rank", "objective"]
    assert [panel.title for panel in panels] == [*how_it_is_doing, "kl", "embedding"]
    figure = training_panels(panels, STAGES)
    traces = by_name(figure)
    assert traces["MRR"].yaxis == traces["R@1"].yaxis != traces["MCC"].yaxis
    assert len({traces[name].yaxis for name in ("objective", "kl", "embedding")}) == 3
    np.testing.assert_array_equal(traces["kl"].y, [4, 3, 2, 1])
    (named,) = [note.text for note in figure.layout.annotations if "validation" in note.text]
    assert f'<span style="color:{traces["R@1"].line.color}">R@1</span>' in named
    assert len(figure.layout.shapes) == 2 * len(panels), "each stage is shaded in each panel"
    assert "first (epochs 1 to 2)" in alt_text(figure) and "kl 1" in alt_text(figure)


def test_log_scales_only_where_all_values_are_positive_and_the_others_say_so():
    figure = training_panels(whole(TERMS, {}), STAGES, log=True)
    words = [note.text for note in figure.layout.annotations]
    assert figure.layout.yaxis.type != "log" and any("objective (linear)" in w for w in words)
    assert figure.layout.yaxis2.type == "log" and not any("kl (linear)" in w for w in words)
    assert training_panels(whole(TERMS, {}), STAGES).layout.yaxis2.type != "log"


def test_thinned_curves_show_their_extremes_and_say_so():
    panels = panels_of({"objective": curve([1, 2, 3], 8, spread=0.5)}, {})
    figure = training_panels(panels)
    low, high, mean = figure.data
    np.testing.assert_array_equal(low.y, mean.y - 0.5)
    np.testing.assert_array_equal(high.y, mean.y + 0.5)
    assert high.fill == "tonexty" and low.hoverinfo == "skip"
    assert "mean of 8 epochs" in thinning_note(8) and thinning_note(1) == ""
    assert len(training_panels(panels_of({"objective": curve([1, 2])}, {})).data) == 1


def test_gaps_stay_gaps_and_one_epoch_is_a_dot():
    gap = training_panels(panels_of({"objective": curve([1, math.nan, 3])}, {}), log=True).data[0]
    assert np.isnan(gap.y[1]) and not gap.connectgaps
    assert training_panels(panels_of({"objective": curve([1])}, {})).data[0].mode == "markers"
    nothing = panels_of({"objective": curve([math.nan])}, {})
    assert training_panels(nothing, log=True).layout.yaxis.type != "log"
    assert "without any epoch" in alt_text(training_panels([]))


def test_text_from_a_run_is_not_read_as_markup():
    hostile = {"<b>loss</b>": curve([1.0, 2.0])}
    figure = training_panels(whole(hostile, {}), [("<img>", 1, 1), ("b&", 2, 2)])
    assert "<img>" not in str(figure.layout.annotations)
    assert figure.data[0].name == "&lt;b&gt;loss&lt;/b&gt;"
    over = training_overlay([("<i>a", TERMS["kl"], TERMS["kl"].x)], title="<u>", x_title="epoch")
    assert over.data[0].name == "&lt;i&gt;a" and "<u>" not in over.layout.yaxis.title.text


@pytest.mark.parametrize("dark", [False, True])
def test_runs_over_each_other_are_told_apart(dark):
    lines = [(f"run {n}", TERMS["kl"], TERMS["kl"].x / 60) for n in range(9)]
    figure = training_overlay(lines, title="kl", x_title="minutes of training", log=True, dark=dark)
    looks = {(trace.line.color, trace.line.dash) for trace in figure.data}
    assert len(looks) == 9 and figure.layout.yaxis.type == "log"
    assert figure.layout.xaxis.title.text == "minutes of training"
    mixed = training_overlay(
        [("a", TERMS["objective"], TERMS["objective"].x)],
        title="objective",
        x_title="epoch",
        log=True,
    )
    assert mixed.layout.yaxis.type == "linear" and "linear" in mixed.layout.yaxis.title.text


@pytest.mark.parametrize("d", [1, 3, 10])
def test_a_sheet_of_a_model_in_training_holds_every_axis_within_its_size(d):
    made, ids = [], np.arange(d * 5).reshape(d, 5) % 7

    def picture(i):
        made.append(i)
        return Image.new("RGB", (20, 10), (i, i, i))

    names = [f"z{j + 1}" for j in range(d)]
    steps = ["−2", "−1", "mean", "+1", "+2"]
    sheet = preview_sheet(names, ids, picture, query=Image.new("L", (9, 9)), steps=steps)
    pictures = [mark for mark in sheet.marks if isinstance(mark, Picture)]
    assert len(pictures) == 1 + 5 * d and len(made) == len(set(made))
    for mark in pictures:
        assert mark.x >= 0 and mark.x + mark.width <= sheet.width
        assert mark.y >= 0 and mark.y + mark.height <= sheet.height
    words = [mark.text for mark in sheet.marks if isinstance(mark, Text)]
    assert set(names) <= set(words) and words.count("mean") == (2 if d > 5 else 1)
    assert sheet.height < 320 and to_image(sheet, scale=1).width == round(sheet.width)
    assert [row["item"] for row in sheet.rows] == ids.ravel().tolist()
