"""Only the unit of each axis is set."""

from __future__ import annotations

from rivae.training.alignment.base import AxisStep
from rivae.training.alignment.folding import SCALED as NOTE
from rivae.training.alignment.folding import scaled_axes

SCALED = AxisStep(
    "scaled",
    "Scaled",
    "the unit of each axis, so that the central 99 % of the queries span the traversal",
    NOTE,
    lambda axes: scaled_axes(axes.mu, axes.reach),
)
