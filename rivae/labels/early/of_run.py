"""The estimates of a run, and the meter of a plan, from the labels in a store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rivae.base.errors import LabelError
from rivae.base.progress import Progress, silent
from rivae.data.base import PairedDataset
from rivae.labels.coverage import measured_traversal
from rivae.labels.early.estimates import LabelEstimates, estimate
from rivae.labels.early.ground import Ground
from rivae.labels.early.meter import Meter, MeterReading
from rivae.labels.early.reading import partial_labels
from rivae.labels.early.sample import pace
from rivae.labels.early.slips import slip_rate
from rivae.labels.kept_plans import kept_plan, newest_plan_of, plan_data, plan_guideline
from rivae.labels.plan import LabelPlan
from rivae.labels.store import LabelStore
from rivae.labels.table import adjudicated, label_table
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run, find_run

NO_PLAN = (
    "{0} has no plan whose probabilities are known: make one with `rivae labels plan NAME {0} "
    "--minutes 20`"
)


def estimates_of_run(
    store: LabelStore,
    run: Run,
    plan: LabelPlan | str | None = None,
    factors: Sequence[str] | None = None,
    *,
    data: PairedDataset | None = None,
    progress: Progress = silent,
) -> LabelEstimates:
    """What the labels of a plan say of a run so far.

    Args:
        plan: a plan or its name; the newest for the run's scores by default. It must store the
            probabilities of its items, as those of ``make_early_plan`` do.
        factors: ids; those of the plan's guideline by default.
        data: the run's data set, if it is already open.
        progress: called with the current stage and the share of work done.

    Raises:
        LabelError: there is no such plan or factor, or the store did not answer.
        DataError, RunError: as ``measured_traversal``.
    """
    chosen = kept_plan(store, plan) if isinstance(plan, str) else plan or newest_plan_of(store, run)
    if chosen is None or not chosen.chances:
        raise LabelError(NO_PLAN.format(run.id))
    names = plan_factors(store, chosen, factors)
    progress("opening the data", 0.0)
    data = data or run.load_dataset()
    chosen.check(data)
    ground = ground_of(run, chosen, data, progress)
    progress("reading the labels", 0.8)
    labels, again, verdicts = _answers(store, data, chosen)
    slips = slip_rate(labels[labels["factor"].isin(names)], again)
    partial = partial_labels(adjudicated(labels, verdicts), chosen, ground.items, names)
    progress("estimating", 0.9)
    return estimate(
        ground, partial.levels, names, partial.apart, left_out=partial.left_out, slips=slips
    )


def _answers(
    store: LabelStore, data: PairedDataset, plan: LabelPlan
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """What is said of a plan's items: labels, answers to hidden repeats, and verdicts."""
    labels, again, verdicts = (
        label_table(store, data, plan.items, kind) for kind in ("label", "repeat", "adjudication")
    )
    return labels, again, verdicts


def plan_factors(
    store: LabelStore, plan: LabelPlan, factors: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The factors that are asked for, by default all of the plan.

    Raises:
        LabelError: one is not in the plan's guideline.
    """
    factor_ids = plan_guideline(store, plan).ids
    names = tuple(factor_ids if factors is None else dict.fromkeys(factors))
    for name in names:
        if name not in factor_ids:
            raise LabelError(
                f"'{name[:40]}' is no factor of plan {plan.id}: choose from {', '.join(factor_ids)}"
            )
    return names


def ground_of(
    run: Run, plan: LabelPlan, data: PairedDataset, progress: Progress = silent
) -> Ground:
    """The ground of a run for the queries of a plan; takes some seconds.

    Raises:
        RunError, DataError: as ``measured_traversal``.
    """
    return grounds_of([run], plan, data, progress)[run.id]


def grounds_of(
    runs: Sequence[Run], plan: LabelPlan, data: PairedDataset, progress: Progress = silent
) -> dict[str, Ground]:
    """The grounds of several runs on the same items, by id, so that they can be compared.

    Raises:
        RunError, DataError: as ``measured_traversal``.
    """
    found = {}
    for n_done, run in enumerate(runs):
        retriever = Retriever(run.load_method(data), data, data.splits["test"], asks=plan.asks)

        def searched(share: float, run: Run = run, n_done: int = n_done) -> None:
            progress(f"searching with {run.id}", 0.6 * (n_done + share) / len(runs))

        found[run.id] = (
            retriever,
            measured_traversal(
                run,
                data,
                retriever,
                n_queries=plan.n_queries,
                asks=plan.asks,
                progress=searched,
            ),
        )
    progress("describing the items", 0.6)
    also = np.concatenate([plan.items, *(met.ids[..., 0].ravel() for _, met in found.values())])
    return {name: Ground.of(retriever, met, also) for name, (retriever, met) in found.items()}


class PlanMeter:
    """The meter of a kept plan: reads the store each time it is asked.

    Opening takes seconds for each run, ``read`` well under one; both may run in a background task.

    Args:
        plan: a name.
        factors: ids; those of the plan's guideline by default.

    Raises:
        LabelError: there is no such plan or factor, or none of its runs can be opened.
    """

    def __init__(
        self,
        store: LabelStore,
        plan: str,
        factors: Sequence[str] | None = None,
        progress: Progress = silent,
    ) -> None:
        self._store, self.plan = store, kept_plan(store, plan)
        if not self.plan.chances:
            raise LabelError(NO_PLAN.format(self.plan.runs[0].id))
        self._data = plan_data(self.plan)
        runs = [find_run(one.id) for one in self.plan.runs]
        grounds = grounds_of(runs, self.plan, self._data, progress)
        self._meter = Meter(self.plan, grounds, plan_factors(store, self.plan, factors))

    def read(self, annotator: str = "") -> MeterReading:
        """What all annotators' labels say now, at the pace of one of them.

        Raises:
            LabelError: the store did not answer.
        """
        labels, again, verdicts = _answers(self._store, self._data, self.plan)
        seconds = pace(self._store, annotator, self._meter.factors)
        return self._meter.read(labels, again, seconds, verdicts)
