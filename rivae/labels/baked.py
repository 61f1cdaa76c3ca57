"""A run whose z are added axes: the same model in other coordinates, a run of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rivae.base.errors import ConfigError
from rivae.data.base import PairedDataset
from rivae.labels.align import other_directions
from rivae.labels.derive import derive_run
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis
from rivae.training.alignment.base import AxisChange
from rivae.training.alignment.folding import scaled_axes
from rivae.training.alignment.white import white_coordinates

MAX_CONDITION = 1e4  # of the directions: above it two axes are one


def baked_change(axes: Sequence[AddedAxis], z: np.ndarray, reach: float = 10.0) -> AxisChange:
    """The change of axes after which axis k of z is ``axes[k]``; the others are orthogonal to them
    and to each other in white coordinates, near the axes there were.

    Args:
        axes: at most d.
        z: (n, d) of training queries.

    Raises:
        ConfigError: there is none, there are more than z has, or two of them are nearly one.
    """
    d = z.shape[1]
    if not 1 <= len(axes) <= d:
        raise ConfigError(f"a run of {d} axes can become 1 to {d} added ones: name fewer of them")
    white = white_coordinates(z)
    reads = np.array([axis.reads for axis in axes]).T
    directions = np.linalg.solve(white.to, reads)
    directions /= np.linalg.norm(directions, axis=0)
    if np.linalg.cond(directions) > MAX_CONDITION:
        raise ConfigError("two of these axes are nearly one: leave one of them out")
    rest = white.to @ other_directions(directions, white.old)
    scaling = scaled_axes(z @ rest, reach)
    matrix = np.hstack([reads, rest @ scaling.matrix])
    offset = np.concatenate([[axis.offset for axis in axes], scaling.offset])
    names = ", ".join(axis.name for axis in axes)
    return AxisChange(matrix, offset, f"axes that were added: {names}"[:300])


def bake_run(
    run: Run,
    axes: Sequence[AddedAxis],
    z: np.ndarray,
    name: str,
    *,
    record: Mapping[str, Any] | None = None,
    root: Path | None = None,
    data: PairedDataset | None = None,
) -> Run:
    """Write a run of its own whose first axes are ``axes``; see ``derive_run`` for what it holds.

    Args:
        z: (n, d) of training queries.
        name: of the new run.
        record: stored with the axes in ``alignment.json``.
        root: the folder of runs by default.
        data: the run's data set, if it is already open.

    Raises:
        ConfigError, RunError: as ``baked_change`` and ``derive_run``.
    """
    change = baked_change(axes, z)
    return derive_run(
        run,
        change.matrix,
        change.offset,
        name,
        note=change.note,
        names=[axis.name for axis in axes],
        poles=[axis.poles for axis in axes],
        record={**(record or {}), "added_axes": [axis.document() for axis in axes]},
        root=root,
        data=data,
    )
