"""Tags grouped by food factor: an editable file, and the scores it gives tagged recipes.

After the paper's supplement ("Association between food factors and food.com tags"), which does not
print its groups; ours are made by hand (``assets/factors/foodcom_tags.json``). Each factor has tags
of its high end and of its low end; a tag may belong to several factors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.base.installed import APP_FILES
from rivae.base.reading.documents import read_form
from rivae.base.reading.regular import is_file
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.sets.pairs import Pairs

FOODCOM_TAGS = APP_FILES / "assets" / "factors" / "foodcom_tags.json"
TAG_FILE = "tag_map.json"  # in the folder of imported data: the meaning of its tags
MAX_BYTES = 1_000_000

Side = Literal["high", "low"]
_Tags = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=80)], ...], Field(max_length=5000)
]


class FactorTags(BaseModel):
    """The tags of one factor: for dishes with much of it and with little."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    high: _Tags = ()
    low: _Tags = ()


class TagMap(BaseModel):
    """The meaning of the tags of one site.

    Attributes:
        source: where the tags come from.
        factors: factor name (``rivae.data.food_factors``) to its tags.
        unrelated: tags about the dish, but not about a factor.
        ignored: tags to leave out everywhere ("60-minutes-or-less").
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1]
    source: Annotated[str, Field(max_length=500)] = ""
    factors: dict[str, FactorTags]
    unrelated: _Tags = ()
    ignored: _Tags = ()


@dataclass(frozen=True)
class TagNode:
    """One tag under one factor, with the number of items that have it."""

    factor: str
    tag: str
    side: Side
    count: int


def read_tag_map(path: Path = FOODCOM_TAGS) -> TagMap:
    """The mapping in a JSON file.

    Raises:
        DataError: the file is missing, too large or not a tag file, names an unknown factor, or
            has a tag at both ends of a factor.
    """
    tag_map = read_form(
        TagMap,
        path,
        MAX_BYTES,
        unreadable=f"the tag file {path.name} cannot be read: choose another one",
        too_large=f"a tag file has at most {MAX_BYTES:,} bytes: choose a smaller one",
        foreign=f"{path.name} is not a tag file ({{problem}}): start from {FOODCOM_TAGS.name}",
    )
    unknown = sorted(set(tag_map.factors) - set(FACTOR_NAMES))
    if unknown:
        raise DataError(
            f"{path.name} names no food factor with {unknown[0][:40]!r}: "
            f"use {', '.join(FACTOR_NAMES)}"
        )
    for name, tags in tag_map.factors.items():
        both = sorted(set(tags.high) & set(tags.low))
        if both:
            raise DataError(f"{both[0]!r} is at both ends of {name}: keep one of them")
    return tag_map


def tag_map_of(data: PairedDataset) -> tuple[TagMap, str]:
    """The meaning of the tags: the file in the folder of the imported data, or the built-in one.

    Returns:
        The mapping, and a sentence if the file of the imported data cannot be used.

    Raises:
        DataError: the built-in file is damaged.
    """
    if isinstance(data, Pairs) and is_file(path := data.store.folder / TAG_FILE):
        try:
            return read_tag_map(path), ""
        except DataError as error:
            return read_tag_map(), str(error)
    return read_tag_map(), ""


def tag_nodes(
    tag_map: TagMap, tags: Iterable[Collection[str]], *, factors: Sequence[str] = FACTOR_NAMES
) -> tuple[TagNode, ...]:
    """The nodes of the tag-factor graph: by factor, then side, the commonest first. Tags that no
    item has are left out. ``tags`` holds the tags of every item.
    """
    counts = Counter(tag for item in tags for tag in set(item))
    sides: tuple[Side, Side] = ("high", "low")
    return tuple(
        TagNode(factor, tag, side, counts[tag])
        for factor in factors
        if factor in tag_map.factors
        for side in sides
        for tag in sorted(
            set(getattr(tag_map.factors[factor], side)), key=lambda t: (-counts[t], t)
        )
        if counts[tag]
    )


def unmapped(tag_map: TagMap, tags: Iterable[Collection[str]]) -> tuple[tuple[str, int], ...]:
    """Tags that the mapping does not name, with their counts, the commonest first."""
    mapped_tags = {*tag_map.unrelated, *tag_map.ignored}
    for group in tag_map.factors.values():
        mapped_tags.update(group.high, group.low)
    counts = Counter(tag for item in tags for tag in set(item) if tag not in mapped_tags)
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def tag_scores(tag_map: TagMap, tags: Sequence[Collection[str]]) -> Floats:
    """Scores of each factor from the tags, shape (N, 8), columns as in ``FACTOR_NAMES``.

    From -1 (all of the item's tags of that factor are low) to 1 (all are high); NaN without such
    tags. A weak substitute for the paper's labels, which people gave by eye.
    """
    scores = np.full((len(tags), len(FACTOR_NAMES)), np.nan)
    sign: Mapping[str, dict[str, int]] = {
        name: {**dict.fromkeys(group.high, 1), **dict.fromkeys(group.low, -1)}
        for name, group in tag_map.factors.items()
    }
    for i, item in enumerate(tags):
        for k, name in enumerate(FACTOR_NAMES):
            values = [sign[name][tag] for tag in set(item) if tag in sign.get(name, {})]
            if values:
                scores[i, k] = sum(values) / len(values)
    return scores
