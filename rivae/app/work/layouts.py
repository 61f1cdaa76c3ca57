"""Layouts for the map, made in a separate process while the page is used. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from rivae.app.work.tasks import Task, Tasks, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress
from rivae.exploring.layouts import kept_layout

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

MAX_KNOWN = 50
WAIT = "another layout is being computed: wait for it"

_making = Tasks(MAX_KNOWN, RunError, WAIT)


def begin(explorer: Explorer) -> None:
    """Compute the layout of a run's items unless it is kept or being computed.

    Raises:
        RunError: another one is being computed.
    """
    if kept_layout(explorer) is not None:
        return
    assert explorer.run is not None
    spec = {
        "run": str(explorer.run.path.resolve()),
        "rows": explorer.rows,
        "asks": explorer.asks,
    }
    title = f"Layout of {len(explorer.search_rows):,} items"
    work = f"{__name__}:make"
    _making.start(_key(explorer), lambda: start_process(_key(explorer), title, work, spec), True)


def state_of(explorer: Explorer) -> Literal["there", "made", ""]:
    """Whether the layout is there, being made, or neither."""
    if kept_layout(explorer) is not None:
        return "there"
    task = task_of(explorer)
    return "made" if task is not None and task.running else ""


def task_of(explorer: Explorer) -> Task | None:
    """The task that computes this layout, or has failed to; None where none did."""
    return _making.get(_key(explorer))


def _key(explorer: Explorer) -> str:
    run = explorer.run
    name = "" if run is None else f"{run.path.resolve()}/{run.shown_key}"
    return f"{name}/{explorer.rows}/{explorer.asks}"


def make(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Compute and keep the layout of the run in the folder ``run``, and what lies where on it."""
    step_back()
    progress("starting", 0.0)
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.layouts import make_layout
    from rivae.exploring.regions import named_regions
    from rivae.runs import Run

    explorer = Explorer.open(Run(spec["run"]), spec["rows"], asks=spec["asks"])
    make_layout(explorer, progress)
    progress("naming its regions", 0.95)
    named_regions(explorer, "layout-0", "layout-1")
    return {}
