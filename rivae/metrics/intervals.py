"""Intervals of scores: how much they owe to the queries that were measured."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, METRICS, paper_scores

N_BOOTSTRAP = 400
NORMAL_95 = 1.959964


def share_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` queries, by Wilson's score."""
    square = NORMAL_95**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = NORMAL_95 / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return min(max(middle - reach, 0.0), share), max(min(middle + reach, 1.0), share)


def paper_intervals(
    absolute: Floats,
    estimates: Mapping[str, float],
    *,
    alpha: float = DEFAULT_ALPHA,
    n_bootstrap: int = N_BOOTSTRAP,
    random_state: int = 0,
) -> dict[str, tuple[float, float]]:
    """95 % intervals of D, C and I over redrawn queries; only of those that are defined.

    Args:
        absolute: (Q, d, K) |corr| of each query, 0 where undefined.
        estimates: the measured scores by the keys of ``METRICS``.
    """
    n_queries = len(absolute)
    rng = np.random.default_rng(random_state)
    counts = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), n_bootstrap)
    tables = np.einsum("bq,qjk->bjk", counts / n_queries, absolute)
    draws = paper_scores(tables, alpha)
    found = {
        metric.key: corrected_interval(estimates[metric.key], column, n_queries)
        for metric, column in zip(METRICS, draws.T, strict=True)
        if metric.key in estimates
    }
    return {key: ends for key, ends in found.items() if not math.isnan(ends[0])}


def corrected_interval(
    estimate: float, draws: ArrayLike, n_units: int, level: float = 0.95
) -> tuple[float, float]:
    """A bootstrap interval, within [0, 1], of a score that noise raises; it contains the score.

    D, C and I are curved in the correlations, so noise raises them: the score lies above its value
    for infinitely many queries, and redrawn scores lie above the score in turn. Percentiles of the
    draws then miss both; so does BCa (Efron 1987), whose correction is infinite once all draws lie
    on one side. Here the bias estimated from the draws is subtracted (Efron and Tibshirani 1993,
    "An Introduction to the Bootstrap", 10.2), Student's t times their s.d. is added on both sides
    (12.5), and the interval is extended to the score if it lies outside. Measured coverage:
    benchmarks/results/label-intervals.md.

    Args:
        estimate: the measured score.
        draws: (b,) redrawn scores, NaN where undefined.
        n_units: the number of measured queries.

    Returns:
        low and high; NaN if the score, or at least half of the draws, are undefined.
    """
    from scipy.special import stdtrit

    values = np.asarray(draws, dtype=np.float64)
    finite = values[~np.isnan(values)]
    if math.isnan(estimate) or 2 * len(finite) <= len(values) or len(finite) < 2 or n_units < 2:
        return math.nan, math.nan
    centre = 2 * estimate - float(finite.mean())
    reach = float(stdtrit(n_units - 1, (1 + level) / 2)) * float(finite.std(ddof=1))
    low, high = min(centre - reach, estimate), max(centre + reach, estimate)
    return max(low, 0.0), min(high, 1.0)
