"""What is retrieved at the two ends and in the middle of one latent axis (paper, Recipe1M)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rivae.errors import ConfigError
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.retriever import Retriever
from rivae.traversal import traverse

N_QUERIES = 20
TOP = 10
N_SIGMA = (1, 2, 3, 5, 10)  # offered widths; the paper's is 10


@dataclass(frozen=True)
class AxisStates:
    """Three states of one axis; the other dimensions stay at each query's own values.

    Attributes:
        dim: 0-based latent dimension.
        names: "μ − 3σ", "μ", "μ + 3σ".
        values: (3,) of z_dim; mean and s.d. are those of the aggregated prior.
        ids: (q, 3, k) data rows, best first.
    """

    dim: int
    names: tuple[str, str, str]
    values: Floats
    ids: Ints

    def items(self, state: int) -> list[int]:
        """The different items of a state: those of most queries first, then by best rank."""
        table = self.ids[:, state]
        often = Counter(table.ravel().tolist())
        rank: dict[int, int] = {}
        for k in range(table.shape[1]):
            for i in table[:, k].tolist():
                rank.setdefault(i, k)
        return sorted(often, key=lambda i: (-often[i], rank[i], i))

    def by_name(self) -> dict[str, list[int]]:
        """``items`` of every state, as ``rivae.words.clouds.count_words`` takes them."""
        return {name: self.items(s) for s, name in enumerate(self.names)}


def axis_states(
    retriever: Retriever,
    prior: AggregatedPrior,
    dim: int,
    n_sigma: float,
    rows: ArrayLike,
    k: int = TOP,
) -> AxisStates:
    """The top ``k`` of the queries ``rows`` at mean − n s.d., mean and mean + n s.d. of an axis.

    Raises:
        ConfigError: there is no such axis, or ``n_sigma`` is not above 0.
    """
    if not n_sigma > 0:
        raise ConfigError(f"the width in s.d. must be above 0, got {n_sigma}")
    if not 0 <= dim < len(prior.mean):
        raise ConfigError(f"there is no axis {dim + 1}: choose 1 to {len(prior.mean)}")
    values = prior.mean[dim] + prior.std[dim] * n_sigma * np.array([-1.0, 0.0, 1.0])
    anchors, _ = retriever.encode(rows)
    found = traverse(retriever, anchors, {dim: values}, k=k)
    names = (f"μ − {n_sigma:g}σ", "μ", f"μ + {n_sigma:g}σ")
    return AxisStates(dim, names, found.values[0], found.ids[:, 0])
