"""D, C, I and MCC from a part of the labels, and the reasons where there is no number."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import ConfigError
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.draws import MIN_FIRST
from rivae.labels.early.estimates import MIN_ITEMS, SCORES, estimate
from rivae.labels.early.reading import partial_labels
from rivae.labels.scores import NAMES, label_scores
from rivae.metrics.correlation import path_correlations
from tests.labels.early import of_first, table_of


def test_all_labels_give_the_table_of_the_paper(kitchen):
    _, traversal, ground, levels = kitchen
    labels = table_of(ground, levels, ground.items)
    paper = label_scores(traversal, labels, FACTOR_NAMES, n_bootstrap=0)
    assert np.allclose(ground.paths.tables(levels[None])[0], paper.table.absolute)
    found = estimate(ground, levels, FACTOR_NAMES)
    for name in NAMES:
        one, value = found.scores[name], (paper.selected or paper.every).results[name].score
        assert one.value == pytest.approx(value, abs=1e-9)
        assert one.low <= value <= one.high and one.width < 0.08
    assert found.steps == pytest.approx([1.0] * len(FACTOR_NAMES))


def test_steps_that_a_factor_does_not_apply_to_are_left_out(kitchen):
    _, traversal, ground, levels = kitchen
    rng = np.random.default_rng(0)
    apart = rng.random(levels.shape) < 0.05
    local = np.searchsorted(ground.items, traversal.ids[..., 0])
    path = np.where(apart, np.nan, levels)[local]
    expected = np.nan_to_num(np.abs(path_correlations(traversal.values, path)))
    counts = (~np.isnan(path)).mean(axis=(1, 2)) >= 0.9
    found = ground.paths.tables(levels[None], (~apart).astype(np.float64))[0]
    for k in range(levels.shape[1]):
        mean = expected[counts[:, k], :, k].mean(axis=0)
        assert np.allclose(found[:, k], mean, atol=1e-6)


@pytest.mark.parametrize("n", [30, 80])
def test_the_interval_holds_what_all_labels_say(kitchen, n):
    _, traversal, ground, levels = kitchen
    whole = estimate(ground, levels, FACTOR_NAMES)
    found = estimate(ground, of_first(ground, levels, traversal, n), FACTOR_NAMES)
    for name in SCORES:
        assert found.scores[name].low <= whole.scores[name].value <= found.scores[name].high
    held = (found.low <= whole.table) & (whole.table <= found.high)
    assert held.mean() > 0.8


def test_more_labels_narrow_the_intervals(kitchen):
    _, traversal, ground, levels = kitchen
    widths = [
        estimate(ground, of_first(ground, levels, traversal, n), FACTOR_NAMES)
        .scores["disentanglement"]
        .width
        for n in (40, 120, 250)
    ]
    assert widths == sorted(widths, reverse=True)


def test_correlations_come_first_and_scores_from_twenty_items_on(kitchen):
    _, traversal, ground, levels = kitchen
    none = estimate(ground, of_first(ground, levels, traversal, MIN_FIRST - 1), FACTOR_NAMES)
    assert np.isnan(none.table).all()
    some = estimate(ground, of_first(ground, levels, traversal, MIN_ITEMS - 1), FACTOR_NAMES)
    assert not np.isnan(some.table).any()
    for name in SCORES:
        one = some.scores[name]
        assert math.isnan(one.value) and not one.known
        assert str(MIN_ITEMS) in one.reason and str(MIN_ITEMS - 1) in one.reason
    given = of_first(ground, levels, traversal, MIN_ITEMS)
    assert all(one.known for one in estimate(ground, given, FACTOR_NAMES).scores.values())
    behind = given.copy()
    behind[np.flatnonzero(~np.isnan(given[:, 3]))[0], 3] = np.nan
    assert FACTOR_NAMES[3] in estimate(ground, behind, FACTOR_NAMES).scores["mcc"].reason


def test_equal_levels_give_a_reason_and_no_number(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 40)
    given[:, 2] = np.where(np.isnan(given[:, 2]), np.nan, 3.0)
    found = estimate(ground, given, FACTOR_NAMES)
    assert all(FACTOR_NAMES[2] in one.reason for one in found.scores.values())
    assert np.isnan(found.table[:, 2]).all() and not np.isnan(found.table[:, 0]).any()


def test_one_factor_has_no_disentanglement(kitchen):
    _, traversal, ground, levels = kitchen
    found = estimate(ground, of_first(ground, levels, traversal, 40)[:, :1], FACTOR_NAMES[:1])
    assert not found.scores["disentanglement"].known
    assert found.scores["informativeness"].known


def test_the_same_labels_read_the_same(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 30)
    first, second = (estimate(ground, given, FACTOR_NAMES) for _ in range(2))
    assert first.scores == second.scores and (first.table == second.table).all()


def test_drawn_levels_keep_the_answers(kitchen):
    _, traversal, ground, levels = kitchen
    given = of_first(ground, levels, traversal, 60)[:, 0]
    known = np.flatnonzero(~np.isnan(given))
    given[known[:20]] = np.clip(np.floor(given[known[:20]]), 1, 4) + 0.5
    drawn = ground.spreader.draws(given, 50, np.random.default_rng(0))
    assert (drawn[:, known[20:]] == given[known[20:]]).all()
    ranges = drawn[:, known[:20]] - given[known[:20]]
    assert set(np.unique(ranges)) == {-0.5, 0.5}
    assert set(np.unique(drawn)) <= {1, 2, 3, 4, 5}


def test_shapes_have_to_fit(kitchen):
    _, _, ground, levels = kitchen
    with pytest.raises(ConfigError):
        estimate(ground, levels[:-1], FACTOR_NAMES)


def test_labels_that_the_plan_did_not_choose_do_not_count(kitchen, early_plan):
    _, _, ground, levels = kitchen
    others = np.setdiff1d(ground.items, early_plan.items)[:50]
    mine = early_plan.items[:30]
    labels = table_of(ground, levels, mine)
    known = partial_labels(labels, early_plan, ground.items, FACTOR_NAMES)
    more = pd.concat([labels, table_of(ground, 6 - levels, others)], ignore_index=True)
    both = partial_labels(more, early_plan, ground.items, FACTOR_NAMES)
    assert np.array_equal(known.levels, both.levels, equal_nan=True)
    assert (known.left_out, both.left_out) == (0, len(others))


def test_several_annotators_are_a_median_and_no_answer_stands_apart(kitchen, early_plan):
    _, _, ground, _ = kitchen
    item = int(early_plan.items[0])
    at = int(np.searchsorted(ground.items, item))
    answers = {"fruit": (2, 3), "baked": (2, 5), "grains": (None, 4), "dessert": (None, None)}
    rows = [
        (who, item, factor, level)
        for factor, levels in answers.items()
        for who, level in zip(("ann", "bob"), levels, strict=True)
    ]
    labels = pd.DataFrame(rows, columns=["annotator", "item", "factor", "level"])
    known = partial_labels(labels, early_plan, ground.items, tuple(answers))
    assert known.levels[at].tolist()[:3] == [2.5, 3.5, 4.0] and math.isnan(known.levels[at, 3])
    assert known.apart[at].tolist() == [False, False, False, True]


def test_paths_of_other_queries_share_nothing(kitchen):
    _, traversal, ground, _ = kitchen
    half = replace(traversal, ids=traversal.ids[:5], z_ref=traversal.z_ref[:5])
    assert type(ground.paths).of(half, ground.items).step_share.sum() == pytest.approx(1.0)
