"""The example pictures of a guideline's levels, where the data they are named after is here."""

from __future__ import annotations

from functools import cache

from PIL import Image

from rivae.data import dataset_names, load_dataset
from rivae.data.base import PairedDataset
from rivae.errors import RivaeError
from rivae.labels.row_keys import rows_by_key
from rivae.labels.schema import Guideline
from rivae.thumbnails import THUMBNAIL_SIDE, Thumbnail, encode_picture


def level_examples(
    guideline: Guideline, data: PairedDataset | None = None
) -> dict[str, dict[int, Thumbnail]]:
    """Small pictures by factor and level; what cannot be shown is left out.

    Args:
        data: the data set that is labelled, whose items may be examples; items of the drawn
            kitchen are known without it. Pictures beside a guideline file are not: they stayed
            where the file came from.
    """
    found: dict[str, dict[int, Thumbnail]] = {}
    for factor in guideline.factors:
        for level, key in sorted(factor.examples.items()):
            picture = _picture(key, data)
            if picture is not None:
                found.setdefault(factor.id, {})[level] = encode_picture(picture, THUMBNAIL_SIDE)
    return found


def _picture(key: str, data: PairedDataset | None) -> Image.Image | None:
    name, _, own = key.partition(":")
    # Guidelines made before imports had ids of their own name their items by the data set alone.
    here = data is not None and name in (data.name, data.key_name)
    source = data if here else _kitchen(name)
    if source is None:
        return None
    row = _rows(source).get(f"{source.key_name}:{own}")
    if row is None:
        return None
    try:
        return source.picture(row, 0 if source.shows_whole else 2)
    except RivaeError:  # an import whose pictures are damaged: the words are still there
        return None


@cache
def _kitchen(name: str) -> PairedDataset | None:
    return load_dataset(name) if name == "kitchen" and name in dataset_names() else None


_known: dict[str, dict[str, int]] = {}  # rows by key, by the fingerprint of the data


def _rows(data: PairedDataset) -> dict[str, int]:
    if data.fingerprint not in _known:
        if len(_known) >= 4:
            _known.clear()
        _known[data.fingerprint] = rows_by_key(data)
    return _known[data.fingerprint]
