"""What is watched while a model trains: retrieval, and whether the axes mean something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from rivae.data.base import PairedDataset
from rivae.methods.base import Method
from rivae.metrics.mcc import cross_correlation
from rivae.retrieval.ranks import median_rank, recall_at_k
from rivae.retrieval.retriever import Retriever

MAX_ROWS = 1000


def validation_scores(method: Method, data: PairedDataset) -> dict[str, float]:
    """Retrieval among at most 1,000 validation pairs, and MCC and linear R^2 of mu.

    "score", the mean reciprocal rank, selects the best epoch: unlike R@1 it moves smoothly.
    Good retrieval says nothing about the axes, hence "mcc" and "r2" (in sample, for watching
    only; ``rivae evaluate`` measures them held out). They are absent without shared factors.
    """
    rows = data.splits["validation"][:MAX_ROWS]
    if not len(rows):
        return {}
    retriever = Retriever(method, data, rows)
    ranks = retriever.true_ranks(rows)
    scores = {
        "score": float(np.mean(1.0 / ranks)),
        "recall_at_1": recall_at_k(ranks, 1),
        "recall_at_10": recall_at_k(ranks, 10),
        "median_rank": median_rank(ranks),
    }
    shared = [
        k
        for k, spec in enumerate(data.factor_specs)
        if spec.role == "shared" and spec.kind != "categorical"
    ]
    if data.factors is not None and shared and len(rows) > 10:
        mu, _ = retriever.encode(rows)
        factors = data.factors[rows][:, shared]
        table = np.abs(cross_correlation(mu, factors, "pearson"))
        # A factor that is left without a latent counts as 0.
        scores["mcc"] = float(table[linear_sum_assignment(-table)].sum() / len(shared))
        scores["r2"] = _linear_r2(mu, factors)
    return scores


def _linear_r2(mu: NDArray[np.float64], factors: NDArray[np.float64]) -> float:
    """Mean R^2 of least squares from mu (n, d) to each factor (n, K)."""
    design = np.column_stack([mu, np.ones(len(mu))])
    fitted = design @ np.linalg.lstsq(design, factors, rcond=None)[0]
    residual = ((factors - fitted) ** 2).sum(axis=0)
    total = ((factors - factors.mean(axis=0)) ** 2).sum(axis=0)
    return float(np.mean(1.0 - residual / np.maximum(total, 1e-12)))
