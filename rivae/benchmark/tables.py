"""What the tables hold and in which order: data sets, methods, metrics, and their names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rivae.benchmark.names import TITLES
from rivae.metrics.dci_paper import ALPHAS
from rivae.metrics.digits import MAX_OVERLAP

# The row that the paper's ablation switches off, as the ``settings`` of a result row.
WITHOUT_REG = "lambda_reg=0.0"

RETRIEVAL = ("recall_at_1", "recall_at_5", "recall_at_10", "median_rank")
FACTORS = ("disentanglement", "completeness", "informativeness")
STANDARD = (
    "mcc",
    "mcc_spearman",
    "r2",
    "r2_nonlinear",
    "dci_disentanglement",
    "dci_completeness",
    "dci_informativeness",
    "infom",
    "infoc",
    "infoe",
)
DIGITS = ("overlap", "coverage", "coverage_minus_overlap")


def digit_range(n_std: float) -> str:
    """Name of the range mean +- n s.d. of the aggregated prior."""
    return f"{n_std:g} s.d."


def alpha_metric(metric: str, alpha: float | None) -> str:
    """Name of D or C at another alpha; None is |corr| itself as the weight."""
    return f"{metric}_linear" if alpha is None else f"{metric}_alpha_{alpha:g}"


def alpha_scores(measured: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """``rivae.metrics.dci_paper.alpha_sensitivity`` as one score per metric name."""
    return {
        alpha_metric(name, None if at["rho"] == "linear" else float(at["alpha"])): at[name]
        for at in measured
        for name in ("disentanglement", "completeness")
    }


_ALPHA_LABELS = {
    alpha_metric(metric, alpha): f"{letter}, {'linear' if alpha is None else f'α = {alpha:g}'}"
    for metric, letter in (("disentanglement", "D"), ("completeness", "C"))
    for alpha in (*ALPHAS, None)
}

# table -> its metrics in the order of the columns
TABLES: dict[str, tuple[str, ...]] = {
    "retrieval": RETRIEVAL,
    "factors": FACTORS,
    "digits": DIGITS,
    "standard": STANDARD,
    "alpha": tuple(_ALPHA_LABELS),
    "ablation": RETRIEVAL,
}
LABELS = {
    "recall_at_1": "R@1",
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "median_rank": "MedR",
    "disentanglement": "D",
    "completeness": "C",
    "informativeness": "I",
    "mcc": "MCC",
    "mcc_spearman": "MCC (Spearman)",
    "r2": "linear R²",
    "r2_nonlinear": "non-linear R²",
    "dci_disentanglement": "DCI-D",
    "dci_completeness": "DCI-C",
    "dci_informativeness": "DCI-I",
    "infom": "InfoM",
    "infoc": "InfoC",
    "infoe": "InfoE",
    "overlap": "overlap",
    "coverage": "coverage",
    "coverage_minus_overlap": "C−O",
    **_ALPHA_LABELS,
}
# (least, most) where a metric does not lie in [0, 1]; as ``MetricResult.low`` and ``high`` say.
_RANGES = {
    "median_rank": (1.0, math.inf),  # the most is the size of the search set, not known here
    "r2": (-math.inf, 1.0),
    "r2_nonlinear": (-math.inf, 1.0),
    "overlap": (0.0, MAX_OVERLAP),
    "coverage_minus_overlap": (-MAX_OVERLAP, 1.0),
}
LOWER_IS_BETTER = ("median_rank", "overlap")


def metric_range(metric: str) -> tuple[float, float]:
    """The least and the most that a metric can be; infinite where open or unknown."""
    unknown = (-math.inf, math.inf)
    return _RANGES.get(metric, (0.0, 1.0) if metric in LABELS else unknown)


def title(method: str, settings: str = "") -> str:
    """The name of a row as a reader knows it."""
    name = TITLES.get(method, method)
    if settings == WITHOUT_REG:
        return f"{name} without L_Reg"
    return f"{name} ({settings})" if settings else name
