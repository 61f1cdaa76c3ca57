"""Exact search of very many items: a bound for tiles, one for their items, then the few left.

For a query q and an item p of ``TurnedPoints``, split into the L leading columns (a) and the rest
(b), the triangle inequality gives

    |q - p|^2 >= |q_a - p_a|^2 + (|q_b| - |p_b|)^2
               = |q|^2 + |p|^2 - 2 q_a p_a - 2 |q_b| |p_b|,

the squared distance of points of L + 1 numbers. So a tile is at least as far as its box of these
numbers, and a product with L + 2 stored numbers bounds each item. Whatever lies above the k-th
distance of any k items cannot be among the k nearest; for the others the distance is computed in
float64. So the answer is that of brute force over the stored points, ties in order of position.

A query in the middle, as the average one is, is nearly as far from all tiles: where embeddings have
length 1, each box lies a length of 1 away. In its direction they differ. For r = s q, s >= 1,

    |q - p|^2 = |q|^2 - |q| |r| + (1 - 1/s) |p|^2 + |r - p|^2 / s,

so the box of a tile as seen from r, and the shortest of its |p|, bound it as well; r is put where
most items are.

In float32 a sum of L + 2 products errs by at most (L + 2) u times the sum of their sizes, u = 2^-24
(Higham, Accuracy and Stability, section 3.1). Here that sum is at most (|q| + |p|)^2, and rounding
the query, |p|^2 and |p_b| adds less than 4 u of it. The bound is lowered by that much. The same
allows for the box: its sides are stored numbers, the query's are rounded outwards, and a sum of
L + 1 squared differences errs by at most (L + 4) u of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints, Singles
from rivae.retrieval.base import Allocate, Index, KeptIndex, Read
from rivae.retrieval.contenders import Contenders, contenders
from rivae.retrieval.exact import check_points
from rivae.retrieval.indexes.brute_force import LARGE, NumpyIndex
from rivae.retrieval.room import Memory
from rivae.retrieval.turned import (
    BLOCK_ITEMS,
    TILE,
    Allowed,
    TurnedPoints,
    squared_distances,
    turn_points,
)

FEW = 20_000  # items whose points are copied for a search among them
_UNIT = 2.0**-24
_EXACT = 1 << 15  # distances computed at once
_MANY = 1_000
_MIDDLE = 0.8  # of the usual length of an item: a shorter query lies in the middle
_LEAST_SHARE = 1e-6
_GATHERED = 256  # tiles read at once
_FIRST_TILES = 4  # the nearest, whose items give the first limit


class TwoStageIndex(KeptIndex):
    """Nearest neighbours among ``TurnedPoints``; all processes share their files.

    Attributes:
        points: the points searched.
    """

    name, title = "two-stage", "Two stages"
    blurb = f"bounds rule out most items: for more than {LARGE:,}"
    parts = tuple(field.name for field in fields(TurnedPoints))
    priority = 0

    def __init__(self, points: TurnedPoints) -> None:
        self.points = points
        self._low, self._high = points.boxes.transpose(0, 2, 1).copy()
        # No item is farther from the centre than the farthest corner of its box.
        corners = np.maximum(np.abs(self._low), np.abs(self._high)).astype(np.float64)
        self._longest = float(np.linalg.norm(corners, axis=0).max())
        self._sizes = np.full(self.n_tiles, TILE)
        self._sizes[-1] = self.n_items - TILE * (self.n_tiles - 1)

    @classmethod
    def suits(cls, n: int, width: int) -> bool:
        """Where brute force is slower."""
        return n > LARGE

    @classmethod
    def build(cls, n: int, read: Read, allocate: Allocate) -> Mapping[str, NDArray[Any]]:
        """See ``KeptIndex.build``."""
        points = turn_points(n, read, allocate)
        return {part: getattr(points, part) for part in cls.parts}

    @classmethod
    def open(cls, arrays: Mapping[str, NDArray[Any]]) -> TwoStageIndex:
        """See ``KeptIndex.open``."""
        return cls(TurnedPoints(**arrays))

    @classmethod
    def of(cls, points: Floats) -> TwoStageIndex:
        """An index in memory of points (N, m).

        Raises:
            DataError: there are none, or one is not finite.
        """
        points = check_points(points)
        return cls(turn_points(len(points), lambda rows: points[rows], Memory()))

    @property
    def n_items(self) -> int:
        """Number of points."""
        return len(self.points.order)

    @property
    def n_tiles(self) -> int:
        """Number of tiles, T."""
        return len(self.points.lead)

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return len(self.points.centre)

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self.points.at(positions) @ self.points.axes.T + self.points.centre

    def search(self, queries: Floats, k: int, among: Allowed | None = None) -> tuple[Ints, Floats]:
        """See ``Index.search``; ``among`` says which items may be found, at least ``k``."""
        coordinates = self.points.turned(queries)
        k = min(k, self.n_items)
        positions = np.empty((len(coordinates), k), dtype=np.int64)
        distances = np.empty((len(coordinates), k))
        for n, query in enumerate(coordinates):
            positions[n], distances[n] = self.nearest_turned(query, k, among)
        return positions, distances

    def nearest_turned(
        self, query: Floats, k: int, among: Allowed | None = None
    ) -> tuple[Ints, Floats]:
        """Positions and squared distances of the k nearest of one turned query (m,)."""
        leading = self.reduced(query[None])
        low = self.tile_bounds(query, leading)
        if among is not None:
            low[among.per_tile == 0] = np.inf
        first = self._first(low, k, among)
        bounds = self._bounds(first, leading, among)[:, 0].ravel()
        nearest = np.argpartition(bounds, min(2 * k, len(bounds)) - 1)[: 2 * k]
        nearest = self._positions(first, nearest[np.isfinite(bounds[nearest])])
        limit = np.partition(self.distances(query, nearest), k - 1)[k - 1 : k]
        limit = limit + self.error(query[None])
        tiles = np.flatnonzero(low <= limit)
        candidates = self.below(tiles, leading, limit - query @ query, among)
        exact = self.distances(query, candidates)
        order = np.lexsort((candidates, exact))[:k]
        return candidates[order], exact[order]

    def tile_bounds(self, query: Floats, leading: Floats) -> Floats | Singles:
        """What the squared distance of a query (m,), as ``leading`` (1, L + 1) too, to the items of
        each tile is at least, up to ``error``, (T,).
        """
        low = self.box_distances(leading[0], leading[0])
        length = float(np.linalg.norm(query))
        if length >= _MIDDLE * self.points.usual_length:
            return low
        share = max(length / self.points.usual_length, _LEAST_SHARE)
        moved = leading[0] / share
        far = float(np.linalg.norm(moved))
        bounds = share * self.box_distances(moved, moved).astype(np.float64)
        bounds += length * (length - far) + (1 - share) * self.points.shortest
        bounds -= self.error(moved[None])
        return np.maximum(low, bounds, out=bounds)

    def error(self, coordinates: Floats) -> Floats:
        """By how much a bound may exceed the squared distance, of queries (n, m), (n,)."""
        length = np.linalg.norm(coordinates, axis=1) + self._longest
        return np.asarray((self.points.n_lead + 6) * _UNIT * length**2)

    def reduced(self, coordinates: Floats) -> Floats:
        """The leading columns and the length of the rest, (n, L + 1)."""
        n = self.points.n_lead
        return np.column_stack([coordinates[:, :n], np.linalg.norm(coordinates[:, n:], axis=1)])

    def box_distances(self, lowest: Floats, highest: Floats) -> Singles:
        """Squared distances of a box (L + 1,) to those of the tiles, (T,)."""
        ends = (
            np.nextafter(lowest.astype(np.float32), -np.inf, dtype=np.float32),
            np.nextafter(highest.astype(np.float32), np.inf, dtype=np.float32),
        )
        out = np.zeros(self.n_tiles, dtype=np.float32)
        gap, other = np.empty_like(out), np.empty_like(out)
        for low, high, own_low, own_high in zip(self._low, self._high, *ends, strict=True):
            np.subtract(low, own_high, out=gap)
            np.subtract(own_low, high, out=other)
            np.maximum(gap, other, out=gap)
            np.maximum(gap, 0.0, out=gap)
            np.multiply(gap, gap, out=gap)
            np.add(out, gap, out=out)
        return out

    def below(
        self, tiles: Ints, leading: Floats, limits: Floats, among: Allowed | None = None
    ) -> Ints:
        """Positions of the items of ``tiles`` whose bound of |q - p|^2 - |q|^2 is at most the limit
        of any of the queries (n, L + 1).
        """
        parts = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(tiles), _GATHERED):
            part = tiles[start : start + _GATHERED]
            near = (self._bounds(part, leading, among) <= limits[:, None]).any(axis=1)
            parts.append(self._positions(part, np.flatnonzero(near)))
        return np.concatenate(parts)

    def _first(self, low: Floats | Singles, k: int, among: Allowed | None) -> Ints:
        """The nearest tiles: with at least 2 k items that may be found, or all that have any."""
        sizes = self._sizes if among is None else among.per_tile
        n = _FIRST_TILES
        while True:
            tiles = np.argpartition(low, min(n, len(low)) - 1)[:n]
            if n >= len(low) or sizes[tiles].sum() >= 2 * k:
                return tiles[np.isfinite(low[tiles])]
            n *= 4

    def _bounds(self, tiles: Ints, leading: Floats, among: Allowed | None) -> Singles:
        """|q - p|^2 of the items in tiles is at least |q|^2 and this, (tiles, n, TILE)."""
        factors = np.ones((len(leading), leading.shape[1] + 1), dtype=np.float32)
        factors[:, :-1] = -2.0 * leading
        bounds = np.matmul(factors, self.points.lead[tiles])
        if among is not None:
            np.copyto(bounds, np.inf, where=~among.items[tiles][:, None])
        return bounds

    def _positions(self, tiles: Ints, places: Ints) -> Ints:
        """Positions by their places in these tiles."""
        tile, within = np.divmod(places, TILE)
        return self.points.order[tiles[tile] * TILE + within].astype(np.int64)

    def distances(self, query: Floats, positions: Ints) -> Floats:
        """Squared distances of one turned query (m,), in float64."""
        if len(positions) > _MANY:  # where a model has collapsed, thousands are equal
            firsts, inverse = np.unique(self.points.firsts(positions), return_inverse=True)
            if len(firsts) < len(positions):
                return self.distances(query, firsts)[inverse]
        out = np.empty(len(positions))
        for start in range(0, len(positions), _EXACT):
            part = slice(start, start + _EXACT)
            difference = self.points.at(positions[part]) - query
            out[part] = np.einsum("nm,nm->n", difference, difference)
        return out

    def along(self, path: Floats, among: Allowed | None = None) -> Contenders:
        """See ``Index.along``."""
        coordinates = self.points.turned(path)
        positions = contenders(self, coordinates, among)
        return Contenders(self.points.turned, self.points.at(positions), positions)

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``; equal items get exactly equal distances."""
        coordinates = self.points.turned(queries)
        out = np.empty((len(coordinates), self.n_items))
        for start in range(0, self.n_items, BLOCK_ITEMS):
            part = np.arange(start, min(start + BLOCK_ITEMS, self.n_items))
            out[:, part] = squared_distances(coordinates, self.points.at(part))
        twin, first = self.points.twins.T
        out[:, twin] = out[:, first]
        return out

    def subset(self, positions: Ints) -> Index:
        """See ``Index.subset``."""
        if len(positions) <= FEW:
            return Few(self, positions)
        if (np.diff(positions) > 0).all():
            return Among(self, positions)
        return TwoStageIndex.of(self.rows(positions))


class _Part(Index):
    """Some of the items of a ``TwoStageIndex``."""

    def __init__(self, index: TwoStageIndex, positions: Ints) -> None:
        self._index, self._positions = index, positions

    @property
    def n_items(self) -> int:
        """Number of points."""
        return len(self._positions)

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return self._index.n_features

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self._index.rows(self._positions[positions])

    def subset(self, positions: Ints) -> Index:
        """See ``Index.subset``."""
        return self._index.subset(self._positions[positions])


class Among(_Part):
    """Some of the items of a ``TwoStageIndex``, without a copy of their points."""

    def __init__(self, index: TwoStageIndex, positions: Ints) -> None:
        super().__init__(index, positions)
        items = np.zeros((index.n_tiles, TILE), dtype=bool)
        items.ravel()[index.points.places[positions]] = True
        self._mask = Allowed(items, items.sum(axis=1))

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``."""
        positions, distances = self._index.search(queries, min(k, self.n_items), self._mask)
        return np.searchsorted(self._positions, positions), distances

    def along(self, path: Floats) -> Contenders:
        """See ``Index.along``."""
        rivals = self._index.along(path, self._mask)
        return replace(rivals, positions=np.searchsorted(self._positions, rivals.positions))

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``."""
        return self._index.all_squared_distances(queries)[:, self._positions]


class Few(_Part):
    """So few of the items of a ``TwoStageIndex`` that all are compared, along its axes.

    Effects are measured among 20,000 items: of ten million, the tiles of ``Among`` hold few of
    them, and each search would look at most tiles.
    """

    def __init__(self, index: TwoStageIndex, positions: Ints) -> None:
        super().__init__(index, positions)
        self._copies = NumpyIndex(index.points.at(positions))

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``."""
        return self._copies.search(self._index.points.turned(queries), k)

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``."""
        return self._copies.all_squared_distances(self._index.points.turned(queries))
