"""The data set behind a kept plan, opened by one of the runs that it serves."""

from __future__ import annotations

from rivae.data.base import PairedDataset
from rivae.errors import LabelError, RivaeError
from rivae.labels.kept_plans import kept_plans
from rivae.labels.plan import LabelPlan
from rivae.labels.run_scores import parent_of
from rivae.labels.store import LabelStore
from rivae.runs import Run, find_run


def plan_data(plan: LabelPlan) -> PairedDataset:
    """The data of the first run that is still here and still has the plan's data.

    Raises:
        LabelError: there is none.
    """
    trouble = ""
    for served in plan.runs:
        try:
            data = find_run(served.id).load_dataset()
            plan.check(data)
            return data
        except RivaeError as error:
            trouble = trouble or str(error)
    raise LabelError(f"the data of plan {plan.id} cannot be opened ({trouble})")


def plans_of_run(store: LabelStore, run_id: str) -> list[str]:
    """The plans that name the run, by name: they open by one of their runs, and never change."""
    return [plan.id for plan in kept_plans(store) if run_id in {served.id for served in plan.runs}]


def newest_plan_of(store: LabelStore, run: Run) -> LabelPlan | None:
    """The last plan that serves the scores of a run, or of the run that it was derived from."""
    wanted = {run.id, parent_of(run)}
    serving = [
        plan
        for plan in kept_plans(store)
        if plan.purpose == "scores" and wanted & {served.id for served in plan.runs}
    ]
    return max(serving, key=lambda plan: plan.created, default=None)
