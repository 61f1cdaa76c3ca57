"""The state of training at the end of an epoch, to and from one checkpoint per run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from inspect import unwrap
from typing import Any

import torch
from torch import Tensor

from rivae.base.errors import RunError
from rivae.base.files import remove_temporaries
from rivae.models.stages import ParamGroup
from rivae.training.checkpoint import load_together, save_checkpoint
from rivae.training.models import Models, TrainingProgress, join_models


def joined_progress(states: list[dict[str, Any]]) -> TrainingProgress:
    """The progress that the checkpoints of all models record; RunError when one is foreign."""
    try:
        common = {key: int(states[0][key]) for key in ("stage", "stage_epoch", "epoch", "step")}
        return TrainingProgress(
            **common,
            best=[float(state["best"]) for state in states],
            since_best=[int(state["since_best"]) for state in states],
            failed=[str(state["failed"]) for state in states],
        )
    except (KeyError, TypeError, ValueError):
        raise RunError(
            "the checkpoint belongs to another program: start the run under a new name"
        ) from None


class Adam(torch.optim.Adam):
    """PyTorch's Adam without the compiler that its decorators load: seconds before the first step.

    Nothing here is compiled, so every number stays the same.
    """

    step = torch.no_grad()(unwrap(torch.optim.Adam.step))
    zero_grad = unwrap(torch.optim.Adam.zero_grad)
    add_param_group = unwrap(torch.optim.Adam.add_param_group)
    state_dict = unwrap(torch.optim.Adam.state_dict)
    load_state_dict = unwrap(torch.optim.Adam.load_state_dict)


def make_optimiser(groups: list[ParamGroup], learning_rate: float) -> Adam:
    """Adam as in the paper, one parameter group per rate scale."""
    return Adam(
        [{"params": g.parameters, "lr": learning_rate * g.scale, "scale": g.scale} for g in groups],
        fused=True,
    )


def save_state(models: Models, optimiser: torch.optim.Optimizer | None) -> None:
    """Write the checkpoints of all jobs, and their progress into their status."""
    for s, job in enumerate(models.jobs):
        job.run.log.sync()
        state = asdict(models.progress)
        for key in ("best", "since_best", "failed"):
            state[key] = state[key][s]
        save_checkpoint(job.checkpoint, _snapshot(models, optimiser, s), state)
    stage = models.stages[min(models.progress.stage, len(models.stages) - 1)].name
    models.set_status(state="running", stage=stage, epoch=models.progress.epoch)


def load_state(
    models: Models, tell: Callable[[str], None], leads: bool = True
) -> list[dict[str, Tensor]] | None:
    """Read the checkpoints and set the progress they record; later rows of the logs are removed.

    Args:
        leads: whether to remove leftovers of a kill; only the leading process may, as the others
            would remove files that it is writing.

    Returns:
        The tensors for ``restore_state`` at the stage that continues (restored already if no stage
        is left); None if nothing was saved yet.

    Raises:
        RunError: the checkpoints are damaged, foreign, or have no epoch in common.
    """
    for job in models.jobs if leads else []:
        remove_temporaries(job.checkpoint.parent)
        remove_temporaries(job.run.path)
    checkpoints = load_together([job.checkpoint for job in models.jobs])
    if checkpoints is None:
        tell("nothing was saved yet: training starts over")
    else:
        models.progress = joined_progress([checkpoint.state for checkpoint in checkpoints])
        for checkpoint in checkpoints:
            tell(checkpoint.note)
    for job in models.jobs:
        job.run.log.truncate(models.progress.epoch)
        job.run.timing.truncate(models.progress.epoch)
    tensors = None if checkpoints is None else [checkpoint.tensors for checkpoint in checkpoints]
    if tensors is not None and models.progress.stage >= len(models.stages):
        restore_state(models, None, tensors)
    return tensors


def restore_state(
    models: Models, optimiser: torch.optim.Optimizer | None, tensors: list[dict[str, Tensor]]
) -> None:
    """Restore the tensors of all checkpoints, and those of the optimiser if there are any.

    Raises:
        RunError: they do not fit the models.
    """
    inside = any(key.startswith("optim/") for key in tensors[0])
    try:
        parts = [_below(t, "model/") for t in tensors]
        models.method.load_state_dict(join_models(parts, models.stacked))
        if optimiser is not None and inside:
            parts = [_below(t, "optim/") for t in tensors]
            _restore_optimiser(optimiser, parts, models.stacked)
        for i, state in enumerate(tensors):
            models.order[i].set_state(state["rng/order"])
            models.noise[i].set_state(state["rng/noise"])
        torch.set_rng_state(tensors[0]["rng/global"])
    except (RuntimeError, KeyError, ValueError):
        raise RunError(
            "the checkpoint belongs to another configuration: start the run under a new name"
        ) from None


def _snapshot(models: Models, optimiser: torch.optim.Optimizer | None, s: int) -> dict[str, Tensor]:
    """All tensors that model ``s`` needs to resume."""
    out = {f"model/{k}": v for k, v in models.weights(s).items()}
    if optimiser is not None:
        for i, state in optimiser.state_dict()["state"].items():
            for key, value in state.items():
                per_model = models.stacked and key != "step"
                out[f"optim/{i}/{key}"] = value[s] if per_model else value
    out["rng/order"] = models.order[s].get_state()
    out["rng/noise"] = models.noise[s].get_state()
    out["rng/global"] = torch.get_rng_state()
    return out


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, states: list[dict[str, Tensor]], stacked: bool
) -> None:
    full: dict[str, Any] = optimiser.state_dict()
    rebuilt: dict[int, dict[str, Tensor]] = {}
    for key in states[0]:
        index, name = key.split("/")
        values = [state[key] for state in states]
        value_of_all = torch.stack(values) if stacked and name != "step" else values[0]
        rebuilt.setdefault(int(index), {})[name] = value_of_all
    full["state"] = rebuilt
    optimiser.load_state_dict(full)


def _below(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
