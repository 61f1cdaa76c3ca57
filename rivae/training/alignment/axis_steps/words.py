"""Axes that follow the words of the texts."""

from __future__ import annotations

from typing import cast

from rivae.data.base import PairedDataset
from rivae.data.words_view import WordsView
from rivae.training.alignment.base import AxisChange, AxisStep, TrainedAxes
from rivae.training.alignment.folding import WORDS as NOTE
from rivae.training.alignment.folding import word_axes


def _has_words(data: PairedDataset) -> bool:
    return isinstance(data.x2, WordsView)


def find(trained_axes: TrainedAxes) -> AxisChange:
    """See ``word_axes``."""
    from rivae.retrieval.model import LatentModel  # comes with torch

    z, rows = trained_axes.mu, trained_axes.rows
    if trained_axes.method.asks_both_ways:
        # The texts' own z: a picture tells less of their words.
        z = LatentModel(trained_axes.method).encode_asking("second", trained_axes.data, rows)[0]
    texts = cast(WordsView, trained_axes.data.x2)
    words = texts.sparse(rows), texts.vocabulary
    return word_axes(z, trained_axes.mu, *words, trained_axes.reach, trained_axes.seed)


WORDS = AxisStep(
    "words",
    "Words",
    "axes that grow with groups of words of the texts",
    NOTE,
    find,
    needs="texts with weighted words",
    suits=_has_words,
    instead="independent",
    picks=True,
)
