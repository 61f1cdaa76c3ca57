"""Runs on very many items, prepared in a separate process while a page shows how far it is.

No streamlit here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rivae.app.work.tasks import Task, Tasks, shared_out, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress

if TYPE_CHECKING:
    from rivae.base.config import Asks, Rows
    from rivae.runs import Run

MAX_KNOWN = 50
WAIT = "another run is being opened for the first time: wait for it"
STOPPED = "opening this run for the first time was stopped: reload the page to begin again"

_preparing = Tasks(MAX_KNOWN, RunError, WAIT)


class BeingPreparedError(RunError):
    """The run opens as soon as ``task`` has ended."""

    def __init__(self, task: Task) -> None:
        super().__init__(f"{task.title}: {task.stage}; try again in a moment")
        self.task = task


def require_prepared(run: Run, rows: Rows, asks: Asks) -> None:
    """Begin to prepare the run where that is needed.

    Raises:
        BeingPreparedError: it is being prepared.
        RunError: it could not be, or another one is being prepared.
    """
    from rivae.exploring.preparing import needs_preparing

    if not needs_preparing(run, rows, asks):
        return
    key = _key(run, rows, asks)
    task = _preparing.get(key)
    if task is not None and not task.running:
        _preparing.forget(key)  # a reload begins again
        raise RunError(task.error or STOPPED)
    if task is None:
        spec = {"run": str(run.path.resolve()), "rows": rows, "asks": asks}
        title = f"Opening {run.config.name} for the first time"
        work = f"{__name__}:make"
        task = _preparing.start(key, lambda: start_process(key, title, work, spec))
    raise BeingPreparedError(task)


def task_of(run: Run, rows: Rows, asks: Asks) -> Task | None:
    """What prepares the run, or has; None where nothing does."""
    return _preparing.get(_key(run, rows, asks))


def _key(run: Run, rows: Rows, asks: Asks) -> str:
    return f"{run.path.resolve()}/{run.shown_key}/{rows}/{asks}"


def make(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Prepare the run in the folder ``run``."""
    step_back()
    progress("starting", 0.0)
    from rivae.data.views import places_of
    from rivae.exploring.preparing import prepare
    from rivae.runs import Run

    run = Run(spec["run"])
    data = run.config.dataset
    with shared_out(lambda: places_of(data.name, data.settings)):
        prepare(run, spec["rows"], spec["asks"], progress)
    return {}
