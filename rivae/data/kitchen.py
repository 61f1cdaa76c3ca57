"""Kitchen: 6,000 drawn dishes with recipes, made by this project from eight known factors.

Synthetic throughout: pictures (3, S, S) are drawn, texts are written by a program, both from eight
ordinal factors (levels 1 to 5) and from private factors of their own (``rivae.kitchen``). It comes
with the project, in the form that ``rivae import`` gives every data set.
"""

from __future__ import annotations

from rivae.data.base import PairedDataset
from rivae.data.pairs import open_pairs
from rivae.errors import DataError
from rivae.installed import APP_FILES

FOLDER = APP_FILES / "assets" / "kitchen"


def load(image_size: int = 64, max_words: int = 4000) -> PairedDataset:
    """Open the kitchen; its split, 70 / 15 / 15 %, is its own.

    Args:
        image_size: S, the side of the pictures in pixels; they are stored with 128.
        max_words: the most words V of the vocabulary, taken from the training texts.

    Returns:
        Views (3, S, S) and (V,), factors (N, 8) as codes 0 to 4.

    Raises:
        ConfigError: for a setting out of range.
        DataError: when its files are missing or damaged.
    """
    if not (FOLDER / "store.json").is_file():
        raise DataError(
            "the kitchen's files are missing in assets/kitchen: get them again, or make them with "
            "`python -m rivae.demo --only kitchen-data`"
        )
    data = open_pairs("kitchen", FOLDER, {}, image_size, max_words, None, 0, (0.7, 0.15, 0.15))
    data.settings = {"image_size": image_size, "max_words": max_words}
    return data
