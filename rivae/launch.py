"""Start, resume and finish training runs: the trainer joined with validation and alignment."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rivae.alignment import independent_axes, scaled_axes
from rivae.config import DatasetConfig, MethodChoice, RunConfig, TrainingConfig
from rivae.data import load_dataset
from rivae.data.base import PairedDataset
from rivae.errors import RivaeError, RunError
from rivae.files import write_json
from rivae.methods import method_config
from rivae.methods.base import Method
from rivae.methods.presets import preset_settings, preset_training
from rivae.runs import Run
from rivae.training import Job, Trainer
from rivae.training.trainer import Listener
from rivae.validation import validation_scores

MAX_ALIGNMENT_ROWS = 10_000


def make_config(
    dataset: str,
    method: str = "rivae",
    preset: str = "default",
    *,
    name: str,
    seed: int = 0,
    dataset_settings: dict[str, Any] | None = None,
    method_settings: dict[str, Any] | None = None,
    training: dict[str, Any] | None = None,
) -> RunConfig:
    """A complete, validated configuration: the preset, with some settings changed.

    Raises:
        ConfigError: one sentence naming the first wrong setting.
    """
    settings = {**preset_settings(dataset, method, preset), **(method_settings or {})}
    complete = method_config(method, settings).model_dump(mode="json")
    options = {**preset_training(dataset, preset), **(training or {})}
    return RunConfig(
        name=name,
        dataset=DatasetConfig(name=dataset, settings=dataset_settings or {}),
        method=MethodChoice(name=method, preset=preset, settings=complete),
        training=TrainingConfig.model_validate(options),
        seed=seed,
    )


def train(
    configs: Sequence[RunConfig], root: Path, listener: Listener | None = None
) -> list[Run]:
    """Train new runs; several train as one batch (see ``rivae.training``).

    Raises:
        ConfigError, DataError, RunError: with one sentence for the user.
    """
    datasets = _load_each(configs)
    runs: list[Run] = []
    try:
        for config in configs:
            runs.append(Run.create(config, root))
        jobs = [Job(run, data) for run, data in zip(runs, datasets, strict=True)]
        trainer = Trainer(jobs, validation_scores, choose_axes, listener)
    except (RivaeError, OSError):
        # Settings that cannot train leave no folder behind.
        for run in runs:
            shutil.rmtree(run.path)
        raise
    return _fit(runs, trainer, resume=False)


def resume(runs: Sequence[Run], listener: Listener | None = None) -> list[Run]:
    """Go on with interrupted runs from their last checkpoints.

    Raises:
        RunError: when a run is finished, running elsewhere, or has no usable checkpoint.
    """
    for run in runs:
        if run.status.state == "finished":
            raise RunError(f"run {run.id} is finished already: there is nothing to resume")
    datasets = _load_each([run.config for run in runs])
    jobs = [Job(run, data) for run, data in zip(runs, datasets, strict=True)]
    trainer = Trainer(jobs, validation_scores, choose_axes, listener)
    return _fit(list(runs), trainer, resume=True)


def _load_each(configs: Sequence[RunConfig]) -> list[PairedDataset]:
    """One data set per run; equal configurations share one."""
    loaded: dict[str, PairedDataset] = {}
    for config in configs:
        key = config.dataset.model_dump_json()
        if key not in loaded:
            loaded[key] = load_dataset(config.dataset.name, **config.dataset.settings)
    return [loaded[config.dataset.model_dump_json()] for config in configs]


def _fit(runs: list[Run], trainer: Trainer, resume: bool) -> list[Run]:
    with contextlib.ExitStack() as stack:
        for run in runs:
            stack.enter_context(run_lock(run))
        try:
            trainer.fit(resume)
        except RunError as error:
            for run in runs:
                with contextlib.suppress(OSError):
                    run.set_status(state="failed", message=str(error))
            raise
    return runs


@contextlib.contextmanager
def run_lock(run: Run) -> Iterator[None]:
    """Hold the run for this process; the kernel frees it when the process dies.

    Raises:
        RunError: when another process is training it.
    """
    if os.name != "posix":
        yield
        return
    import fcntl

    with (run.path / ".lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"run {run.id} is being trained by another process") from None
        yield


def choose_axes(method: Method, data: PairedDataset, run: Run) -> None:
    """Fold the configured change of axes into the trained model and record what it did.

    ``alignment.json`` keeps the matrix, the offset and the validation scores before and after.
    """
    config: Any = method.config  # type: ignore[attr-defined]
    if config.axes == "as trained":
        return
    rows = data.splits["train"][:MAX_ALIGNMENT_ROWS]
    with torch.inference_mode():
        mu = torch.cat([method.encode(data.x1.batch(part))[0] for part in _parts(rows)])
    table = mu.double().numpy()
    if not np.isfinite(table).all():
        return
    if config.axes == "independent" and method.n_components > 1:
        slopes = _decoder_slopes(method, mu[:500])
        change = independent_axes(table, slopes, config.axis_reach, run.config.seed)
    else:
        change = scaled_axes(table, config.axis_reach)
    before = validation_scores(method, data)
    method.apply_affine(
        torch.from_numpy(change.matrix).float(), torch.from_numpy(change.offset).float()
    )
    write_json(
        run.path / "alignment.json",
        {
            "note": change.note,
            "matrix": change.matrix,
            "offset": change.offset,
            "validation_before": before,
            "validation_after": validation_scores(method, data),
        },
    )


def _parts(rows: np.ndarray, size: int = 512) -> Iterator[np.ndarray]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _decoder_slopes(method: Method, z: torch.Tensor) -> np.ndarray:
    """df/dz at z (n, d), shape (n, d, D)."""
    from torch.func import jacfwd, vmap

    def decode_one(point: torch.Tensor) -> torch.Tensor:
        return method.decode(point.unsqueeze(0)).squeeze(0)

    slopes = vmap(jacfwd(decode_one))(z.clone())  # (n, D, d)
    return slopes.detach().double().numpy().transpose(0, 2, 1)
