"""What an index is, what a search returns, and the ranks of the true items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]


class Nearest(Protocol):
    """Finds the one nearest item."""

    def nearest(self, queries: Floats) -> Ints:
        """Its position for each query (n, n_features), the lowest of equally near ones."""
        ...


class Index(Protocol):
    """Exact nearest neighbours in Euclidean space, among ``n_items`` points.

    Positions are 0 ... n_items - 1. Equal distances are ordered by
    position, lowest first. Searches only read, so several threads may search at once. Queries are
    finite float64 of ``n_features`` columns and k is at least 1: nothing checks them again here.
    """

    @property
    def n_items(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def rows(self, positions: Ints) -> Floats:
        """The points searched at ``positions``, (n, n_features)."""
        ...

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """Positions and squared distances, both (n, min(k, n_items)), nearest first."""
        ...

    def all_squared_distances(self, queries: Floats) -> Floats:
        """Squared distances of every query to every item, (n, n_items)."""
        ...

    def along(self, path: Floats) -> Nearest:
        """A search for places on a path: of straight pieces between points (V, n_features)."""
        ...

    def subset(self, positions: Ints) -> Index:
        """An index of the items at ``positions``, in that order."""
        ...


@dataclass(frozen=True)
class Retrieved:
    """The k best items of n queries, best first.

    Attributes:
        ids: (n, k) data rows.
        squared_distances: (n, k) |f(z) - v2|^2.
        scores: (n, k) the method's relevance score, decreasing along a row.
    """

    ids: Ints
    squared_distances: Floats
    scores: Floats


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
    ties = (distances == true).sum(axis=1) - 1  # the true item itself does not count
    return np.asarray(1.0 + better + ties / 2.0, dtype=np.float64)


def recall_at_k(ranks: Floats, k: int) -> float:
    """Share of queries whose true item has rank <= k, in [0, 1]."""
    return float(np.mean(np.asarray(ranks) <= k))


def median_rank(ranks: Floats) -> float:
    """Median of the 1-based ranks."""
    return float(np.median(ranks))
