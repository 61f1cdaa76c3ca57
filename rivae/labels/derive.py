"""A derived run: the same model in other latent coordinates, in a new run folder.

Nothing is trained: the change of axes is applied exactly to mu and f, so the same queries retrieve
the same items. The original run is not changed.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from rivae.base.config import Asks, run_config
from rivae.base.errors import ConfigError, RunError
from rivae.base.files import why_not, write_json
from rivae.data.base import PairedDataset
from rivae.labels.align import Alignment
from rivae.labels.held_out import FactorGain, align_and_judge
from rivae.models.base import Method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run, runs_root
from rivae.runs.axis_names import AXIS_NAMES, MAX_NAME, AxisName, to_json
from rivae.runs.data_record import record_data
from rivae.runs.folders import require_free_name
from rivae.runs.vocabulary_file import record_vocabulary
from rivae.training.validation import validation_scores

MAX_ID = 80  # characters of a run's or plan's name
MAX_ROWS = 10_000  # as in launch.choose_axes
MAX_CONDITION = 1e6  # above it float32 weights cannot hold the change exactly enough


def changed_method(run: Run, data: PairedDataset, matrix: ArrayLike, offset: ArrayLike) -> Method:
    """The run's model in the coordinates z' = z @ matrix + offset.

    Raises:
        ConfigError: the change does not fit the model, is not finite, or cannot be undone.
        RunError: the run has no model.
    """
    method = run.load_method(data)
    d = method.n_components
    m, o = np.asarray(matrix, dtype=np.float64), np.asarray(offset, dtype=np.float64)
    if m.shape != (d, d) or o.shape != (d,) or not (np.isfinite(m).all() and np.isfinite(o).all()):
        raise ConfigError(f"a change of {d} axes needs finite numbers, ({d}, {d}) and ({d},)")
    # The unit of each axis is arbitrary, so it must not count.
    spread = np.std(LatentModel(method).encode(data.x1, reference_rows(data)[:500])[0], axis=0)
    scaled = m * np.maximum(spread, 1e-12)[:, None]
    scaled = scaled / np.maximum(np.linalg.norm(scaled, axis=0), 1e-300)
    if np.linalg.cond(scaled) > MAX_CONDITION:
        raise ConfigError("this change of axes cannot be undone: two axes become one")
    method.apply_affine(torch.from_numpy(m).float(), torch.from_numpy(o).float())
    return method


def reference_rows(data: PairedDataset) -> np.ndarray:
    """The rows that represent the data, as in the change of axes after training."""
    train = data.splits["train"]
    return train[:MAX_ROWS] if len(train) else data.splits["test"][:MAX_ROWS]


def align_run(
    run: Run,
    items: ArrayLike,
    levels: ArrayLike,
    factors: Sequence[str],
    *,
    data: PairedDataset | None = None,
    random_state: int = 0,
    asks: Asks = "first",
) -> tuple[Alignment, list[FactorGain]]:
    """The change of axes of a run from labels of data rows, and the gain on held-out items of a
    change made from 70 % of them (see ``align_and_judge``); nothing is written.

    Args:
        items: (m,) data rows.
        levels: (m, K), NaN where there is none (``rivae.labels.table.consensus``).
        factors: K ids, in the order of the new axes.
        random_state: seed of the held-out items.
        asks: the view whose z the labels are matched with.

    Raises:
        ConfigError, DataError: see ``align_axes``; or the method has no latent, or cannot be asked
            with that view.
        RunError: the run has no model.
    """
    data = data or run.load_dataset()
    method = run.load_method(data)
    if not method.has_latent:
        raise ConfigError(f"{run.id} has no latent axes to align: its method searches with V")
    model = LatentModel(method)
    mu = model.encode_asking(asks, data, reference_rows(data))[0]
    latents = model.latents(data, np.asarray(items, dtype=np.int64), asks)
    reach = float(getattr(method.config, "axis_reach", 10.0))
    return align_and_judge(mu, latents, levels, factors, reach=reach, random_state=random_state)


def alignment_record(
    alignment: Alignment, gains: Sequence[FactorGain], guideline: str = ""
) -> dict[str, Any]:
    """The record of an alignment for ``derive_run``: its labels, choices and gains by factor."""
    return {
        "factors": list(alignment.factors),
        "n_labels": list(alignment.n_labels),
        "start": alignment.start,
        "orthogonal": alignment.orthogonal,
        "cv_r2": list(alignment.cv_r2),
        "held_out": [asdict(gain) for gain in gains],
        "guideline": guideline,
    }


def derive_run(
    run: Run,
    matrix: ArrayLike,
    offset: ArrayLike,
    name: str,
    *,
    note: str = "axes changed",
    names: Sequence[str] = (),
    record: Mapping[str, Any] | None = None,
    root: Path | None = None,
    data: PairedDataset | None = None,
) -> Run:
    """Write ``root/name``: the model of ``run`` in the coordinates z' = z @ matrix + offset.

    The folder has the configuration with ``parent``, the model, ``alignment.json`` (the change,
    validation scores before and after, ``record``) and the names of the first axes. It has no
    evaluation yet. If it fails, nothing is left behind.

    Args:
        note: how the change was found, one line.
        names: of the first axes, for instance the factors.
        record: stored in ``alignment.json``, see ``alignment_record``.
        root: the folder of runs by default.

    Raises:
        ConfigError: as ``changed_method``, or the name cannot name a run.
        RunError: the name is taken, the run has no model, or the folder cannot be written.
    """
    run.require_same_data()
    data = data or run.load_dataset()
    before = run.load_method(data)
    method = changed_method(run, data, matrix, offset)
    shared = run.config.model_dump(exclude={"name", "parent"})
    root = root or runs_root()
    require_free_name(name, root)
    made = Run.create(run_config(**shared, name=name, parent=run.id), root)
    try:
        write_json(
            made.path / "alignment.json",
            {
                "note": note,
                "matrix": matrix,
                "offset": offset,
                "validation_before": validation_scores(before, data),
                "validation_after": validation_scores(method, data),
                "parent": run.id,
                "parent_model": run.content_hash,
                **(record or {}),
            },
        )
        made.write_model(method)
        record_data(made.path, data)
        record_vocabulary(made.path, data)
        if names:
            axes = [AxisName(k, title[:MAX_NAME], 1, (), True) for k, title in enumerate(names)]
            write_json(made.path / AXIS_NAMES, to_json(axes, made.content_hash))
        epoch = run.status.epoch
        made.set_status(
            state="finished", epoch=epoch, total_epochs=epoch, message=f"derived from {run.id}"
        )
    except BaseException as error:
        with contextlib.suppress(OSError):
            shutil.rmtree(made.path)
        if isinstance(error, OSError):
            raise RunError(f"run {name} cannot be written: {why_not(error)}") from None
        raise
    return made


def free_name(wanted: str, taken: Collection[str]) -> str:
    """``wanted`` as the name of a run or plan, with a number added if it is taken."""
    i = 1
    while True:
        end = "" if i == 1 else f"-{i}"
        name = wanted[: MAX_ID - len(end)] + end
        if name not in taken:
            return name
        i += 1
