"""Alignments, derived runs and suggestions that visitors asked for, each in a process of its own.

The newest of each kind for a run's model is shown to everybody who looks at that run. No streamlit
here.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.errors import RunError
from rivae.ui.background import Job, Tasks, start_process

if TYPE_CHECKING:
    from rivae.retrieval.base import Floats, Ints
    from rivae.runs import Run

TITLES = {"align": "Aligning", "keep": "Writing", "suggest": "Suggestions for"}

tasks = Tasks(
    20, RunError, "others are aligning axes at this moment: try again in a minute", at_once=2
)


def job_of(what: str, run: Run) -> Job | None:
    """The newest task of this kind on the run's present model, running or done, or None."""
    return tasks.get(_key(what, run))


def forget(what: str, run: Run) -> None:
    """No more of this work is shown."""
    tasks.forget(_key(what, run))


def align(
    run: Run, items: Ints, levels: Floats, factors: Sequence[str], guideline: str
) -> Job:
    """Begin to align ``run`` to the (m, K) levels of data rows (see ``align_run``).

    Its result is what :func:`keep` takes. Raises RunError as :func:`keep`.
    """
    return _start(run, "align", items=items.tolist(), levels=levels.tolist(),
                  factors=list(factors), guideline=guideline)  # fmt: skip


def keep(run: Run, found: dict[str, Any], names: Sequence[str], name: str) -> Job:
    """Begin to write the derived run ``name``; its result is {"run": its id}.

    Args:
        found: the result of :func:`align`.
        names: of the first axes.

    Raises:
        RunError: too many such processes are at work.
    """
    from rivae.runs import runs_root

    kept = {part: found[part] for part in ("matrix", "offset", "note", "record")}
    return _start(run, "keep", **kept, names=list(names), name=name,
                  root=str(runs_root().resolve()))  # fmt: skip


def suggest(run: Run, labelled: Ints, n_items: int) -> Job:
    """Begin to look for the items to label next; its result is {"rows", "pool", "n_pool"}.

    Raises RunError as :func:`keep`.
    """
    return _start(run, "suggest", labelled=labelled.tolist(), n_items=n_items)


def _start(run: Run, what: str, **spec: Any) -> Job:
    def begin() -> Job:
        try:
            with tempfile.NamedTemporaryFile(
                "w", prefix=f"rivae-{what}-", suffix=".json", delete=False
            ) as file:
                json.dump({"do": what, "run": str(run.path.resolve()), **spec}, file)
        except OSError as error:
            raise RunError(
                f"the temporary folder of this machine cannot be written ({error.strerror}): make "
                "room and try again"
            ) from None
        path = str(Path(file.name).resolve())
        title = f"{TITLES[what]} {run.id}"
        return start_process(_key(what, run), title, "rivae.ui.align_job", [path])

    return tasks.start(_key(what, run), begin, again=True)


def _key(what: str, run: Run) -> str:
    return f"{what}|{run.path.resolve()}|{run.content_hash}"
