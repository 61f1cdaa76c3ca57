"""Where the data lie in z: the aggregated conditional prior and the distance to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.retrieval.indexes.brute_force import NumpyIndex

_SMALLEST_STD = 1e-12  # a constant dimension must not divide by zero
_OWN = 2_000  # rows that are measured against the others, at most


@dataclass(frozen=True)
class AggregatedPrior:
    """E_x1[P(z|v1)] over some rows (paper, Recipe1M traversal).

    Attributes:
        mean: (d,) its mean.
        std: (d,) its s.d.: the spread of the means and the mean conditional variance together.
        low, high: (d,) the 0.5 and 99.5 percentiles of the means mu(v1).
        n: rows behind it.
    """

    mean: Floats
    std: Floats
    low: Floats
    high: Floats
    n: int


def aggregated_prior(mu: Floats, log_var: Floats) -> AggregatedPrior:
    """The aggregate of P(z|v1) given by its means and log variances, each (n, d)."""
    variance = mu.var(axis=0) + np.exp(log_var).mean(axis=0)
    low, high = np.percentile(mu, [0.5, 99.5], axis=0)
    return AggregatedPrior(mu.mean(axis=0), np.sqrt(variance), low, high, len(mu))


class DensityDistance(NamedTuple):
    """How far some z are from the data.

    Attributes:
        distance: (n,) distance to the nearest mu of a training row, every dimension in units of
            the aggregated prior's s.d.
        threshold: the 99 % quantile of that distance among held-out queries.
    """

    distance: Floats
    threshold: float

    @property
    def far(self) -> NDArray[np.bool_]:
        """(n,) whether the distance lies beyond the threshold."""
        return np.asarray(self.distance > self.threshold)


class DensityReference:
    """The means of training rows to measure ``DensityDistance`` against; read-only once made.

    Where nothing was held out (None), the limit is that of rows measured against the others.

    Attributes:
        std: (d,) the unit of every dimension.
        index: the means in these units.
        threshold: the limit, in these units.
    """

    def __init__(self, train_mu: Floats, held_out_mu: Floats | None, std: Floats) -> None:
        self.std = np.maximum(std, _SMALLEST_STD)
        self.index = NumpyIndex(train_mu / self.std)
        z, rank = held_out_mu, 1
        if z is None:  # the nearest of a row that is in the index is the row itself
            z, rank = train_mu[:: len(train_mu) // _OWN + 1], 2
        _, sq_distances = self.index.search(z / self.std, min(rank, self.index.n_items))
        self.threshold = float(np.quantile(np.sqrt(sq_distances[:, -1]), 0.99))
