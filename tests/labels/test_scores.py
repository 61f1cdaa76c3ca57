"""D/C/I from labels: equal to the metric when all is labelled, honest when not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import ConfigError
from rivae.data.base import FactorSpec
from rivae.labels.scores import OVER_ALL, OVER_QUERIES, label_scores, overlap
from rivae.metrics.correlation import correlation_table, path_correlations
from rivae.metrics.measures.dci_paper import paper_dci
from rivae.retrieval.traversal import Traversal

FACTORS = ("green", "sticky", "baked")
SPECS = tuple(FactorSpec(name, "ordinal") for name in FACTORS)


def world(q=12, d=5, t=21, n=300, seed=0, purity=0.9):
    """A traversal over rows 1000, 1003 ... whose first three dimensions move one factor each."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(1, 6, size=(n, 3)).astype(float)
    ids = np.empty((q, d, t, 1), dtype=np.int64)
    steps = np.linspace(1, 5, t)
    for j in range(d):
        for query in range(q):
            wanted = np.tile(rng.integers(1, 6, size=3).astype(float), (t, 1))
            if j < 3:
                wanted[:, j] = steps
            wanted += (1 - purity) * 6 * rng.normal(size=wanted.shape)
            far = ((levels[None] - wanted[:, None]) ** 2).sum(axis=2)
            ids[query, j, :, 0] = far.argmin(axis=1)
    rows = 1000 + 3 * np.arange(n)
    values = np.tile(np.linspace(-3, 3, t), (d, 1))
    found = Traversal(np.zeros((q, d)), np.arange(d), values, rows[ids], np.zeros(ids.shape))
    return found, rows, levels


def labels_of(rows, levels, annotator="ann", factors=FACTORS):
    return pd.DataFrame(
        [
            (annotator, int(row), factor, level)
            for row, own in zip(rows, levels, strict=True)
            for factor, level in zip(factors, own, strict=True)
        ],
        columns=["annotator", "item", "factor", "level"],
    )


def noisy(levels, seed, wide=1):
    rng = np.random.default_rng(seed)
    return np.clip(levels + rng.integers(-wide, wide + 1, size=levels.shape), 1, 5)


def test_fully_labelled_is_the_metric_itself():
    found, rows, levels = world()
    factors = np.zeros((rows.max() + 1, 3))
    factors[rows] = levels
    expected = correlation_table(found, factors, SPECS)
    got = label_scores(found, labels_of(rows, levels), FACTORS)
    np.testing.assert_allclose(got.table.absolute, expected.absolute, atol=1e-12)
    np.testing.assert_allclose(got.table.signed, expected.signed, atol=1e-12)
    np.testing.assert_allclose(got.table.spread, expected.spread)
    for name, result in paper_dci(expected.absolute).items():
        assert got.every.results[name].score == pytest.approx(result.score)
        low, high = got.every.intervals[name]
        assert low < high and low - 0.1 < result.score < high + 0.1
    cover = got.coverage
    assert cover.needed == len(np.unique(found.ids)) and cover.labelled == (cover.needed,) * 3
    assert cover.points == (1.0,) * 3 and cover.queries == (12,) * 3
    assert got.selected is None and got.n_annotators == 1
    assert got.interval_over == OVER_QUERIES


def test_choosing_dimensions_lifts_the_scores_and_is_said():
    found, rows, levels = world()
    got = label_scores(found, labels_of(rows, levels), FACTORS, n_selected=3)
    assert got.selected.dims == (0, 1, 2)
    assert got.every.dims == (0, 1, 2, 3, 4)
    assert (
        got.selected.results["disentanglement"].score
        > got.every.results["disentanglement"].score + 0.1
    )
    assert "3 dimensions with the largest" in got.settings["selection"]


def only(found, queries):
    return replace(found, z_ref=found.z_ref[queries], ids=found.ids[queries])


def test_queries_without_labels_are_left_out_not_counted_as_zero():
    found, rows, levels = world()
    some = only(found, np.arange(6))
    kept = np.isin(rows, some.ids)
    table = labels_of(rows[kept], levels[kept])
    got = label_scores(found, table, FACTORS, n_bootstrap=0)
    counted = got.coverage.queries[0]
    assert 6 <= counted < 12 and got.coverage.points[0] < 1
    assert got.coverage.labelled[0] == len(np.unique(some.ids)) < got.coverage.needed
    exact = label_scores(some, table, FACTORS, n_bootstrap=0)
    few = np.isin(rows, only(found, np.arange(2)).ids)
    lone = label_scores(found, labels_of(rows[few], levels[few]), FACTORS)
    assert 2 <= lone.coverage.queries[0] < 5 and "no interval" in lone.interval_over
    assert np.isnan(lone.every.intervals["informativeness"]).all()
    if counted == 6:
        np.testing.assert_allclose(got.table.absolute, exact.table.absolute)
    for name, result in exact.every.results.items():
        assert got.every.results[name].score == pytest.approx(result.score, abs=0.05)


def test_holes_in_a_query_that_counts_are_passed_over():
    found, rows, levels = world()
    holes = np.where(np.random.default_rng(0).random(levels.shape) < 0.03, np.nan, levels)
    full, got = (label_scores(found, labels_of(rows, y), FACTORS) for y in (levels, holes))
    assert min(got.coverage.queries) >= 11 and max(got.coverage.points) < 1
    for name, result in full.every.results.items():
        assert got.every.results[name].score == pytest.approx(result.score, abs=0.06)


def test_too_few_labels_give_no_score_and_say_so():
    found, rows, levels = world()
    got = label_scores(found, labels_of(rows[:5], levels[:5]), FACTORS)
    result = got.every.results["disentanglement"]
    assert np.isnan(result.score) and "label more items" in result.settings["undefined"]
    assert np.isnan(got.every.intervals["disentanglement"]).all()
    nothing = label_scores(found, labels_of(rows[:0], levels[:0]), FACTORS)
    assert nothing.coverage.labelled == (0, 0, 0) and nothing.n_annotators == 0


def test_cannot_tell_is_counted_apart():
    found, rows, levels = world()
    unsure = levels.copy()
    needed = np.isin(rows, np.unique(found.ids))
    unsure[np.flatnonzero(needed)[:7], 1] = np.nan
    cover = label_scores(found, labels_of(rows, unsure), FACTORS, n_bootstrap=0).coverage
    assert cover.cannot_tell == (0, 7, 0)
    assert cover.labelled == (cover.needed, cover.needed - 7, cover.needed)


def test_annotators_who_differ_widen_the_interval():
    found, rows, levels = world()

    def width(*tables):
        got = label_scores(found, pd.concat(tables), FACTORS)
        assert got.interval_over == OVER_ALL and got.n_annotators == 3
        low, high = got.every.intervals["informativeness"]
        return high - low

    one = labels_of(rows, levels)
    agree = [one.assign(annotator=name) for name in "abc"]
    differ = [labels_of(rows, noisy(levels, i, wide=i * 2), name) for i, name in enumerate("abc")]
    assert width(*differ) > 1.3 * width(*agree)


def test_runs_are_ranked_only_where_intervals_are_apart():
    pure, rows, levels = world(purity=1.0, q=30)
    mixed, *_ = world(purity=0.4, q=30)
    same, *_ = world(purity=1.0, q=30)
    table = labels_of(rows, levels)
    a, b, c = (label_scores(found, table, FACTORS).every for found in (pure, mixed, same))
    assert not overlap(a, b, "disentanglement") and not overlap(b, a, "disentanglement")
    assert overlap(a, c, "disentanglement")
    none = label_scores(pure, table, FACTORS, n_bootstrap=0).every
    assert overlap(none, b, "disentanglement")


def test_it_is_repeatable_and_refuses_nonsense():
    found, rows, levels = world()
    table = labels_of(rows, levels)
    first, again = (label_scores(found, table, FACTORS, random_state=5) for _ in range(2))
    assert first.every.intervals == again.every.intervals
    with pytest.raises(ConfigError, match="at least one factor"):
        label_scores(found, table, ())


def test_correlations_without_the_unknown_points():
    rng = np.random.default_rng(0)
    values, path = np.linspace(-1, 1, 30)[None], rng.normal(size=(4, 1, 30, 2))
    path[:, :, ::3, 0] = np.nan
    path[3, :, 1:, 1] = np.nan
    got = path_correlations(values, path)
    kept = ~np.isnan(path[1, 0, :, 0])
    expected = np.corrcoef(values[0, kept], path[1, 0, kept, 0])[0, 1]
    assert got[1, 0, 0] == pytest.approx(expected)
    assert got[1, 0, 1] == pytest.approx(np.corrcoef(values[0], path[1, 0, :, 1])[0, 1])
    assert np.isnan(got[3, 0, 1])
    path[2, 0, :, 0] = np.where(np.isnan(path[2, 0, :, 0]), np.nan, 0.1)
    assert np.isnan(path_correlations(values, path)[2, 0, 0])
