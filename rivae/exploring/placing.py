"""Where z has to be so that it lies at given places of axes, of z and of those added to a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError
from rivae.exploring.axes.placed import PlacedAxis
from rivae.exploring.explorer import Explorer

AxisKey = int | str  # an axis of z, from 0, or the id of one that was added: "a1"
SAME = 1e-3  # directions closer than this to being one cannot be set apart


def axis_names(explorer: Explorer) -> dict[AxisKey, str]:
    """How every axis of a run is called, those that were added too."""
    added: dict[AxisKey, str] = {one.axis.id: one.name for one in explorer.added_axes}
    return {**dict(enumerate(explorer.axis_names)), **added}


def at_places(
    explorer: Explorer, z: Floats, places: Mapping[AxisKey, ArrayLike]
) -> tuple[Floats, dict[str, Floats]]:
    """``z`` (n, d) moved along axes until it lies where it should on each.

    Added axes move z along their own directions, by as much as puts all axes where they should be;
    where two of them say the same, as close as that comes.

    Args:
        places: for each axis one place or (n,), in its own units.

    Returns:
        z there, (n, d), and by how much (n,) each added axis was moved, by its id.

    Raises:
        ConfigError: the run has no such axis.

    Example:
        >>> import numpy as np
        >>> import rivae
        >>> explorer = rivae.load_run("demo-digits").explorer
        >>> z, _ = at_places(explorer, np.zeros((2, 10)), {0: [1.0, 2.0], 4: -1.0})
        >>> z[:, [0, 4]].tolist()
        [[1.0, -1.0], [2.0, -1.0]]
    """
    added = added_of(explorer, list(places))
    out = np.array(z, dtype=np.float64)
    goals = {
        key: np.broadcast_to(np.asarray(at, np.float64), len(out)) for key, at in places.items()
    }
    own = [key for key in goals if isinstance(key, int)]
    steps: dict[str, Floats] = {}
    if added:
        eye, axes = np.eye(explorer.n_components), [place.axis for place in added.values()]
        reads = np.array([*(eye[j] for j in own), *(axis.reads for axis in axes)])
        moves = np.array([*(eye[j] for j in own), *(axis.moves for axis in axes)])
        to = [*(goals[j] for j in own), *(goals[axis.id] - axis.offset for axis in axes)]
        amounts = np.linalg.lstsq(reads @ moves.T, np.array(to) - reads @ out.T, rcond=SAME)[0]
        out += amounts.T @ moves
        steps = dict(zip(added, amounts[len(own) :], strict=True))
    for j in own:
        out[:, j] = goals[j]
    return out, steps


def added_of(explorer: Explorer, axes: Sequence[AxisKey]) -> dict[str, PlacedAxis]:
    """Those of ``axes`` that were added to the run, by their ids.

    Raises:
        ConfigError: the run lacks one of the axes.
    """
    d = explorer.n_components
    if beyond := [j for j in axes if isinstance(j, int) and j >= d]:
        last = f"{explorer.method.axis_letter()}{max(beyond) + 1}"
        raise ConfigError(f"this run has {d} axes and no {last}: choose other axes")
    wanted = [key for key in axes if isinstance(key, str)]
    if not wanted:
        return {}
    known = {placed.axis.id: placed for placed in explorer.added_axes}
    if gone := [key for key in wanted if key not in known]:
        raise ConfigError(f"this run has no added axis {gone[0]}: choose other axes")
    return {key: known[key] for key in wanted}
