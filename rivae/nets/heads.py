"""The small networks between the embeddings and z (supplement, "Model-Specific ... RIVAE")."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from rivae.nets.dropout import Dropout
from rivae.nets.linear import Linear, activation, identity


class MLP(nn.Module):
    """Fully connected layers; ``hidden_layer(x)`` is the last hidden one, ``out`` the end."""

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

    def borrow_output(self, out: Linear) -> None:
        """End in the layer of another network, which goes on owning, saving and moving it.

        So it stays out of the module tree of this one: a state would hold it twice.
        """
        del self.out
        object.__setattr__(self, "out", out)

    def hidden_layer(self, x: Tensor) -> Tensor:
        """The last hidden layer, shape (..., B, hidden[-1])."""
        x = self.input_dropout(x)
        for layer in self.layers:
            x = self.dropout(self.activation(layer(x)))
        return x

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.out(self.hidden_layer(x))
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
    """Make ``layer(z @ matrix + offset)`` give what ``layer(z)`` gave before."""
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
