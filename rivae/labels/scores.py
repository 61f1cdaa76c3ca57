"""The paper's D/C/I and correlation table from labels instead of true factors.

Labels (the median over annotators) replace the factors of retrieved items; the rest is that of
``rivae.metrics``. Each score comes with the number of needed items that are labelled, the scored
dimensions, and an interval over queries and annotators.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rivae.base.errors import ConfigError
from rivae.labels.coverage import Coverage, coverage_of, needed_items
from rivae.labels.table import consensus, rating_cube
from rivae.metrics.base import MetricResult
from rivae.metrics.correlation import CorrelationTable, path_correlations
from rivae.metrics.intervals import corrected_interval
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, METRICS, paper_dci, paper_scores
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.traversal import Traversal

NAMES = tuple(metric.key for metric in METRICS)
PAPER_SELECTED = 10  # of Recipe1M's 30 dimensions
# Share of a query's points that must be labelled before it counts. Paths with gaps are shorter and
# more often constant: on the kitchen, labelling a random half of the items halved D, while the same
# number of labels on complete queries did not change it.
MIN_SHARE = 0.9
ANNOTATOR_DRAWS = 30  # redrawn sets of annotators; for each all correlations are recomputed
MIN_QUERIES = 5  # with fewer, redrawing queries is meaningless
# The sources of variation that an interval covers.
OVER_ALL, OVER_QUERIES = "queries and annotators", "queries only: there is one annotator"


@dataclass(frozen=True)
class ScoredDims:
    """D, C and I over some latent dimensions, with 95 % intervals (NaN if there is none)."""

    dims: tuple[int, ...]
    results: Mapping[str, MetricResult]
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class LabelScores:
    """The scores of a run from labels.

    Attributes:
        table: the correlation table over all J dimensions; NaN for a factor without a sufficiently
            labelled query.
        coverage: how many of the needed items are labelled.
        every: D/C/I over all dimensions.
        selected: over the dimensions with the highest correlation, as the paper did for Recipe1M;
            this selection raises every score. None if it would take all dimensions.
        n_annotators: annotators with a label.
        interval_over: the sources of variation that the intervals cover.
        settings: every constant that affects a score.
    """

    table: CorrelationTable
    coverage: Coverage
    every: ScoredDims
    selected: ScoredDims | None
    n_annotators: int
    interval_over: str
    settings: Mapping[str, Any]


def label_scores(
    traversal: Traversal,
    labels: pd.DataFrame,
    factors: Sequence[str],
    *,
    alpha: float = DEFAULT_ALPHA,
    n_selected: int = PAPER_SELECTED,
    n_bootstrap: int = 400,
    random_state: int = 0,
) -> LabelScores:
    """D/C/I of a run's traversal from labels, with coverage and intervals.

    Args:
        traversal: from ``measured_traversal``.
        labels: see ``rivae.labels.table``; labels of other items and factors are left out.
        factors: K ids.
        alpha: of rho(c) = exp(alpha c).
        n_selected: dimensions chosen by their largest |corr| with any factor.
        n_bootstrap: draws of queries and annotators together; 0 for no interval.
        random_state: seed of the draws.

    Raises:
        ConfigError: no factors, or a number out of range.
        DataError: ``labels`` is not a table of labels.
    """
    if not factors or n_selected < 1 or n_bootstrap < 0:
        raise ConfigError("scores from labels need at least one factor and one dimension")
    items = needed_items(traversal)
    local = np.searchsorted(items, traversal.ids[..., 0])
    annotators, cube = rating_cube(labels, items, factors)
    levels = consensus(cube)
    correlation, usable = _correlations(traversal, local, levels)
    table = _table(correlation, usable, factors)
    n_dims = len(traversal.dims)
    n_counted = int(usable[:, 0].sum(axis=0).min())
    enough = n_counted >= MIN_QUERIES
    draws, over = _draws(traversal, local, cube, n_bootstrap if enough else 0, random_state)

    def scored(n_best: int | None) -> ScoredDims:
        """All dimensions, or the best ``n_best`` of them, selected again in every draw."""
        rows = _best_dims(table.absolute, n_best)
        results = _dci(table.absolute[rows], alpha)
        names = tuple(int(traversal.dims[j]) for j in rows)
        return ScoredDims(names, results, _intervals(draws, n_best, alpha, results, n_counted))

    return LabelScores(
        table=table,
        coverage=coverage_of(labels, items, factors, levels, local, usable),
        every=scored(None),
        selected=scored(n_selected) if n_selected < n_dims else None,
        n_annotators=len(annotators),
        interval_over=over,
        settings={
            "alpha": alpha,
            "factors": list(factors),
            "n_queries": len(traversal.z_ref),
            "n_points": int(traversal.values.shape[1]),
            "min_share": MIN_SHARE,
            "selection": f"the {n_selected} dimensions with the largest |corr| with any factor"
            if n_selected < n_dims
            else "none: every dimension is scored",
            "levels": "median over annotators",
            "n_bootstrap": n_bootstrap,
            "random_state": random_state,
        },
    )


def _correlations(
    traversal: Traversal, local: Ints, levels: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Correlations (q, J, K), 0 where constant as in the paper's table, and which queries count."""
    path = levels[local]
    enough = (~np.isnan(path)).mean(axis=(1, 2)) >= MIN_SHARE
    usable = np.broadcast_to(enough[:, None, :], (len(path), path.shape[1], path.shape[3]))
    return np.nan_to_num(path_correlations(traversal.values, path), nan=0.0), usable


def _mean_over(weights: Floats, correlation: Floats, usable: NDArray[np.bool_]) -> Floats:
    """|corr| averaged over queries with ``weights`` (b, q): (b, J, K), NaN if no query counts."""
    shape = correlation.shape[1:]
    counts = usable.reshape(len(usable), -1).astype(np.float64)
    total = weights @ (np.abs(correlation).reshape(len(usable), -1) * counts)
    n = weights @ counts
    return np.where(n > 0, total / np.where(n > 0, n, 1.0), np.nan).reshape(-1, *shape)


def _table(
    correlation: Floats, usable: NDArray[np.bool_], factors: Sequence[str]
) -> CorrelationTable:
    n = usable.sum(axis=0)
    some = np.where(n > 0, n, 1)
    absolute = _mean_over(np.ones((1, len(usable))), correlation, usable)[0]
    mean_signed = np.where(usable, correlation, 0.0).sum(axis=0) / some
    squares = np.where(usable, (np.abs(correlation) - absolute) ** 2, 0.0).sum(axis=0) / some
    constant = (usable & (correlation == 0)).sum(axis=0) / some
    empty = n == 0
    return CorrelationTable(
        absolute,
        np.where(empty, np.nan, mean_signed),
        np.where(empty, np.nan, np.sqrt(squares)),
        np.where(empty, np.nan, constant),
        tuple(factors),
        (),
        len(usable),
    )


def _best_dims(absolute: Floats, n: int | None) -> Ints:
    """The ``n`` rows with the largest entries, ascending; all rows for None."""
    if n is None:
        return np.arange(len(absolute))
    strength = np.nan_to_num(absolute, nan=-1.0).max(axis=1)
    return np.sort(np.argsort(-strength, kind="stable")[:n])


def _dci(absolute: Floats, alpha: float) -> dict[str, MetricResult]:
    if not np.isnan(absolute).any():
        return paper_dci(absolute, alpha=alpha)
    reason = "some factor has no query with enough labels: label more items"
    return {metric.key: metric.undefined(reason, settings={"alpha": alpha}) for metric in METRICS}


def _draws(
    traversal: Traversal, local: Ints, cube: Floats, n_bootstrap: int, random_state: int
) -> tuple[Floats, str]:
    """Tables (b, J, K) of redrawn queries and annotators, and in words what was redrawn."""
    n_queries, n_annotators = len(local), len(cube)
    if not n_bootstrap:
        few = f"no interval: it needs {MIN_QUERIES} sufficiently labelled queries"
        return np.empty((0, len(traversal.dims), cube.shape[2])), few
    rng = np.random.default_rng(random_state)
    several = n_annotators > 1
    n_sets = min(ANNOTATOR_DRAWS, n_bootstrap) if several else 1
    sets = rng.multinomial(n_annotators, np.full(n_annotators, 1 / n_annotators), n_sets)
    cache: dict[bytes, tuple[Floats, NDArray[np.bool_]]] = {}
    tables = []
    for i, weights in enumerate(sets):
        key = weights.tobytes()
        if key not in cache:
            cache[key] = _correlations(traversal, local, consensus(cube, weights))
        here = len(range(i, n_bootstrap, n_sets))
        queries = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), here)
        tables.append(_mean_over(queries.astype(np.float64), *cache[key]))
    return np.concatenate(tables), OVER_ALL if several else OVER_QUERIES


def _intervals(
    draws: Floats,
    n_best: int | None,
    alpha: float,
    estimates: Mapping[str, MetricResult],
    n_queries: int,
) -> dict[str, tuple[float, float]]:
    """95 % intervals of D, C and I from tables of redrawn queries and annotators (b, J, K)."""
    if not len(draws):
        return dict.fromkeys(NAMES, (math.nan, math.nan))
    best = np.stack([_best_dims(table, n_best) for table in draws])
    values = paper_scores(np.take_along_axis(draws, best[:, :, None], axis=1), alpha)
    return {
        name: corrected_interval(estimates[name].score, column, n_queries)
        for name, column in zip(NAMES, values.T, strict=True)
    }


def overlap(a: ScoredDims, b: ScoredDims, name: str) -> bool:
    """Whether two runs' intervals of a score overlap or one is missing: then they are not ranked.

    The runs share queries and annotators, so this is stricter than a paired test.
    """
    low_a, high_a = a.intervals[name]
    low_b, high_b = b.intervals[name]
    return not (high_a < low_b or high_b < low_a)
