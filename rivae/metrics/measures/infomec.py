"""InfoMEC: modularity, explicitness and compactness from information (Hsu et al. 2023).

NMI_kj = I(s_k; z_j) / H(s_k). InfoM = (mean_j max_k NMI / sum_k NMI - 1/K) / (1 - 1/K) over
active axes, InfoC the same with factors and axes exchanged, InfoE = mean_k of the
normalised predictive information of all axes about s_k with a linear predictor.

Estimators. I is the nearest-neighbour estimator of Ross (2014) with 10 neighbours, as in the
authors' code. It needs a discrete source: levels of ordinal and categorical factors are taken as
they are, a continuous factor is cut into 20 bins of equal frequency; H is the entropy of these
classes. Predictive information of a categorical factor is that of multinomial logistic
regression; of an ordinal or continuous one R² of linear regression, as in the same authors'
later code for continuous sources. Both are measured on held-out rows and clipped to [0, 1].

InfoM and InfoC are ratios: where z carries no information at all they compare the noise of the
estimator and come out high, so read them together with InfoE and their null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
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
    standardised,
)
from rivae.metrics.measures.r2 import held_out_r2

INFOM = Metric("infom", "InfoM", "modularity: an axis depends on one factor", "standard")
INFOC = Metric("infoc", "InfoC", "compactness: one axis encodes a factor", "standard")
INFOE = Metric("infoe", "InfoE", "explicitness: factors are linear in z", "standard")
INACTIVE_BELOW = 1 / 20  # of the largest range: axes that move less are ignored


def infom_infoc(nmi: ArrayLike, settings: dict[str, Any] | None = None) -> dict[str, MetricResult]:
    """InfoM and InfoC of normalised mutual informations (d active axes, K factors) >= 0.

    An axis (factor) that shares no information with anything counts as uniform, 0. K = 1 leaves
    InfoM undefined, d = 1 InfoC.
    """
    table = np.asarray(nmi, dtype=np.float64)
    if table.ndim != 2 or not table.size or not (np.isfinite(table) & (table >= 0)).all():
        raise DataError("mutual informations must be a (d, K) matrix of numbers >= 0")
    settings = settings or {}
    results = {}
    for metric, rows, part, reason in (
        (INFOM, table, "per_latent", "one factor only"),
        (INFOC, table.T, "per_factor", "one active axis only"),
    ):
        n = rows.shape[1]
        if n < 2:
            results[metric.key] = metric.undefined(reason, settings=settings)
            continue
        total = rows.sum(axis=1)
        share = np.where(total > 0, rows.max(axis=1) / np.where(total > 0, total, 1.0), 1 / n)
        each = np.clip((share - 1 / n) / (1 - 1 / n), 0.0, 1.0)
        results[metric.key] = metric.result(
            float(each.mean()),
            n=len(each),
            parts={part: each.tolist(), "nmi": table.tolist()},
            settings=settings,
        )
    return results


def _codes(factor: Floats, spec: FactorSpec, n_bins: int) -> Ints:
    """The factor as classes 0, 1, 2 ..."""
    if spec.kind == "continuous":
        # Two rows a bin at least: the estimator of I ignores classes of one.
        n_bins = max(2, min(n_bins, len(factor) // 2))
        edges = np.quantile(factor, np.linspace(0, 1, n_bins + 1)[1:-1])
        factor = np.searchsorted(edges, factor, side="right").astype(np.float64)
    return np.unique(factor, return_inverse=True)[1].ravel().astype(np.int64)


def _entropy(codes: Ints) -> float:
    share = np.bincount(codes) / len(codes)
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def normalised_information(
    latents: Floats,
    factors: Floats,
    specs: tuple[FactorSpec, ...],
    *,
    n_bins: int = 20,
    n_neighbors: int = 10,
    random_state: int = 0,
) -> Floats:
    """NMI (d, K) clipped to [0, 1]; a constant factor has none with anything."""
    from sklearn.feature_selection import mutual_info_classif

    z = standardised(latents)
    table = np.zeros((z.shape[1], len(specs)))
    for k, spec in enumerate(specs):
        codes = _codes(factors[:, k], spec, n_bins)
        entropy = _entropy(codes)
        if entropy > 0:
            information = mutual_info_classif(
                z,
                codes,
                discrete_features=False,
                n_neighbors=n_neighbors,
                random_state=random_state,
            )
            table[:, k] = np.clip(information / entropy, 0.0, 1.0)
    table[np.ptp(latents, axis=0) == 0] = 0.0  # the estimator adds noise to a constant axis
    return table


def predictive_information(
    latents: Floats, factor: Floats, spec: FactorSpec, random_state: int
) -> float:
    """Normalised predictive information of all axes about one factor, held out, in [0, 1]."""
    if spec.kind != "categorical":
        value = held_out_r2(latents, factor, "linear", random_state)
        return 0.0 if np.isnan(value) else float(np.clip(value, 0.0, 1.0))
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    codes = _codes(factor, spec, 0)
    fit, score = halves(len(codes), random_state)
    score = score[np.isin(codes[score], codes[fit])]
    if len(np.unique(codes[fit])) < 2 or len(np.unique(codes[score])) < 2:
        return 0.0
    z = standardised(latents)
    # A weak penalty keeps separable classes finite; the authors use none and stop early instead.
    model = LogisticRegression(C=100.0, solver="newton-cholesky").fit(z[fit], codes[fit])
    conditional = log_loss(codes[score], model.predict_proba(z[score]), labels=model.classes_)
    return float(np.clip(1 - conditional / _entropy(codes[score]), 0.0, 1.0))


def infomec(
    latents: ArrayLike,
    factors: ArrayLike,
    specs: tuple[FactorSpec, ...],
    *,
    n_bins: int = 20,
    n_neighbors: int = 10,
    random_state: int = 0,
) -> dict[str, MetricResult]:
    """infom, infoe and infoc, each in [0, 1].

    Args:
        latents: (n, d), here the means mu(v1); axes whose range is below 1/20 of the largest are
            inactive and ignored by InfoM and InfoC.
        factors: (n, K) with ``specs``.
        n_bins: bins of a continuous factor.
        n_neighbors: of the estimator of mutual information.
        random_state: seed of the estimator and the halves.
    """
    z, f = check_pair(latents, factors)
    check_specs(f, specs)
    ranges = np.ptp(z, axis=0)
    active = (ranges > 0) & (ranges >= INACTIVE_BELOW * ranges.max())
    settings: dict[str, Any] = {
        "information": f"Ross (2014), {n_neighbors} neighbours",
        "n_bins_continuous": n_bins,
        "active_latents": np.flatnonzero(active).tolist(),
        "random_state": random_state,
    }
    if active.any():
        nmi = normalised_information(
            z[:, active],
            f,
            specs,
            n_bins=n_bins,
            n_neighbors=n_neighbors,
            random_state=random_state,
        )
        results = infom_infoc(nmi, settings)
    else:
        reason = "every axis is constant"
        results = {m.key: m.undefined(reason, settings=settings) for m in (INFOM, INFOC)}
    each = [predictive_information(z, f[:, k], s, random_state) for k, s in enumerate(specs)]
    results[INFOE.key] = INFOE.mean_of_factors(
        each, specs, n=len(z) - len(z) // 2, settings=settings
    )
    return results


def _measure(sample: Sample) -> Results:
    """Over the shared factors."""
    part, state = sample.only("shared"), sample.random_state
    if part is None:
        return {}
    return infomec(part.latents, part.factors, part.specs, random_state=state)


INFOMEC = OfLatents("infomec", (INFOM, INFOC, INFOE), _measure, refits=True)
