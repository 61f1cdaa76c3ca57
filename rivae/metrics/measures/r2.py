"""How much of each factor's variance z explains, linearly and not, on held-out rows."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError
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
    standardised,
)
from rivae.metrics.correlation import numeric_factors

Model = Literal["linear", "boosting", "neighbours"]

LINEAR = Metric(
    "r2", "linear R²", "variance of the factors that z explains linearly", "standard", -math.inf
)
NONLINEAR = Metric(
    "r2_nonlinear", "non-linear R²", "the same with boosted trees", "standard", -math.inf
)


def held_out_r2(latents: Floats, factor: Floats, model: Model, random_state: int) -> float:
    """R² on the half that was not fitted, in (-inf, 1]; NaN for a factor constant on a half."""
    fit, score = halves(len(latents), random_state)
    if np.ptp(factor[fit]) == 0 or np.ptp(factor[score]) == 0:
        return math.nan
    z = standardised(latents)
    y = (factor - factor[fit].mean()) / factor[fit].std()
    if model == "linear":
        # Least squares without scikit-learn, for whose import every trainer would wait.
        z_centred = z - z[fit].mean(axis=0)
        prediction = z_centred[score] @ np.linalg.lstsq(z_centred[fit], y[fit], rcond=None)[0]
    else:
        prediction = _regressor(model, len(fit), random_state).fit(z[fit], y[fit]).predict(z[score])
    share_left = np.sum((y[score] - prediction) ** 2) / np.sum((y[score] - y[score].mean()) ** 2)
    return float(1.0 - share_left)


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
    metric = LINEAR if model == "linear" else NONLINEAR
    numeric = numeric_factors(specs)
    values = {specs[k].name: held_out_r2(z, f[:, k], model, random_state) for k in numeric}
    finite = {key: value for key, value in values.items() if not math.isnan(value)}
    by_role = {
        role: float(np.mean(scores))
        for role in ("shared", "private1", "private2")
        if (scores := [finite[s.name] for s in specs if s.role == role and s.name in finite])
    }
    settings = {
        "model": model,
        "n_fit": len(z) // 2,
        "random_state": random_state,
        "left_out": [s.name for s in specs if s.name not in finite],
    }
    parts = {"per_factor": finite, "by_role": by_role}
    if "shared" not in by_role:
        return metric.undefined(
            "no shared numeric factor that varies", parts=parts, settings=settings
        )
    return metric.result(by_role["shared"], n=len(z) - len(z) // 2, parts=parts, settings=settings)


def measure_r2(sample: Sample, usual: Model, cheap: Model) -> Results:
    """R² by the model ``usual``, or ``cheap`` where the sample asks for it."""
    if not numeric_factors(sample.specs):
        return {}
    model, state = cheap if sample.cheap else usual, sample.random_state
    result = r2(sample.latents, sample.factors, sample.specs, model=model, random_state=state)
    return {result.name: result}


R2 = OfLatents("r2", (LINEAR,), partial(measure_r2, usual="linear", cheap="linear"))
