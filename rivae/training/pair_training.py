"""Train a method on two tensors of pairs, in memory: no run and no data set remain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from rivae.base.config import DatasetConfig, MethodChoice, run_config, training_config
from rivae.base.scratch import scratch_folder
from rivae.data import PairedDataset, TensorView
from rivae.models.arguments import settings_of
from rivae.models.base import Method
from rivae.models.presets import preset_for
from rivae.models.presets.by_shape import by_shape
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from rivae.training.alignment.base import AS_TRAINED
from rivae.training.alignment.steps import axis_change, fold_in


def train_pairs(
    method: str,
    x1: torch.Tensor,
    x2: torch.Tensor,
    arguments: Mapping[str, Any],
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[Method, list[float]]:
    """The network, in float64, and the objective of every epoch.

    Args:
        x1, x2: (n, p) and (n, q), float32.
        arguments: those of ``settings_of``.
        progress: called with the share of the epochs done, in (0, 1].

    Raises:
        ConfigError: see ``settings_of``.
        RunError: the training diverged.
    """
    start = preset_for(by_shape(tuple(x1.shape[1:]), tuple(x2.shape[1:])), method)
    settings = settings_of(method, start.method, **arguments)
    config = run_config(
        name="arrays",
        dataset=DatasetConfig(name="arrays"),
        method=MethodChoice(name=method, settings=settings),
        training=training_config({**start.training, "checkpoint_seconds": 1e9}),
        seed=seed,
    )
    none = np.empty(0, dtype=np.int64)
    data = PairedDataset(
        name="arrays",
        settings={},
        x1=TensorView(x1),
        x2=TensorView(x2),
        splits={"train": np.arange(len(x1)), "validation": none, "test": none},
    )
    models_trained: list[Method] = []
    losses: list[float] = []

    def finalise(model: Method, pairs: PairedDataset, run: Run) -> None:
        settings: Any = model.config
        change = axis_change(model, pairs, settings.axes, seed)
        if change.step != AS_TRAINED.name:
            fold_in(model, change)
        models_trained.append(model)

    def listen(row: dict[str, Any]) -> None:
        if "objective" in row:
            losses.append(float(row["objective"]))
            if progress is not None:
                progress(row["epoch"] / row["total_epochs"])

    with scratch_folder("rivae-fit-") as folder, torch.random.fork_rng(devices=[]):
        job = TrainingJob(Run.create(config, folder), data)
        Trainer([job], finalise=finalise, listener=listen).fit()
    return models_trained[0].double().eval(), losses
