"""Intervals of D, C and I: simulated worlds whose truth is known."""

import numpy as np
import pytest

from benchmarks.label_intervals import bias_corrected, coverage, food, kitchen, percentile
from rivae.metrics.intervals import corrected_interval
from rivae.metrics.measures.dci_paper import paper_dci, paper_scores

METHODS = {"now": corrected_interval, "percentile": percentile, "bc": bias_corrected}


@pytest.mark.parametrize(("world", "queries"), [(food, 20), (kitchen, 20)])
def test_intervals_hold_the_truth_and_always_their_estimate(world, queries):
    found = coverage(world, queries, 40, METHODS, n_truth=400)
    truth, estimate, width = found["now"].T
    assert (estimate == 1).all()
    # 40 worlds know a share of .95 to +- .034; where axes mean little the interval is generous.
    assert (truth >= 0.86).all() and (width < 0.25).all()
    if world is food:  # what is replaced: neither the truth nor the estimate of D
        assert found["percentile"][0, :2].max() < 0.2 and found["bc"][0, 0] < 0.2


def test_intervals_hold_the_truth_where_the_best_axes_are_chosen():
    found = coverage(food, 20, 40, METHODS, n_truth=400, chosen=10)
    truth, estimate, width = found["now"].T
    assert (estimate == 1).all() and (truth[:2] >= 0.86).all() and (width < 0.25).all()
    assert found["percentile"][0, :2].max() < 0.5 and found["bc"][0, 0] < 0.5


def test_scores_of_many_tables_are_those_of_each():
    rng = np.random.default_rng(0)
    for shape in ((6, 5, 3), (4, 1, 3), (4, 5, 1)):
        tables = rng.random(shape)
        tables[1] = 0.5
        expected = [[result.score for result in paper_dci(t).values()] for t in tables]
        np.testing.assert_allclose(paper_scores(tables), expected)
    tables = rng.random((3, 4, 2))
    tables[1, 2, 0] = np.nan
    assert np.isnan(paper_scores(tables)).any(axis=1).tolist() == [False, True, False]


def test_an_interval_without_draws_or_score_is_none():
    draws = np.array([0.2, 0.3, np.nan])
    low, high = corrected_interval(0.2, draws, 10)
    assert 0 <= low <= 0.2 <= high
    for bad in (
        (np.nan, draws, 10),
        (0.2, draws * np.nan, 10),
        (0.2, draws[:0], 10),
        (0.2, draws, 1),
    ):
        assert np.isnan(corrected_interval(*bad)).all()
    assert corrected_interval(0.99, np.full(50, 1.0) - np.linspace(0, 0.2, 50), 5)[1] == 1.0
