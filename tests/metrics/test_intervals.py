"""Intervals over queries: of the paper's scores, and of shares."""

import numpy as np
import pytest

from rivae.metrics.intervals import paper_intervals, share_interval
from rivae.metrics.measures.dci_paper import METRICS, paper_scores

KEYS = [metric.key for metric in METRICS]


def queries(n, spread, seed=0):
    """(n, 3, 2) |corr| of queries about one table."""
    table = np.array([[0.9, 0.2], [0.1, 0.8], [0.3, 0.3]])
    noise = np.random.default_rng(seed).normal(scale=spread, size=(n, 3, 2))
    return np.clip(table + noise, 0, 1)


def estimates(absolute):
    return dict(zip(KEYS, paper_scores(absolute.mean(axis=0)[None])[0], strict=True))


def test_more_queries_and_less_spread_make_intervals_narrower():
    width = {}
    for n, spread in ((20, 0.3), (500, 0.3), (500, 0.03)):
        found = paper_intervals(queries(n, spread), estimates(queries(n, spread)))
        assert list(found) == KEYS
        for key, (low, high) in found.items():
            assert 0 <= low <= estimates(queries(n, spread))[key] <= high <= 1
        width[n, spread] = {key: high - low for key, (low, high) in found.items()}
    for key in KEYS:
        assert width[20, 0.3][key] > width[500, 0.3][key] > width[500, 0.03][key]


def test_they_hold_what_many_queries_say():
    truth = estimates(queries(20_000, 0.2, seed=99))
    hit = [
        low <= truth[key] <= high
        for seed in range(30)
        for key, (low, high) in paper_intervals(
            queries(100, 0.2, seed), estimates(queries(100, 0.2, seed)), random_state=seed
        ).items()
    ]
    assert np.mean(hit) > 0.85


def test_what_is_not_measured_has_none():
    assert paper_intervals(queries(10, 0.1), {"completeness": float("nan")}) == {}


@pytest.mark.parametrize(("share", "n"), [(0.0, 10), (1.0, 10), (0.5, 1000)])
def test_a_share_lies_in_its_interval(share, n):
    low, high = share_interval(share, n)
    assert 0 <= low <= share <= high <= 1 and high - low > 0
    assert share_interval(0.5, 1000)[0] == pytest.approx(0.469, abs=1e-3)
