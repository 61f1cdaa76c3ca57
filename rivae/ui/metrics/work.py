"""What the Metrics page has done in processes of their own: evaluations, alignments, suggestions.

Labels come with what is asked, so the store of labels is never opened here. ``keep`` writes one new
run folder and ``evaluate`` the run's evaluation, nothing else is written. No streamlit here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.errors import RunError
from rivae.ui.work.tasks import Progress, step_back


def _begin(progress: Progress) -> None:
    step_back()
    # Said before the modules are loaded, which takes seconds on a busy machine.
    progress("reading the model", 0.0)


def evaluate(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any] | None:
    """Evaluate the run in the folder ``run``; the result itself where it cannot be written there,
    or is not to be (``keep``).
    """
    _begin(progress)
    from rivae.evaluation import evaluate
    from rivae.runs import Run

    run = Run(Path(spec["run"]))
    data = run.load_dataset()
    result = evaluate(run.load_method(data), data, progress=progress)
    if spec["keep"]:
        return result.document()
    try:
        run.write_evaluation(result)
    except RunError:
        return result.document()
    return None


def align(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The change of axes that fits labels, and what it gains on held-out items."""
    _begin(progress)
    from rivae.labels.derive import align_run, alignment_record
    from rivae.runs import Run

    run = Run(spec["run"])
    data = run.load_dataset()
    progress("fitting the axes", 0.3)
    found, gains = align_run(run, spec["items"], spec["levels"], spec["factors"], data=data)
    return {
        "matrix": found.change.matrix.tolist(),
        "offset": found.change.offset.tolist(),
        "note": found.change.note,
        "n_items": len(spec["items"]),
        "record": alignment_record(found, gains, spec["guideline"]),
    }


def keep(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The derived run of such a change."""
    _begin(progress)
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
    _begin(progress)
    from rivae.labels.suggest import suggest_rows
    from rivae.runs import Run

    progress("comparing the items", 0.3)
    found = suggest_rows(Run(spec["run"]), spec["labelled"], spec["n_items"])
    return {"rows": found.rows.tolist(), "pool": found.pool, "n_pool": found.n_pool}
