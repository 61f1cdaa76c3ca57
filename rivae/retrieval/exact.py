"""Exact search with numpy, for up to some ten thousand items; float64 decides where it is close.

Exact ties stay exact: a matrix product may round two equal rows differently (the last rows of a
block take another code path), which would order duplicates by noise. Distances are therefore
computed once per distinct row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import DataError
from rivae.retrieval.base import Floats, Ints

SPARE = 3  # candidates beyond k that are scored again
_BLOCK = 1 << 19  # distances held at once (4 MB): stays in the cache


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
            found = self.first[groups]
        else:
            each = [self.positions(int(g)) for g in groups]
            found, scores = np.concatenate(each), np.repeat(scores, [len(m) for m in each])
        order = np.lexsort((found, scores))[:k]
        return found[order], scores[order]


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


def direct_squared_distances(queries: Floats, points: Floats) -> Floats:
    """|q - p|^2 for queries (n, m) and their own candidates (n, c, m), by direct difference."""
    difference = points - queries[:, None, :]
    return np.asarray(np.einsum("ncm,ncm->nc", difference, difference), dtype=np.float64)


class NumpyIndex:
    """Brute force by matrix products, the winners scored again by direct difference."""

    def __init__(self, points: Floats) -> None:
        self._points = check_points(points)
        self._distinct = distinct_rows(self._points)
        plain = self._distinct.group is None
        self._unique = self._points if plain else self._points[self._distinct.first]
        self._transposed = np.ascontiguousarray(self._unique.T)
        self._squares = np.einsum("nm,nm->n", self._unique, self._unique)
        self._largest = float(self._squares.max())

    @property
    def n_items(self) -> int:
        """Number of points."""
        return len(self._points)

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return int(self._points.shape[1])

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self._points[positions]

    def subset(self, positions: Ints) -> NumpyIndex:
        """See ``Index.subset``."""
        return NumpyIndex(self._points[positions])

    def _coarse(self, queries: Floats) -> Floats:
        """|p|^2 - 2 q.p for every distinct point: the squared distance less |q|^2."""
        product = (-2.0 * queries) @ self._transposed
        product += self._squares
        return product

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``."""
        k = min(k, self.n_items)
        positions = np.empty((len(queries), k), dtype=np.int64)
        distances = np.empty((len(queries), k))
        step = max(1, _BLOCK // len(self._unique))
        for start in range(0, len(queries), step):
            rows = slice(start, start + step)
            find = self._nearest_one if k == 1 else self._nearest
            positions[rows], distances[rows] = find(queries[rows], k)
        return positions, distances

    @cached_property
    def _singles(self) -> tuple[Floats, NDArray[np.float32], NDArray[np.float32], float]:
        """The mean of the distinct points; in float32 the points less it, transposed, and their
        squares; the largest square.
        """
        mean = self._unique.mean(axis=0)
        around = self._unique - mean
        squares = np.einsum("nm,nm->n", around, around)
        with np.errstate(over="ignore"):
            transposed, singles = around.T.astype(np.float32, order="C"), squares.astype(np.float32)
        return mean, transposed, singles, float(squares.max())

    def _nearest_one(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        # float32 takes half the time. Where it cannot tell the second from the first, float64 does.
        mean, transposed, squares, largest = self._singles
        around = queries - mean
        with np.errstate(over="ignore", invalid="ignore"):
            coarse = (-2.0 * around).astype(np.float32) @ transposed
            coarse += squares
        rows = np.arange(len(queries))
        best = coarse.argmin(axis=1)
        first = coarse[rows, best].astype(np.float64)
        coarse[rows, best] = np.inf
        slack = 2.5e-7 * (self.n_features + 4) * (np.einsum("nm,nm->n", around, around) + largest)
        # Not ``<= slack``: what overflows float32 is NaN, and float64 has to decide it, too.
        open_rows = np.flatnonzero(~(coarse.min(axis=1) - first > slack))
        distances = direct_squared_distances(queries, self._unique[best][:, None, :])
        positions = self._distinct.first[best][:, None]
        if len(open_rows):
            left = queries[open_rows]
            redo = self._each(left, self._coarse(left), k, range(len(left)))
            positions[open_rows], distances[open_rows] = redo
        return positions, distances

    def _nearest(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        coarse = self._coarse(queries)
        n, n_unique = coarse.shape
        wanted = min(n_unique, k + SPARE)
        if self._distinct.group is not None or wanted == n_unique:
            return self._each(queries, coarse, k, range(n))
        chosen = np.argpartition(coarse, wanted - 1, axis=1)[:, :wanted]
        chosen.sort(axis=1)  # ascending positions, so that a stable sort orders ties by position
        exact = direct_squared_distances(queries, self._unique[chosen])
        order = np.argsort(exact, axis=1, kind="stable")[:, :k]
        positions = np.take_along_axis(chosen, order, axis=1)
        distances = np.take_along_axis(exact, order, axis=1)
        # A row whose k-th distance reaches its worst candidate may have a tie outside.
        worst = np.take_along_axis(coarse, chosen, axis=1).max(axis=1)
        square = np.einsum("nm,nm->n", queries, queries)
        open_rows = np.flatnonzero(distances[:, -1] + self._slack(square) >= worst + square)
        if len(open_rows):
            redo = self._each(queries, coarse, k, open_rows)
            positions[open_rows], distances[open_rows] = redo
        return positions, distances

    def _slack(self, query_square: Floats) -> Floats:
        """A bound on the rounding error of a coarse distance."""
        return 8e-16 * (self.n_features + 4) * (query_square + self._largest)

    def _each(
        self, queries: Floats, coarse: Floats, k: int, rows: Ints | range
    ) -> tuple[Ints, Floats]:
        """Row by row, with every candidate that can be among the k, ties included."""
        positions = np.empty((len(rows), k), dtype=np.int64)
        distances = np.empty((len(rows), k))
        for out, row in enumerate(rows):
            values, query = coarse[row], queries[row : row + 1]
            kth = np.partition(values, min(k, len(values)) - 1)[min(k, len(values)) - 1]
            slack = 2 * self._slack(query @ query[0])[0]
            chosen = np.flatnonzero(values <= kth + slack)
            exact = direct_squared_distances(query, self._unique[chosen][None])[0]
            positions[out], distances[out] = self._distinct.nearest(chosen, exact, k)
        return positions, distances

    def nearest(self, queries: Floats) -> Ints:
        """See ``Nearest.nearest``."""
        return self.search(queries, 1)[0][:, 0]

    def along(self, path: Floats) -> NumpyIndex:
        """See ``Index.along``."""
        return self

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``; equal items get exactly equal distances."""
        distances = self._coarse(queries)
        distances += np.einsum("nm,nm->n", queries, queries)[:, None]
        np.maximum(distances, 0.0, out=distances)
        group = self._distinct.group
        return distances if group is None else distances[:, group]
