"""The one place where ranks, and what is made of them, are computed."""

from __future__ import annotations

import numpy as np

from rivae.retrieval.base import Floats, Ints


def ranks_of_targets(distances: Floats, targets: Ints) -> Floats:
    """1-based rank of each query's true item; items at the same distance count half.

    Without the half a collapsed embedding, where all items tie, would score rank 1.

    Args:
        distances: (n, N), smaller is better.
        targets: (n,) the column of the true item of each row.

    Returns:
        (n,) ranks in [1, N], multiples of 0.5.
    """
    true = np.take_along_axis(distances, np.asarray(targets)[:, None], axis=1)
    better = (distances < true).sum(axis=1)
    ties = (distances == true).sum(axis=1) - 1  # the true item itself is no tie
    return np.asarray(1.0 + better + ties / 2.0, dtype=np.float64)


def recall_at_k(ranks: Floats, k: int) -> float:
    """Share of queries whose true item has rank <= k, in [0, 1]."""
    return float(np.mean(np.asarray(ranks) <= k))


def median_rank(ranks: Floats) -> float:
    """Median of the 1-based ranks."""
    return float(np.median(ranks))
