"""What the labels of a plan give back to a run: found, and saved as a run, in threads.

Threads, as the app holds the run and its data open: a process would take longer to open them again
than the work takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rivae.app.shared import labels
from rivae.app.shell import cache
from rivae.app.work.tasks import Task, Tasks, start_thread
from rivae.base.errors import LabelError, RunError
from rivae.base.progress import Progress, part

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer
    from rivae.labels.axes_given import AxesGiven
    from rivae.labels.guideline import Guideline

MAX_KEPT = 20
BUSY = "the axes of other labels are being found: try again in a few seconds"
TOO_FEW = (
    "no factor has different levels of at least {} items yet: label some more, {} items do much"
)
GOOD = 30  # labelled items from which axes are worthwhile

known = Tasks(MAX_KEPT, RunError, BUSY, at_once=3)


@dataclass(frozen=True)
class Found:
    """What the labels give back.

    Attributes:
        given: the axes, and what they gain.
        explorer: of the run, asked with the view of the plan.
        guideline: of the plan.
        n_annotators: behind the levels.
        seq: of the last event of the store that they know.
    """

    given: AxesGiven
    explorer: Explorer
    guideline: Guideline
    n_annotators: int
    seq: int


def task_of(what: str, plan: str, run: str) -> Task | None:
    """What finds ("find") or saves ("save") the axes of a plan for a run, or has."""
    return known.get(_key(what, plan, run))


def forget(what: str, plan: str, run: str) -> None:
    """Forget this task and its result."""
    known.forget(_key(what, plan, run))


def find(plan: str, run: str) -> Task:
    """Begin to find the axes; its result is {"found": Found}.

    Raises:
        RunError: too many others are being found.
    """
    key = _key("find", plan, run)
    return known.start(
        key,
        lambda: start_thread(key, f"Axes of {run}", lambda tell: _find(plan, run, tell)),
        again=True,
    )


def begin_save(plan: str, run: str, result: Found, factors: tuple[str, ...], name: str) -> Task:
    """Begin to write the run ``name`` whose first axes are those of the factors; its result is
    {"run": its id}.

    Raises:
        RunError: too many others are being written.
    """
    key = _key("save", plan, run)
    return known.start(
        key,
        lambda: start_thread(
            key, f"Writing {name}", lambda tell: _save(result, factors, name, tell)
        ),
        again=True,
    )


def _key(what: str, plan: str, run: str) -> str:
    from rivae.labels.opening import labels_url

    return f"{what}|{labels_url()}|{plan}|{cache.run(run).shown_key}"


def _find(plan: str, run_id: str, progress: Progress) -> dict[str, Any]:
    from rivae.exploring.axes.adding import named_directions
    from rivae.exploring.axes.finder import AxisFinder
    from rivae.labels.align import MIN_LABELS
    from rivae.labels.axes_given import axes_given
    from rivae.labels.kept_plans import plan_guideline

    progress("opening the data", 0.0)
    open_plan = labels.open_plan(plan)
    seq = labels.store().last()
    guideline = plan_guideline(labels.store(), open_plan.plan)
    answers = labels.labelled(open_plan, guideline, seq)
    usable = answers.usable()
    if not usable:
        raise LabelError(TOO_FEW.format(MIN_LABELS, GOOD))
    answers = answers.of(usable)
    progress(f"opening {run_id}", 0.1)
    explorer = cache.asked(run_id, open_plan.plan.asks)
    assert explorer.run is not None
    finder = AxisFinder.open(explorer.run, explorer.retriever.model, explorer.data)
    labelled_axes = axes_given(
        finder,
        guideline,
        answers.rows,
        answers.levels,
        usable,
        others=named_directions(explorer.run, explorer.n_components),
        progress=part(progress, 0.3, 1.0),
    )
    return {"found": Found(labelled_axes, explorer, guideline, answers.n_annotators, seq)}


def _save(result: Found, factors: tuple[str, ...], name: str, progress: Progress) -> dict[str, Any]:
    from dataclasses import asdict

    from rivae.exploring.axes.finder import AxisFinder
    from rivae.labels.baked import bake_run

    progress("writing the run", 0.3)
    explorer, labelled_axes = result.explorer, result.given
    assert explorer.run is not None
    finder = AxisFinder.open(explorer.run, explorer.retriever.model, explorer.data)
    axes = [
        axis
        for axis, f in zip(labelled_axes.axes, labelled_axes.factors, strict=True)
        if f in factors
    ]
    new_run = bake_run(
        explorer.run,
        axes,
        finder.finder.z,
        name,
        record={
            "factors": list(factors),
            "guideline": result.guideline.version,
            "gains": [asdict(gain) for gain in labelled_axes.gains],
        },
        data=explorer.data,
    )
    return {"run": new_run.id}
