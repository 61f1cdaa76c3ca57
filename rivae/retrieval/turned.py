"""Points on their principal axes, in tiles of neighbours: what ``TwoStageIndex`` searches.

Points are centred, turned onto their principal axes and kept in float32. Tiles hold neighbours by
their leading columns, so a tile's bounding box says how near its items can be at best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints, Singles
from rivae.retrieval.base import Allocate, Read
from rivae.retrieval.exact import check_points, marks_of
from rivae.retrieval.reading import in_parts

TILE = 256  # items of a tile
SAMPLED = 20_000  # items from which the principal axes are computed
BLOCK_ITEMS = 1 << 14
_FEWEST_LEADING = 12  # columns; or a third: tiles leave few items to read, so more cost little
_PER_NUMBER, _PER_ITEM = 0.12, 700.0  # ns to read one number, and to compute one distance
_TRIED = 64  # items whose neighbours are looked for to choose L


@dataclass(frozen=True)
class Allowed:
    """Which items may be found: (T, TILE) by their places, and how many of each tile, (T,)."""

    items: NDArray[np.bool_]
    per_tile: Ints


@dataclass(frozen=True)
class TurnedPoints:
    """N points of m numbers, centred and turned onto their principal axes.

    Attributes:
        centre: (m,) what was subtracted.
        axes: (m, m) orthonormal columns, the axis of the largest variance first.
        lead: (T, L + 2, TILE) of every item of T tiles the L leading columns, then the length of
            the rest, then |p|^2; it is infinite in the places of the last tile that hold no item.
        rest: (N, m - L) the other columns, in the order of positions.
        order: (N,) the position of the item at each place of the tiles.
        boxes: (2, T, L + 1) lowest and highest leading columns and length of the rest of a tile.
        twins: (t, 2) pairs of positions of equal points: a later one, and the first of its kind.
    """

    centre: Floats
    axes: Floats
    lead: Singles
    rest: Singles
    order: NDArray[np.int32]
    boxes: Singles
    twins: Ints

    @property
    def n_lead(self) -> int:
        """L."""
        return int(self.lead.shape[1]) - 2

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """(N,) the place of every position in the tiles."""
        places = np.empty(len(self.order), dtype=np.int32)
        places[self.order] = np.arange(len(self.order), dtype=np.int32)
        return places

    @cached_property
    def shortest(self) -> Floats:
        """(T,) the least |p|^2 of a tile."""
        return self.lead[:, -1].min(axis=1).astype(np.float64)

    @cached_property
    def usual_length(self) -> float:
        """Of a point, from the centre."""
        return float(np.sqrt(np.median(self.shortest)))

    @cached_property
    def _sorted_twins(self) -> Ints:
        return self.twins[np.argsort(self.twins[:, 0])].T.copy()

    def firsts(self, positions: Ints) -> Ints:
        """The first position of an equal point, which may be its own."""
        twins, firsts = self._sorted_twins
        if not len(twins):
            return positions
        at = np.minimum(np.searchsorted(twins, positions), len(twins) - 1)
        return np.where(twins[at] == positions, firsts[at], positions)

    def turned(self, points: Floats) -> Floats:
        """Points (n, m) as seen along the axes."""
        return np.asarray((points - self.centre) @ self.axes, dtype=np.float64)

    def at(self, positions: Ints) -> Floats:
        """The stored points of ``positions``, as seen along the axes, (n, m)."""
        tile, within = np.divmod(self.places[positions], TILE)
        out = np.empty((len(positions), self.n_lead + self.rest.shape[1]))
        out[:, : self.n_lead] = self.lead[tile, : self.n_lead, within]
        out[:, self.n_lead :] = self.rest[positions]
        return out


def turn_points(n: int, read: Read, allocate: Allocate) -> TurnedPoints:
    """Read N points in parts, turn them and keep them.

    Args:
        n: how many there are, at least 1.
        read: gives the points (len(positions), m) of positions, equal ones for equal items; in
            threads, or on a cluster (see ``in_parts``).
        allocate: makes the room of "lead" and "rest", and of what is kept of the items meanwhile.

    Raises:
        DataError: a point is not finite.
    """
    sample = check_points(read(_even(n, SAMPLED)))
    centre = sample.mean(axis=0)
    _, vectors = np.linalg.eigh((sample - centre).T @ (sample - centre))
    axes = np.ascontiguousarray(np.linalg.qr(vectors[:, ::-1])[0])
    coordinates = (sample - centre) @ axes
    n_lead = choose_leading(coordinates, n)
    rest = allocate("rest", (n, coordinates.shape[1] - n_lead))
    columns = allocate("columns", (n, n_lead + 2))
    marks = allocate("marks", (n,), np.uint64)
    n_done = allocate.n_done(centre, axes)
    for part, points in in_parts(n, read, sample.shape[1], n_done):
        points = check_points(points) + 0.0  # -0.0 becomes 0.0: equal numbers, equal bits
        marks[part] = marks_of(points)
        rows32 = ((points - centre) @ axes).astype(np.float32)
        rest[part], columns[part, :n_lead] = rows32[:, n_lead:], rows32[:, :n_lead]
        exact = rows32.astype(np.float64)
        columns[part, n_lead] = np.linalg.norm(exact[:, n_lead:], axis=1)
        columns[part, n_lead + 1] = np.einsum("nm,nm->n", exact, exact)
        allocate.note(int(part[-1]) + 1)
    twins = _unite_twins(marks, columns, rest)
    order = tile_order(columns[:, :-1])
    lead = allocate("lead", (-(-n // TILE), n_lead + 2, TILE))
    return TurnedPoints(centre, axes, lead, rest, order, _fill(lead, columns, order), twins)


def tile_order(columns: Singles) -> NDArray[np.int32]:
    """Positions in an order in which every ``TILE`` of them lie near each other.

    A k-d tree: halves at the median of the widest column, down to single tiles.
    """
    order = np.arange(len(columns), dtype=np.int32)
    waiting = [(0, len(columns))]
    while waiting:
        start, stop = waiting.pop()
        if stop - start <= TILE:
            continue
        part = order[start:stop]
        widest = _widest(columns, part)
        half = -(-(stop - start) // TILE) // 2 * TILE
        order[start:stop] = part[np.argpartition(columns[part, widest], half - 1)]
        waiting += [(start, start + half), (start + half, stop)]
    return order


def _widest(columns: Singles, part: NDArray[np.int32]) -> int:
    """The column whose numbers at ``part`` lie farthest apart; never all of them in memory."""
    low = np.full(columns.shape[1], np.inf, dtype=np.float32)
    high = -low
    for start in range(0, len(part), BLOCK_ITEMS):
        within = columns[part[start : start + BLOCK_ITEMS]]
        np.minimum(low, within.min(axis=0), out=low)
        np.maximum(high, within.max(axis=0), out=high)
    return int((high - low).argmax())


def _fill(lead: Singles, columns: Singles, order: NDArray[np.int32]) -> Singles:
    """Write the tiles; their boxes."""
    boxes = np.empty((2, len(lead), columns.shape[1] - 1), dtype=np.float32)
    for tile in range(len(lead)):
        members = columns[order[tile * TILE : (tile + 1) * TILE]]
        boxes[:, tile] = members[:, :-1].min(axis=0), members[:, :-1].max(axis=0)
        lead[tile, :, : len(members)] = members.T
        lead[tile, :-1, len(members) :] = 0.0
        lead[tile, -1, len(members) :] = np.inf
    return boxes


def _unite_twins(marks: NDArray[np.uint64], columns: Singles, rest: Singles) -> Ints:
    """Points that were equal before they were turned become equal again, bit for bit."""
    order = np.argsort(marks, kind="stable")
    same = np.flatnonzero(marks[order][1:] == marks[order][:-1]) + 1
    if not len(same):
        return np.empty((0, 2), dtype=np.int64)
    begins = np.ones(len(order), dtype=bool)
    begins[same] = False
    firsts = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
    twins = np.stack([order[same], firsts[same]], axis=1).astype(np.int64)
    for part in np.array_split(twins, -(-len(twins) // BLOCK_ITEMS)):
        columns[part[:, 0]] = columns[part[:, 1]]
        rest[part[:, 0]] = rest[part[:, 1]]
    return twins


def choose_leading(sample: Floats, n: int) -> int:
    """How many leading columns make a search of ``n`` items fastest, by a sample of them (s, m).

    Every column costs its numbers once per search; fewer columns leave more items to look at.
    """
    s, m = sample.shape
    queries = sample[_even(s, _TRIED)]
    whole = squared_distances(queries, sample)
    nearest = np.partition(whole, min(1, s - 1), axis=1)[:, min(1, s - 1)]  # but for itself
    best, n_lead = np.inf, m
    for width in sorted({*range(min(_FEWEST_LEADING, -(-m // 3)), min(m, 64), 4), m}):
        rests = [np.linalg.norm(part[:, width:], axis=1) for part in (queries, sample)]
        low = squared_distances(queries[:, :width], sample[:, :width])
        low += (rests[0][:, None] - rests[1][None]) ** 2
        n_candidates = float((low <= nearest[:, None]).mean()) * n
        cost = _PER_NUMBER * n * (width + 2) + _PER_ITEM * n_candidates
        if cost < best:
            best, n_lead = cost, width
    return n_lead


def squared_distances(a: Floats, b: Floats) -> Floats:
    """Of rows of ``a`` (n, m) to rows of ``b`` (N, m), (n, N); rounded, never negative."""
    product = -2.0 * (a @ b.T)
    product += np.einsum("nm,nm->n", a, a)[:, None] + np.einsum("nm,nm->n", b, b)[None]
    return np.maximum(product, 0.0)


def _even(n: int, most: int) -> Ints:
    """At most ``most`` of n positions, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))
