"""Exact search with numpy, for up to some ten thousand items; float64 decides where it is close.

Exact ties stay exact: a matrix product may round two equal rows differently (the last rows of a
block take another code path), which would order duplicates by noise. Distances are therefore
computed once per distinct row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints
from rivae.retrieval.base import Allocate, KeptIndex, Read
from rivae.retrieval.exact import (
    SPARE,
    check_points,
    distinct_rows,
)

LARGE = 50_000  # items from which two stages are faster
_BLOCK = 1 << 19  # distances held at once (4 MB): stays in the cache


def direct_squared_distances(queries: Floats, points: Floats) -> Floats:
    """|q - p|^2 for queries (n, m) and their own candidates (n, c, m), by direct difference."""
    difference = points - queries[:, None, :]
    return np.asarray(np.einsum("ncm,ncm->nc", difference, difference), dtype=np.float64)


class NumpyIndex(KeptIndex):
    """Brute force by matrix products, the winners scored again by direct difference."""

    name, title = "brute-force", "Brute force"
    blurb = f"compares all items, in float64: for up to {LARGE:,}"
    parts = ("points",)
    priority = 0

    @classmethod
    def suits(cls, n: int, width: int) -> bool:
        """Where one query takes well under a millisecond."""
        return n <= LARGE

    @classmethod
    def build(cls, n: int, read: Read, allocate: Allocate) -> Mapping[str, NDArray[Any]]:
        """See ``KeptIndex.build``."""
        return {"points": check_points(read(np.arange(n)))}

    @classmethod
    def open(cls, arrays: Mapping[str, NDArray[Any]]) -> NumpyIndex:
        """See ``KeptIndex.open``."""
        return cls(np.array(arrays["points"], dtype=np.float64))

    def __init__(self, points: Floats) -> None:
        self._points = check_points(points)
        self._distinct = distinct_rows(self._points)
        plain = self._distinct.group is None
        self._unique = self._points if plain else self._points[self._distinct.first]
        self._unique_t = np.ascontiguousarray(self._unique.T)
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
        product = (-2.0 * queries) @ self._unique_t
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
            around_t, singles = around.T.astype(np.float32, order="C"), squares.astype(np.float32)
        return mean, around_t, singles, float(squares.max())

    def _nearest_one(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        # float32 takes half the time. Where it cannot tell the second from the first, float64 does.
        mean, around_t, squares, largest = self._singles
        around = queries - mean
        with np.errstate(over="ignore", invalid="ignore"):
            coarse = (-2.0 * around).astype(np.float32) @ around_t
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
            open_queries = queries[open_rows]
            redo = self._each(open_queries, self._coarse(open_queries), k, range(len(open_queries)))
            positions[open_rows], distances[open_rows] = redo
        return positions, distances

    def _nearest(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        coarse = self._coarse(queries)
        n, n_unique = coarse.shape
        n_coarse = min(n_unique, k + SPARE)
        if self._distinct.group is not None or n_coarse == n_unique:
            return self._each(queries, coarse, k, range(n))
        candidates = np.argpartition(coarse, n_coarse - 1, axis=1)[:, :n_coarse]
        # Ascending positions, so that a stable sort orders ties by position.
        candidates.sort(axis=1)
        exact = direct_squared_distances(queries, self._unique[candidates])
        order = np.argsort(exact, axis=1, kind="stable")[:, :k]
        positions = np.take_along_axis(candidates, order, axis=1)
        distances = np.take_along_axis(exact, order, axis=1)
        # A row whose k-th distance reaches its worst candidate may have a tie outside.
        worst = np.take_along_axis(coarse, candidates, axis=1).max(axis=1)
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
            candidates = np.flatnonzero(values <= kth + slack)
            exact = direct_squared_distances(query, self._unique[candidates][None])[0]
            positions[out], distances[out] = self._distinct.nearest(candidates, exact, k)
        return positions, distances

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``; equal items get exactly equal distances."""
        distances = self._coarse(queries)
        distances += np.einsum("nm,nm->n", queries, queries)[:, None]
        np.maximum(distances, 0.0, out=distances)
        group = self._distinct.group
        return distances if group is None else distances[:, group]
