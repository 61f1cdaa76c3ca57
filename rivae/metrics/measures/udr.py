"""Unsupervised disentanglement ranking: how well other seeds find the same axes.

Duan et al., "Unsupervised Model Selection for Variational Disentangled Representation Learning"
(ICLR 2020, arXiv:1905.12614), Sec. 4, Eq. 2. The idea: models that disentangle resemble each other
up to order and sign of their axes, models that entangle do so each in its own way. With R_ab the
similarity of axis a of model i and axis b of model j, over the informative axes of both,

    UDR_ij = [ sum_b max_a R_ab^2 / sum_a R_ab + sum_a max_b R_ab^2 / sum_b R_ab ] / (d_a + d_b),

and the score of model i is the median of UDR_ij over the other models j.

It needs no labels and knows no truth: seeds that share a wrong bias agree as well. Whether it picks
better models here is measured by ``benchmarks/model_choice.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError, DataError
from rivae.metrics.base import Metric, MetricGroup, MetricResult, check_pair, standardised
from rivae.metrics.matching import cross_correlation

UDR = Metric("udr", "UDR", "how far other seeds find the same axes")
GROUP = MetricGroup("udr", (UDR,))
Similarity = Literal["spearman", "lasso"]
Mask = NDArray[np.bool_]
# From the reference implementation (google-research/disentanglement_lib, evaluation/udr).
KL_THRESHOLD = 0.01
LASSO_ALPHA = 0.1


def axis_information(mu: Floats, log_var: Floats) -> Floats:
    """Information of each axis about the query, in nats, (d,), >= 0.

    The mean over queries of KL(P(z_j|v1) || A_j), where A_j is the normal distribution with the
    mean and variance of the aggregate E[P(z_j|v1)]. The cited paper takes the KL to the prior
    N(0, 1); here the prior is conditional and the unit of z free, and this KL does not depend on
    that unit.
    """
    variance = mu.var(axis=0) + np.exp(log_var).mean(axis=0)
    return np.asarray(np.maximum(np.log(variance) - log_var.mean(axis=0), 0.0) / 2)


def similarity_table(a: Floats, b: Floats, similarity: Similarity) -> Floats:
    """R (d1, d2) >= 0 of the axes of a (n, d1) and b (n, d2).

    "spearman": |rank correlation| (UDR_S), symmetric in the two models. "lasso": |coefficient| of
    axis a when all of a predict axis b, both standardised, penalty 0.1 (UDR_L).
    """
    if similarity == "spearman":
        return np.asarray(np.abs(cross_correlation(a, b, "spearman")))
    from sklearn.linear_model import Lasso

    lasso = Lasso(alpha=LASSO_ALPHA, max_iter=20_000).fit(standardised(a), standardised(b))
    return np.asarray(np.abs(lasso.coef_.reshape(b.shape[1], a.shape[1]).T))


def udr_of_table(table: ArrayLike) -> float:
    """UDR_ij of similarities R (d_a, d_b) between informative axes, in [0, 1] for R <= 1.

    1 when every axis resembles exactly one of the other model, and that fully; an axis that
    resembles none adds 0.
    """
    r = np.asarray(table, dtype=np.float64)
    parts = []
    for axis in (0, 1):
        total = r.sum(axis=axis)
        parts.append(np.where(total > 0, r.max(axis=axis) ** 2 / np.where(total > 0, total, 1), 0))
    return float(np.concatenate(parts).mean())


def udr(
    latents: Sequence[ArrayLike],
    *,
    informative: Sequence[ArrayLike] | None = None,
    names: Sequence[str] | None = None,
    similarity: Similarity = "spearman",
) -> list[MetricResult]:
    """The UDR of each of several models over the same rows, in [0, 1].

    NaN for a model without an informative axis; such a model counts as 0 against the others.

    Args:
        latents: per model (n, d_i); numbers of axes may differ.
        informative: per model (d_i,) which axes count; all by default.
        names: of the models, for ``parts["pairwise"]``; their positions by default.
        similarity: see ``similarity_table``.

    Raises:
        ConfigError: for fewer than three models (two always score alike) or another similarity.
        DataError: for shapes that do not fit, NaN or infinite values.
    """
    if similarity not in ("spearman", "lasso"):
        raise ConfigError(f"UDR compares by 'spearman' or 'lasso', not '{similarity}'")
    if len(latents) < 3:
        raise ConfigError(
            f"ranking by agreement needs at least three models, got {len(latents)}: two always "
            "get the same score"
        )
    models = [check_pair(z, latents[0])[0] for z in latents]
    masks = _masks(models, informative)
    names = [str(i) for i in range(len(models))] if names is None else list(names)
    scores = np.full((len(models), len(models)), np.nan)
    for i, j in np.ndindex(scores.shape):
        if i != j and masks[i].any() and masks[j].any():
            a, b = models[i][:, masks[i]], models[j][:, masks[j]]
            scores[i, j] = min(udr_of_table(similarity_table(a, b, similarity)), 1.0)
        elif i != j and masks[i].any():
            scores[i, j] = 0.0
    return [
        _result(i, scores[i], masks[i], names, similarity, len(models[0]))
        for i in range(len(models))
    ]


def _masks(models: list[Floats], informative: Sequence[ArrayLike] | None) -> list[Mask]:
    if informative is None:
        return [np.ones(z.shape[1], dtype=bool) for z in models]
    masks = [np.asarray(mask, dtype=bool) for mask in informative]
    if [m.shape for m in masks] != [(z.shape[1],) for z in models]:
        raise DataError("informative axes must be given for every axis of every model")
    return masks


def _result(
    i: int, row: Floats, mask: Mask, names: list[str], similarity: str, n: int
) -> MetricResult:
    """The median over the other models, as the metrics return it."""
    settings = {"similarity": similarity, "n_models": len(row), "kl_threshold": KL_THRESHOLD}
    parts = {
        "informative": np.flatnonzero(mask).tolist(),
        "pairwise": {names[j]: float(row[j]) for j in range(len(row)) if j != i},
    }
    if not mask.any():
        reason = "no axis depends on the query"
        return UDR.undefined(reason, settings=settings, parts=parts)
    others = np.delete(row, i)
    return UDR.result(
        float(np.median(others)),
        std=float(others.std()),
        n=n,
        parts=parts,
        settings=settings,
    )
