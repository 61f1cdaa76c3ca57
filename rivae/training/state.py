"""The state of training at the end of an epoch, to and from one checkpoint per run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rivae.errors import RunError
from rivae.methods.base import Method, ParamGroup
from rivae.training.stack import join_models, take_model


@dataclass
class Progress:
    """Where training stands; everything but tensors and random states."""

    stage: int = 0
    stage_epoch: int = 0
    epoch: int = 0
    step: int = 0
    # Per model: the best validation score of the last stage, and validations since then.
    best: list[float] = field(default_factory=list)
    since_best: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def joined_progress(states: list[dict[str, Any]]) -> Progress:
    """The progress that the checkpoints of all models record; RunError when one is foreign."""
    try:
        shared = {key: int(states[0][key]) for key in ("stage", "stage_epoch", "epoch", "step")}
        return Progress(
            **shared,
            best=[float(state["best"]) for state in states],
            since_best=[int(state["since_best"]) for state in states],
            failed=[str(state["failed"]) for state in states],
        )
    except (KeyError, TypeError, ValueError):
        raise RunError(
            "the checkpoint belongs to another program: start the run under a new name"
        ) from None


def make_optimiser(groups: list[ParamGroup], learning_rate: float) -> torch.optim.Adam:
    """Adam as in the paper, one parameter group per rate scale."""
    return torch.optim.Adam(
        [{"params": g.parameters, "lr": learning_rate * g.scale, "scale": g.scale} for g in groups],
        fused=True,
    )


def snapshot(
    method: Method,
    optimiser: torch.optim.Optimizer | None,
    order: list[torch.Generator],
    noise: list[torch.Generator],
    s: int | None,
) -> dict[str, Tensor]:
    """All tensors that model ``s`` (None: the only one) needs to go on."""
    out = {f"model/{k}": v for k, v in take_model(method.state_dict(), s).items()}
    if optimiser is not None:
        for i, state in optimiser.state_dict()["state"].items():
            for key, value in state.items():
                out[f"optim/{i}/{key}"] = value if s is None or key == "step" else value[s]
    out["rng/order"] = order[s or 0].get_state()
    out["rng/noise"] = noise[s or 0].get_state()
    out["rng/global"] = torch.get_rng_state()
    return out


def restore(
    method: Method,
    optimiser: torch.optim.Optimizer | None,
    order: list[torch.Generator],
    noise: list[torch.Generator],
    tensors: list[dict[str, Tensor]],
    stacked: bool,
) -> None:
    """The inverse of ``snapshot`` over all models."""
    models = [_below(t, "model/") for t in tensors]
    method.load_state_dict(join_models(models, stacked))
    if optimiser is not None:
        _restore_optimiser(optimiser, [_below(t, "optim/") for t in tensors], stacked)
    for i, state in enumerate(tensors):
        order[i].set_state(state["rng/order"])
        noise[i].set_state(state["rng/noise"])
    torch.set_rng_state(tensors[0]["rng/global"])


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, states: list[dict[str, Tensor]], stacked: bool
) -> None:
    full: dict[str, Any] = optimiser.state_dict()
    rebuilt: dict[int, dict[str, Tensor]] = {}
    for key in states[0]:
        index, name = key.split("/")
        values = [state[key] for state in states]
        joined = torch.stack(values) if stacked and name != "step" else values[0]
        rebuilt.setdefault(int(index), {})[name] = joined
    full["state"] = rebuilt
    optimiser.load_state_dict(full)


def _below(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
