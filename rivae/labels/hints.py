"""Help for annotators: example pictures of each level, and levels suggested by an item's tags."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from rivae.base.errors import RivaeError
from rivae.data import load_dataset
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.names import DATASETS, IMPORTED
from rivae.data.thumbnails import THUMBNAIL_SIDE, Thumbnail, encode_picture
from rivae.exploring.words.item_words import item_tags
from rivae.exploring.words.tags import TagMap, tag_map_of, tag_scores
from rivae.labels.guideline import N_LEVELS, Guideline
from rivae.labels.table import rows_by_key
from rivae.retrieval.base import Floats

NOTHING = "."  # no suggestion


def level_examples(
    guideline: Guideline, data: PairedDataset | None = None
) -> dict[str, dict[int, Thumbnail]]:
    """Thumbnails by factor and level; examples that cannot be shown are left out.

    Args:
        data: the data set being labelled; its items may be examples, and so may items of a data
            set with texts that comes with the project. Pictures in the folder of a guideline file
            are not available here.
    """
    thumbnails: dict[str, dict[int, Thumbnail]] = {}
    for factor in guideline.factors:
        for level, key in sorted(factor.examples.items()):
            picture = _picture(key, data)
            if picture is not None:
                thumbnails.setdefault(factor.id, {})[level] = encode_picture(
                    picture, THUMBNAIL_SIDE
                )
    return thumbnails


def _picture(key: str, data: PairedDataset | None) -> Image.Image | None:
    name, _, item_id = key.partition(":")
    # Older guidelines name items of imports by the data set alone.
    here = data is not None and name in (data.name, data.key_name)
    source = data if here else _with_project(name)
    if source is None:
        return None
    row = _rows(source).get(f"{source.key_name}:{item_id}")
    if row is None:
        return None
    try:
        return source.picture(row, 0 if source.shows_whole else 2)
    except RivaeError:  # a damaged picture of an import
        return None


@cache
def _with_project(name: str) -> PairedDataset | None:
    """The data set ``name`` if it has texts and is no import, such as the drawn kitchen."""
    has_texts = name != IMPORTED and name in DATASETS and DATASETS.said(name, "texts", False)
    return load_dataset(name) if has_texts else None


_row_tables: dict[str, dict[str, int]] = {}  # rows by key, by the fingerprint of the data


def _rows(data: PairedDataset) -> dict[str, int]:
    if data.fingerprint not in _row_tables:
        if len(_row_tables) >= 4:
            _row_tables.clear()
        _row_tables[data.fingerprint] = rows_by_key(data)
    return _row_tables[data.fingerprint]


def tag_levels(tag_map: TagMap, tags: Sequence[Collection[str]], factors: Sequence[str]) -> Floats:
    """The level that the tags of each of N items suggest for each of K factors.

    It is the share of the item's tags for the factor that belong to its high end: none is level 1,
    half 3, all 5. On the drawn kitchen it is the true level of a third of the items, and within one
    level for four in five; expect less of real tags. So suggestions are shown on request, marked,
    and count once a person confirms them (``LabelEvent.suggested``).

    Args:
        tags: the tags of every item.
        factors: factor ids; tags suggest levels of the eight food factors only.

    Returns:
        Shape (N, K), 1.0 to 5.0, NaN where an item has no tag for the factor, or the factor is not
        one of the eight.
    """
    scores = 2 * tag_scores(tag_map, tags)
    middle = (N_LEVELS + 1) / 2
    # Halves round away from the middle, so that both ends are treated alike.
    levels = middle + np.copysign(np.floor(np.abs(scores) + 0.5), scores)
    suggestions = np.full((len(tags), len(factors)), np.nan)
    for k, factor in enumerate(factors):
        if factor in FACTOR_NAMES:
            suggestions[:, k] = levels[:, FACTOR_NAMES.index(factor)]
    return suggestions


def tag_suggestions(
    data: PairedDataset, rows: ArrayLike, factors: Sequence[str]
) -> tuple[str, ...] | None:
    """The suggested levels of some items, as the Label page sends them to the browser.

    Args:
        rows: P data rows, for instance ``LabelPlan.order``; repetitions allowed.
        factors: factor ids, in the order of the guideline.

    Returns:
        For each factor a string of P characters, "1" to "5" or "." for no suggestion; None where
        no item of the data set has a tag.
    """
    tags = item_tags(data)
    if tags is None:
        return None
    indices = np.asarray(rows, dtype=np.int64)
    tag_map, _ = tag_map_of(data)
    levels = tag_levels(tag_map, [tags[row] for row in indices], factors)
    return tuple(
        "".join(NOTHING if np.isnan(level) else str(int(level)) for level in column)
        for column in levels.T
    )
