"""An affine map that no optimiser trains: closed forms are stored in it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rivae.nets.linear import identity


class FixedAffine(nn.Module):
    """``x @ weight + bias`` with buffers, (n_in, n_out) and (n_out,), or with a leading S.

    Starts as the identity (its first columns or rows where the widths differ), so that a model is
    usable before its closed form was computed.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, n_in: int, n_out: int, n_models: int | None = None) -> None:
        super().__init__()
        lead = () if n_models is None else (n_models,)
        self.register_buffer("weight", identity(n_in, n_out, n_models))
        self.register_buffer("bias", torch.zeros(*lead, n_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias.unsqueeze(-2)

    @torch.no_grad()
    def assign(self, weight: Tensor, bias: Tensor) -> None:
        """Take over the map of a single model; shapes as above, any precision."""
        self.weight.copy_(weight)
        self.bias.copy_(bias)

    def change_output(self, matrix: Tensor, offset: Tensor) -> None:
        """Give ``self(x) @ matrix + offset`` from now on."""
        matrix, offset = matrix.double(), offset.double()
        self.assign(self.weight.double() @ matrix, self.bias.double() @ matrix + offset)

    def change_input(self, matrix: Tensor, offset: Tensor) -> None:
        """Give at ``x @ matrix + offset`` what ``self(x)`` gave before; ``matrix`` invertible."""
        weight = torch.linalg.inv(matrix.double()) @ self.weight.double()
        self.assign(weight, self.bias.double() - offset.double() @ weight)
