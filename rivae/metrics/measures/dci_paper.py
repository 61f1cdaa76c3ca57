"""The paper's disentanglement, completeness and informativeness of a |corr| table (Sec. 4).

p_jk = rho(c_jk) / sum_k' rho(c_jk') with rho(c) = exp(alpha c); D = 1 - mean_j H_j / log K, C the
same over columns, I = mean_k max_j c_jk. The printed denominator of p sums to d; it must be K.
Means are plain, where standard DCI weights rows by importance. The paper does not give alpha;
its published Synth row for DCCA needs alpha >= 10.1, so the default is 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.base.arrays import Floats
from rivae.base.config import LEAST, MOST
from rivae.base.errors import ConfigError, DataError, shown
from rivae.metrics.base import Metric, MetricGroup, MetricResult, one_minus_entropy

DEFAULT_ALPHA = 10.0
ALPHAS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)

Rho = Literal["exp", "linear"]

D = Metric("disentanglement", "D", "disentanglement: one factor per axis", "factors")
C = Metric("completeness", "C", "completeness: one axis per factor", "factors")
I = Metric("informativeness", "I", "informativeness: factors readable from z", "factors")  # noqa: E741
METRICS = (D, C, I)
PRIVATE = "_with_private"  # over private factors of view 2 as well


def at_alpha(metric: Metric, alpha: float | None) -> Metric:
    """D or C at another alpha; None is |corr| itself as the weight."""
    key, label = ("linear", "linear") if alpha is None else (f"alpha_{alpha:g}", f"α = {alpha:g}")
    return Metric(f"{metric.key}_{key}", f"{metric.label}, {label}", metric.title, "alpha")


def alpha_scores(points: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """``alpha_sensitivity`` as one score per ``at_alpha`` key."""
    return {
        at_alpha(metric, None if at["rho"] == "linear" else float(at["alpha"])).key: at[metric.key]
        for at in points
        for metric in (D, C)
    }


WITH_PRIVATE = tuple(
    Metric(m.key + PRIVATE, f"{m.label}, private too", m.title, "private") for m in METRICS
)
AT_ALPHA = tuple(at_alpha(metric, alpha) for metric in (D, C) for alpha in (*ALPHAS, None))
DCI = MetricGroup("dci-paper", (*METRICS, *WITH_PRIVATE, *AT_ALPHA))


def require_alpha(alpha: float) -> None:
    """ConfigError unless ``alpha`` may be that of rho(c) = exp(alpha c)."""
    if isinstance(alpha, bool) or not (np.isfinite(alpha) and LEAST <= alpha <= MOST):
        raise ConfigError(
            f"alpha must be a positive number of {LEAST:g} to {MOST:g}, got {shown(alpha, 30)}"
        )


def _weights(table: Floats, alpha: float, rho: Rho, axis: int) -> Floats:
    if rho == "linear":
        return table
    # Only ratios within a row (column) matter; the largest becomes 1, so nothing overflows.
    return np.exp(alpha * (table - table.max(axis=axis, keepdims=True)))


def paper_dci(
    table: ArrayLike, *, alpha: float = DEFAULT_ALPHA, rho: Rho = "exp"
) -> dict[str, MetricResult]:
    """D, C and I of a table of absolute correlations (d, K), each in [0, 1].

    A row of equal values (a constant axis, for instance) has D_j = 0. With K = 1 no axis can
    mix factors and D is undefined; with d = 1 C is undefined.

    Args:
        table: (d, K), one row per axis.
        alpha: sharpness of rho(c) = exp(alpha c); a larger one lifts D and C.
        rho: "exp" as in the paper's example, or "linear" where |corr| itself is the weight.

    Returns:
        results named disentanglement, completeness and informativeness.

    Raises:
        DataError: if an entry lies outside [0, 1].
        ConfigError: see ``require_alpha``.
    """
    c = np.asarray(table, dtype=np.float64)
    if c.ndim != 2 or not c.size or not ((c >= 0) & (c <= 1 + 1e-9)).all():
        raise DataError("a correlation table must be (d, K) with entries in [0, 1]")
    if rho not in ("exp", "linear"):
        raise ConfigError(f"rho must be 'exp' or 'linear', got '{rho}'")
    require_alpha(alpha)
    d, n_factors = c.shape
    settings: dict[str, Any] = {
        "rho": "exp(alpha c)" if rho == "exp" else "c",
        "table": [d, n_factors],
    }
    if rho == "exp":
        settings["alpha"] = alpha
    results = {}
    for metric, rows, axis, enough, part, reason in (
        (D, c, 1, n_factors > 1, "per_latent", "one factor only: no axis can mix factors"),
        (C, c.T, 1, d > 1, "per_factor", "one axis only: no factor can be split"),
    ):
        if not enough:
            results[metric.key] = metric.undefined(reason, settings=settings)
            continue
        each = one_minus_entropy(_weights(rows, alpha, rho, axis))
        results[metric.key] = metric.result(
            float(each.mean()), n=len(each), parts={part: each.tolist()}, settings=settings
        )
    best = c.max(axis=0)
    results[I.key] = I.result(
        float(best.mean()),
        n=n_factors,
        parts={"per_factor": best.tolist(), "best_latent": c.argmax(axis=0).tolist()},
        settings=settings,
    )
    return results


def paper_scores(tables: ArrayLike, alpha: float = DEFAULT_ALPHA) -> Floats:
    """D, C and I (b, 3) of many tables (b, d, K) at once, each as in ``paper_dci``.

    NaN where a table has a gap (NaN), and for what ``paper_dci`` leaves undefined.
    """
    c = np.asarray(tables, dtype=np.float64)
    gaps: NDArray[np.bool_] = np.asarray(np.isnan(c).any(axis=(1, 2)))
    c = np.where(gaps[:, None, None], 0.0, c)
    out = np.full((len(c), 3), np.nan)
    for i, rows in enumerate((c, c.transpose(0, 2, 1))):
        if rows.shape[2] > 1:
            out[:, i] = one_minus_entropy(_weights(rows, alpha, "exp", 2)).mean(axis=1)
    out[:, 2] = c.max(axis=1).mean(axis=1)
    out[gaps] = np.nan
    return out


def alpha_sensitivity(
    table: ArrayLike, alphas: Sequence[float] = ALPHAS
) -> list[dict[str, float | str]]:
    """D and C at several alphas, and last with |corr| itself as the weight.

    Each row is {"rho", "alpha" (NaN for the linear one), "disentanglement", "completeness"}.
    """
    rows: list[dict[str, float | str]] = []
    for alpha in (*alphas, None):
        scores = paper_dci(table, alpha=alpha or 1.0, rho="linear" if alpha is None else "exp")
        rows.append(
            {
                "rho": "linear" if alpha is None else "exp",
                "alpha": float("nan") if alpha is None else float(alpha),
                "disentanglement": scores["disentanglement"].score,
                "completeness": scores["completeness"].score,
            }
        )
    return rows
