"""From an import to its sliders with one button: the work behind it. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.app.work.tasks import Progress, Task, Tasks, start_process
from rivae.base.errors import RunError

WORK = "rivae.app.data.quick:prepare"
MAX_KEPT = 20
BUSY = "another import is being prepared for training: wait for it"
tasks = Tasks(MAX_KEPT, RunError, BUSY)


def start(folder: Path) -> Task:
    """Measure how long a model of the import in ``folder`` takes, and queue it; or find its run.

    Raises:
        RunError: another import is being prepared.
    """
    from rivae.runs import runs_root

    key = str(folder.absolute())
    spec = {"import": key, "runs": str(runs_root().absolute())}
    title = f"Preparing {folder.name}"
    return tasks.start(key, lambda: start_process(key, title, WORK, spec), again=True)


def prepare(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The run of the import ``import``: its name, and how long it takes; for the process.

    It keeps its priority (no ``step_back``), because it measures a trainer's speed.
    """
    progress("starting", 0.0)
    from rivae.app.forms.quick import quick_run

    quick = quick_run(Path(spec["import"]), Path(spec["runs"]), progress=progress)
    return {"run": quick.name, "words": quick.sentence}
