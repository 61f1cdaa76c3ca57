"""What turns pictures and texts into features: the contract of a source, and all sources.

A source opens an encoder, for instance by fitting it to the pictures of a store; the encoder takes
any pictures and texts. ``making_features`` computes those of a store, ``asked_features`` those of
an upload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from safetensors.torch import load, load_file, save
from torch import Tensor

from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.parts import Parts
from rivae.data.base import Recipe
from rivae.data.store import PairStore
from rivae.data.store.features import ENCODER, SIDES


def short_text(recipe: Recipe) -> str:
    """Title, ingredients, then steps: informative words first, since models cut long texts."""
    return ". ".join(
        filter(None, (recipe.title, ", ".join(recipe.ingredients), " ".join(recipe.instructions)))
    )


class Encoder:
    """Turns pictures, texts, or both into features: of a store, of uploads, of typed texts.

    Attributes:
        name: what ``features.json`` says of it; a path is cut to its last part.
        sides: "pictures", "texts" or both: what it reads.
        precision: the number format that it computes in, "float32" or "bf16".
        origin: what opens it again where its source needs a name: the whole path, or the name on
            the hub.
        weights: a hash of its weights where its source needs a name; others are refused.
        device: where it runs.
    """

    name: str
    sides: tuple[str, ...] = SIDES[:1]
    precision: str = "float32"
    origin: str = ""
    weights: str = ""
    device: torch.device = torch.device("cpu")

    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """Features (len(batch), D1) of RGB pictures of any size.

        Raises:
            ConfigError: it reads none.
        """
        raise ConfigError(f"{self.name} reads no pictures")

    def encode_texts(self, batch: Sequence[str]) -> Tensor:
        """Features (len(batch), D2) of texts that somebody types.

        Raises:
            ConfigError: it reads none.
        """
        raise ConfigError(f"{self.name} reads no texts")

    def encode_recipes(self, batch: Sequence[Recipe]) -> Tensor:
        """Features (len(batch), D2) of the texts of items, by default of all parts as one text."""
        return self.encode_texts([short_text(recipe) for recipe in batch])

    def knows(self, text: str) -> bool:
        """Whether it has learned the language of ``text``, as far as it can tell."""
        return True

    def fitted(self) -> dict[str, Tensor]:
        """What was fitted to the store, which ``FeatureSource.restore`` takes; {} for nothing."""
        return {}


@dataclass(frozen=True)
class FeatureSource:
    """Where features come from: a part of ``FEATURES``.

    Attributes:
        name: that of its file, with "-" for "_".
        title, blurb: on screen, and what a model on them sees, in a line.
        open: an encoder, or None where features only come with an import. Takes the store whose
            items are encoded, what the source was asked for (``needs_name``), and a device.
        sides: those that its encoders can have.
        needs_name: what has to be named after the source, as "a local folder"; "" for nothing.
        extra: what ``pip install 'rivae-explorer[EXTRA]'`` brings it, "" for nothing.
        version: another one where the same pictures begin to give other features.
        restore: the encoder of what one has fitted before, without the store it was fitted to.
        require: raises a ``RivaeError`` where what it needs is not installed; None needs nothing.
    """

    name: str
    title: str
    blurb: str
    open: Callable[[PairStore, str, str], Encoder] | None
    sides: tuple[str, ...] = SIDES[:1]
    needs_name: str = ""
    extra: str = ""
    version: str = "1"
    restore: Callable[[Mapping[str, Tensor]], Encoder] | None = None
    require: Callable[[], Any] | None = None

    @property
    def is_installed(self) -> bool:
        """Whether all that ``open`` needs is here; nothing of it is loaded."""
        with suppress(RivaeError):
            if self.require is not None:
                self.require()
            return True
        return False


FEATURES: Parts[FeatureSource] = Parts(
    "source of features",
    "rivae.data.features.sources",
    "rivae.features",
    "rivae.data.features.contract:FeatureSource",
    first=("own", "statistics"),
)
NAMED = "checkpoint"  # the source of all other names


def open_encoder(name: str, store: PairStore, device: str = "cpu") -> Encoder:
    """The encoder of a source's name, or of a checkpoint: a folder, or a name on the hub.

    Raises:
        ConfigError: the source only comes with an import, needs a name, or is not installed.
        DataError: it cannot be loaded, or be fitted to the store.
    """
    source = FEATURES[name if name in FEATURES else NAMED]
    if source.open is None:
        raise ConfigError(
            f"{source.blurb} come with an import (`rivae import --embeddings`): choose one of "
            f"{', '.join(makeable())}"
        )
    if source.needs_name and name == source.name:
        raise ConfigError(f"'{name}' needs a name: write {source.needs_name}")
    encoder = source.open(store, name, device)
    # Numbers that lie otherwise in memory may be rounded otherwise: so it works with what it has
    # fitted as it does where that is read again, in another process or for an upload.
    if source.restore is not None and (fitted := encoder.fitted()):
        return source.restore(load(save(fitted)))
    return encoder


def open_again(
    source: FeatureSource,
    store: PairStore,
    place: Path,
    origin: str = "",
    weights: str = "",
    device: str = "cpu",
) -> Encoder:
    """The encoder that makes or has made the features of ``store`` in ``place``.

    Args:
        origin, weights: see ``Encoder``.

    Raises:
        ConfigError: what it needs is not installed.
        DataError: what was fitted to the store is damaged, or it has other weights now.
    """
    fitted_file = place / ENCODER
    if source.restore is not None and fitted_file.is_file():
        try:
            return source.restore(load_file(fitted_file))
        except Exception as error:  # safetensors and torch raise many kinds for damaged files
            raise DataError(
                f"{fitted_file} is damaged: delete the folder {place.name} and make the features "
                "again with `rivae features`"
            ) from error
    encoder = open_encoder(origin or source.name, store, device)
    if encoder.weights != weights:
        raise DataError(
            f"{encoder.name} holds other weights than those that made features '{place.name}': "
            "make new ones with `rivae features --as ANOTHER-NAME`"
        )
    return encoder


def makeable() -> list[str]:
    """What ``open_encoder`` takes, in words."""
    sources = [source for source in FEATURES.working().values() if source.open is not None]
    return sorted((source.needs_name or source.name for source in sources), key=len)
