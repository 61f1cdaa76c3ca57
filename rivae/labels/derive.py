"""A run aligned to labels: the gain on labelled items held out, and the run in its new coordinates.

A derived run is the same model in other latent coordinates, in a run folder of its own. Nothing is
trained: the change of axes is applied exactly to mu and f, so the same queries retrieve the same
items. The original run does not change.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from rivae.base.config import Asks, run_config
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.base.files import why_not, write_json
from rivae.data.base import PairedDataset
from rivae.labels.align import MIN_LABELS, Alignment, align_axes
from rivae.metrics.matching import assignment
from rivae.models.base import Method
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.model import LatentModel
from rivae.runs import Run, runs_root
from rivae.runs.axis_names import AXIS_NAMES, MAX_NAME, AxisName, to_json
from rivae.runs.data_record import record_data
from rivae.runs.folders import require_free_name
from rivae.training.validation import validation_scores

HELD_OUT = 0.3  # share of the labelled items
MAX_ROWS = 10_000  # as in launch.choose_axes
MAX_CONDITION = 1e6  # above it float32 weights cannot hold the change exactly enough


@dataclass(frozen=True)
class FactorGain:
    """One factor before and after, on held-out items.

    Attributes:
        factor: its id.
        axis_before: 0-based axis, matched to the factors one to one on the other items.
        before, after: correlation of its axis with the levels, in [-1, 1]; its mean over the
            factors is the MCC of these labels.
        r2_before, r2_after: R² of the levels predicted from that axis alone by a line fitted on
            the other items; at most 1.
        n: held-out items with a level.
    """

    factor: str
    axis_before: int
    before: float
    after: float
    r2_before: float
    r2_after: float
    n: int


def held_out_split(n: int, share: float = HELD_OUT, random_state: int = 0) -> tuple[Ints, Ints]:
    """Positions to fit on and positions held out, both sorted.

    Raises:
        ConfigError: the share leaves one of the two empty.
    """
    size = round(n * share)
    if not 0 < size < n:
        raise ConfigError(f"{share:g} of {n} labelled items leaves nothing to fit or to score on")
    order = np.random.default_rng(random_state).permutation(n).astype(np.int64)
    return np.sort(order[size:]), np.sort(order[:size])


def factor_gains(
    alignment: Alignment, fit: tuple[ArrayLike, ArrayLike], held_out: tuple[ArrayLike, ArrayLike]
) -> list[FactorGain]:
    """The gain of an alignment per factor.

    Args:
        alignment: made from ``fit`` alone.
        fit: latents (m, d) before the change and levels (m, K) of its items.
        held_out: the same for other items.

    Raises:
        DataError: a factor has fewer than two different held-out levels.
    """
    x, y = (np.asarray(a, dtype=np.float64) for a in fit)
    x_new, y_new = (np.asarray(a, dtype=np.float64) for a in held_out)
    axis_of = _matched(x, y)
    change = alignment.change
    gains = []
    for k, factor in enumerate(alignment.factors):
        has_level, has_new_level = ~np.isnan(y[:, k]), ~np.isnan(y_new[:, k])
        level, new_level = y[has_level, k], y_new[has_new_level, k]
        if len(new_level) < 2 or np.ptp(new_level) == 0:
            raise DataError(f"the held-out labels of {factor} do not differ: label more items")
        before_after = [
            _judged(old[has_level, j], level, new[has_new_level, j], new_level)
            for old, new, j in (
                (x, x_new, axis_of[k]),
                (x @ change.matrix, x_new @ change.matrix, k),
            )
        ]
        sign = np.sign(_correlation(x[has_level, axis_of[k]], level)) or 1.0
        gains.append(
            FactorGain(
                factor,
                int(axis_of[k]),
                float(sign) * before_after[0][0],
                before_after[1][0],
                before_after[0][1],
                before_after[1][1],
                len(new_level),
            )
        )
    return gains


def _matched(x: Floats, y: Floats) -> Ints:
    table = np.zeros((x.shape[1], y.shape[1]))
    for k in range(y.shape[1]):
        has_level = ~np.isnan(y[:, k])
        table[:, k] = [_correlation(column, y[has_level, k]) for column in x[has_level].T]
    axes, columns = assignment(table)
    out = np.zeros(y.shape[1], dtype=np.int64)
    out[columns] = axes
    return out


def _correlation(a: Floats, b: Floats) -> float:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _judged(
    axis: Floats, level: Floats, new_axis: Floats, new_level: Floats
) -> tuple[float, float]:
    """Correlation and R² on the new items of the line fitted on the others."""
    spread = float(axis.var())
    slope = float(((axis - axis.mean()) * level).mean()) / spread if spread > 0 else 0.0
    guess = level.mean() + slope * (new_axis - axis.mean())
    r2 = 1 - float(((new_level - guess) ** 2).sum()) / float(
        ((new_level - new_level.mean()) ** 2).sum()
    )
    return _correlation(new_axis, new_level), r2


def align_and_judge(
    mu: ArrayLike,
    latents: ArrayLike,
    levels: ArrayLike,
    factors: Sequence[str],
    *,
    reach: float = 10.0,
    share: float = HELD_OUT,
    random_state: int = 0,
) -> tuple[Alignment, list[FactorGain]]:
    """The alignment to all labels, and the gain on the other items of one from 70 % of the items.

    Arguments and errors are those of ``align_axes``. The gain is conservative, since the returned
    alignment uses more labels. It is empty if there are too few labels to hold some out.
    """
    x, y = np.asarray(latents, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    alignment = align_axes(mu, x, y, factors, reach=reach)
    fit, rest = held_out_split(len(x), share, random_state)
    if min(alignment.n_labels) * (1 - share) < MIN_LABELS:
        return alignment, []
    try:
        part = align_axes(mu, x[fit], y[fit], factors, reach=reach)
        return alignment, factor_gains(part, (x[fit], y[fit]), (x[rest], y[rest]))
    except DataError:  # by chance a factor does not vary in one of the parts
        return alignment, []


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
    # Independent of the unit of each axis.
    spread = np.std(LatentModel(method).encode(data.x1, reference_rows(data)[:500])[0], axis=0)
    relative = m * np.maximum(spread, 1e-12)[:, None]
    relative = relative / np.maximum(np.linalg.norm(relative, axis=0), 1e-300)
    if np.linalg.cond(relative) > MAX_CONDITION:
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
        asks: the view that gives z.

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
    poles: Sequence[tuple[str, str]] = (),
    record: Mapping[str, Any] | None = None,
    root: Path | None = None,
    data: PairedDataset | None = None,
) -> Run:
    """Write ``root/name``: the model of ``run`` in the coordinates z' = z @ matrix + offset.

    The folder has the configuration with ``parent``, the model, ``alignment.json`` (the change,
    validation scores before and after, ``record``) and the names of the first axes, but no
    evaluation. On errors it is removed.

    Args:
        note: how the change was found, one line.
        names: of the first axes, for instance the factors.
        poles: of these axes, what lies at their low and high ends; () for nothing.
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
    settings = run.config.model_dump(exclude={"name", "parent"})
    root = root or runs_root()
    require_free_name(name, root)
    child = Run.create(run_config(**settings, name=name, parent=run.id), root)
    try:
        write_json(
            child.path / "alignment.json",
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
        child.write_model(method)
        record_data(child.path, data)
        if names:
            ends = poles or [("", "")] * len(names)
            axes = [
                AxisName(k, title[:MAX_NAME], 1, (), True, low=low, high=high)
                for k, (title, (low, high)) in enumerate(zip(names, ends, strict=True))
            ]
            write_json(child.path / AXIS_NAMES, to_json(axes, child.content_hash))
        epoch = run.status.epoch
        child.set_status(
            state="finished", epoch=epoch, total_epochs=epoch, message=f"derived from {run.id}"
        )
    except BaseException as error:
        with contextlib.suppress(OSError):
            shutil.rmtree(child.path)
        if isinstance(error, OSError):
            raise RunError(f"run {name} cannot be written: {why_not(error)}") from None
        raise
    return child
