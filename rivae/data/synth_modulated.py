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

A query therefore cannot tell which pair is its own: with the true density log p(fS|m, s) as score
("ceiling" in the benchmark) a perfect model still errs, and retrieval numbers are read against
that. A latent is scored by z of the pair, ``Method.encode_pair``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rivae.data import checks
from rivae.data.base import FactorSpec, PairedDataset, random_split
from rivae.data.synth import ACTIVATIONS, N_OUTPUTS, MixingNetwork, Synth

Array = NDArray[np.float64]

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


def load(
    n_pairs: int = 15000,
    mean_scale: float = 1.0,
    spread_low: float = 0.03,
    spread_high: float = 0.5,
    g_width: int = 50,
    g_activation: Literal["tanh", "leaky_relu", "softplus"] = "tanh",
    g_seed: int = 0,
    factor_seed: int = 0,
    split_seed: int = 0,
) -> PairedDataset:
    """Generate Synth-modulated.

    Args:
        n_pairs: number of pairs N; 80 % train, 10 % validation, 10 % test.
        mean_scale: s.d. of m_j; 0 leaves only the variance.
        spread_low, spread_high: exp(s_j) lies between them, uniform in s_j. Equal values take
            away the modulation of the variance, and with it what fixes the axes.
        g_width: hidden units of G1 and G2.
        g_activation: "tanh", "leaky_relu" (slope 0.2) or "softplus" (shifted to be 0 at 0).
        g_seed: draw of G1 and G2.
        factor_seed: draw of the factors.
        split_seed: draw of the split.

    Returns:
        Views of shape (50,), factors (N, 8) as in ``FACTOR_SPECS``.

    Raises:
        ConfigError: for a setting out of range.
    """
    kept = _checked(
        n_pairs,
        mean_scale,
        spread_low,
        spread_high,
        g_width,
        g_activation,
        g_seed,
        factor_seed,
        split_seed,
    )
    n, mean_scale = kept["n_pairs"], kept["mean_scale"]
    low, high = kept["spread_low"], kept["spread_high"]
    width, activation = kept["g_width"], kept["g_activation"]
    g_rng = np.random.default_rng(kept["g_seed"])
    factor_rng = np.random.default_rng(kept["factor_seed"])
    splits = random_split(n, (0.8, 0.1, 0.1), kept["split_seed"])

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
    shared = (means + np.exp(log_spreads) * e[:, 2:4]) / scale
    # G1 sees inputs of variance 1.
    x1 = g1(np.concatenate([e[:, :2], np.sqrt(3.0) * u, e[:, 4:5]], axis=1))
    x2 = g2(np.concatenate([shared, e[:, 5:6]], axis=1))
    return Synth(
        name="synth-modulated",
        factor_specs=FACTOR_SPECS,
        settings=kept,
        x1=x1,
        x2=x2,
        factors=np.concatenate(
            [shared, means / scale, log_spreads - np.log(scale), e[:, 4:]], axis=1
        ),
        query_fixes="distribution",
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(**settings: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of items of both views, without making any; ConfigError as ``load``."""
    _checked(**settings)
    return (N_OUTPUTS,), (N_OUTPUTS,)


def _checked(
    n_pairs: Any,
    mean_scale: Any,
    spread_low: Any,
    spread_high: Any,
    g_width: Any,
    g_activation: Any,
    g_seed: Any,
    factor_seed: Any,
    split_seed: Any,
) -> dict[str, Any]:
    """The settings of ``load``, each in its range, and all together within reason."""
    n = checks.whole_number("n_pairs", n_pairs, 30, 1_000_000)
    low = checks.real_number("spread_low", spread_low, 0.01, 10.0)
    return {
        "n_pairs": n,
        "mean_scale": checks.real_number("mean_scale", mean_scale, 0.0, 10.0),
        "spread_low": low,
        "spread_high": checks.real_number("spread_high", spread_high, low, 10.0),
        "g_width": checks.hidden_units(n, checks.whole_number("g_width", g_width, 5, 4096)),
        "g_activation": checks.choice("g_activation", g_activation, ACTIVATIONS),
        "g_seed": checks.seed("g_seed", g_seed),
        "factor_seed": checks.seed("factor_seed", factor_seed),
        "split_seed": checks.seed("split_seed", split_seed),
    }


def _mean_square(low: float, high: float) -> float:
    """E exp(2 s) for s uniform in [log low, log high]."""
    if high == low:
        return low**2
    return float((high**2 - low**2) / (2 * np.log(high / low)))


def log_density(
    data: PairedDataset, query_rows: NDArray[np.int64], item_rows: NDArray[np.int64]
) -> Array:
    """log p(fS of each item | query), (n, m): the score that no model can beat in retrieval."""
    assert data.factors is not None
    mean, log_spread = data.factors[query_rows, 2:4], data.factors[query_rows, 4:6]
    shared = data.factors[item_rows, :2]
    z = (shared[None] - mean[:, None]) / np.exp(log_spread)[:, None]
    density: Array = -(0.5 * z**2 + log_spread[:, None]).sum(axis=2)
    return density
