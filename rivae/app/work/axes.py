"""What *Add an axis* does in a separate process: reading the items of a run for its first axis, and
proposing axes. No streamlit here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rivae.app.work.tasks import Task, Tasks, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress, part
from rivae.runs.added_axes import N_PROPOSED, AddedAxis

if TYPE_CHECKING:
    from rivae.runs import Run

MAX_KNOWN = 50
WAIT = "axes of another run are being looked for: wait for it"
_AXES: TypeAdapter[list[AddedAxis]] = TypeAdapter(list[AddedAxis])

_looking = Tasks(MAX_KNOWN, RunError, WAIT, at_once=2)


def begin(run: Run, what: str) -> Task:
    """Start "prepare" or "propose" for a run, or join it.

    Raises:
        RunError: others are running.
    """
    titles = {"prepare": "Reading the items for the first axis", "propose": "Proposing axes"}
    key, spec = _key(run, what), {"run": str(run.path.resolve())}
    return _looking.start(
        key, lambda: start_process(key, titles[what], f"{__name__}:{what}", spec), True
    )


def task_of(run: Run, what: str) -> Task | None:
    """What prepares or proposes, or has; None where nothing does."""
    return _looking.get(_key(run, what))


def proposed(run: Run) -> list[AddedAxis] | None:
    """The axes that were proposed, without ids; None before that."""
    task = task_of(run, "propose")
    if task is None or task.result is None:
        return None
    axes = _AXES.validate_json(json.dumps(task.result["axes"]))
    return [replace(axis, id="") for axis in axes]


def _key(run: Run, what: str) -> str:
    return f"{what} {run.path.resolve()}/{run.shown_key}"


def prepare(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Compute and keep what the first axis of the run in the folder ``run`` would wait for."""
    step_back()
    progress("starting", 0.0)
    from rivae.exploring.axes.finder import AxisFinder
    from rivae.runs import Run

    AxisFinder.open(Run(spec["run"])).prepare(progress)
    return {}


def propose(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Propose axes for the run in the folder ``run``."""
    step_back()
    progress("starting", 0.0)
    from rivae.exploring.axes.adding import named_directions
    from rivae.exploring.axes.finder import AxisFinder
    from rivae.exploring.axes.proposing import propose_axes
    from rivae.runs import Run

    run = Run(spec["run"])
    finder = AxisFinder.open(run)
    finder.prepare(part(progress, 0, 0.3))
    progress("comparing families of axes", 0.3)
    others = named_directions(run, finder.model.n_components)
    axes = [finder.completed(a, a.name, others) for a in propose_axes(finder, N_PROPOSED)]
    # An id is given when one is kept.
    return {"axes": [replace(axis, id=f"a{n}").document() for n, axis in enumerate(axes, 1)]}
