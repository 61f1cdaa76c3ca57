"""Scores of the runs of a plan from labels, computed once for all visitors.

A run's traversal is searched once per model and evaluation; its scores are computed again when the
store has a newer event, about 0.1 to 0.5 s per run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import labels
from rivae.app.shell import cache
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from rivae.app.shared.labels import OpenPlan
    from rivae.base.config import Asks
    from rivae.data.base import PairedDataset
    from rivae.labels.guideline import Guideline
    from rivae.labels.scores import LabelScores
    from rivae.retrieval.traversal import Traversal
    from rivae.runs import Run

MAX_TRAVERSALS = 24  # 5 MB each with 30 axes
MAX_TABLES = 48
MAX_SCORES = 96
NOT_EVALUATED = "not evaluated yet"


@dataclass(frozen=True)
class ScoredRun:
    """A run in the table.

    Attributes:
        run: the run.
        parent: id of the run it was derived from, "" without one.
        all_factors: from labels of every factor, without intervals; None where there is no score.
        scores: over the factors that count for all runs; None where none counts.
        trouble: why there is no score, one sentence.
        remark: a note on it.
    """

    run: Run
    parent: str = ""
    all_factors: LabelScores | None = None
    scores: LabelScores | None = None
    trouble: str = ""
    remark: str = ""


@dataclass(frozen=True)
class PlanScores:
    """A plan, its guideline, the factors that count and a line per run; ``seq`` of the labels."""

    opened: OpenPlan
    guideline: Guideline
    factors: tuple[str, ...]
    lines: tuple[ScoredRun, ...]
    seq: int

    def names(self, factors: tuple[str, ...] | list[str]) -> list[str]:
        """The names of these factors."""
        return [self.guideline.factor(factor).name for factor in factors]


def scores_of(
    open_plan: OpenPlan, seq: int, tell: Callable[[str], None] = lambda step: None
) -> PlanScores:
    """Every run of the plan, then the runs derived from them, with their scores from labels.

    Args:
        seq: of the last event, ``store().last()``.
        tell: called with each step before it starts.

    Raises:
        RivaeError: the store cannot be read.
    """
    from rivae.labels.kept_plans import family, plan_guideline
    from rivae.labels.run_scores import scored_factors

    plan = open_plan.plan
    guideline = plan_guideline(labels.store(), plan)
    own = [served.id for served in plan.runs]
    runs, all_lines = family(own, cache.runs()), []
    for i, run in enumerate(runs, start=1):
        tell(f"Searching with {run.id}, run {i} of {len(runs)}")
        all_lines.append(_look(run, open_plan, guideline, seq))
    tell("Scoring")
    counts = [
        line.all_factors
        for line, _ in all_lines
        if line.all_factors is not None and line.run.id in own
    ]
    n_queries = max((int(s.settings["n_queries"]) for s in counts), default=0)
    factors = scored_factors(guideline.ids, [s.coverage for s in counts], n_queries)
    lines = tuple(
        replace(line, scores=_label_scores(basis.key, seq, factors, True, basis))
        if basis is not None and factors
        else line
        for line, basis in all_lines
    )
    return PlanScores(open_plan, guideline, factors, lines, seq)


@dataclass(frozen=True)
class _Basis:
    """The data behind scores; ``key`` names run, model, evaluation and data."""

    key: str
    found: Traversal
    table: pd.DataFrame


def _look(
    run: Run, open_plan: OpenPlan, guideline: Guideline, seq: int
) -> tuple[ScoredRun, _Basis | None]:
    """A run's coverage and correlation table over all factors, and the data behind them."""
    from rivae.labels.coverage import evaluation_behind
    from rivae.labels.opening import labels_url

    line = ScoredRun(run, run.parent or "")
    try:
        report = evaluation_behind(run, open_plan.plan.asks)
        if report is None:
            return replace(line, trouble=NOT_EVALUATED), None
        plan = open_plan.plan
        key = "|".join(
            [
                cache.model_key(run.id),
                report.created,
                str(plan.n_queries),
                plan.asks,
                plan.fingerprint,
            ]
        )
        traversal = _traversal(key, plan.n_queries, plan.asks, run, open_plan.data)
        key = f"{labels_url()}|{key}"
        basis = _Basis(key, traversal, _table(key, seq, traversal, open_plan.data))
        line = replace(line, all_factors=_label_scores(key, seq, guideline.ids, False, basis))
    except RivaeError as error:
        return replace(line, trouble=str(error)), None
    models = {own.id: own.model for own in plan.runs}
    if models.get(run.id, run.content_hash) != run.content_hash:
        line = replace(line, remark="has changed since the plan was made")
    return line, basis


@st.cache_resource(max_entries=MAX_TRAVERSALS, show_spinner=False)
def _traversal(
    key: str, n_queries: int | None, asks: Asks, _run: Run, _data: PairedDataset
) -> Traversal:
    """The items that the run retrieves as in its evaluation; ``key`` names both."""
    import numpy as np

    from rivae.base.errors import DataError
    from rivae.labels.coverage import measured_traversal

    data = cache.pictures(_run).data  # its own way to read the items of the plan
    if data.items_key != _data.items_key:
        raise DataError(f"run {_run.id} uses other data than the plan: it cannot be scored here")
    traversal = measured_traversal(_run, data, n_queries=n_queries, asks=asks)
    # The distances, half of the memory, are not needed for scores.
    return replace(
        traversal,
        ids=traversal.ids[..., :1],
        squared_distances=np.broadcast_to(0.0, (*traversal.ids.shape[:3], 1)),
    )


@st.cache_resource(max_entries=MAX_TABLES, show_spinner=False)
def _table(key: str, seq: int, _found: Traversal, _data: PairedDataset) -> pd.DataFrame:
    """The labels of the items that the run needs."""
    from rivae.labels.coverage import needed_items
    from rivae.labels.run_scores import current_levels

    return current_levels(labels.store(), _data, needed_items(_found))


@st.cache_resource(max_entries=MAX_SCORES, show_spinner=False)
def _label_scores(
    key: str, seq: int, factors: tuple[str, ...], intervals: bool, _basis: _Basis
) -> LabelScores:
    from rivae.labels.scores import label_scores

    return label_scores(
        _basis.found, _basis.table, factors, **({} if intervals else {"n_bootstrap": 0})
    )
