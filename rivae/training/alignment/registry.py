"""Every step on the axes of a trained model, from the least to the most changed."""

from __future__ import annotations

from rivae.base.parts import Parts
from rivae.training.alignment.base import AS_TRAINED, AxisStep

STEPS: Parts[AxisStep] = Parts(
    "step on the axes",
    "rivae.training.alignment.axis_steps",
    "rivae.axis_steps",
    "rivae.training.alignment.base:AxisStep",
    first=("as trained", "scaled", "independent", "modulated", "words"),
)
STEPS.register(AS_TRAINED)  # stored names have a space, which no file of a part has


def step_of(note: str) -> str:
    """The name of the step whose note ``alignment.json`` has; a step that found no axes of its own
    has only scaled them.
    """
    return next((step.name for step in STEPS.working().values() if step.note == note), "scaled")
