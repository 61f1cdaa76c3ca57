"""D/C/I from labels of several runs beside each other: which labels, factors and ranks count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.errors import RivaeError
from rivae.labels.by_row import label_table
from rivae.labels.coverage import Coverage
from rivae.labels.kept_plans import kept_plan, plan_names
from rivae.labels.scores import MIN_QUERIES, ScoredDims, overlap
from rivae.labels.store import LabelStore
from rivae.labels.table import adjudicated
from rivae.retrieval.base import Ints
from rivae.runs import Run


def current_levels(store: LabelStore, data: PairedDataset, rows: ArrayLike) -> pd.DataFrame:
    """The labels of some data rows that stand now, verdicts in place of what they decided.

    Of every plan and annotator; see ``rivae.labels.table`` for the columns.
    """
    own = label_table(store, data, rows)
    verdicts = label_table(store, data, rows, "adjudication")
    return adjudicated(own, verdicts) if len(verdicts) else own


def planned_rows(store: LabelStore, data: PairedDataset) -> Ints:
    """The data rows that any kept plan on this data shows, sorted: where its labels can be."""
    parts = [np.empty(0, dtype=np.int64)]
    for name in plan_names(store):
        plan = kept_plan(store, name)
        if plan.fingerprint == data.fingerprint:
            parts.append(plan.items)
    found = np.unique(np.concatenate(parts))
    return found[found < len(data)]


def family(named: Sequence[str], runs: Iterable[Run]) -> list[Run]:
    """The runs with these ids in their order, then those derived from them, parents first.

    Runs that are not there, or whose configuration cannot be read, are left out.
    """
    by_id = {run.id: run for run in runs}
    found = [by_id[name] for name in dict.fromkeys(named) if name in by_id]
    children: dict[str, list[Run]] = {}
    for run in by_id.values():
        if (parent := parent_of(run)) is not None:
            children.setdefault(parent, []).append(run)
    known = {run.id for run in found}
    for run in found:  # grows while it is walked: children of children follow
        for child in sorted(children.get(run.id, []), key=lambda r: r.id):
            if child.id not in known:
                known.add(child.id)
                found.append(child)
    return found


def parent_of(run: Run) -> str | None:
    """The id of the run that this one was derived from; None also where it cannot be read."""
    try:
        return run.config.parent
    except RivaeError:
        return None


def scored_factors(
    factors: Sequence[str], coverages: Iterable[Coverage], n_queries: int
) -> tuple[str, ...]:
    """The factors over which all runs are scored, so that their numbers can be compared.

    Annotators sweep one factor after the other. One counts as soon as some run has enough whole
    queries of it for an interval (``MIN_QUERIES``, or all that were measured).

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


def ranks(scored: Mapping[str, ScoredDims], name: str) -> dict[str, int]:
    """Ranks by one score, 1 is best: only of runs whose interval overlaps no other run's.

    Args:
        scored: by run; runs without a value of the score are not in the race.
        name: "disentanglement", "completeness" or "informativeness".

    Returns:
        the rank by run; runs that are tied with another are left out, and a run alone has none.
    """
    values = {run: dims.results[name].score for run, dims in scored.items()}
    racing = [run for run, value in values.items() if value == value]
    found: dict[str, int] = {}
    for run in racing:
        others = [other for other in racing if other != run]
        if others and not any(overlap(scored[run], scored[other], name) for other in others):
            found[run] = 1 + sum(values[other] > values[run] for other in others)
    return found
