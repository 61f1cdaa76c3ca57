"""How much of each factor's variance z explains, linearly and not, on held-out rows."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rivae.data.base import FactorSpec
from rivae.errors import ConfigError
from rivae.metrics.base import MetricResult
from rivae.metrics.checks import check_pair, check_specs, halves, standardised, undefined
from rivae.metrics.correlation import numeric_factors
from rivae.retrieval.base import Floats

Model = Literal["linear", "boosting", "neighbours"]


def held_out_r2(latents: Floats, factor: Floats, model: Model, random_state: int) -> float:
    """R² on the half that was not fitted, in (-inf, 1]; NaN for a factor constant on a half."""
    fit, score = halves(len(latents), random_state)
    if np.ptp(factor[fit]) == 0 or np.ptp(factor[score]) == 0:
        return math.nan
    z = standardised(latents)
    y = (factor - factor[fit].mean()) / factor[fit].std()
    if model == "linear":
        # Least squares without scikit-learn, for whose import every trainer would wait.
        centred = z - z[fit].mean(axis=0)
        told = centred[score] @ np.linalg.lstsq(centred[fit], y[fit], rcond=None)[0]
    else:
        told = _regressor(model, len(fit), random_state).fit(z[fit], y[fit]).predict(z[score])
    left = np.sum((y[score] - told) ** 2) / np.sum((y[score] - y[score].mean()) ** 2)
    return float(1.0 - left)


def _regressor(model: Model, n_fit: int, random_state: int) -> Any:
    if model == "boosting":
        from sklearn.ensemble import HistGradientBoostingRegressor

        return HistGradientBoostingRegressor(random_state=random_state)
    if model == "neighbours":
        from sklearn.neighbors import KNeighborsRegressor

        return KNeighborsRegressor(n_neighbors=min(10, n_fit), weights="distance")
    raise ConfigError(f"R² is 'linear', 'boosting' or 'neighbours', not '{model}'")


def r2(
    latents: ArrayLike,
    factors: ArrayLike,
    specs: tuple[FactorSpec, ...],
    *,
    model: Model = "linear",
    random_state: int = 0,
) -> MetricResult:
    """Held-out R² of every numeric factor from z; the score is the mean over shared factors.

    High is good for shared factors. A private factor of view 1 with a high R² means that z keeps
    what does not help retrieval; the private factor of view 2 cannot be seen from x1 at all.

    Args:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) with ``specs``; categorical and constant factors have no R² and are named.
        model: "linear", "boosting" (histogram gradient boosting) or "neighbours" (10 nearest,
            weighted by distance).
        random_state: seed of the halves and of the model.
    """
    z, f = check_pair(latents, factors)
    check_specs(f, specs)
    name = "r2" if model == "linear" else "r2_nonlinear"
    numeric = numeric_factors(specs)
    values = {specs[k].name: held_out_r2(z, f[:, k], model, random_state) for k in numeric}
    defined = {key: value for key, value in values.items() if not math.isnan(value)}
    by_role = {
        role: float(np.mean(scores))
        for role in ("shared", "private1", "private2")
        if (scores := [defined[s.name] for s in specs if s.role == role and s.name in defined])
    }
    settings = {
        "model": model,
        "n_fit": len(z) // 2,
        "random_state": random_state,
        "left_out": [s.name for s in specs if s.name not in defined],
    }
    parts = {"per_factor": defined, "by_role": by_role}
    if "shared" not in by_role:
        return undefined(
            name,
            "no shared numeric factor that varies",
            low=-math.inf,
            parts=parts,
            settings=settings,
        )
    return MetricResult(
        name=name,
        score=by_role["shared"],
        low=-math.inf,
        n=len(z) - len(z) // 2,
        parts=parts,
        settings=settings,
    )
