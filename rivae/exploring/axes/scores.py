"""How well readings of an axis follow levels of items that it was not fitted on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivae.base.arrays import Floats
from rivae.metrics.base import standardised
from rivae.runs.added_axes import AxisScore, SharedAxis

N_DRAWS = 200  # shuffles, and resamples
MIN_ROWS = 10  # on which a correlation says something
N_SHARED = 5
LEAST_SHARED = 0.3  # |correlation| of two axes that is worth a word
INTERVAL = (2.5, 97.5)


def axis_score(readings: Floats, levels: Floats, asks: str, random_state: int = 0) -> AxisScore:
    """The score of readings (n,) of queries against the levels (n,) of their items.

    Where there are only two levels, as of a tag, their items count half each: the correlation does
    not depend on how rare one of them is.

    Args:
        asks: the view that was the query, "first" or "second".
        random_state: of the shuffles and resamples.

    Returns:
        All numbers 0 where the readings or the levels do not differ.
    """
    rng, n = np.random.default_rng(random_state), len(levels)
    weights = _balanced(levels)
    chance_scores = [
        abs(_correlation(readings, levels[order], weights[order]))
        for order in (rng.permutation(n) for _ in range(N_DRAWS))
    ]
    bootstrap_scores = [
        _correlation(readings[rows], levels[rows], weights[rows])
        for rows in rng.integers(0, n, (N_DRAWS, n))
    ]
    low, high = np.percentile(bootstrap_scores, INTERVAL)
    return AxisScore(
        "second" if asks == "second" else "first",
        _correlation(readings, levels, weights),
        float(np.quantile(chance_scores, 0.95)),
        float(low),
        float(high),
        n,
    )


def shared_axes(
    readings: Floats, others: Floats, ids: Sequence[str], names: Sequence[str]
) -> tuple[SharedAxis, ...]:
    """The axes whose readings go with those of one axis, the most first, at most ``N_SHARED``.

    Args:
        readings: (n,) of the axis.
        others: (n, K) of the others, which have ``ids`` and ``names``.
    """
    x = standardised(readings[:, None])[:, 0]
    r = standardised(others).T @ x / len(x)
    order = [k for k in np.argsort(-np.abs(r), kind="stable") if abs(r[k]) >= LEAST_SHARED]
    return tuple(
        SharedAxis(ids[k], names[k], float(np.clip(r[k], -1, 1))) for k in order[:N_SHARED]
    )


def _balanced(levels: Floats) -> Floats:
    """(n,) weights of the items: those of each of two levels add up to one half."""
    values, at, counts = np.unique(levels, return_inverse=True, return_counts=True)
    if len(values) != 2:
        return np.full(len(levels), 1 / len(levels))
    return np.asarray(0.5 / counts[at])


def _correlation(x: Floats, y: Floats, weights: Floats) -> float:
    """The weighted correlation in [-1, 1]; 0 where one of the two is constant."""
    weights = weights / weights.sum()
    x, y = x - weights @ x, y - weights @ y
    size = float(np.sqrt((weights @ x**2) * (weights @ y**2)))
    return min(1.0, max(-1.0, float(weights @ (x * y)) / size)) if size > 0 else 0.0
