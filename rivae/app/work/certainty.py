"""How sure the axes of a run are, for its pages: what is known at once, the rest measured in a
separate process while the page is used. Streamlit is not imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rivae.app.work.tasks import Tasks, start_process, step_back
from rivae.base.errors import RunError
from rivae.base.progress import Progress
from rivae.exploring.sliders import certainty_marks
from rivae.metrics.certainty import Verdict
from rivae.training.alignment.certainty import Certainty, has_fits, kept_certainty

if TYPE_CHECKING:
    from rivae.runs import Run

MAX_KNOWN = 100  # of runs whose folders cannot be written
WAIT = "another run is being measured: wait for it"
SIGNS: dict[Verdict, str] = {"sure": "●", "plane": "◐", "unsure": "○"}  # in lists of axes
_AXES: TypeAdapter[Certainty] = TypeAdapter(Certainty)

_measuring = Tasks(MAX_KNOWN, RunError, WAIT)


def known_certainty(run: Run | None) -> Certainty | None:
    """How sure each axis of the run is, () where nothing can say it.

    None while it is being measured, which this begins.
    """
    if run is None or not has_fits(run):
        return ()
    if (certainty := kept_certainty(run)) is not None:
        return certainty
    folder = str(run.path.resolve())
    key = f"{folder}/{run.shown_key}"
    task = _measuring.get(key)
    if task is None and not _measuring.running():
        title, work = f"How sure the axes of {run.id} are", f"{__name__}:measure"
        _measuring.start(key, lambda: start_process(key, title, work, {"run": folder}))
    if task is None or task.running:
        return None
    # It was measured, but could not be kept, or it failed; the app's output says why.
    return _AXES.validate_python(task.result["axes"]) if task.result else ()


def measure(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Measure the run in the folder ``run`` and keep the result, which is also returned."""
    step_back()
    progress("comparing the fits", 0.0)
    from rivae.retrieval.model import LatentModel
    from rivae.runs import Run
    from rivae.training.alignment.certainty import certainty_of

    run = Run(spec["run"])
    data = run.load_dataset()
    certainty = certainty_of(run, LatentModel(run.load_method(data)), data)
    return {"axes": _AXES.dump_python(certainty, mode="json")}


def signed(known: Certainty | None, names: Sequence[str]) -> list[str]:
    """The names of all axes for a list, with the sign of how sure each is where that is known."""
    out = list(names)
    for axis in known or ():
        out[axis.axis] = f"{SIGNS[axis.verdict]} {names[axis.axis]}"
    return out


def reasons(known: Certainty | None, names: Sequence[str], chosen: Sequence[int]) -> str | None:
    """Why the ``chosen`` axes have their signs, a paragraph for each; None where nothing is known.

    Plain text, as names are.
    """
    texts = [mark["text"] for mark in certainty_marks(known, names)]
    sentences = [f"{names[j]}. {texts[j]}" for j in chosen if j < len(texts)]
    return "\n\n".join(sentences) or None
