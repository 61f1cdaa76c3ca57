"""Independent components of mu(v1): linear ICA."""

from __future__ import annotations

from rivae.training.alignment.base import AxisChange, AxisStep, TrainedAxes
from rivae.training.alignment.folding import INDEPENDENT as NOTE
from rivae.training.alignment.folding import decoder_slopes, independent_axes

MAX_SLOPES = 500


def find(trained_axes: TrainedAxes) -> AxisChange:
    """See ``independent_axes``."""
    slopes = decoder_slopes(trained_axes.method, trained_axes.mu[:MAX_SLOPES])
    return independent_axes(trained_axes.mu, slopes, trained_axes.reach, trained_axes.seed)


INDEPENDENT = AxisStep(
    "independent", "Independent", "independent components of the queries' means (ICA)", NOTE, find
)
