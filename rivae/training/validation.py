"""Scores on validation pairs while a model trains: retrieval, and how well axes match factors."""

from __future__ import annotations

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.data.base import PairedDataset
from rivae.metrics.correlation import numeric_factors
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.r2 import r2
from rivae.models.base import Method
from rivae.retrieval.base import median_rank, recall_at_k
from rivae.retrieval.retriever import Retriever

MAX_ROWS = 1000
MIN_FACTOR_ROWS = 20


def validation_scores(method: Method, data: PairedDataset) -> dict[str, float]:
    """Retrieval among at most 1,000 validation pairs, and MCC and linear R^2 of mu.

    "score", the mean reciprocal rank, selects the best epoch: unlike R@1 it moves smoothly. Of a
    method that either view may ask, it is the mean of both directions; the others are of the first.
    Good retrieval says nothing about the axes, hence "mcc" and "r2", fitted on one half
    of the rows and scored on the other. They are absent without shared numeric factors.
    """
    rows = data.splits["validation"][:MAX_ROWS]
    if not len(rows):
        return {}
    retriever = Retriever(method, data, rows)
    mu, log_var = retriever.encode(rows)
    ranks = retriever.true_ranks(rows, encoded=(mu, log_var))
    score = float(np.mean(1.0 / ranks))
    if method.asks_both_ways:
        back = Retriever(method, data, rows, asks="second").true_ranks(rows)
        score = (score + float(np.mean(1.0 / back))) / 2
    scores = {
        "score": score,
        "recall_at_1": recall_at_k(ranks, 1),
        "recall_at_10": recall_at_k(ranks, 10),
        "median_rank": median_rank(ranks),
    }
    return scores | axis_scores(retriever.latents(rows, (mu, log_var)), data, rows)


def axis_scores(z: Floats, data: PairedDataset, rows: Ints) -> dict[str, float]:
    """ "mcc" and "r2" of z (n, d) of data rows; neither without shared numeric factors."""
    specs = data.factor_specs
    shared_factors = [k for k in numeric_factors(specs) if specs[k].role == "shared"]
    if data.factors is None or not shared_factors or len(rows) < MIN_FACTOR_ROWS:
        return {}
    factors = data.factors[rows][:, shared_factors]
    return {
        "mcc": mcc(z, factors).score,
        "r2": r2(z, factors, tuple(specs[k] for k in shared_factors)).score,
    }
