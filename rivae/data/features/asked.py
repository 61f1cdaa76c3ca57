"""Uploads as features of a store: by the encoders that made those of its items."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import torch
from PIL import Image
from safetensors.torch import save
from torch import Tensor

from rivae.base.errors import DataError, RivaeError
from rivae.base.files import write_atomic
from rivae.base.reading.contents import Written, written
from rivae.base.reading.documents import read_json
from rivae.data.features.contract import FEATURES, NAMED, Encoder, FeatureSource, open_again
from rivae.data.features.making import unit_rows
from rivae.data.store import PairStore
from rivae.data.store.features import ENCODER, FOLDER, feature_sides, single_names


def encodes(folder: Path, features: str, side: str) -> bool:
    """Whether uploads of ``side`` become the ``features`` of the store in ``folder``, one or
    several together; not where one came with the import or from a folder, or by older rules.
    """
    names = [one for one in single_names(features) if side in feature_sides(folder, one)]
    with suppress(RivaeError):
        return bool(names) and all(_source_of(folder, one) is not None for one in names)
    return False


def picture_features(folder: Path, features: str, picture: Image.Image) -> Tensor:
    """An RGB picture as (1, D), as the store's views give those of its own items.

    Raises:
        ConfigError: what made them is not installed.
        DataError: it cannot be opened again.
    """
    return _joined(folder, features, "pictures", lambda encoder: encoder.encode_pictures([picture]))


def text_features(folder: Path, features: str, text: str) -> tuple[Tensor, bool]:
    """A typed text as (1, D), as the store's views give those of its own items, and whether one of
    its encoders knows the language.

    Raises:
        ConfigError: what made them is not installed.
        DataError: it cannot be opened again.
    """
    has_meaning = []

    def encode(encoder: Encoder) -> Tensor:
        has_meaning.append(encoder.knows(text))
        return encoder.encode_texts([text])

    row = _joined(folder, features, "texts", encode)
    return row, any(has_meaning)


def _joined(folder: Path, features: str, side: str, encode: Callable[[Encoder], Tensor]) -> Tensor:
    parts = []
    for one in single_names(features):
        if side in feature_sides(folder, one):
            row = unit_rows(encode(_encoder(folder, one)).float().cpu().numpy())
            parts.append(torch.from_numpy(row) * math.sqrt(row.shape[1]))
    return torch.cat(parts, -1)


def _source_of(folder: Path, name: str) -> FeatureSource | None:
    """What made these features and can encode other items alike; None where nothing can.

    Raises:
        RivaeError: their description is damaged.
    """
    about = read_json(folder / FOLDER / name / "features.json")
    source_name = NAMED if about.get("origin") else str(about.get("checkpoint", ""))
    source = FEATURES.get(source_name)
    if source is None or source.open is None or (source.needs_name and not about.get("origin")):
        return None
    return source if str(about.get("version", "1")) == source.version else None


def _encoder(folder: Path, name: str) -> Encoder:
    return _opened(folder, name, written(folder / FOLDER / name / "features.json"))


@lru_cache(maxsize=8)
def _opened(folder: Path, name: str, when: Written) -> Encoder:
    source, place = _source_of(folder, name), folder / FOLDER / name
    if source is None:
        raise DataError(
            f"nothing here makes features '{name}' of a new item: choose one from the gallery"
        )
    about = read_json(place / "features.json")
    origin, weights = str(about.get("origin", "")), str(about.get("weights", ""))
    encoder = open_again(source, PairStore(folder), place, origin, weights)
    if not (place / ENCODER).is_file() and (fitted_tensors := encoder.fitted()):
        with suppress(OSError):  # made by a version that kept nothing
            write_atomic(place / ENCODER, save(fitted_tensors))
    return encoder
