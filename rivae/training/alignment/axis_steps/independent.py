"""Independent components of mu(v1): linear ICA."""

from __future__ import annotations

from rivae.training.alignment.base import AxisChange, AxisStep, TrainedAxes
from rivae.training.alignment.folding import INDEPENDENT as NOTE
from rivae.training.alignment.folding import decoder_slopes, independent_axes

MAX_SLOPES = 500


def find(trained: TrainedAxes) -> AxisChange:
    """See ``independent_axes``."""
    slopes = decoder_slopes(trained.method, trained.mu[:MAX_SLOPES])
    return independent_axes(trained.mu, slopes, trained.reach, trained.seed)


INDEPENDENT = AxisStep(
    "independent", "Independent", "independent components of the queries' means (ICA)", NOTE, find
)
