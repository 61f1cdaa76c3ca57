"""Traversals over all axes of a run: those of z, and those that were added to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints, checked_z, require_count
from rivae.base.errors import ConfigError, DataError
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import AxisKey, added_of, at_places
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.ranges import Range, traversal_values
from rivae.retrieval.traversal import Progress, Traversal, traverse


def axis_values(explorer: Explorer, over: Range) -> Floats:
    """The values that every axis takes over a range (see ``traversal_values``).

    Returns:
        (d + a, T): those of z, then the places of the a added axes in their order.
    """
    return traversal_values(over, prior_of_axes(explorer))[0]


def prior_of_axes(explorer: Explorer) -> AggregatedPrior:
    """Where the training queries lie on every axis: those of z, then the added ones, (d + a,)."""
    prior, added = explorer.prior, explorer.added_axes
    return AggregatedPrior(
        np.append(prior.mean, [place.mean for place in added]),
        np.append(prior.std, [place.std for place in added]),
        np.append(prior.low, [place.low for place in added]),
        np.append(prior.high, [place.high for place in added]),
        prior.n,
    )


def axis_numbers(explorer: Explorer, axes: Sequence[AxisKey]) -> list[int]:
    """The numbers of axes in a traversal: those of z from 0, the added ones by id count on from d.

    Raises:
        ConfigError: the run has no added axis of an id.
    """
    ids = [place.axis.id for place in explorer.added_axes]
    gone = [key for key in axes if isinstance(key, str) and key not in ids]
    if gone:
        raise ConfigError(f"this run has no added axis {gone[0]}: choose other axes")
    d = explorer.n_components
    return [d + ids.index(key) if isinstance(key, str) else int(key) for key in axes]


def traverse_axes(
    explorer: Explorer,
    z: ArrayLike,
    over: Range = "data",
    axes: Sequence[AxisKey] | None = None,
    k: int = 1,
    progress: Progress | None = None,
) -> Traversal:
    """Move each of several axes alone.

    Args:
        z: (d,) or (q, d) where the traversals begin.
        over: the range, as in ``traversal_values``; of an added axis in its own units.
        axes: of z from 0, or ids of added axes; all of z by default.
        k: items per point.
        progress: called with the share done, in (0, 1].

    Raises:
        ConfigError: there is no such range or axis.
        DataError: z has another width or is not finite, or k < 1.

    Example:
        >>> import rivae
        >>> run = rivae.load_run("demo-digits")
        >>> traverse_axes(run.explorer, run.mean, axes=[0, 2]).ids.shape
        (1, 2, 201, 1)
    """
    numbers = range(explorer.n_components) if axes is None else axis_numbers(explorer, axes)
    return traverse(
        explorer.retriever,
        z,
        axis_values(explorer, over),
        list(numbers),
        k,
        progress,
        [place.axis for place in explorer.added_axes],
    )


def traverse_plane_of_axes(
    explorer: Explorer,
    z: ArrayLike,
    axes: Sequence[AxisKey],
    values_a: ArrayLike,
    values_b: ArrayLike,
    k: int = 1,
) -> Ints:
    """Move two axes together, and see which items are found.

    Args:
        z: (d,) where the plane begins; the other axes stay there as far as the two let them.
        axes: two, of z from 0 or ids of added axes.
        values_a, values_b: (Ta,) and (Tb,) places on the first and on the second.
        k: items per point.

    Returns:
        (Ta, Tb, k) data rows, best first.

    Raises:
        ConfigError: there is no such axis, or they are one.
        DataError: z has another width or is not finite, or k < 1.

    Example:
        >>> import rivae
        >>> run = rivae.load_run("demo-digits")
        >>> traverse_plane_of_axes(run.explorer, run.mean, [0, 2], [-1, 1], [-2, 0, 2]).shape
        (2, 3, 1)
    """
    require_count(DataError, k=k)
    anchor = checked_z(z, explorer.n_components, DataError)
    if len(anchor) != 1 or len(axes) != 2 or axes[0] == axes[1]:
        raise ConfigError("a plane needs one point of z and two different axes")
    a, b = np.meshgrid(np.asarray(values_a), np.asarray(values_b), indexing="ij")
    places = {axes[0]: a.ravel(), axes[1]: b.ravel()}
    points, _ = at_places(explorer, np.repeat(anchor, a.size, axis=0), places)
    ids, _ = explorer.retriever.nearest(points, k)
    return ids.reshape(*a.shape, -1)


def place_on(explorer: Explorer, z: ArrayLike, axis: AxisKey) -> float:
    """Where z (d,) lies on an axis, in the axis' own units."""
    point, added = np.asarray(z, dtype=np.float64), added_of(explorer, [axis])
    if isinstance(axis, str):
        return float(added[axis].axis.at(point[None])[0])
    return float(point[axis])


def sign_of(explorer: Explorer, axis: AxisKey) -> int:
    """1, or -1 for an axis of z that is shown as −z; see ``Explorer.signs``."""
    return int(explorer.signs[axis]) if isinstance(axis, int) else 1
