"""Where the last layers of the embedders begin: linearly nearest to the unfolded coordinates.

The layers below have learnt to tell pairs apart, so the coordinates are nearly linear in what they
give. Last layers drawn at random were far off instead, and the first steps that brought them near
could shrink an embedding to one point for good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rivae.models.base import Method
from rivae.training.feed import Feed, embed_rows

MAX_ROWS = 4_000  # rows that the solution is fitted to
RIDGE = 1e-3  # of the mean square of what the layers read


def solve_last_layers(method: Method, feed: Feed, target: Tensor) -> None:
    """Give both embedders the last layers that bring training rows nearest to ``target``.

    By ridge regression on at most 4,000 rows, the same for the same data.

    Args:
        target: (n, D) or (S, n, D), for all rows of ``feed``.
    """
    part = np.random.default_rng(0).permutation(feed.n)[:MAX_ROWS]
    rows = np.sort(part)
    embedders: Any = method
    ends = [embedder.head for embedder in (embedders.embedder1, embedders.embedder2)]
    read = [_Read(), _Read()]

    def hidden(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        with ends[0].ending_in(read[0]), ends[1].ending_in(read[1]):
            embedders.embedder1(x1), embedders.embedder2(x2)
        return read[0].x, read[1].x

    sides = embed_rows(method, feed, hidden, rows)
    targets = target[..., torch.from_numpy(rows).to(target.device), :]
    if ends[0].out is ends[1].out:
        _solve(ends[0].out, torch.cat(sides, -2), torch.cat([targets, targets], -2))
        return
    for end, side in zip(ends, sides, strict=True):
        _solve(end.out, side, targets)


class _Read(nn.Module):
    """Stands in for a last layer and keeps what it is given."""

    seen: Tensor

    def forward(self, x: Tensor) -> Tensor:
        self.x = x.float()
        return x


def _solve(layer: Any, inputs: Tensor, targets: Tensor) -> None:
    """Set ``layer`` to the ridge fit of ``targets`` (..., n, D) on ``inputs`` (..., n, m)."""
    x, y = inputs.double(), targets.double()
    centre, mean = x.mean(-2, keepdim=True), y.mean(-2, keepdim=True)
    x = x - centre
    square = x.mT @ x
    scale = square.diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None]
    eye = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    weight = torch.linalg.solve(square + (RIDGE * scale + 1e-12) * eye, x.mT @ (y - mean))
    bias = mean - centre @ weight
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias.reshape(layer.bias.shape))
