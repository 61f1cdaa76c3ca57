"""Traversal: move one or two latent dimensions, hold the others, and see which items are retrieved.

Every dimension x point x query is searched in one batched pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints, checked_z, require_count
from rivae.base.errors import ConfigError, DataError
from rivae.retrieval.ranges import (
    grid as grid,  # scripts that were exported before import it from here
)
from rivae.retrieval.retriever import Retriever

# Points of z searched at once, and their numbers: bound the memory, not the result.
_BLOCK = 1 << 15
_NUMBERS = 1 << 23  # 64 MB; points are large where items are searched by their pixels

Progress = Callable[[float], None]


class Direction(Protocol):
    """An axis that moves all of z, as one that was added to a run does."""

    def moved(self, z: Floats, to: ArrayLike) -> Floats:
        """z (n, d) moved to the places ``to`` (n,) of the axis, (n, d)."""


@dataclass(frozen=True)
class Traversal:
    """What was retrieved along each dimension.

    Attributes:
        z_ref: (q, d) anchors.
        dims: (J,) the dimensions moved, each alone; from d the directions, in their order.
        values: (J, T) the values each dimension took.
        ids: (q, J, T, k) data rows, best first.
        squared_distances: (q, J, T, k) |f(z) - v2|^2.
    """

    z_ref: Floats
    dims: Ints
    values: Floats
    ids: Ints
    squared_distances: Floats

    def change_points(self, query: int, j: int) -> Ints:
        """Points where the top-1 item differs from the point before; the first one included.

        ``j`` counts along ``dims``.
        """
        top = self.ids[query, j, :, 0]
        return np.concatenate([[0], 1 + np.flatnonzero(top[1:] != top[:-1])]).astype(np.int64)

    def turned(self, signs: ArrayLike) -> Traversal:
        """As it is shown: a dimension whose one of ``signs`` (d,) is -1 runs the other way, and its
        ``values`` and ``z_ref`` are -z (see ``Explorer.signs``).
        """
        turns = np.asarray(signs)
        if (turns > 0).all():
            return self
        # Directions are never turned.
        sign = np.ones(max(len(turns), int(self.dims.max()) + 1), dtype=turns.dtype)
        sign[: len(turns)] = turns
        out = replace(
            self,
            z_ref=self.z_ref * turns,
            values=self.values * sign[self.dims][:, None],
            ids=self.ids.copy(),
            squared_distances=self.squared_distances.copy(),
        )
        for j in np.flatnonzero(sign[self.dims] < 0):
            out.values[j] = out.values[j, ::-1].copy()
            out.ids[:, j] = self.ids[:, j, ::-1]
            out.squared_distances[:, j] = self.squared_distances[:, j, ::-1]
        return out


def _plan(
    values: ArrayLike | Mapping[int, ArrayLike], dims: Sequence[int] | None, d: int
) -> tuple[Ints, Floats]:
    """The dimensions to move and their values, checked."""
    if isinstance(values, Mapping):
        axes = list(values) if dims is None else list(dims)
        missing = [j for j in axes if j not in values]
        if missing:
            raise ConfigError(f"no traversal values for dimension {missing[0]}")
        rows = [np.asarray(values[j], dtype=np.float64) for j in axes]
        if len({row.shape for row in rows}) > 1:
            raise ConfigError("all dimensions of a traversal need the same number of values")
        table = np.array(rows)
    else:
        table = np.asarray(values, dtype=np.float64)
        axes = list(range(d)) if dims is None else list(dims)
        if table.ndim == 1:
            table = np.tile(table, (len(axes), 1))
        elif len(table) == d and all(0 <= j < d for j in axes):
            table = table[axes]  # d rows always mean one row per latent dimension
    if any(not 0 <= j < d for j in axes) or len(set(axes)) != len(axes) or not axes:
        raise ConfigError(
            f"the axes of a traversal must be distinct, and among the {d} of this model"
        )
    if table.ndim != 2 or len(table) != len(axes) or not table.shape[1]:
        raise ConfigError(f"traversal values have shape {table.shape}, expected ({len(axes)}, T)")
    if not np.isfinite(table).all():
        raise ConfigError("traversal values must be finite")
    return np.array(axes, dtype=np.int64), table


def traverse(
    retriever: Retriever,
    z_ref: ArrayLike,
    values: ArrayLike | Mapping[int, ArrayLike],
    dims: Sequence[int] | None = None,
    k: int = 1,
    progress: Progress | None = None,
    directions: Sequence[Direction] = (),
) -> Traversal:
    """Move each of several dimensions alone, from several anchors.

    Args:
        z_ref: (q, d) or (d,) anchors; the dimensions not moved stay there.
        values: (T,) for all dimensions, (d, T) with one row per latent dimension whatever the
            order of ``dims``, (J, T) with J < d in the order of ``dims``, or {dimension: (T,)}.
        dims: the dimensions to move; all by default (those named, for a mapping).
        k: items per point (fewer when there are fewer items).
        progress: called with the share done, in (0, 1].
        directions: axes that move all of z, counted on from d in ``dims`` and ``values``.

    Raises:
        ConfigError: for values or dimensions that do not fit.
        DataError: for z of another width, NaN, or k < 1.
    """
    require_count(DataError, k=k)
    d = retriever.n_components
    z_ref = checked_z(z_ref, d, DataError)
    axes, table = _plan(values, dims, d + len(directions))
    shape = (len(z_ref), *table.shape)
    total = int(np.prod(shape))
    k = min(k, len(retriever.ids))
    ids = np.empty((total, k), dtype=np.int64)
    sq_distances = np.empty((total, k))
    block = max(1, min(_BLOCK, _NUMBERS // retriever.space.n_features))
    for start in range(0, total, block):
        flat = np.arange(start, min(start + block, total))
        query, j, t = np.unravel_index(flat, shape)
        z, own = z_ref[query], np.flatnonzero(axes[j] < d)
        z[own, axes[j[own]]] = table[j[own], t[own]]
        for n in np.unique(axes[j][axes[j] >= d]):
            rows = np.flatnonzero(axes[j] == n)
            z[rows] = directions[n - d].moved(z[rows], table[j[rows], t[rows]])
        ids[flat], sq_distances[flat] = retriever.nearest(z, k)
        if progress is not None:
            progress((start + len(flat)) / total)
    return Traversal(z_ref, axes, table, ids.reshape(*shape, -1), sq_distances.reshape(*shape, -1))


def traverse_plane(
    retriever: Retriever,
    z_ref: ArrayLike,
    dim_a: int,
    values_a: ArrayLike,
    dim_b: int,
    values_b: ArrayLike,
    k: int = 1,
) -> Ints:
    """Move two dimensions together from one anchor (d,): data rows of shape (Ta, Tb, k).

    Raises:
        ConfigError: if the dimensions are equal or do not exist, or the values do not fit.
        DataError: for z of another width, NaN, or k < 1.
    """
    require_count(DataError, k=k)
    anchor = checked_z(z_ref, retriever.n_components, DataError)
    if len(anchor) != 1:
        raise ConfigError(f"a plane is traversed from one anchor, got {len(anchor)}")
    d = retriever.n_components
    (_, row_a), (_, row_b) = _plan({dim_a: values_a}, None, d), _plan({dim_b: values_b}, None, d)
    if dim_a == dim_b:
        raise ConfigError("a plane needs two different dimensions")
    a, b = np.meshgrid(row_a[0], row_b[0], indexing="ij")
    z = np.repeat(anchor, a.size, axis=0)
    z[:, dim_a], z[:, dim_b] = a.ravel(), b.ravel()
    ids, _ = retriever.nearest(z, k)
    return ids.reshape(*a.shape, -1)
