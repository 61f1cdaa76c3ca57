"""Evaluations that visitors started: one process at a time, shared by all sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivae.errors import RunError
from rivae.runs import is_read_only
from rivae.ui.background import Job, Tasks, start_process

if TYPE_CHECKING:
    from rivae.runs import Run

MAX_KEPT = 20  # evaluations of runs whose folders cannot be written; 100 kB each

tasks = Tasks(MAX_KEPT, RunError, "another run is being evaluated: wait for it, or stop it")


def job_of(run: Run) -> Job | None:
    """The evaluation of this run's model, at work or over, or None."""
    return tasks.get(_model(run))


def start(run: Run) -> Job:
    """Begin to evaluate ``run``, or join the evaluation that is at work on it.

    Raises:
        RunError: another run is being evaluated, or the run has no trained model.
    """
    model, path = _model(run), str(run.path.resolve())
    keep = ["--keep"] if is_read_only(run) else []
    return tasks.start(
        model,
        lambda: start_process(
            model, f"Evaluating {run.id}", "rivae.ui.metrics_job", [path, *keep]
        ),
        again=True,
    )


def _model(run: Run) -> str:
    """Path of the run and hash of its model."""
    return f"{run.path.resolve()}/{run.content_hash}"
