"""Axes whose variance each query changes in its own way."""

from __future__ import annotations

from rivae.training.alignment.base import AxisChange, AxisStep, TrainedAxes
from rivae.training.alignment.folding import MODULATED as NOTE
from rivae.training.alignment.folding import modulated_axes


def find(trained_axes: TrainedAxes) -> AxisChange:
    """See ``modulated_axes``."""
    from rivae.retrieval.model import LatentModel  # comes with torch

    model, data, rows = LatentModel(trained_axes.method), trained_axes.data, trained_axes.rows
    z, v1 = model.encode_pairs(data.x1, data.x2, rows), model.embed_queries(data.x1, rows)
    return modulated_axes(z, trained_axes.mu, v1, trained_axes.reach, trained_axes.seed)


MODULATED = AxisStep(
    "modulated",
    "Modulated",
    "the axes whose variance the query changes, each in its own way",
    NOTE,
    find,
    picks=True,
)
