"""Standard DCI (Eastwood & Williams 2018): dedication in the importances of a predictor.

R_jk is the importance of axis j when factor k is predicted from all axes. Disentanglement
D_j = 1 - H(R_j. / sum) / log K, averaged with weight sum_k R_jk; completeness
C_k = 1 - H(R_.k / sum) / log d, averaged plainly over factors; informativeness is the held-out
quality of the prediction (the authors report its error).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.data.factors import FactorSpec
from rivae.metrics.base import (
    Metric,
    MetricResult,
    OfLatents,
    Results,
    Sample,
    check_pair,
    check_specs,
    halves,
    one_minus_entropy,
)

D = Metric("dci_disentanglement", "DCI-D", "one factor per axis, by importances", "standard")
C = Metric("dci_completeness", "DCI-C", "one axis per factor, by importances", "standard")
I = Metric("dci_informativeness", "DCI-I", "how well a forest predicts the factors", "standard")  # noqa: E741
CHEAP_TREES = 10


def dci_from_importance(
    importance: ArrayLike, settings: dict[str, Any] | None = None
) -> dict[str, MetricResult]:
    """dci_disentanglement and dci_completeness of importances (d, K) >= 0, each in [0, 1].

    A factor that nothing predicts (a column of zeros) has C_k = 0, an axis that predicts nothing
    (a row of zeros) has no weight in D. All zeros: D is undefined. K = 1: D undefined; d = 1: C.
    """
    r = np.asarray(importance, dtype=np.float64)
    if r.ndim != 2 or not r.size or not (np.isfinite(r) & (r >= 0)).all():
        raise DataError("importances must be a (d, K) matrix of numbers >= 0")
    settings = settings or {}
    d, n_factors = r.shape
    weight = r.sum(axis=1)
    if n_factors < 2 or weight.sum() == 0:
        reason = "one factor only" if n_factors < 2 else "no axis predicts any factor"
        first = D.undefined(reason, settings=settings)
    else:
        each = one_minus_entropy(r)
        weight = weight / weight.sum()
        first = D.result(
            float(weight @ each),
            n=d,
            settings=settings,
            parts={"per_latent": each.tolist(), "weights": weight.tolist(), "table": r.tolist()},
        )
    if d < 2:
        return {D.key: first, C.key: C.undefined("one axis only", settings=settings)}
    each = one_minus_entropy(r.T)
    second = C.result(
        float(each.mean()),
        n=n_factors,
        settings=settings,
        parts={"per_factor": each.tolist(), "table": r.tolist()},
    )
    return {D.key: first, C.key: second}


def _fit(
    z: Floats, y: Floats, categorical: bool, n_trees: int, random_state: int
) -> tuple[Floats, float]:
    """Importances (d,) and held-out quality in [0, 1] of a random forest for one factor."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    fit, score = halves(len(z), random_state)
    if len(np.unique(y[fit])) < 2 or len(np.unique(y[score])) < 2:
        return np.zeros(z.shape[1]), 0.0
    kind = RandomForestClassifier if categorical else RandomForestRegressor
    forest = kind(n_estimators=n_trees, min_samples_leaf=3, random_state=random_state, n_jobs=1)
    quality = float(forest.fit(z[fit], y[fit]).score(z[score], y[score]))
    if categorical:  # accuracy above always naming the most frequent class
        chance = float(np.unique(y[score], return_counts=True)[1].max() / len(score))
        quality = (quality - chance) / (1 - chance)
    return forest.feature_importances_, float(np.clip(quality, 0.0, 1.0))


def dci_standard(
    latents: ArrayLike,
    factors: ArrayLike,
    specs: tuple[FactorSpec, ...],
    *,
    n_trees: int = 50,
    random_state: int = 0,
) -> dict[str, MetricResult]:
    """dci_disentanglement, dci_completeness, dci_informativeness with random forests.

    Importances are those of impurity, so those of a factor sum to 1. Informativeness of a numeric
    factor is held-out R², of a categorical one the accuracy above chance, both clipped to [0, 1].

    Args:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) with ``specs``.
        n_trees: trees per forest; 10 is a cheap setting.
        random_state: seed of the halves and the forests.
    """
    z, f = check_pair(latents, factors)
    check_specs(f, specs)
    fits = [
        _fit(z, f[:, k], spec.kind == "categorical", n_trees, random_state)
        for k, spec in enumerate(specs)
    ]
    settings = {
        "predictor": "random forest, impurity importances",
        "n_trees": n_trees,
        "min_samples_leaf": 3,
        "n_fit": len(z) // 2,
        "random_state": random_state,
    }
    results = dci_from_importance(np.array([importance for importance, _ in fits]).T, settings)
    quality = [q for _, q in fits]
    results[I.key] = I.mean_of_factors(quality, specs, n=len(z) - len(z) // 2, settings=settings)
    return results


def _measure(sample: Sample) -> Results:
    """Over the shared factors."""
    part, state = sample.only("shared"), sample.random_state
    if part is None:
        return {}
    trees = CHEAP_TREES if sample.cheap else 50
    z, f = part.latents, part.factors
    return dci_standard(z, f, part.specs, n_trees=trees, random_state=state)


DCI = OfLatents("dci-standard", (D, C, I), _measure, refits=True)
