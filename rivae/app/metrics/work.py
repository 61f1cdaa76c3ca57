"""Work of the Evidence page in other processes: what evaluations can be trusted in, alignments,
suggestions.

First the functions that the page calls, then those that run in the process. Labels are handed
over, so the process never opens the store of labels. ``keep`` writes one new run folder
and ``measure_evidence`` into the run's cache; nothing else is written.
No streamlit here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.app.work.evaluating import MAX_KEPT, model_key, opening
from rivae.app.work.tasks import Task, Tasks, start_process
from rivae.base.errors import RunError
from rivae.base.progress import Progress

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.evaluation.evidence import Evidence
    from rivae.retrieval.base import Floats, Ints
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

TITLES = {"align": "Aligning", "keep": "Writing", "suggest": "Suggestions for"}

MEASURING = "the axes of another run are being measured: wait for it"
ALIGNING = "the machine is busy aligning other axes: try again in a minute"

_evidence = Tasks(MAX_KEPT, RunError, MEASURING)
from_labels = Tasks(20, RunError, ALIGNING, at_once=2)


def evidence_of(run: Run, stored: Evaluation) -> Evidence | Task | None:
    """The evidence for an evaluation of this run; else the task that measures it, or has failed to,
    which this begins; None while that has to wait for another one.
    """
    from rivae.evaluation.evidence import Evidence, kept_evidence

    if (kept := kept_evidence(run, stored)) is not None:
        return kept
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


def start_align(
    run: Run, items: Ints, levels: Floats, factors: Sequence[str], guideline: str, asks: Asks
) -> Task:
    """Begin to align ``run`` to the (m, K) levels of data rows, by the z of queries of the view
    ``asks`` (see ``align_run``).

    Its result is what :func:`start_keep` takes. Raises RunError as :func:`start_keep`.
    """
    return _start(
        run,
        "align",
        items=items.tolist(),
        levels=levels.tolist(),
        factors=list(factors),
        guideline=guideline,
        asks=asks,
    )


def start_keep(run: Run, found: dict[str, Any], names: Sequence[str], name: str) -> Task:
    """Begin to write the derived run ``name``; its result is {"run": its id}.

    Args:
        found: the result of :func:`start_align`.
        names: of the first axes.

    Raises:
        RunError: too many such processes are running.
    """
    from rivae.runs import runs_root

    kept = {part: found[part] for part in ("matrix", "offset", "note", "record")}
    return _start(
        run, "keep", **kept, names=list(names), name=name, root=str(runs_root().resolve())
    )


def start_suggest(run: Run, labelled: Ints, n_items: int, asks: Asks) -> Task:
    """Begin to look for the items to label next, by the z of queries of the view ``asks``; its
    result is {"rows", "pool", "n_pool", "axes"}.

    Raises RunError as :func:`start_keep`.
    """
    return _start(run, "suggest", labelled=labelled.tolist(), n_items=n_items, asks=asks)


def _start(run: Run, what: str, **spec: Any) -> Task:
    key, title = _key(what, run), f"{TITLES[what]} {run.id}"
    spec["run"] = str(run.path.resolve())
    return from_labels.start(
        key, lambda: start_process(key, title, f"{__name__}:{what}", spec), again=True
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


def align(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The change of axes that fits labels, and what it gains on held-out items."""
    opening(progress)
    from rivae.labels.derive import align_run, alignment_record
    from rivae.runs import Run

    run = Run(spec["run"])
    data = run.load_dataset()
    progress("fitting the axes", 0.3)
    found, gains = align_run(
        run, spec["items"], spec["levels"], spec["factors"], data=data, asks=spec["asks"]
    )
    return {
        "matrix": found.change.matrix.tolist(),
        "offset": found.change.offset.tolist(),
        "note": found.change.note,
        "n_items": len(spec["items"]),
        "record": alignment_record(found, gains, spec["guideline"]),
    }


def keep(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The derived run of such a change."""
    opening(progress)
    from rivae.labels.derive import derive_run
    from rivae.runs import Run

    progress("writing the run", 0.3)
    made = derive_run(
        Run(spec["run"]),
        spec["matrix"],
        spec["offset"],
        spec["name"],
        note=spec["note"],
        names=spec["names"],
        record=spec["record"],
        root=Path(spec["root"]),
    )
    return {"run": made.id}


def suggest(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The items to label next."""
    opening(progress)
    from rivae.labels.suggest import suggest_rows
    from rivae.runs import Run

    progress("comparing the items", 0.3)
    found = suggest_rows(Run(spec["run"]), spec["labelled"], spec["n_items"], asks=spec["asks"])
    return {
        "rows": found.rows.tolist(),
        "pool": found.pool,
        "n_pool": found.n_pool,
        "axes": list(found.axes),
    }
