"""Several models as one batch: slices of stacked parameters, optimiser states and gradients."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def take_model(state: dict[str, Tensor], s: int | None) -> dict[str, Tensor]:
    """The state of model ``s`` out of a stacked state, or the whole of an ordinary one."""
    if s is None:
        return dict(state)
    return {key: value[s] for key, value in state.items()}


def join_models(states: list[dict[str, Tensor]], stacked: bool) -> dict[str, Tensor]:
    """The inverse of ``take_model`` over all models."""
    if not stacked:
        return states[0]
    return {key: torch.stack([state[key] for state in states]) for key in states[0]}


@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], bound: float, stacked: bool) -> Tensor:
    """Scale the gradients of each model to a norm of at most ``bound``; returns the norms (S,).

    ``torch.nn.utils.clip_grad_norm_`` would clip S stacked models by their common norm, which
    makes a model's path depend on its neighbours.
    """
    grads = [p.grad for p in parameters if p.grad is not None]
    squares = [
        (g.reshape(g.shape[0], -1) if stacked else g.reshape(1, -1)).square().sum(-1) for g in grads
    ]
    norms = torch.stack(squares).sum(0).sqrt()
    factors = (bound / (norms + 1e-6)).clamp_max(1.0)
    for g in grads:
        g.mul_(factors.reshape(-1, *[1] * (g.dim() - 1)) if stacked else factors[0])
    return norms
