"""Mean correlation coefficient: the best one-to-one match of axes to factors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.metrics.base import Metric, MetricResult, OfLatents, Results, Sample, check_pair, halves
from rivae.metrics.matching import Kind, assignment, cross_correlation

METRICS: dict[Kind, Metric] = {
    "pearson": Metric(
        "mcc", "MCC", "mean |corr| of factors and the axes matched to them", "standard"
    ),
    "spearman": Metric("mcc_spearman", "MCC (Spearman)", "the same of ranks", "standard"),
}


def mcc(
    latents: ArrayLike, factors: ArrayLike, *, kind: Kind = "pearson", random_state: int = 0
) -> MetricResult:
    """MCC with a Hungarian assignment fitted on one half and scored on the other, in [0, 1].

    A factor left without an axis (d < K) counts as 0, and so does a constant factor or axis.

    Args:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) numeric true factors.
        kind: "pearson" (invariant to scale) or "spearman" (to every monotone change).
        random_state: seed of the halves.
    """
    strengths = partial(cross_correlation, kind=kind)
    return matched_score(METRICS[kind], latents, factors, strengths, random_state, kind=kind)


def matched_score(
    metric: Metric,
    latents: ArrayLike,
    factors: ArrayLike,
    strengths: Callable[[Floats, Floats], Floats],
    random_state: int,
    **settings: str,
) -> MetricResult:
    """The mean strength of a one-to-one match of axes and factors, in [0, 1].

    The match is made on one half of the rows; the strengths are those of the other half.

    Args:
        latents, factors: (n, d) and (n, K).
        strengths: (d, K) in [-1, 1] of some rows of both; their size counts.
        settings: further ones that the result states.
    """
    z, f = check_pair(latents, factors)
    fit, held_out = halves(len(z), random_state)
    axes, columns = assignment(strengths(z[fit], f[fit]))
    table = strengths(z[held_out], f[held_out])
    per_factor, latent_of = np.zeros(f.shape[1]), np.full(f.shape[1], -1)
    per_factor[columns], latent_of[columns] = np.abs(table[axes, columns]), axes
    return metric.result(
        float(per_factor.mean()),
        n=len(held_out),
        parts={
            "per_factor": per_factor.tolist(),
            "latent_of_factor": latent_of.tolist(),  # -1: none left
            "table": table.tolist(),
        },
        settings={
            **settings,
            "assignment": "Hungarian, fitted on the other half",
            "n_fit": len(fit),
            "random_state": random_state,
        },
    )


def _measure(sample: Sample) -> Results:
    """Over the shared numeric factors."""
    part, state = sample.only("shared", numeric=True), sample.random_state
    if part is None:
        return {}
    return {
        metric.key: mcc(part.latents, part.factors, kind=kind, random_state=state)
        for kind, metric in METRICS.items()
    }


MCC = OfLatents("mcc", tuple(METRICS.values()), _measure)
