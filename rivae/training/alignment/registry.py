"""Every step on the axes of a trained model, from the least to the most changed."""

from __future__ import annotations

from rivae.base.parts import Parts
from rivae.training.alignment.base import AS_TRAINED, ONLY_SCALED, AxisStep

STEPS: Parts[AxisStep] = Parts(
    "step on the axes",
    "rivae.training.alignment.axis_steps",
    "rivae.axis_steps",
    "rivae.training.alignment.base:AxisStep",
    first=("as trained", "scaled", "independent", "modulated", "words"),
)
STEPS.register(AS_TRAINED)  # stored names have a space, which no file of a part has


def step_of(note: str) -> str:
    """The name of the step whose note ``alignment.json`` has.

    A step that found no axes of its own has only scaled them. The note itself where it is of no
    step: of axes that were added to the run, or of a step that is not installed here.
    """
    if note.endswith(ONLY_SCALED):
        return "scaled"
    return next((step.name for step in STEPS.working().values() if step.note == note), note)
