"""Evaluations that visitors started: one process at a time, shared by all sessions."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rivae.errors import RunError
from rivae.runs import is_read_only
from rivae.ui.background import Job, start_process

if TYPE_CHECKING:
    from rivae.runs import Run

_lock = threading.Lock()
_jobs: dict[str, Job] = {}  # by the path of the run and the hash of its model


def job_of(run: Run) -> Job | None:
    """The evaluation of this run's model, at work or over, or None."""
    return _jobs.get(_model(run))


def start(run: Run) -> Job:
    """Begin to evaluate ``run``, or join the evaluation that is at work on it.

    Raises:
        RunError: another run is being evaluated, or the run has no trained model.
    """
    model = _model(run)
    with _lock:
        known = _jobs.get(model)
        if known is not None and known.running:
            return known
        if any(job.running for job in _jobs.values()):
            raise RunError("another run is being evaluated: try again when that is over")
        for name in [name for name, job in _jobs.items() if job.result is None]:
            del _jobs[name]  # what was written into a run's folder is read from there
        keep = ["--keep"] if is_read_only(run) else []
        job = _jobs[model] = start_process(
            model, "rivae.ui.metrics_job", [str(run.path.resolve()), *keep],
            f"rivae evaluate {run.id}",
        )  # fmt: skip
    return job


def _model(run: Run) -> str:
    return f"{run.path.resolve()}/{run.content_hash}"
