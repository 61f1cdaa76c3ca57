"""Mean correlation coefficient: the best one-to-one match of latents to factors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata

from rivae.errors import ConfigError
from rivae.metrics.base import MetricResult
from rivae.metrics.checks import check_pair, halves, standardised
from rivae.retrieval.base import Floats

Kind = Literal["pearson", "spearman"]


def cross_correlation(latents: Floats, factors: Floats, kind: Kind) -> Floats:
    """Correlations (d, K) of latents (n, d) with factors (n, K); 0 where one is constant."""
    if kind == "spearman":  # average ranks, so that ties are exact
        latents, factors = rankdata(latents, axis=0), rankdata(factors, axis=0)
    table = standardised(latents).T @ standardised(factors) / len(latents)
    return np.clip(table, -1.0, 1.0)


def mcc(
    latents: ArrayLike, factors: ArrayLike, *, kind: Kind = "pearson", random_state: int = 0
) -> MetricResult:
    """MCC with a Hungarian assignment fitted on one half and scored on the other, in [0, 1].

    A factor left without a latent (d < K) counts as 0, and so does a constant factor or latent.

    Args:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) numeric true factors.
        kind: "pearson" (invariant to scale) or "spearman" (to every monotone change).
        random_state: seed of the halves.
    """
    z, f = check_pair(latents, factors)
    if kind not in ("pearson", "spearman"):
        raise ConfigError(f"MCC is 'pearson' or 'spearman', not '{kind}'")
    fit, held_out = halves(len(z), random_state)
    chosen = linear_sum_assignment(-np.abs(cross_correlation(z[fit], f[fit], kind)))
    scored = cross_correlation(z[held_out], f[held_out], kind)
    per_factor = np.zeros(f.shape[1])
    latent_of = np.full(f.shape[1], -1)
    per_factor[chosen[1]] = np.abs(scored[chosen])
    latent_of[chosen[1]] = chosen[0]
    return MetricResult(
        name="mcc" if kind == "pearson" else "mcc_spearman",
        score=float(per_factor.mean()),
        n=len(held_out),
        parts={
            "per_factor": per_factor.tolist(),
            "latent_of_factor": latent_of.tolist(),  # -1: none left
            "table": scored.tolist(),
        },
        settings={"kind": kind, "assignment": "Hungarian, fitted on the other half",
                  "n_fit": len(fit), "random_state": random_state},
    )  # fmt: skip
