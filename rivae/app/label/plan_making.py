"""Makes new labelling plans in a separate process, one at a time. No streamlit here.

Retrieving again the items of several evaluations takes seconds to minutes. So a plan is made before
it has a name; its size is shown, and keeping it is then instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from rivae.app.work.tasks import Task, Tasks, start_process, step_back
from rivae.base.errors import LabelError
from rivae.base.progress import Progress
from rivae.runs.evaluation_file import FILES

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.labels.plan import LabelPlan
    from rivae.runs import Run

MAX_KEPT = 8  # a plan of 20,000 items is 200 kB
NOT_NAMED = "preview"

BUSY = "another plan is being counted: wait for it or stop it"

tasks = Tasks(MAX_KEPT, LabelError, BUSY)


class PlanRequest(BaseModel):
    """The settings of a new plan; see ``make_plan``. ``paths`` are the folders of the runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    paths: tuple[str, ...]
    n_queries: int | None
    repeats: float
    random_state: int
    asks: Literal["first", "second", "both"] = "first"


class EarlyRequest(BaseModel):
    """The settings of a new plan for some minutes; see ``make_early_plan``. Runs that were never
    evaluated are evaluated first. ``paths`` are the folders of the runs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    paths: tuple[str, ...]
    minutes: float | None
    n_factors: int
    seconds: float
    asks: Literal["first", "second", "both"] = "first"


Wanted = PlanRequest | EarlyRequest


def plan_request(
    runs: Sequence[Run], n_queries: int | None, repeats: float, seed: int, asks: Asks = "first"
) -> PlanRequest:
    """The plan request for a visitor's choices."""
    paths = tuple(str(run.path.resolve()) for run in runs)
    return PlanRequest(
        paths=paths, n_queries=n_queries, repeats=repeats, random_state=seed, asks=asks
    )


def job_of(wanted: Wanted) -> Task | None:
    """The running or finished task for this request, or None."""
    return tasks.get(_key(wanted))


def start(wanted: Wanted) -> Task:
    """Start to make a plan, or join the task that makes the same plan.

    Raises:
        LabelError: another plan is being made.
    """
    key, spec = _key(wanted), wanted.model_dump(mode="json")
    title = f"Items of {', '.join(Path(path).name for path in wanted.paths)}"
    name = "make_early" if isinstance(wanted, EarlyRequest) else "make"
    work = f"{__name__}:{name}"
    return tasks.start(key, lambda: start_process(key, title, work, spec))


def make(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Makes the plan of a :class:`PlanRequest`; runs in the process."""
    step_back()
    progress("reading the models", 0.0)
    from rivae.labels.plan import make_plan
    from rivae.runs import Run

    request = PlanRequest.model_validate(spec)
    plan = make_plan(
        [Run(Path(path)) for path in request.paths],
        NOT_NAMED,
        n_queries=request.n_queries,
        asks=request.asks,
        repeats=request.repeats,
        random_state=request.random_state,
        progress=progress,
    )
    return {"plan": plan.model_dump_json()}


def make_early(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Makes the plan of an :class:`EarlyRequest`; runs in the process."""
    step_back()
    progress("reading the models", 0.0)
    from rivae.app.work.evaluating import evaluate
    from rivae.labels.coverage import evaluation_behind
    from rivae.labels.early.sample import make_early_plan
    from rivae.runs import Run

    request = EarlyRequest.model_validate(spec)
    runs = [Run(Path(path)) for path in request.paths]
    for run in runs:
        if evaluation_behind(run, request.asks) is None:
            evaluate({"run": str(run.path), "asks": "first", "keep": False}, progress)
    plan = make_early_plan(
        [Run(run.path) for run in runs],
        NOT_NAMED,
        minutes=request.minutes,
        n_factors=request.n_factors,
        seconds=request.seconds,
        asks=request.asks,
        progress=progress,
    )
    return {"plan": plan.model_dump_json()}


def counted(wanted: Wanted) -> LabelPlan | None:
    """The finished plan, still without a name (see ``name_plan``); None if there is none."""
    return plan_of(job_of(wanted))


def plan_of(job: Task | None) -> LabelPlan | None:
    """The plan that a task has made, without a name; None if there is none."""
    return None if job is None or job.running or job.result is None else _read(job.result["plan"])


@lru_cache(maxsize=MAX_KEPT)
def _read(text: str) -> LabelPlan:
    from rivae.labels.plan import read_plan

    return read_plan(text.encode())


def _key(wanted: Wanted) -> str:
    """The key of a request; it changes when a run gets a new model or evaluation."""
    parts = [
        _written(Path(path) / name)
        for path in wanted.paths
        for name in ("model.safetensors", *FILES.values())
    ]
    return f"{wanted.model_dump_json()} {parts}"


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
