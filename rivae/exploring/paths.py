"""Paths through z: from way-point to way-point, straight or where the data lie, and what is found.

Straight is a line between two points of z. Along the data a leg goes through the z of searched
items: the shortest way in the graph that joins every item with its nearest neighbours, distances in
units of the prior's s.d. and squared, so that many short steps beat a jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.base.errors import ConfigError

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

Kind = Literal["straight", "along"]
Points = NDArray[np.float64]

MAX_STOPS = 6
MIN_STEPS, MAX_STEPS = 8, 96
N_NEIGHBOURS = 8
MAX_ITEMS = 20_000  # of more items an even part is walked on


@dataclass(frozen=True)
class Path:
    """Points of z in order, and the best item at each.

    Attributes:
        z: (n, d); the way-points are among them.
        ids: (n,) data rows.
        stops: positions in z of the way-points, from 0 to n - 1.
        jumps: legs, from 0, that are straight because no items lead from end to end.
    """

    z: Points
    ids: NDArray[np.int64]
    stops: tuple[int, ...]
    jumps: tuple[int, ...] = ()


def find_path(
    explorer: Explorer, way_points: ArrayLike, n_steps: int = 24, kind: Kind = "straight"
) -> Path:
    """What is retrieved on the way from one of the ``way_points`` (w, d) to the next.

    Args:
        n_steps: points of the path, 8 to 96, spread evenly over its length.

    Raises:
        ConfigError: there are fewer than 2 or more than 6 way-points, or numbers out of range.
    """
    stops = np.asarray(way_points, dtype=np.float64)
    if stops.ndim != 2 or stops.shape[1] != explorer.n_components:
        raise ConfigError(f"a way-point is a point of z with {explorer.n_components} numbers")
    if not 2 <= len(stops) <= MAX_STOPS:
        raise ConfigError(f"a path has 2 to {MAX_STOPS} way-points, got {len(stops)}")
    if not np.isfinite(stops).all():
        raise ConfigError("way-points must be finite")
    if not MIN_STEPS <= n_steps <= MAX_STEPS:
        raise ConfigError(f"a path has {MIN_STEPS} to {MAX_STEPS} points, got {n_steps}")
    legs, jumps = [stops[k : k + 2] for k in range(len(stops) - 1)], list[int]()
    if kind == "along":
        step = -(-len(explorer.positions) // MAX_ITEMS)
        legs, jumps = _through(stops, explorer.positions[::step], explorer.std)
    z, at = _spread(legs, explorer.std, n_steps)
    ids, _ = explorer.retriever.nearest(z, 1)
    return Path(z, ids[:, 0], at, tuple(jumps))


def _through(
    stops: Points, positions: NDArray[np.float32], std: Points
) -> tuple[list[Points], list[int]]:
    """The corners of each leg through items, and the legs that no items lead along."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra
    from sklearn.neighbors import NearestNeighbors

    points = np.concatenate([positions.astype(np.float64), stops])
    k = min(N_NEIGHBOURS, len(points) - 1)
    points_by_std = points / std
    neighbours = NearestNeighbors(n_neighbors=k + 1).fit(points_by_std)
    gaps, near = neighbours.kneighbors(points_by_std)
    rows = np.repeat(np.arange(len(points)), k)
    # A gap of 0 would mean no edge: equal points stay joined.
    costs = np.maximum(gaps[:, 1:].ravel() ** 2, 1e-12)
    graph = csr_matrix((costs, (rows, near[:, 1:].ravel())), shape=(len(points),) * 2)
    ends = np.arange(len(positions), len(points))
    _, before = dijkstra(graph, directed=False, indices=ends[:-1], return_predecessors=True)
    legs, jumps = [], []
    for leg, (first, last) in enumerate(pairwise(ends)):
        way = [int(last)]
        while way[-1] != first and before[leg, way[-1]] >= 0:
            way.append(int(before[leg, way[-1]]))
        if way[-1] != first:
            jumps.append(leg)
            way = [int(last), int(first)]
        legs.append(points[way[::-1]])
    return legs, jumps


def _spread(legs: Sequence[Points], std: Points, n: int) -> tuple[Points, tuple[int, ...]]:
    """``n`` points along the corners of all legs, evenly by length, the ends of legs among them."""
    lengths = [np.linalg.norm(np.diff(leg / std, axis=0), axis=1) for leg in legs]
    whole = np.array([length.sum() for length in lengths])
    # Where the ends of legs stand among n points: at their share of the length, each its own.
    shares = np.cumsum(whole) / whole.sum() if whole.sum() else np.linspace(0, 1, len(legs) + 1)[1:]
    at = [0, *np.rint(shares * (n - 1)).astype(int).tolist()]
    for k in range(1, len(at)):
        at[k] = min(max(at[k], at[k - 1] + 1), n - len(at) + k)
    parts = [legs[0][:1]]
    for leg, length, first, last in zip(legs, lengths, at[:-1], at[1:], strict=True):
        way = np.concatenate([[0.0], np.cumsum(length)])
        places = np.linspace(0, way[-1], last - first + 1)[1:]
        part = np.column_stack([np.interp(places, way, column) for column in leg.T])
        part[-1] = leg[-1]  # exactly
        parts.append(part)
    return np.concatenate(parts), tuple(at)
