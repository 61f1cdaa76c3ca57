"""Retrieval metrics: recall at k and median rank over random search sets."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Ints
from rivae.base.errors import DataError
from rivae.metrics.base import Metric, MetricGroup, MetricResult
from rivae.retrieval.base import median_rank, recall_at_k

if TYPE_CHECKING:
    from rivae.retrieval.retriever import Retriever


def _recall_by_chance(k: int, n: int) -> float:
    return min(k / n, 1.0)


def _recall(k: int) -> Metric:
    comes = "ranks first" if k == 1 else f"is among the first {k}"
    title, chance = f"share of queries whose own pair {comes}", partial(_recall_by_chance, k)
    return Metric(f"recall_at_{k}", f"R@{k}", title, "retrieval", chance=chance)


RECALL = {k: _recall(k) for k in (1, 5, 10)}
MEDIAN_RANK = Metric(
    "median_rank",
    "MedR",
    "median rank of a query's own pair, 1 is best",
    "retrieval",
    low=1.0,
    high=math.inf,  # the size of the search set, which a result knows
    higher_is_better=False,
    decimals=2,
    chance=lambda n: (n + 1) / 2,
)
METRICS = (*RECALL.values(), MEDIAN_RANK)
# Validation chooses the best epoch by it; evaluations do not measure it.
RECIPROCAL_RANK = Metric("score", "MRR", "mean of 1 / rank of a query's own pair")
RETRIEVAL = MetricGroup("retrieval", (*METRICS, RECIPROCAL_RANK))


def search_sets(rows: ArrayLike, size: int, n_sets: int, random_state: int) -> list[Ints]:
    """``n_sets`` random sets of ``size`` rows, each drawn without replacement and sorted.

    When ``rows`` has no more than ``size`` entries there is one set: all of them.

    Raises:
        DataError: if there are no rows, or a size or number below 1.
    """
    rows = np.asarray(rows, dtype=np.int64)
    if size < 1 or n_sets < 1 or not len(rows):
        raise DataError("a search set needs at least one row, one item and one draw")
    if len(rows) <= size:
        return [np.sort(rows)]
    rng = np.random.default_rng(random_state)
    return [np.sort(rng.choice(rows, size=size, replace=False)) for _ in range(n_sets)]


def retrieval_metrics(
    retriever: Retriever,
    rows: ArrayLike,
    *,
    search_size: int,
    n_sets: int = 10,
    n_samples: int = 0,
    random_state: int = 0,
) -> dict[str, MetricResult]:
    """recall_at_1, recall_at_5, recall_at_10 and median_rank, mean and s.d. over search sets.

    Every item of a set is a query once, by its x1 or what else ``retriever.asks`` with, and
    searches all items of the set.

    Args:
        rows: the rows the sets are drawn from, all among ``retriever.ids``.
        search_size: items in one set.
        n_sets: how many sets.
        n_samples: 0 for the mean mu(v1), else samples of P(z|v1), see ``Retriever.true_ranks``.
        random_state: seed of the sets and the samples.
    """
    sets = search_sets(rows, search_size, n_sets, random_state)
    queries = np.unique(np.concatenate(sets))  # embedded once, in however many sets they are
    mu, log_var = retriever.encode(queries)
    ranks = []
    for i, items in enumerate(sets):
        row_of_item = np.searchsorted(queries, items)
        ranks.append(
            retriever.subset(items).true_ranks(
                items,
                encoded=(mu[row_of_item], log_var[row_of_item]),
                n_samples=n_samples,
                random_state=random_state + i,
            )
        )
    v = {"first": "v1", "second": "v2", "both": "v1,v2"}[retriever.asks]
    settings: dict[str, Any] = {
        "search_size": len(sets[0]),
        "search_size_asked": search_size,
        "n_search_sets": len(sets),
        "query": f"mu({v})" if n_samples == 0 else f"mean score of {n_samples} z ~ P(z|{v})",
        "n_samples": n_samples,
        "ties": "half",
        "random_state": random_state,
    }

    def result(metric: Metric, values: list[float], high: float | None = None) -> MetricResult:
        return metric.result(
            float(np.mean(values)),
            high=high,
            std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
            n=len(values),
            parts={"per_set": values},
            settings=settings,
        )

    results = {m.key: result(m, [recall_at_k(r, k) for r in ranks]) for k, m in RECALL.items()}
    medians = [median_rank(r) for r in ranks]
    results[MEDIAN_RANK.key] = result(MEDIAN_RANK, medians, float(len(sets[0])))
    return results
