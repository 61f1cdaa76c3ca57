"""Exact search of very many items: a bound from a few columns, then the few items it leaves.

Points are centred, turned onto their principal axes and kept in float32. For a query q and an item
p, split into the L leading columns (a) and the rest (b), the triangle inequality gives

    |q - p|^2 >= |q|^2 + |p|^2 - 2 q_a p_a - 2 |q_b| |p_b|,

one product with L + 2 stored columns. Whatever lies above the k-th distance of any k items cannot
be among the k nearest; for the others the distance is computed in float64. So the answer is that of
brute force over the stored points, ties in order of position.

In float32 a sum of L + 2 products errs by at most (L + 2) u times the sum of their sizes, u = 2^-24
(Higham, Accuracy and Stability, section 3.1). Here that sum is at most (|q| + |p|)^2, and rounding
the query, |p|^2 and |p_b| adds less than 4 u of it. The bound is lowered by that much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.errors import DataError
from rivae.retrieval.base import Floats, Ints, Singles
from rivae.retrieval.exact import check_points, check_queries
from rivae.retrieval.one_pass import OnePass

SAMPLED = 20_000  # items from which the principal axes are computed
_BLOCK_ITEMS = 1 << 14
_TILE = 256  # neighbouring items of which the lowest bound is looked at first
_BOUNDS = 1 << 23  # bounds held at once (32 MB)
_EXACT = 1 << 15  # distances computed at once
_UNIT = 2.0**-24
_PER_NUMBER, _PER_ITEM = 0.12, 700.0  # ns to read one number, and to compute one distance
_ODD = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
_TRIED = 64  # items whose neighbours are looked for to choose L

Allocate = Callable[[str, tuple[int, int]], Singles]


@dataclass(frozen=True)
class TurnedPoints:
    """N points of m numbers, centred and turned onto their principal axes.

    Attributes:
        centre: (m,) what was subtracted.
        axes: (m, m) orthonormal columns, the axis of the largest variance first.
        lead: (L + 2, N) the leading columns, then |p|^2, then the length of the rest.
        rest: (N, m - L) the other columns.
        twins: (t, 2) pairs of positions of equal points: a later one, and the first of its kind.
    """

    centre: Floats
    axes: Floats
    lead: Singles
    rest: Singles
    twins: Ints

    def turned(self, points: Floats) -> Floats:
        """Points (n, m) as seen along the axes."""
        return np.asarray((points - self.centre) @ self.axes, dtype=np.float64)

    def at(self, positions: Ints) -> Floats:
        """The stored points of ``positions``, as seen along the axes, (n, m)."""
        n_lead = len(self.lead) - 2
        out = np.empty((len(positions), n_lead + self.rest.shape[1]))
        out[:, :n_lead] = self.lead[:n_lead, positions].T
        out[:, n_lead:] = self.rest[positions]
        return out


def turn_points(n: int, read: Callable[[Ints], Floats], allocate: Allocate) -> TurnedPoints:
    """Read N points in parts, turn them and keep them.

    Args:
        n: how many there are, at least 1.
        read: gives the points (len(positions), m) of positions, equal ones for equal items.
        allocate: makes an array of a name ("lead" or "rest") and a shape, in memory or in a file.

    Raises:
        DataError: a point is not finite.
    """
    sample = check_points(read(_even(n, SAMPLED)))
    centre = sample.mean(axis=0)
    _, vectors = np.linalg.eigh((sample - centre).T @ (sample - centre))
    axes = np.ascontiguousarray(np.linalg.qr(vectors[:, ::-1])[0])
    turned = (sample - centre) @ axes
    n_lead = choose_leading(turned, n)
    lead = allocate("lead", (n_lead + 2, n))
    rest = allocate("rest", (n, turned.shape[1] - n_lead))
    marks = np.empty(n, dtype=np.uint64)
    for start in range(0, n, _BLOCK_ITEMS):
        part = np.arange(start, min(start + _BLOCK_ITEMS, n))
        points = check_points(read(part)) + 0.0  # -0.0 becomes 0.0: equal numbers, equal bits
        marks[part] = _marks(points)
        kept = ((points - centre) @ axes).astype(np.float32)
        _put(lead, rest, slice(start, start + len(part)), kept)
    return TurnedPoints(centre, axes, lead, rest, _unite_twins(marks, lead, rest))


def _put(lead: Singles, rest: Singles, where: slice, kept: Singles) -> None:
    n_lead = len(lead) - 2
    rest[where] = kept[:, n_lead:]
    lead[:n_lead, where] = kept[:, :n_lead].T
    exact = kept.astype(np.float64)
    lead[n_lead, where] = np.einsum("nm,nm->n", exact, exact)
    lead[n_lead + 1, where] = np.linalg.norm(exact[:, n_lead:], axis=1)


def _marks(points: Floats) -> NDArray[np.uint64]:
    """A 64-bit mark of every point: equal for equal ones, as good as never for others."""
    bits = points.view(np.uint64) + np.arange(1, points.shape[1] + 1, dtype=np.uint64) * _ODD[0]
    for factor in _ODD[1:]:  # the steps of SplitMix64
        bits ^= bits >> np.uint64(31)
        bits *= factor
    return np.asarray((bits ^ (bits >> np.uint64(29))).sum(axis=1, dtype=np.uint64))


def _unite_twins(marks: NDArray[np.uint64], lead: Singles, rest: Singles) -> Ints:
    """Points that were equal before they were turned become equal again, bit for bit."""
    order = np.argsort(marks, kind="stable")
    same = np.flatnonzero(marks[order][1:] == marks[order][:-1]) + 1
    if not len(same):
        return np.empty((0, 2), dtype=np.int64)
    begins = np.ones(len(order), dtype=bool)
    begins[same] = False
    firsts = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
    twins = np.stack([order[same], firsts[same]], axis=1).astype(np.int64)
    for part in np.array_split(twins, -(-len(twins) // _BLOCK_ITEMS)):
        lead[:, part[:, 0]] = lead[:, part[:, 1]]
        rest[part[:, 0]] = rest[part[:, 1]]
    return twins


def choose_leading(turned: Floats, n: int) -> int:
    """How many leading columns make a search of ``n`` items fastest, by a sample of them (s, m).

    Every column costs its numbers once per search; fewer columns leave more items to look at.
    """
    s, m = turned.shape
    asked = turned[_even(s, _TRIED)]
    whole = _squared(asked, turned)
    nearest = np.partition(whole, min(1, s - 1), axis=1)[:, min(1, s - 1)]  # but for itself
    best, chosen = np.inf, m
    for width in sorted({*range(4, min(m, 64), 4), m}):
        rests = [np.linalg.norm(part[:, width:], axis=1) for part in (asked, turned)]
        low = _squared(asked[:, :width], turned[:, :width])
        low += (rests[0][:, None] - rests[1][None]) ** 2
        left = float((low <= nearest[:, None]).mean()) * n
        cost = _PER_NUMBER * n * (width + 2) + _PER_ITEM * left
        if cost < best:
            best, chosen = cost, width
    return chosen


def _squared(a: Floats, b: Floats) -> Floats:
    product = -2.0 * (a @ b.T)
    product += np.einsum("nm,nm->n", a, a)[:, None] + np.einsum("nm,nm->n", b, b)[None]
    return np.maximum(product, 0.0)


def _even(n: int, most: int) -> Ints:
    """At most ``most`` of n positions, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


class TwoStageIndex:
    """Nearest neighbours among ``TurnedPoints``; see ``Index``.

    Attributes:
        points: the points searched.
    """

    def __init__(self, points: TurnedPoints) -> None:
        self.points = points
        self._n_lead = len(points.lead) - 2
        self._longest = float(np.sqrt(points.lead[self._n_lead].max()))
        self._step = max(1, _BOUNDS // self.n_items)
        self._lowered = OnePass(self._bounds, self._step)

    @classmethod
    def of(cls, points: Floats) -> TwoStageIndex:
        """An index in memory of points (N, m).

        Raises:
            DataError: there are none, or one is not finite.
        """
        points = check_points(points)
        made = turn_points(
            len(points), lambda rows: points[rows], lambda _, shape: np.empty(shape, np.float32)
        )
        return cls(made)

    @property
    def n_items(self) -> int:
        """Number of points."""
        return int(self.points.lead.shape[1])

    @property
    def n_features(self) -> int:
        """Numbers of a point."""
        return len(self.points.centre)

    def rows(self, positions: Ints) -> Floats:
        """See ``Index.rows``."""
        return self.points.at(positions) @ self.points.axes.T + self.points.centre

    def search(
        self, queries: Floats, k: int, among: NDArray[np.bool_] | None = None
    ) -> tuple[Ints, Floats]:
        """See ``Index.search``; ``among`` (N,) says which items may be found, at least ``k``.

        Raises:
            DataError: for queries of another width, NaN, or k < 1.
        """
        if k < 1:
            raise DataError(f"k must be at least 1, got {k}")
        turned = self.points.turned(check_queries(queries, self.n_features))
        k = min(k, self.n_items)
        positions = np.empty((len(turned), k), dtype=np.int64)
        distances = np.empty((len(turned), k))
        for start in range(0, len(turned), self._step):
            block = turned[start : start + self._step]
            bounds = self._lowered(block)
            if among is not None:
                bounds[:, ~among] = np.inf
            for n, (query, low) in enumerate(zip(block, bounds, strict=True), start):
                positions[n], distances[n] = self._nearest(query, low, k)
        return positions, distances

    def _bounds(self, turned: Floats) -> Singles:
        """|q - p|^2 is at least |q|^2 and this, (n, N)."""
        asked = np.empty((len(turned), self._n_lead + 2), dtype=np.float32)
        asked[:, :-2] = -2.0 * turned[:, : self._n_lead]
        asked[:, -2] = 1.0
        asked[:, -1] = -2.0 * np.linalg.norm(turned[:, self._n_lead :], axis=1)
        if len(asked) == 1:  # a product with a vector reads what it needs once
            return np.asarray(asked[0] @ self.points.lead)[None]
        return np.asarray(asked @ self.points.lead)

    def _nearest(self, query: Floats, low: Singles, k: int) -> tuple[Ints, Floats]:
        square = float(query @ query)
        error = (self._n_lead + 6) * _UNIT * (np.sqrt(square) + self._longest) ** 2
        lowest = _lowest(low)
        tiles = np.argpartition(lowest, min(2 * k, len(lowest)) - 1)[: 2 * k]
        near = _members(tiles, len(low))
        near = near[np.argpartition(low[near], min(2 * k, len(near)) - 1)[: 2 * k]]
        near = near[np.isfinite(low[near])]
        limit = np.sort(self._distances(query, near))[k - 1] - square + error
        left = _members(np.flatnonzero(lowest <= limit), len(low))
        left = left[low[left] <= limit]
        exact = self._distances(query, left)
        order = np.lexsort((left, exact))[:k]
        return left[order], exact[order]

    def _distances(self, query: Floats, positions: Ints) -> Floats:
        out = np.empty(len(positions))
        for start in range(0, len(positions), _EXACT):
            part = slice(start, start + _EXACT)
            difference = self.points.at(positions[part]) - query
            out[part] = np.einsum("nm,nm->n", difference, difference)
        return out

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``; equal items get exactly equal distances."""
        turned = self.points.turned(check_queries(queries, self.n_features))
        out = np.empty((len(turned), self.n_items))
        for start in range(0, self.n_items, _BLOCK_ITEMS):
            part = np.arange(start, min(start + _BLOCK_ITEMS, self.n_items))
            out[:, part] = _squared(turned, self.points.at(part))
        twin, first = self.points.twins.T
        out[:, twin] = out[:, first]
        return out

    def subset(self, positions: Ints) -> Among | TwoStageIndex:
        """See ``Index.subset``."""
        if (np.diff(positions) > 0).all():
            return Among(self, positions)
        return TwoStageIndex.of(self.rows(positions))


def _lowest(low: Singles) -> Singles:
    """The lowest bound of every tile."""
    whole = len(low) // _TILE * _TILE
    lowest = low[:whole].reshape(-1, _TILE).min(axis=1)
    return lowest if whole == len(low) else np.append(lowest, low[whole:].min())


def _members(tiles: Ints, n: int) -> Ints:
    """The positions in tiles, ascending."""
    members = (np.sort(tiles)[:, None] * _TILE + np.arange(_TILE)).ravel()
    return members[members < n]


class Among:
    """Some of the items of a ``TwoStageIndex``, without a copy of their points."""

    def __init__(self, index: TwoStageIndex, positions: Ints) -> None:
        self._index, self._positions = index, positions
        self._mask = np.zeros(index.n_items, dtype=bool)
        self._mask[positions] = True
        self._own = np.full(index.n_items, -1, dtype=np.int32)
        self._own[positions] = np.arange(len(positions))

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

    def search(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """See ``Index.search``."""
        found, distances = self._index.search(queries, min(k, self.n_items), self._mask)
        return self._own[found].astype(np.int64), distances

    def all_squared_distances(self, queries: Floats) -> Floats:
        """See ``Index.all_squared_distances``."""
        return self._index.all_squared_distances(queries)[:, self._positions]

    def subset(self, positions: Ints) -> Among | TwoStageIndex:
        """See ``Index.subset``."""
        return self._index.subset(self._positions[positions])
