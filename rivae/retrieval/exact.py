"""Points, queries and distances of exact search; which points are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import DataError

SPARE = 3  # candidates beyond k that are scored again


@dataclass(frozen=True)
class DistinctRows:
    """Distinct rows in the order of their first appearance.

    Attributes:
        first: (u,) position of the first appearance of each distinct row.
        group: (N,) which distinct row each position holds; None when no row appears twice.
        members: (N,) positions sorted by group, then position; None as above.
        starts: (u + 1,) where each group starts in ``members``; None as above.
    """

    first: Ints
    group: Ints | None = None
    members: Ints | None = None
    starts: Ints | None = None

    def positions(self, group: int) -> Ints:
        """All positions that hold the distinct row ``group``, ascending."""
        if self.members is None or self.starts is None:
            return self.first[group : group + 1]
        return self.members[self.starts[group] : self.starts[group + 1]]

    def nearest(self, groups: Ints, scores: Floats, k: int) -> tuple[Ints, Floats]:
        """The k nearest positions of candidate groups (c,) at distances (c,), duplicates
        included, ordered by distance and then position; each of shape (k,)."""
        if self.members is None:
            rows_near = self.first[groups]
        else:
            each = [self.positions(int(g)) for g in groups]
            rows_near, scores = np.concatenate(each), np.repeat(scores, [len(m) for m in each])
        order = np.lexsort((rows_near, scores))[:k]
        return rows_near[order], scores[order]


def distinct_rows(rows: Floats) -> DistinctRows:
    """Group the equal rows of ``rows`` (N, m)."""
    # Adding 0.0 turns -0.0 into 0.0, so that equal numbers have equal bytes.
    keys = np.ascontiguousarray(rows + 0.0)
    # Sorting a mark of each row is many times faster than sorting rows of a thousand numbers.
    _, first, inverse = np.unique(marks_of(keys), return_index=True, return_inverse=True)
    again = np.flatnonzero(first[inverse] != np.arange(len(rows)))
    if not (keys[again] == keys[first[inverse[again]]]).all():  # two rows share a mark
        whole = keys.view(np.dtype((np.void, rows.shape[1] * 8))).ravel()
        _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    if len(first) == len(rows):
        return DistinctRows(first=np.arange(len(rows), dtype=np.int64))
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    group = rank[inverse.ravel()].astype(np.int64)
    members = np.argsort(group, kind="stable").astype(np.int64)
    starts = np.searchsorted(group[members], np.arange(len(first) + 1)).astype(np.int64)
    return DistinctRows(first[order].astype(np.int64), group, members, starts)


def marks_of(rows: Floats) -> NDArray[np.uint64]:
    """A number for every row: equal for equal ones, as good as never for others."""
    bits = rows.view(np.uint64)
    factors = np.random.default_rng(0).integers(0, 1 << 63, rows.shape[1], np.uint64) * 2 + 1
    return np.asarray((bits ^ (bits >> np.uint64(32))) @ factors)


def check_points(points: Floats) -> Floats:
    """``points`` as a contiguous finite float64 matrix.

    Raises:
        DataError: if it is empty, not two-dimensional or holds NaN or infinite values.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    if points.ndim != 2 or not len(points):
        raise DataError(f"an index needs a matrix of at least one item, got {points.shape}")
    if not np.isfinite(points).all():
        raise DataError("an embedding holds NaN or infinite values: the model diverged, retrain it")
    return points
