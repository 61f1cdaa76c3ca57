"""The few of very many items that can be nearest somewhere along a path of straight pieces.

On a piece from q_0 to q_1, |q(s) - p|^2 - |q(s)|^2 is linear in s for every item p, and its lower
bound (``rivae.retrieval.two_stage``) lies above the line between the bounds at both ends, as
|q_b(s)| is convex. So an item whose bound exceeds the distance of some rival at both ends is never
nearer than this rival in between, and only the ends have to be looked at. Rivals are the nearest
items at the ends of parts of the path; where they leave too many items, a part is halved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.exact import direct_squared_distances

if TYPE_CHECKING:
    from rivae.retrieval.two_stage import Allowed, TwoStageIndex

_PARTS = 8  # of a path, at first
_MOST_TILES = 48  # that a part may leave before it is halved
_HALVED = 20  # times at most


@dataclass
class _Part:
    """Turned places (v, m) along the path, and the nearest item at both ends."""

    places: Floats
    first: int
    last: int
    halved: int = 0


def contenders(index: TwoStageIndex, path: Floats, among: Allowed | None = None) -> Ints:
    """Positions, ascending: among them is the nearest item of every point of ``path`` (V, m),
    straight between turned places; all of them, where several are equally near.
    """
    found = [np.empty(0, dtype=np.int64)]
    waiting = _parts(index, path, among)
    while waiting:
        part = waiting.pop()
        limits = _limits(index, part)
        reduced = index.reduced(part.places)
        low = index.box_distances(reduced.min(axis=0)[None], reduced.max(axis=0)[None])[0]
        tiles = np.flatnonzero(low <= limits.max())
        if len(tiles) > _MOST_TILES and part.halved < _HALVED:
            waiting += _halves(index, part, among)
            continue
        squares = np.einsum("vm,vm->v", part.places, part.places)
        found.append(index.below(tiles, reduced, limits - squares, among))
    return np.unique(np.concatenate(found))


def _parts(index: TwoStageIndex, path: Floats, among: Allowed | None) -> list[_Part]:
    cuts = np.unique(np.linspace(0, len(path) - 1, _PARTS + 1).astype(int))
    nearest = [_nearest(index, path[cut], among) for cut in cuts]
    ends = zip(cuts[:-1], cuts[1:], nearest[:-1], nearest[1:], strict=True)
    if len(cuts) == 1:
        return [_Part(path, nearest[0], nearest[0])]
    return [_Part(path[a : b + 1], first, last) for a, b, first, last in ends]


def _halves(index: TwoStageIndex, part: _Part, among: Allowed | None) -> list[_Part]:
    places = part.places
    if len(places) == 2:  # any place of a straight piece may be an end
        places = np.stack([places[0], places.mean(axis=0), places[1]])
    cut, n = len(places) // 2, part.halved + 1
    middle = _nearest(index, places[cut], among)
    return [
        _Part(places[: cut + 1], part.first, middle, n),
        _Part(places[cut:], middle, part.last, n),
    ]


def _nearest(index: TwoStageIndex, place: Floats, among: Allowed | None) -> int:
    return int(index.nearest(place, 1, among)[0][0])


def _limits(index: TwoStageIndex, part: _Part) -> Floats:
    """Up to which bound an item is of interest at each place, (v,): the distance of the rivals of
    the pieces that meet there.
    """
    rivals = index.points.at(np.array([part.first, part.last]))
    to_each = direct_squared_distances(part.places, np.broadcast_to(rivals, (len(part.places), *rivals.shape)))
    limits = np.zeros(len(part.places))
    if len(limits) == 1:
        return to_each[:, 0] + index.error(part.places)
    of_piece = np.maximum(to_each[:-1], to_each[1:]).argmin(axis=1)
    pieces = np.arange(len(of_piece))
    for end in (0, 1):
        own = limits[end : end + len(pieces)]
        np.maximum(own, to_each[pieces + end, of_piece], out=own)
    return limits + index.error(part.places)


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
        asked = self.turned(queries)
        squares = np.einsum("cm,cm->c", self.points, self.points)
        coarse = squares - 2.0 * (asked @ self.points.T)
        size = np.einsum("nm,nm->n", asked, asked) + squares.max()
        slack = 16e-16 * (self.points.shape[1] + 4) * size  # twice the rounding of ``coarse``
        query, item = np.nonzero(coarse <= (coarse.min(axis=1) + slack)[:, None])
        difference = asked[query] - self.points[item]
        order = np.lexsort((item, np.einsum("pm,pm->p", difference, difference), query))
        _, first = np.unique(query[order], return_index=True)
        return self.positions[item[order][first]]
