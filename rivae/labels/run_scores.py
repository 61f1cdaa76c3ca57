"""Which labels, factors and ranks count when runs on one data set are compared, and the rows of
that comparison in a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.labels.align import MIN_LABELS
from rivae.labels.coverage import Coverage
from rivae.labels.kept_plans import kept_plans
from rivae.labels.plan import LabelPlan
from rivae.labels.scores import MIN_QUERIES, NAMES, LabelScores, ScoredDims, overlap
from rivae.labels.store import LabelStore
from rivae.labels.table import adjudicated, consensus, label_table, labelled_items, rating_cube
from rivae.metrics.registry import metric
from rivae.retrieval.base import Floats, Ints


def current_levels(store: LabelStore, data: PairedDataset, rows: ArrayLike) -> pd.DataFrame:
    """The current labels of some data rows, with verdicts replacing the labels they decide.

    They come from every plan and annotator; see ``rivae.labels.table`` for the columns.
    """
    labels = label_table(store, data, rows)
    return adjudicated(labels, label_table(store, data, rows, "adjudication"))


def planned_rows(store: LabelStore, data: PairedDataset) -> Ints:
    """The data rows in any kept plan on this data, sorted: only these can have labels."""
    parts = [np.empty(0, dtype=np.int64)]
    for plan in kept_plans(store):
        if data.is_named(plan.fingerprint):
            parts.append(plan.items)
    items = np.unique(np.concatenate(parts))
    return items[items < len(data)]


@dataclass(frozen=True)
class Labelled:
    """The labelled items of a data set, to which axes can be aligned.

    Attributes:
        factors: K ids.
        rows: (m,) data rows with at least one level, sorted.
        levels: (m, K) verdict or median over annotators, NaN where there is none.
        n_annotators: annotators of these levels.
    """

    factors: tuple[str, ...]
    rows: Ints
    levels: Floats
    n_annotators: int

    def counts(self) -> list[int]:
        """The number of items with a level, per factor."""
        return [int(n) for n in (self.levels == self.levels).sum(axis=0)]

    def usable(self) -> tuple[str, ...]:
        """The factors with enough levels to align axes to, and with different levels."""
        columns = [column[~np.isnan(column)] for column in self.levels.T]
        return tuple(
            factor
            for factor, column in zip(self.factors, columns, strict=True)
            if len(column) >= MIN_LABELS and np.ptp(column) > 0
        )

    def of(self, factors: Sequence[str]) -> Labelled:
        """Only these factors, in this order, and the items with a level for any of them."""
        levels = self.levels[:, [self.factors.index(factor) for factor in factors]]
        some = ~np.isnan(levels).all(axis=1)
        return replace(self, factors=tuple(factors), rows=self.rows[some], levels=levels[some])


def labelled(
    store: LabelStore,
    data: PairedDataset,
    factors: Sequence[str],
    annotators: Collection[str] | None = None,
) -> Labelled:
    """The labels on a data set from all plans.

    Args:
        factors: K ids.
        annotators: only the labels of these, without verdicts; by default everybody's.
    """
    rows = planned_rows(store, data)
    table = (
        current_levels(store, data, rows) if annotators is None else label_table(store, data, rows)
    )
    if annotators is not None:
        table = table[table["annotator"].isin(list(annotators))]
    items = labelled_items(table)
    who, cube = rating_cube(table, items, factors)
    levels = consensus(cube)
    some = ~np.isnan(levels).all(axis=1)
    return Labelled(tuple(factors), items[some], levels[some], len(who))


def scored_factors(
    factors: Sequence[str], coverages: Iterable[Coverage], n_queries: int
) -> tuple[str, ...]:
    """The factors that all runs are scored over, so that their scores can be compared.

    Annotators label one factor after the other. A factor counts as soon as one run has enough
    labelled queries of it for an interval (``MIN_QUERIES``, or all that were measured).

    Args:
        factors: K ids.
        coverages: of the plan's own runs, over the same factors.
        n_queries: measured queries, at least 1.
    """
    enough = min(MIN_QUERIES, max(n_queries, 1))
    most = np.zeros(len(factors), dtype=np.int64)
    for coverage in coverages:
        most = np.maximum(most, np.array(coverage.queries, dtype=np.int64))
    return tuple(factor for factor, n in zip(factors, most, strict=True) if n >= enough)


def ranks(dims_of_run: Mapping[str, ScoredDims], name: str) -> dict[str, int]:
    """Ranks by one score, 1 is best: only of runs whose interval overlaps no other run's.

    Args:
        dims_of_run: by run; runs without a value of the score are ignored.
        name: "disentanglement", "completeness" or "informativeness".

    Returns:
        The rank by run, without tied runs; a single run has no rank.
    """
    values = {run: dims.results[name].score for run, dims in dims_of_run.items()}
    racing = [run for run, value in values.items() if value == value]
    rank_of_run: dict[str, int] = {}
    for run in racing:
        others = [other for other in racing if other != run]
        if others and not any(
            overlap(dims_of_run[run], dims_of_run[other], name) for other in others
        ):
            rank_of_run[run] = 1 + sum(values[other] > values[run] for other in others)
    return rank_of_run


def score_rows(run_id: str, scores: LabelScores) -> list[dict[str, Any]]:
    """One row per score (D, C, I) and choice of dimensions: value, 95 % interval, settings."""
    coverage, settings = scores.coverage, scores.settings
    common = {
        "labelled": sum(coverage.labelled),
        "needed": coverage.needed * len(coverage.labelled),
        "queries_that_count": min(coverage.queries),
        "queries": settings["n_queries"],
        "annotators": scores.n_annotators,
        "interval_over": scores.interval_over,
        "factors": " ".join(settings["factors"]),
        **{
            name: settings[name]
            for name in ("alpha", "n_points", "min_share", "levels", "n_bootstrap", "random_state")
        },
    }
    choices: list[tuple[str, ScoredDims]] = [("every dimension", scores.every)]
    if scores.selected is not None:
        choices.append((str(settings["selection"]), scores.selected))
    return [
        {
            "run": run_id,
            "score": metric(name).label,
            "over": over,
            "dimensions": " ".join(str(j + 1) for j in dims.dims),
            "value": dims.results[name].score,
            "low": dims.intervals[name][0],
            "high": dims.intervals[name][1],
            **common,
        }
        for over, dims in choices
        for name in NAMES
    ]


def correlation_rows(
    run_id: str, scores: LabelScores, axis_names: list[str]
) -> list[dict[str, Any]]:
    """One row per factor and dimension of the correlation table, with the factor's coverage.

    Args:
        axis_names: J names.
    """
    table, coverage = scores.table, scores.coverage
    return [
        {
            "run": run_id,
            "factor": factor,
            "dimension": axis_names[j],
            "abs_corr": float(table.absolute[j, k]),
            "corr": float(table.signed[j, k]),
            "sd_over_queries": float(table.spread[j, k]),
            "constant_queries": float(table.undefined[j, k]),
            "labelled": coverage.labelled[k],
            "needed": coverage.needed,
            "cannot_tell": coverage.cannot_tell[k],
            "queries_that_count": coverage.queries[k],
        }
        for k, factor in enumerate(scores.settings["factors"])
        for j in range(table.absolute.shape[0])
    ]


def score_record(
    run_id: str, plan: LabelPlan | None, every: LabelScores, scores: LabelScores | None
) -> dict[str, Any]:
    """A run's scores from labels as JSON: the coverage of each factor, and the scores if any.

    Args:
        every: over all factors, for the coverage.
        scores: over the factors that can be scored; None if there are none.
    """
    coverage = every.coverage
    return {
        "run": run_id,
        "plan": plan.id if plan else None,
        "scores": score_rows(run_id, scores) if scores else [],
        "needed": coverage.needed,
        "factors": [
            {
                "factor": factor,
                "labelled": coverage.labelled[k],
                "cannot_tell": coverage.cannot_tell[k],
                "points": coverage.points[k],
                "queries_that_count": coverage.queries[k],
                "scored": scores is not None and factor in scores.settings["factors"],
            }
            for k, factor in enumerate(every.settings["factors"])
        ],
    }
