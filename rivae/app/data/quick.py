"""From an import to its sliders with one button: the work behind it. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.app.work.tasks import Task, Tasks, start_process
from rivae.base.errors import RunError
from rivae.base.progress import Progress

WORK = "rivae.app.data.quick:prepare"
MAX_KEPT = 20
BUSY = "another import is being prepared for training: wait for it"
tasks = Tasks(MAX_KEPT, RunError, BUSY)


def start(folder: Path) -> Task:
    """Make a model of the import in ``folder``, or find it.

    Raises:
        RunError: another import is being prepared.
    """
    from rivae.runs import runs_root

    key = str(folder.absolute())
    spec = {"import": key, "runs": str(runs_root().absolute())}
    title = f"Preparing {folder.name}"
    return tasks.start(key, lambda: start_process(key, title, WORK, spec), again=True)


def prepare(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The run of the import ``import``, once it opens; for the process.

    It keeps its priority (no ``step_back``), because it measures a trainer's speed.
    """
    progress("starting", 0.0)
    return model_of(Path(spec["import"]), Path(spec["runs"]), progress)


def model_of(folder: Path, root: Path, progress: Progress) -> dict[str, Any]:
    """Make a model of the import in ``folder``, or queue it, and wait until it opens.

    Returns:
        ``run``: its name; ``words``: how it came about.

    Raises:
        RivaeError: there is none, and why.
    """
    from rivae.app.forms.quick import quick_run, wait_for_model

    quick = quick_run(folder, root, progress=progress)
    wait_for_model(quick.name, root, lambda doing: progress(f"{quick.sentence}; {doing}", 1.0))
    return {"run": quick.name, "words": quick.sentence}
