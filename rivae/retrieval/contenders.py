"""The few of very many items that can be nearest somewhere along a path of straight pieces.

On a piece from q_0 to q_1, |q(s) - p|^2 - |q(s)|^2 is linear in s for every item p, and its lower
bound (``indexes.two_stage``) lies above the line between the bounds at both ends, as
|q_b(s)| is convex. So an item whose bound exceeds the distance of some rival at both ends is never
nearer than this rival in between, and only the ends have to be looked at. So it is for the items of
a tile, which the bound of the tile stands for. Rivals are the nearest items at the ends of parts of
the path; where they leave many more tiles than a search at an end has to read, a part is halved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints, Singles
from rivae.retrieval.turned import Allowed, TurnedPoints

_PARTS = 8  # of a path, at first
_MOST_TILES = 48  # that a part may leave before it is halved
_TIMES = 3  # the tiles of a search at its ends: fewer than these a half leaves hardly
_FEW, _MOST_VALUES = 32, 1 << 20  # contenders of a part, and values at once
_HALVED = 20  # times at most
_ROUNDING = 16e-16  # of a product, twice, for each number of a point


class Bounded(Protocol):
    """What a path asks of an index with bounds, which ``TwoStageIndex`` documents."""

    points: TurnedPoints

    def reduced(self, coordinates: Floats) -> Floats: ...
    def box_distances(self, lowest: Floats, highest: Floats) -> Singles: ...
    def tile_bounds(self, query: Floats, leading: Floats) -> Floats | Singles: ...
    def error(self, coordinates: Floats) -> Floats: ...
    def below(
        self, tiles: Ints, leading: Floats, limits: Floats, among: Allowed | None = None
    ) -> Ints: ...
    def nearest_turned(
        self, query: Floats, k: int, among: Allowed | None = None
    ) -> tuple[Ints, Floats]: ...


@dataclass
class _Part:
    """Turned places (v, m) along the path, and the nearest item at both ends."""

    places: Floats
    first: int
    last: int
    halved: int = 0


def contenders(index: Bounded, path: Floats, among: Allowed | None = None) -> Ints:
    """Positions, ascending: among them is the nearest item of every point of ``path`` (V, m),
    straight between turned places; the lowest, where several are equally near.
    """
    near_positions = [np.empty(0, dtype=np.int64)]
    waiting = _parts(index, path, among)
    while waiting:
        part = waiting.pop()
        limits = _limits(index, part)
        leading = index.reduced(part.places)
        low = index.box_distances(leading.min(axis=0), leading.max(axis=0))
        tiles = np.flatnonzero(low <= limits.max())
        if len(tiles) > _MOST_TILES:  # each place by itself is slower, and closer
            tiles = np.flatnonzero(_may_hold(index, part.places, leading, limits))
        may_halve = len(tiles) > _MOST_TILES and part.halved < _HALVED
        if may_halve and len(tiles) > _TIMES * _n_read(index, part, leading):
            waiting += _halves(index, part, among)
            continue
        squares = np.einsum("vm,vm->v", part.places, part.places)
        near = index.below(tiles, leading, limits - squares, among)
        near_positions.append(_may_win(part.places, index, near))
    return np.unique(np.concatenate(near_positions))


def _may_hold(index: Bounded, places: Floats, leading: Floats, limits: Floats) -> NDArray[np.bool_]:
    """(T,) whether the bound of a tile is within the limit of any of the places (v, m)."""
    near = np.zeros(len(index.points.lead), dtype=bool)
    for place, reduced, limit in zip(places, leading, limits, strict=True):
        near |= index.tile_bounds(place, reduced[None]) <= limit
    return near


def _n_read(index: Bounded, part: _Part, leading: Floats) -> int:
    """How many tiles may hold the nearest item of an end of a part, the larger number."""
    counts = []
    for end, nearest in ((0, part.first), (len(leading) - 1, part.last)):
        here = slice(end, end + 1)
        places = part.places[here]
        limits = np.square(index.points.at(np.array([nearest])) - places).sum(axis=1)
        limits += index.error(places)
        counts.append(int(_may_hold(index, places, leading[here], limits).sum()))
    return max(counts)


def _may_win(places: Floats, index: Bounded, positions: Ints) -> Ints:
    """Those that no single other one beats at both ends of a piece; of equal points the lowest."""
    positions = np.sort(positions)
    _, lowest = np.unique(index.points.firsts(positions), return_index=True)
    positions = positions[lowest]
    points = index.points.at(positions)
    values = -2.0 * (places @ points.T)
    squares = np.einsum("cm,cm->c", points, points)
    values += squares
    slack = _ROUNDING * (points.shape[1] + 4) * (squares.max() + np.square(places).sum(axis=1))
    for _ in range(_HALVED):
        mask = (values <= (_limits_of(values) + slack)[:, None]).any(axis=0)
        positions, values = positions[mask], values[:, mask]
        if len(positions) <= _FEW or len(values) == 1:
            break
        # Between places values are linear, so every half of a piece may have a rival of its own.
        values, slack = _with_middles(values), _with_middles(slack)
        if values.size > _MOST_VALUES:
            break
    return positions


def _with_middles(rows: Floats) -> Floats:
    """Rows (v, ...), and between neighbours their mean, (2 v - 1, ...)."""
    out = np.empty((2 * len(rows) - 1, *rows.shape[1:]))
    out[::2], out[1::2] = rows, (rows[:-1] + rows[1:]) / 2.0
    return out


def _parts(index: Bounded, path: Floats, among: Allowed | None) -> list[_Part]:
    cuts = np.unique(np.linspace(0, len(path) - 1, _PARTS + 1).astype(int))
    nearest = [_nearest(index, path[cut], among) for cut in cuts]
    ends = zip(cuts[:-1], cuts[1:], nearest[:-1], nearest[1:], strict=True)
    if len(cuts) == 1:
        return [_Part(path, nearest[0], nearest[0])]
    return [_Part(path[a : b + 1], first, last) for a, b, first, last in ends]


def _halves(index: Bounded, part: _Part, among: Allowed | None) -> list[_Part]:
    places = part.places
    if len(places) == 2:  # any place of a straight piece may be an end
        places = np.stack([places[0], places.mean(axis=0), places[1]])
    cut, n = len(places) // 2, part.halved + 1
    middle = _nearest(index, places[cut], among)
    return [
        _Part(places[: cut + 1], part.first, middle, n),
        _Part(places[cut:], middle, part.last, n),
    ]


def _nearest(index: Bounded, place: Floats, among: Allowed | None) -> int:
    return int(index.nearest_turned(place, 1, among)[0][0])


def _limits(index: Bounded, part: _Part) -> Floats:
    """Up to which squared distance an item is of interest at each place, (v,): that of the rivals
    of the pieces that meet there.
    """
    rivals = index.points.at(np.array([part.first, part.last]))
    difference = part.places[:, None] - rivals
    values = np.einsum("vrm,vrm->vr", difference, difference)
    return _limits_of(values) + index.error(part.places)


def _limits_of(values: Floats) -> Floats:
    """Of what rivals (v, r) reach at places, the limits (v,): each piece has the rival that is best
    at its worse end.
    """
    if len(values) == 1:
        return np.asarray(values.min(axis=1))
    best = np.maximum(values[:-1], values[1:]).argmin(axis=1)
    pieces = np.arange(len(best))
    limits = np.full(len(values), -np.inf)
    limits[:-1] = values[pieces, best]
    np.maximum(limits[1:], values[pieces + 1, best], out=limits[1:])
    return limits


@dataclass(frozen=True)
class Contenders:
    """Brute force among a few items.

    Attributes:
        turned: maps queries to the coordinates of ``points``.
        points: (c, m) the items.
        positions: (c,) their positions, ascending.
    """

    turned: Callable[[Floats], Floats]
    points: Floats
    positions: Ints

    def nearest(self, queries: Floats) -> Ints:
        """The position of the nearest item of queries (n, m), the lowest of equally near ones."""
        coordinates = self.turned(queries)
        squares = np.einsum("cm,cm->c", self.points, self.points)
        coarse = squares - 2.0 * (coordinates @ self.points.T)
        size = np.einsum("nm,nm->n", coordinates, coordinates) + squares.max()
        slack = _ROUNDING * (self.points.shape[1] + 4) * size
        query, item = np.nonzero(coarse <= (coarse.min(axis=1) + slack)[:, None])
        difference = coordinates[query] - self.points[item]
        order = np.lexsort((item, np.einsum("pm,pm->p", difference, difference), query))
        _, first = np.unique(query[order], return_index=True)
        return self.positions[item[order][first]]
