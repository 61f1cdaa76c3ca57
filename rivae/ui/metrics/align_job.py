"""Aligns axes to labels in a process of its own: ``python -m rivae.ui.metrics.align_job SPEC``.

SPEC is a JSON file made by ``rivae.ui.metrics.align``: {"do": "align", "keep" or "suggest", …};
it is removed when the work is done. The labels stand in it, so the store of labels is never opened
here; "keep" writes one new run folder, nothing else is written. See ``rivae.ui.work.tasks`` for
what the process says. No streamlit here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rivae.errors import RivaeError
from rivae.ui.work.tasks import step_back, tell


def align(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The change of axes that fits labels, and what it gains on held-out items."""
    from rivae.labels.derive import align_run, alignment_record
    from rivae.runs import Run

    run = Run(spec["run"])
    data = run.load_dataset()
    tell(stage="fitting the axes", share=0.3)
    found, gains = align_run(run, spec["items"], spec["levels"], spec["factors"], data=data)
    return {
        "matrix": found.change.matrix.tolist(),
        "offset": found.change.offset.tolist(),
        "note": found.change.note,
        "n_items": len(spec["items"]),
        "record": alignment_record(found, gains, spec["guideline"]),
    }


def keep(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The derived run of such a change."""
    from rivae.labels.derive import derive_run
    from rivae.runs import Run

    tell(stage="writing the run", share=0.3)
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


def suggest(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The items to label next."""
    from rivae.labels.suggest_plan import suggest_rows
    from rivae.runs import Run

    tell(stage="comparing the items", share=0.3)
    found = suggest_rows(Run(spec["run"]), spec["labelled"], spec["n_items"])
    return {"rows": found.rows.tolist(), "pool": found.pool, "n_pool": found.n_pool}


WORK = {"align": align, "keep": keep, "suggest": suggest}


def main(argv: Sequence[str]) -> int:
    """Do what the file ``argv[0]`` says; returns the exit status."""
    path = Path(argv[0])
    spec = json.loads(path.read_bytes())
    step_back()
    tell(stage="reading the model", share=0.0)
    try:
        tell(done=True, result=WORK[spec["do"]](spec))
        return 0
    except RivaeError as error:
        tell(error=str(error))
        return 1
    finally:
        # Whatever else somebody names here stays.
        if path.name.startswith(f"rivae-{spec.get('do')}-"):
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
