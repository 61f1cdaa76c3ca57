"""Levels guessed from an item's tags: suggestions that a person confirms, never labels.

What the tags of a recipe say of a food factor (``rivae.words.tags``) is a weak guess: tags were
given to be found, not to grade a picture. On the drawn kitchen, whose tags are made to tell the
factors, a guess is the true level of a third of the items and within one level of four in five; of
real tags expect less. So they are shown only where an annotator asks for them, marked as
suggestions, and nothing counts as a label before somebody confirms it (``LabelEvent.suggested``
keeps that it was suggested).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.schema import N_LEVELS
from rivae.retrieval.base import Floats
from rivae.words.item_words import item_tags
from rivae.words.tags import TagMap, tag_map_of, tag_scores

NOTHING = "."


def tag_levels(tag_map: TagMap, tags: Sequence[Collection[str]], factors: Sequence[str]) -> Floats:
    """The level that the tags of each of N items suggest for each of K factors.

    The share of high-end among the item's tags of that factor, from all low (level 1) to all high
    (level 5); as many of both is level 3.

    Args:
        tags: the tags of every item.
        factors: factor ids; only the eight food factors can be told from tags.

    Returns:
        Shape (N, K), 1.0 to 5.0, NaN where an item has no tag of that factor or the factor is none
        of the eight.
    """
    scores = 2 * tag_scores(tag_map, tags)
    middle = (N_LEVELS + 1) / 2
    # Halves go away from the middle, so that both ends are treated alike.
    levels = middle + np.copysign(np.floor(np.abs(scores) + 0.5), scores)
    found = np.full((len(tags), len(factors)), np.nan)
    for k, factor in enumerate(factors):
        if factor in FACTOR_NAMES:
            found[:, k] = levels[:, FACTOR_NAMES.index(factor)]
    return found


def tag_suggestions(
    data: PairedDataset, rows: ArrayLike, factors: Sequence[str]
) -> tuple[str, ...] | None:
    """What the tags suggest for some items, as the Label page sends it to the browser.

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
    chosen = np.asarray(rows, dtype=np.int64)
    tag_map, _ = tag_map_of(data)
    levels = tag_levels(tag_map, [tags[row] for row in chosen], factors)
    return tuple(
        "".join(NOTHING if np.isnan(level) else str(int(level)) for level in column)
        for column in levels.T
    )
