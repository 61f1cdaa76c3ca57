"""MCC for factors that depend on each other: what of an axis is a factor's own.

Where factors are correlated, an axis that is one of them also correlates with the others, and MCC
counts it for them. Here each correlation is multiplied by what is left of it once the other factors
are regressed out: r_jk beta_jk, where beta_jk is the coefficient of factor k in the regression of
axis j on all factors, both standardised. This is the share of the axis' variance that belongs to
factor k (Pratt 1987, "Dividing the indivisible: Using simple symmetry to partition variance
explained"); over the factors the shares add up to the R² of the axis. The score takes its root, so
that for independent factors it is MCC.

Neither half does alone. The correlation r counts an axis for factors that it knows by others only.
The correlation with what the other factors leave of a factor (semi-partial) is highest off the
factor: of two factors with correlation .8 it prefers their sum and difference to themselves. The
partial correlation calls a mix of all factors a perfect axis of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.metrics.base import Metric, MetricResult, OfLatents, Results, Sample
from rivae.metrics.matching import ROUNDING, cross_correlation
from rivae.metrics.measures.mcc import matched_score

OWN_PART = Metric("mcc_own", "MCC (own part)", "MCC without what factors share", "standard")


def own_parts(latents: Floats, factors: Floats) -> Floats:
    """Roots (d, K) in [0, 1] of the shares of each axis (n, d) that belong to each factor (n, K).

    0 where the share is negative, as for a factor that only corrects the others, and where axis or
    factor is constant. Factors that are equal divide their share.
    """
    r = cross_correlation(latents, factors)
    beta = r @ np.linalg.pinv(cross_correlation(factors, factors), ROUNDING, hermitian=True)
    return np.asarray(np.sqrt(np.clip(r * beta, 0.0, 1.0)))


def mcc_own(latents: ArrayLike, factors: ArrayLike, *, random_state: int = 0) -> MetricResult:
    """Mean own part of factors in the axes matched to them, in [0, 1].

    The one-to-one match is made on one half of the rows, the shares are those of the other. A
    factor left without an axis (d < K) counts as 0, and so does a constant factor or axis.

    Args:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) numeric true factors.
        random_state: seed of the halves.
    """
    return matched_score(OWN_PART, latents, factors, own_parts, random_state)


def _measure(sample: Sample) -> Results:
    """Over the shared numeric factors."""
    part = sample.only("shared", numeric=True)
    if part is None:
        return {}
    result = mcc_own(part.latents, part.factors, random_state=sample.random_state)
    return {result.name: result}


GROUP = OfLatents("own-part", (OWN_PART,), _measure)
