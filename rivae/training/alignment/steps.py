"""Steps on the axes of a trained model: found for any method, folded in, and undone.

A step changes the coordinates of z and nothing else (``rivae.training.alignment.folding``), so
every trained model can be looked at as trained and after each step. Nothing here writes to a run.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from rivae.base.arrays import Floats
from rivae.base.errors import DataError, RunError
from rivae.base.reading.documents import read_json
from rivae.data.base import PairedDataset
from rivae.models.base import Method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.training.alignment.base import AS_TRAINED, AxisChange, TrainedAxes, unchanged
from rivae.training.alignment.registry import STEPS, step_of

ALIGNMENT = "alignment.json"
MAX_ROWS = 10_000
DAMAGED = "{} of run {} is damaged: train the run again"


def axis_change(
    method: Method, data: PairedDataset, step: str, seed: int, mu: Floats | None = None
) -> AxisChange:
    """The change of axes that a step makes of a method as it was trained; nothing is changed.

    ``AxisChange.step`` says which step it is in the end: one that does not apply to this z only
    scales it (``rivae.training.alignment.folding``), and where the data have not what it needs,
    another one is made ``instead``. A z that is not finite stays as trained.

    Args:
        method: as trained, on the CPU.
        seed: of the run.
        mu: ``training_means``, where they are known.

    Raises:
        ConfigError: there is no such step.
    """
    if step == AS_TRAINED.name:
        return unchanged(method.n_components)
    mu = training_means(method, data) if mu is None else mu
    if not np.isfinite(mu).all():
        return unchanged(method.n_components)
    config: Any = method.config
    rows, reach = _training_rows(data), float(config.axis_reach)
    axis_step = STEPS[step]
    while not axis_step.suits(data):
        axis_step = STEPS[axis_step.instead]
    return axis_step.find(TrainedAxes(method, data, rows, mu, reach, seed))


def applicable_changes(method: Method, data: PairedDataset, seed: int) -> dict[str, AxisChange]:
    """The change of every step that applies to a method as trained, the least changed first.

    A step applies where it finds axes of its own: ``AxisChange.step`` is then its own name.
    """
    mu = training_means(method, data)
    changes = {step: axis_change(method, data, step, seed, mu) for step in STEPS.working()}
    return {step: change for step, change in changes.items() if change.step == step}


def training_means(method: Method, data: PairedDataset) -> Floats:
    """mu(v1) of at most 10,000 training rows (n, d), which the steps are fitted on."""
    return LatentModel(method).encode(data.x1, _training_rows(data))[0]


def _training_rows(data: PairedDataset) -> np.ndarray:
    return data.splits["train"][:MAX_ROWS]


def carried_change(run: Run, d: int) -> AxisChange:
    """The change that training folded into a run of ``d`` axes, see ``launch.choose_axes``.

    Raises:
        RunError: its file is damaged.
    """
    path = run.path / ALIGNMENT
    if not path.exists():
        return unchanged(d)
    try:
        document = read_json(path)
        matrix = np.array(document["matrix"], dtype=np.float64)
        offset = np.array(document["offset"], dtype=np.float64)
        note = str(document["note"])
        change = AxisChange(matrix, offset, note, step=step_of(note))
    except (DataError, ValueError, TypeError, KeyError):
        raise RunError(DAMAGED.format(ALIGNMENT, run.id)) from None
    fits = matrix.shape == (d, d) and offset.shape == (d,) and np.isfinite(offset).all()
    if not fits or not np.isfinite(np.linalg.cond(matrix)):
        raise RunError(DAMAGED.format(ALIGNMENT, run.id))
    return change


def fold_in(method: Method, change: AxisChange) -> None:
    """Change the axes of the method itself."""
    matrix, offset = torch.from_numpy(change.matrix), torch.from_numpy(change.offset)
    method.apply_affine(matrix.float(), offset.float())


def turned(method: Method, change: AxisChange) -> Method:
    """A copy of the method with changed axes."""
    changed_method = copy.deepcopy(method)
    fold_in(changed_method, change)
    return changed_method
