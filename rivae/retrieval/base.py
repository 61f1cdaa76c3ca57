"""What an index is and how one is kept, what a search returns, and the ranks of the true items."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rivae.base.arrays import Floats as Floats
from rivae.base.arrays import Ints as Ints
from rivae.base.arrays import Singles as Singles

Read = Callable[[Ints], Floats]  # points (len(positions), m) of positions


class Allocate(Protocol):
    """Makes the room of arrays that may be too large for memory, in memory or in files; in files,
    a stopped build resumes.
    """

    def __call__(
        self, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """An array of this name, which may hold numbers of before where ``n_done`` says so."""
        ...

    def n_done(self, *made_from: NDArray[Any]) -> int:
        """How many items all arrays made so far hold already, by ``note`` of a build from the same
        numbers ``made_from``.
        """
        ...

    def note(self, n_done: int) -> None:
        """Note, now and then, that the first ``n_done`` items are in these arrays."""
        ...


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
    An index that inherits from this class has ``nearest`` and ``along`` for nothing.
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
        return self

    def nearest(self, queries: Floats) -> Ints:
        """See ``Nearest.nearest``."""
        return self.search(queries, 1)[0][:, 0]

    def subset(self, positions: Ints) -> Index:
        """An index of the items at ``positions``, in that order."""
        ...


class KeptIndex(Index):
    """An index that can be built, kept and opened: a part of ``registry.INDEXES``.

    It is named arrays: ``build`` makes them, files keep them, and ``open`` searches them.

    Attributes:
        name, title, blurb: what it is called in files and on screen, and what it does, in a line.
        parts: the names of its arrays, letters and digits only.
        priority: of several that suit, the one with the highest is taken. Those of this package
            have 0.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    blurb: ClassVar[str]
    parts: ClassVar[tuple[str, ...]]
    priority: ClassVar[int] = 1

    @classmethod
    @abstractmethod
    def suits(cls, n: int, width: int) -> bool:
        """Whether it is meant for ``n`` points of ``width`` numbers."""

    @classmethod
    @abstractmethod
    def build(cls, n: int, read: Read, allocate: Allocate) -> Mapping[str, NDArray[Any]]:
        """The arrays of ``n`` points.

        Args:
            n: how many points there are, at least 1.
            read: gives the points of positions.
            allocate: makes the room of a part that may be too large for memory, which is then in a
                file of the part's name. Other parts may be any arrays.

        Raises:
            DataError: a point is not finite.
        """

    @classmethod
    @abstractmethod
    def open(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The index of these arrays, which may be mapped files and are not written to.

        Raises:
            ValueError: they are no index of this kind.
        """


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
