"""The layers that small networks are built from; each holds one model or S stacked models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn

from rivae.models.nets.share import Share


class Linear(nn.Module):
    """``x @ weight + bias`` with weight (in, out), or (S, in, out) for S models.

    Weights are stored as (in, out), not (out, in), so that S stacked models are one batched
    matrix product: measured 8 to 12 times faster than S runs one after the other on the
    paper's Synth networks. ``x`` is (..., B, in), with the same leading S when stacked.
    """

    def __init__(self, n_in: int, n_out: int, n_models: int | None = None) -> None:
        super().__init__()
        lead = () if n_models is None else (n_models,)
        self.weight = nn.Parameter(torch.empty(*lead, n_in, n_out))
        self.bias = nn.Parameter(torch.empty(*lead, n_out))

    def reset(self, generators: list[torch.Generator]) -> None:
        """PyTorch's default initialisation, U(-1/sqrt(in), 1/sqrt(in)), one generator a model."""
        stacked = self.weight.dim() == 3
        bound = 1.0 / math.sqrt(self.weight.shape[-2])
        with torch.no_grad():
            for s, generator in enumerate(generators):
                weight = self.weight[s] if stacked else self.weight
                bias = self.bias[s] if stacked else self.bias
                weight.uniform_(-bound, bound, generator=generator)
                bias.uniform_(-bound, bound, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias.unsqueeze(-2)


def identity(n_in: int, n_out: int, n_models: int | None = None) -> Tensor:
    """Ones on the diagonal of (n_in, n_out), or of every one of S matrices with S = ``n_models``.

    ``torch.eye`` would do; on the device "meta", where every network is drafted first, it imports
    PyTorch's compiler: more than a second before the first model of a process opens.
    """
    lead = () if n_models is None else (n_models,)
    matrix = torch.zeros(*lead, n_in, n_out)
    matrix.diagonal(dim1=-2, dim2=-1).fill_(1.0)
    return matrix


def activation(name: str) -> nn.Module:
    """The nonlinearities of the paper: "tanh", "relu" and "leaky-relu" (slope .2)."""
    table: dict[str, nn.Module] = {
        "tanh": nn.Tanh(),
        "relu": nn.ReLU(),
        "leaky-relu": nn.LeakyReLU(0.2),
    }
    return table[name]


class FixedAffine(nn.Module):
    """``x @ weight + bias`` with a closed form as ``weight`` and ``bias``; no optimiser trains it.

    They are buffers, (n_in, n_out) and (n_out,), or with a leading S. The map starts as the
    identity (its first columns or rows where the widths differ), so that a model is usable before
    its closed form was computed.
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
        """Set the map of a single model; shapes as above, any precision."""
        self.weight.copy_(weight)
        self.bias.copy_(bias)

    def change_output(self, matrix: Tensor, offset: Tensor) -> None:
        """Return ``self(x) @ matrix + offset`` from now on."""
        matrix, offset = matrix.double(), offset.double()
        self.assign(self.weight.double() @ matrix, self.bias.double() @ matrix + offset)

    def change_input(self, matrix: Tensor, offset: Tensor) -> None:
        """Return at ``x @ matrix + offset`` what ``self(x)`` was before; ``matrix`` invertible."""
        weight = torch.linalg.inv(matrix.double()) @ self.weight.double()
        self.assign(weight, self.bias.double() - offset.double() @ weight)


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

    PyTorch's own dropout draws from one global generator, so a model trained together with others
    would see other masks than alone.
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
        mask = (torch.stack(draws) if self.stacked else self.share.own(draws[0])) >= self.p
        return x * (mask.to(x.dtype) / (1 - self.p))


class MLP(nn.Module):
    """Fully connected layers; ``hidden_layer(x)`` is the last hidden one, ``out`` the end."""

    _ending: nn.Module | None = None

    def __init__(
        self,
        n_in: int,
        hidden: tuple[int, ...],
        n_out: int,
        activation_name: str = "leaky-relu",
        n_models: int | None = None,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        sizes = (n_in, *hidden)
        self.layers = nn.ModuleList(Linear(a, b, n_models) for a, b in pairwise(sizes))
        self.activation = activation(activation_name)
        self.out = Linear(sizes[-1], n_out, n_models)
        self.dropout = Dropout(dropout, n_models)
        self.input_dropout = Dropout(input_dropout, n_models)

    @torch.no_grad()
    def assign(self, weight: Tensor, bias: Tensor) -> None:
        """Compute ``x @ weight + bias`` from now on, with the hidden layers that are there.

        Two opposite units of a layer carry one number: leaky(u) - leaky(-u) = (1 + slope) u. The
        other units stay as they are, and nothing reads them yet. Hidden layers are (leaky) ReLU and
        have at least two units for each number of x or of the result, whichever has fewer.
        """
        n_in, n_out = weight.shape[-2:]
        n_kept, layers = min(n_in, n_out), cast("list[Linear]", list(self.layers))
        if not layers:
            self.out.weight.copy_(weight)
            self.out.bias.copy_(bias)
            return
        assert isinstance(self.activation, nn.LeakyReLU | nn.ReLU)
        slope = getattr(self.activation, "negative_slope", 0.0)
        eye = identity(n_kept, n_kept).to(weight)
        entering, leaving = (weight, eye) if n_out <= n_in else (eye, weight)
        for layer in layers:
            both = torch.cat([entering, -entering], -1)
            layer.weight[..., : both.shape[-2], : 2 * n_kept] = both
            layer.weight[..., both.shape[-2] :, : 2 * n_kept] = 0
            layer.bias[..., : 2 * n_kept] = 0
            entering = torch.cat([eye, -eye], -2) / (1 + slope)
        self.out.weight.zero_()
        self.out.weight[..., : 2 * n_kept, :] = entering @ leaving
        self.out.bias.copy_(bias)

    def borrow_output(self, out: Linear) -> None:
        """End in the layer of another network, which still owns, saves and moves it.

        So it stays out of the module tree of this one: a state would hold it twice.
        """
        del self.out
        object.__setattr__(self, "out", out)

    @contextmanager
    def ending_in(self, layer: nn.Module) -> Iterator[None]:
        """Within it the network ends in ``layer`` instead of in ``out``."""
        object.__setattr__(self, "_ending", layer)
        try:
            yield
        finally:
            object.__setattr__(self, "_ending", None)

    def hidden_layer(self, x: Tensor) -> Tensor:
        """The last hidden layer, shape (..., B, hidden[-1])."""
        x = self.input_dropout(x)
        for layer in self.layers:
            x = self.dropout(self.activation(layer(x)))
        return x

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = (self._ending or self.out)(self.hidden_layer(x))
        return out


class GaussianHead(nn.Module):
    """Mean and log variance of a diagonal Gaussian over z, two separate networks.

    ``var_mix`` (d, d) keeps the variance exact on the diagonal after an affine change of the
    latent coordinates: var' = var @ var_mix with var_mix = matrix**2 (identity until then).
    """

    var_mix: Tensor

    def __init__(
        self,
        n_in: int,
        hidden: tuple[int, ...],
        n_components: int,
        n_models: int | None = None,
        log_var_range: tuple[float, float] = (-12.0, 6.0),
    ) -> None:
        super().__init__()
        self.mu = MLP(n_in, hidden, n_components, n_models=n_models)
        self.log_var = MLP(n_in, hidden, n_components, n_models=n_models)
        self.log_var_range = log_var_range
        self.register_buffer("var_mix", identity(n_components, n_components, n_models))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(mu, log_var), each (..., B, d); log_var is clamped to ``log_var_range``."""
        log_var = self.log_var(x).clamp(*self.log_var_range)
        return self.mu(x), torch.log(log_var.exp() @ self.var_mix)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        """Fold z' = z @ matrix + offset into the mean; the variance keeps its exact diagonal."""
        self.mu.out.weight.copy_(self.mu.out.weight @ matrix)
        self.mu.out.bias.copy_(self.mu.out.bias @ matrix + offset)
        self.var_mix.copy_(self.var_mix @ matrix**2)


@torch.no_grad()
def fold_affine_into_input(layer: Linear, matrix: Tensor, offset: Tensor) -> None:
    """Make ``layer(z @ matrix + offset)`` equal to what ``layer(z)`` was before."""
    inverse = torch.linalg.inv(matrix.double())
    weight = inverse @ layer.weight.double()
    layer.bias.copy_(layer.bias.double() - offset.double() @ weight)
    layer.weight.copy_(weight)


def reset_linears(module: nn.Module, generators: list[torch.Generator]) -> None:
    """Initialise every layer below ``module`` from explicit generators, in a fixed order."""
    for child in module.modules():
        reset = getattr(child, "reset", None)
        if callable(reset):
            reset(generators)
