"""A small real method and data set with known factors, for the tests of retrieval and metrics."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from rivae.data.base import FactorSpec, PairedDataset, TensorView, random_split
from rivae.models.base import Method, MethodConfig


def mlp(sizes, generator, last):
    layers = []
    for n_in, n_out in pairwise(sizes):
        layer = nn.Linear(n_in, n_out)
        nn.init.normal_(layer.weight, std=1.5 / n_in**0.5, generator=generator)
        nn.init.normal_(layer.bias, std=0.3, generator=generator)
        layers += [layer, nn.LeakyReLU(0.2)]
    return nn.Sequential(*(layers if last else layers[:-1]))


class SmallMethod(Method):
    """A leaky-ReLU decoder over unit-norm embeddings."""

    name = "small"
    title = "small"
    config_class = MethodConfig

    def __init__(self, n_x=6, n_components=2, dim_v=16, hidden=5, seed=0):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        self.n_components, self.dim_v = n_components, dim_v
        self.e1 = mlp((n_x, 12, dim_v), g, last=False)
        self.e2 = mlp((n_x, 12, dim_v), g, last=False)
        self.mu = mlp((dim_v, 8, n_components), g, last=False)
        self.f = mlp((n_components, 7, hidden), g, last=True)
        self.out = nn.Linear(hidden, dim_v)
        nn.init.normal_(self.out.weight, std=0.5, generator=g)
        nn.init.normal_(self.out.bias, std=0.1, generator=g)

    def embed_query(self, x1: Tensor) -> Tensor:
        return nn.functional.normalize(self.e1(x1), dim=-1)

    def embed_target(self, x2: Tensor) -> Tensor:
        return nn.functional.normalize(self.e2(x2), dim=-1)

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        mu = self.mu(v1)
        return mu, torch.full_like(mu, -2.0)

    def hidden(self, z: Tensor) -> Tensor:
        return self.f(z)

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.out.weight.T, self.out.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        return -squared_distance / (2 * 0.1**2)


def small_data(n=200, n_x=6, seed=0, duplicates=0, search_size=40):
    """x1 and x2 share two factors; the last ``duplicates`` items repeat the first ones' x2."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 2))
    factors = np.column_stack([shared, rng.normal(size=(n, 1)), rng.integers(0, 3, size=n)])
    x1 = np.tanh(np.column_stack([shared, factors[:, 2:3]]) @ rng.normal(size=(3, n_x)))
    x2 = np.tanh(np.column_stack([shared, factors[:, 3:4]]) @ rng.normal(size=(3, n_x)))
    if duplicates:
        x2[-duplicates:] = x2[:duplicates]
    return PairedDataset(
        name="small",
        settings={"seed": seed},
        x1=TensorView(torch.tensor(x1, dtype=torch.float32)),
        x2=TensorView(torch.tensor(x2, dtype=torch.float32)),
        splits=random_split(n, (0.4, 0.2, 0.4), 0),
        factors=factors,
        factor_specs=(
            FactorSpec("a", "continuous"),
            FactorSpec("b", "continuous"),
            FactorSpec("p", "continuous", "private1"),
            FactorSpec("c", "categorical", "private2", ("x", "y", "z")),
        ),
        search_size=search_size,
    )
