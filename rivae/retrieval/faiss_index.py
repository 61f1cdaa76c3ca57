"""Exact search for large data bases: FAISS finds candidates in float32, float64 decides."""

from __future__ import annotations

import numpy as np

from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.exact import SPARE, PointIndex, check_queries, direct_squared_distances

_BLOCK = 1 << 22  # distances held at once by all_squared_distances (32 MB)


class FaissIndex(PointIndex):
    """A flat float32 index over the distinct points, its winners scored again in float64.

    k + 3 candidates are taken. Where the last of them is not farther than the k-th result by
    more than float32 can err, the search is repeated with four times as many, so the ids are
    those of brute force in float64. Points are centred first: the error grows with their norm.
    """

    def __init__(self, points: Floats) -> None:
        import faiss

        super().__init__(points)
        self._faiss = faiss
        # Without this a batch of 20 to 400 queries takes a slow path (571 -> 95 ms measured).
        faiss.cvar.distance_compute_blas_threshold = 400
        unique = self._points[self._distinct.first]
        self._centre = unique.mean(axis=0)
        centred = np.ascontiguousarray(unique - self._centre, dtype=np.float32)
        self._largest = float(np.sqrt(np.einsum("nm,nm->n", centred, centred).max()))
        self._index = faiss.IndexFlatL2(self.n_features)
        self._index.add(centred)

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``.

        Raises:
            DataError: for queries of another width, NaN, or k < 1.
        """
        queries, k = self.check_search(queries, k)
        positions = np.empty((len(queries), k), dtype=np.int64)
        distances = np.empty((len(queries), k))
        n_unique = len(self._distinct.first)
        open_rows = np.arange(len(queries))
        wanted = min(n_unique, k + SPARE)
        while len(open_rows):
            found, exact, sure = self._round(queries[open_rows], k, wanted)
            positions[open_rows], distances[open_rows] = found, exact
            open_rows = open_rows[~sure]
            wanted = min(n_unique, 4 * wanted)
        return positions, distances

    def _round(self, queries: Floats, k: int, wanted: int) -> tuple[Ints, Floats, np.ndarray]:
        """One search with ``wanted`` candidates, and which rows are certainly correct."""
        centred = np.ascontiguousarray(queries - self._centre, dtype=np.float32)
        if len(queries) == 1:
            # A second thread does not speed up one query and is slow on a busy machine.
            # FAISS keeps this number per calling thread.
            self._faiss.omp_set_num_threads(1)
        coarse, chosen = self._index.search(centred, wanted)
        kth_candidate = min(k, wanted) - 1
        exact = direct_squared_distances(queries, self._points[self._distinct.first[chosen]])
        positions, distances = self._expand(chosen, exact, k)
        norm = np.linalg.norm(centred, axis=1) + self._largest
        error = 1e-6 * np.sqrt(self.n_features) * norm**2
        kth = np.sort(exact, axis=1)[:, kth_candidate]
        complete = wanted == len(self._distinct.first)
        sure = np.full(len(queries), True) if complete else coarse[:, -1] - error > kth
        return positions, distances, sure

    def _expand(self, chosen: Ints, exact: Floats, k: int) -> tuple[Ints, Floats]:
        """Candidates to positions, duplicates included, ordered by distance then position."""
        positions = np.empty((len(chosen), k), dtype=np.int64)
        distances = np.empty((len(chosen), k))
        for row, (groups, scores) in enumerate(zip(chosen, exact, strict=True)):
            positions[row], distances[row] = self._distinct.nearest(groups, scores, k)
        return positions, distances

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``; equal items get exactly equal distances."""
        queries = check_queries(queries, self.n_features)
        unique = self._points[self._distinct.first]
        squares = np.einsum("nm,nm->n", unique, unique)
        out = np.empty((len(queries), self.n_items))
        group = self._distinct.group
        step = max(1, _BLOCK // len(unique))
        for start in range(0, len(queries), step):
            block = queries[start : start + step]
            distances = squares - 2.0 * (block @ unique.T)
            distances += np.einsum("nm,nm->n", block, block)[:, None]
            np.maximum(distances, 0.0, out=distances)
            out[start : start + step] = distances if group is None else distances[:, group]
        return out
