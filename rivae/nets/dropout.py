"""Dropout whose masks come from one generator per model."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rivae.nets.share import Share


class RandomLayer(nn.Module):
    """A layer that draws while training; ``generators`` holds one per model.

    While it is None the global generator is used. A trainer sets it, and ``share`` where the layer
    sees only this process's rows of a batch: it then draws for all of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.generators: list[torch.Generator] | None = None
        self.share = Share()


class Dropout(RandomLayer):
    """Zeroes entries with probability ``p`` while training and rescales the others.

    PyTorch's own dropout draws from one global generator, so a model trained beside others would
    see other masks than alone.
    """

    def __init__(self, p: float, n_models: int | None = None) -> None:
        super().__init__()
        self.p, self.stacked = p, n_models is not None

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        if self.generators is None:
            return nn.functional.dropout(x, self.p)
        shape = x.shape[1:] if self.stacked else self.share.whole_shape(x.shape)
        draws = [torch.rand(shape, generator=g, device=g.device) for g in self.generators]
        kept = (torch.stack(draws) if self.stacked else self.share.own(draws[0])) >= self.p
        return x * (kept.to(x.dtype) / (1 - self.p))
