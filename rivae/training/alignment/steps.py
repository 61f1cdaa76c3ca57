"""Steps on the axes of a trained model: found for any method, folded in, and undone.

A step changes the coordinates of z and nothing else (``rivae.training.alignment.folding``), so
every trained model can be looked at as trained and after each step. Nothing here writes to a run.
"""

from __future__ import annotations

import copy
from typing import Any, get_args

import numpy as np
import torch

from rivae.base.errors import DataError, RunError
from rivae.base.reading.documents import read_json
from rivae.data.base import PairedDataset
from rivae.data.words_view import WordsView
from rivae.models.base import Method
from rivae.models.settings import Axes
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.training.alignment.folding import (
    AxisChange,
    Floats,
    independent_axes,
    modulated_axes,
    scaled_axes,
    unchanged,
    word_axes,
)

# From the least to the most changed.
STEPS: tuple[Axes, ...] = get_args(Axes)
ALIGNMENT = "alignment.json"
MAX_ROWS = 10_000
MAX_SLOPES = 500
DAMAGED = "{} of run {} is damaged: train the run again"


def axis_change(
    method: Method, data: PairedDataset, step: Axes, seed: int, mu: Floats | None = None
) -> AxisChange:
    """The change of axes that a step makes of a method as it was trained; nothing is changed.

    ``AxisChange.step`` says which step it is in the end: one that does not apply to this z only
    scales it (``rivae.training.alignment.folding``), and axes that shall follow words are
    independent components where the data have no weighted words. A z that is not finite stays as
    trained.

    Args:
        method: as trained, on the CPU.
        seed: of the run.
        mu: ``training_means``, where they are known.
    """
    if step == "as trained":
        return unchanged(method.n_components)
    mu = training_means(method, data) if mu is None else mu
    if not np.isfinite(mu).all():
        return unchanged(method.n_components)
    config: Any = method.config
    reach = float(config.axis_reach)
    rows = _training_rows(data)
    if step == "words" and isinstance(data.x2, WordsView):
        z = mu
        if method.asks_both_ways:
            # The texts' own z: a picture tells less of their words.
            z = LatentModel(method).encode_asking("second", data, rows)[0]
        return word_axes(z, mu, data.x2.sparse(rows), data.x2.vocabulary, reach, seed)
    if step == "modulated":
        model = LatentModel(method)
        z, v1 = model.encode_pairs(data.x1, data.x2, rows), model.embed_queries(data.x1, rows)
        return modulated_axes(z, mu, v1, reach, seed)
    if step in ("independent", "words"):
        return independent_axes(mu, _decoder_slopes(method, mu[:MAX_SLOPES]), reach, seed)
    return scaled_axes(mu, reach)


def applicable_changes(method: Method, data: PairedDataset, seed: int) -> dict[Axes, AxisChange]:
    """The change of every step that applies to a method as trained, the least changed first.

    A step applies where it finds axes of its own: ``AxisChange.step`` is then its own name.
    """
    mu = training_means(method, data)
    found = {step: axis_change(method, data, step, seed, mu) for step in STEPS}
    return {step: change for step, change in found.items() if change.step == step}


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
        found = read_json(path)
        matrix = np.array(found["matrix"], dtype=np.float64)
        offset = np.array(found["offset"], dtype=np.float64)
        change = AxisChange(matrix, offset, str(found["note"]))
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
    made = copy.deepcopy(method)
    fold_in(made, change)
    return made


def _decoder_slopes(method: Method, z: Floats) -> Floats:
    """df/dz at z (n, d), shape (n, d, D)."""
    from torch.func import jacfwd, vmap

    def decode_one(point: torch.Tensor) -> torch.Tensor:
        return method.decode(point.unsqueeze(0)).squeeze(0)

    slopes = vmap(jacfwd(decode_one))(torch.from_numpy(z).float())  # (n, D, d)
    found: Floats = slopes.detach().double().numpy().transpose(0, 2, 1)
    return found
