"""Synth-modulated: the query fixes only the distribution of the shared factors (identifiable).

On the paper's Synth the two shared factors are Gaussian and enter both signals exactly, so every
rotation of them explains the data equally well. Theorem 1 of the identifiable VAE asks for
something else: given the query, the factors are independent with a distribution that *changes*
with the query in mean and variance. Here it does,

    fS_j = m_j + exp(s_j) * e_j,   e_j ~ N(0, 1),   j = 1, 2
    x1 = G1(m_1, m_2, s_1, s_2, f1),   x2 = G2(fS_1, fS_2, f2)

with Gaussian means m_j, uniform log spreads s_j, all independent, one private factor f1 and f2
each, and random two-layer networks G1 and G2 as in ``synth``. fS_j is scaled to variance 1. Without
the modulation of the spread every rotation of fS explains the data equally well, as in ``synth``.

A query therefore does not determine its own pair: with the true density log p(fS|m, s) as score
("ceiling" in the benchmark) a perfect model still makes errors, and retrieval
numbers are compared with its. A latent is scored by z of the pair, ``Method.encode_pair``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset, Shape, random_split
from rivae.data.dataset import Dataset
from rivae.data.factors import FactorSpec
from rivae.data.sets.synth import N_OUTPUTS, MixingNetwork, NumberOfPairs, SignalSettings, Synth

FACTOR_SPECS = (
    FactorSpec("shared 1", "continuous", "shared"),
    FactorSpec("shared 2", "continuous", "shared"),
    FactorSpec("mean 1", "continuous", "private1"),
    FactorSpec("mean 2", "continuous", "private1"),
    FactorSpec("log spread 1", "continuous", "private1"),
    FactorSpec("log spread 2", "continuous", "private1"),
    FactorSpec("private 1", "continuous", "private1"),
    FactorSpec("private 2", "continuous", "private2"),
)


class Settings(SignalSettings):
    """Settings of Synth-modulated; 80 % of the pairs train, 10 % validate, 10 % test."""

    n_pairs: NumberOfPairs = 15000
    g_width: int = Field(
        default=50, ge=5, le=4096, title="Network width", description="hidden units of G1 and G2"
    )
    mean_scale: float = Field(
        default=1.0,
        ge=0,
        le=10,
        title="Modulation of the mean",
        description="s.d. of the means that queries fix; 0 leaves only the variance",
    )
    spread_low: float = Field(
        default=0.03,
        ge=0.01,
        le=10,
        title="Least spread",
        description="s.d. of a shared factor given its query, at least; equal bounds take away "
        "what fixes the axes",
    )
    spread_high: float = Field(
        default=0.5,
        ge=0.01,
        le=10,
        title="Greatest spread",
        description="s.d. of a shared factor given its query, at most",
    )

    @model_validator(mode="after")
    def _spreads_in_order(self) -> Settings:
        if self.spread_high < self.spread_low:
            raise ValueError(f"raise spread_high to spread_low, {self.spread_low:g}, or above")
        return self


def load(settings: Settings) -> PairedDataset:
    """Generate Synth-modulated.

    Returns:
        Views of shape (50,), factors (N, 8) as in ``FACTOR_SPECS``.
    """
    n, mean_scale = settings.n_pairs, settings.mean_scale
    low, high = settings.spread_low, settings.spread_high
    width, activation = settings.g_width, settings.g_activation
    g_rng = np.random.default_rng(settings.g_seed)
    factor_rng = np.random.default_rng(settings.factor_seed)
    splits = random_split(n, (0.8, 0.1, 0.1), settings.split_seed)

    rng1, rng2 = g_rng.spawn(2)
    g1 = MixingNetwork(rng1, width, activation, n_in=5)
    g2 = MixingNetwork(rng2, width, activation)
    # Row by row, so that a larger n_pairs only appends rows.
    uniform, normal = factor_rng.spawn(2)
    u = uniform.uniform(-1.0, 1.0, (n, 2))
    e = normal.standard_normal((n, 6))
    means = mean_scale * e[:, :2]
    log_spreads = np.log(low) + (u + 1) / 2 * np.log(high / low)
    scale = np.sqrt(mean_scale**2 + _mean_square(low, high))
    common = (means + np.exp(log_spreads) * e[:, 2:4]) / scale
    # G1 sees inputs of variance 1.
    x1 = g1(np.concatenate([e[:, :2], np.sqrt(3.0) * u, e[:, 4:5]], axis=1))
    x2 = g2(np.concatenate([common, e[:, 5:6]], axis=1))
    return Synth(
        name="synth-modulated",
        factor_specs=FACTOR_SPECS,
        settings=settings.kept(),
        x1=x1,
        x2=x2,
        factors=np.concatenate(
            [common, means / scale, log_spreads - np.log(scale), e[:, 4:]], axis=1
        ),
        query_fixes="distribution",
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without making any."""
    return (N_OUTPUTS,), (N_OUTPUTS,)


def _mean_square(low: float, high: float) -> float:
    """E exp(2 s) for s uniform in [log low, log high]."""
    if high == low:
        return low**2
    return float((high**2 - low**2) / (2 * np.log(high / low)))


def log_density(
    data: PairedDataset, query_rows: NDArray[np.int64], item_rows: NDArray[np.int64]
) -> Floats:
    """log p(fS of each item | query), (n, m): the score that no model can beat in retrieval."""
    assert data.factors is not None
    mean, log_spread = data.factors[query_rows, 2:4], data.factors[query_rows, 4:6]
    common = data.factors[item_rows, :2]
    z = (common[None] - mean[:, None]) / np.exp(log_spread)[:, None]
    density: Floats = -(0.5 * z**2 + log_spread[:, None]).sum(axis=2)
    return density


DATASET = Dataset(
    name="synth-modulated",
    title="Synth, modulated",
    blurb="Signals in which a query fixes only how the shared numbers are spread.",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
    drawn_by=("g_seed", "factor_seed", "split_seed"),
    smallest={"n_pairs": 240},
)
