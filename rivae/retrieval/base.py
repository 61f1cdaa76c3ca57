"""What an index is and what a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Index(Protocol):
    """Exact nearest neighbours in Euclidean space, among ``n_items`` points.

    Positions are 0 ... n_items - 1 in the order of the points. Equal distances are ordered by
    position, lowest first. Searches only read, so several threads may search at once.
    """

    @property
    def n_items(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def points(self) -> Floats:
        """The points searched, (n_items, n_features)."""
        ...

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """Positions and squared distances, both (n, min(k, n_items)), nearest first."""
        ...

    def all_squared_distances(self, queries: Floats) -> Floats:
        """Squared distances of every query to every item, (n, n_items)."""
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
