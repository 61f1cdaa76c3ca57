"""Evaluations of runs in another process, one at a time. No streamlit here.

First the functions that pages call, then what runs in the process, which writes the run's
evaluation and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.app.work.tasks import Task, Tasks, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

MAX_KEPT = 20  # evaluations of runs whose folders cannot be written; 100 kB each
EVALUATING = "another evaluation is running: wait for it or stop it"

evaluations = Tasks(MAX_KEPT, RunError, EVALUATING)


def evaluation_of(run: Run, asks: Asks = "first") -> Task | None:
    """The evaluation of this run's model by such queries, running or finished, or None."""
    return evaluations.get(f"{model_key(run)}/{asks}")


def start_evaluation(run: Run, asks: Asks = "first") -> Task:
    """Begin to evaluate ``run`` by queries of the view ``asks``, or join that if it is running.

    Raises:
        RunError: another evaluation is running, or the run has no trained model.
    """
    from rivae.runs import is_read_only

    key = f"{model_key(run)}/{asks}"
    spec = {"run": str(run.path.resolve()), "asks": asks, "keep": is_read_only(run)}
    return evaluations.start(
        key,
        lambda: start_process(key, f"Evaluating {run.id}", f"{__name__}:evaluate", spec),
        again=True,
    )


def may_begin(job: Task | None) -> bool:
    """Whether a run may be evaluated without being asked: not after it was stopped or has failed,
    nor while another one is evaluated.
    """
    return job is None and not evaluations.running()


def known_evaluation(run: Run, asks: Asks = "first") -> Evaluation | None:
    """The evaluation of this run, one that could not be written included, or None.

    Raises:
        RunError: the file is damaged.
    """
    from rivae.runs.evaluation_file import Evaluation

    job = evaluation_of(run, asks) if evaluations.known and run.ready else None
    if job is not None and job.result is not None:
        return Evaluation.model_validate(job.result)  # newer than a file that cannot be written
    return run.evaluation_of(asks)


def model_key(run: Run) -> str:
    """Path of the run and hash of its model."""
    return f"{run.path.resolve()}/{run.shown_key}"


def opening(progress: Progress) -> None:
    """Begin work on a run's model: with less right to the processor than what answers a hand."""
    step_back()
    # Reported before the modules are loaded, which takes seconds on a busy machine.
    progress("reading the model", 0.0)


def evaluate(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any] | None:
    """Evaluate the run in the folder ``run`` by queries of the view ``asks`` and write that there.
    Returns it instead if the folder is read-only (``keep`` is true) or cannot be written.
    """
    opening(progress)
    from rivae.evaluation.of_run import evaluate
    from rivae.runs import Run

    run = Run(Path(spec["run"]))
    data = run.load_dataset()
    result = evaluate(run.load_method(data), data, asks=spec["asks"], progress=progress)
    if spec["keep"]:
        return result.document()
    try:
        run.write_evaluation(result)
    except RunError:
        return result.document()
    return None
