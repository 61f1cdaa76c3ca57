"""Work of the Evidence page in other processes: what evaluations can be trusted in, suggestions.

First the functions that the page calls, then those that run in the process. Labels are handed
over, so the process never opens the store of labels. ``measure_evidence`` writes into the run's
cache; nothing else is written. No streamlit here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rivae.app.work.evaluating import MAX_KEPT, model_key, opening
from rivae.app.work.tasks import Task, Tasks, start_process
from rivae.base.errors import RunError
from rivae.base.progress import Progress

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.evaluation.evidence import Evidence
    from rivae.retrieval.base import Ints
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

MEASURING = "the axes of another run are being measured: wait for it"
SUGGESTING = "items of other runs are being suggested: try again in a minute"

_evidence = Tasks(MAX_KEPT, RunError, MEASURING)
from_labels = Tasks(20, RunError, SUGGESTING, at_once=2)


def evidence_of(run: Run, stored: Evaluation) -> Evidence | Task | None:
    """The evidence for an evaluation of this run; else the task that measures it, or has failed to,
    which this begins; None while that has to wait for another one.
    """
    from rivae.evaluation.evidence import Evidence, kept_evidence

    if (evidence := kept_evidence(run, stored)) is not None:
        return evidence
    key = f"{model_key(run)}/{stored.settings.asks}/{stored.created}"
    task = _evidence.get(key)
    if task is None:
        if _evidence.running():
            return None
        spec = {"run": str(run.path.resolve()), "report": stored.document()}
        title, work = f"The axes of {run.id}", f"{__name__}:measure_evidence"
        task = _evidence.start(key, lambda: start_process(key, title, work, spec))
    # Its result could not be kept.
    return Evidence.model_validate_json(task.result["evidence"]) if task.result else task


def measuring() -> bool:
    """Whether the evidence of any run is being measured."""
    return bool(_evidence.running())


def job_of(what: str, run: Run) -> Task | None:
    """The newest job of this kind on the run's present model, running or finished, or None."""
    return from_labels.get(_key(what, run))


def forget(what: str, run: Run) -> None:
    """Forget this job and its result."""
    from_labels.forget(_key(what, run))


def start_suggest(run: Run, labelled: Ints, n_items: int, asks: Asks) -> Task:
    """Begin to look for the items to label next, by the z of queries of the view ``asks``; its
    result is {"rows", "pool", "n_pool", "axes"}.

    Raises:
        RunError: too many such processes are running.
    """
    spec = {
        "labelled": labelled.tolist(),
        "n_items": n_items,
        "asks": asks,
        "run": str(run.path.resolve()),
    }
    key = _key("suggest", run)
    return from_labels.start(
        key,
        lambda: start_process(key, f"Suggestions for {run.id}", f"{__name__}:suggest", spec),
        again=True,
    )


def _key(what: str, run: Run) -> str:
    return f"{what}|{run.path.resolve()}|{run.shown_key}"


def measure_evidence(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Measure and keep the evidence for the evaluation ``report`` of the run in the folder ``run``;
    the result holds it as well, for a folder that cannot be written.
    """
    opening(progress)
    from rivae.evaluation.evidence import evidence_of
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

    report = Evaluation.model_validate(spec["report"])
    return {"evidence": evidence_of(Run(spec["run"]), report, progress).model_dump_json()}


def suggest(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The items to label next."""
    opening(progress)
    from rivae.labels.suggest import suggest_rows
    from rivae.runs import Run

    progress("comparing the items", 0.3)
    rows = suggest_rows(Run(spec["run"]), spec["labelled"], spec["n_items"], asks=spec["asks"])
    return {
        "rows": rows.rows.tolist(),
        "pool": rows.pool,
        "n_pool": rows.n_pool,
        "axes": list(rows.axes),
    }
