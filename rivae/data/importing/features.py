"""What turns pictures and texts into features: every source, and the files of a store.

A source opens an encoder, for instance by fitting it to the pictures of a store; the encoder takes
any pictures and texts. A killed run resumes where it stopped.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from torch import Tensor

from rivae.base.arrays import in_reach
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import reserve, write_json
from rivae.base.parts import Parts
from rivae.base.reading.documents import read_json
from rivae.data.base import Recipe
from rivae.data.store import PairStore
from rivae.data.store.features import FOLDER, SIDES, feature_names
from rivae.data.store.manifest import checked_name
from rivae.data.store.pixels import picture

PARTIAL = "partial.json"
Progress = Callable[[str, float], None]


class Encoder(ABC):
    """Turns pictures, or texts as well, into features: of a store, of uploads, of typed texts.

    Attributes:
        name: what ``features.json`` says of it; a path is cut to its last part.
        sides: "pictures", and "texts" where it reads texts.
    """

    name: str
    sides: tuple[str, ...] = SIDES[:1]

    @abstractmethod
    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """Features (len(batch), D1) of RGB pictures of any size."""

    def encode_texts(self, batch: Sequence[str]) -> Tensor:
        """Features (len(batch), D2) of texts.

        Raises:
            ConfigError: it reads none.
        """
        raise ConfigError(f"{self.name} reads no texts")


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
    """

    name: str
    title: str
    blurb: str
    open: Callable[[PairStore, str, str], Encoder] | None
    sides: tuple[str, ...] = SIDES[:1]
    needs_name: str = ""
    extra: str = ""
    version: str = "1"


FEATURES: Parts[FeatureSource] = Parts(
    "source of features",
    "rivae.data.importing.feature_sources",
    "rivae.features",
    "rivae.data.importing.features:FeatureSource",
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
    return source.open(store, name, device)


def makeable() -> list[str]:
    """What ``open_encoder`` takes, in words."""
    sources = [source for source in FEATURES.working().values() if source.open is not None]
    return sorted((source.needs_name or source.name for source in sources), key=len)


def short_text(recipe: Recipe) -> str:
    """Title, ingredients, then steps: informative words first, since models cut long texts."""
    return ". ".join(
        filter(None, (recipe.title, ", ".join(recipe.ingredients), " ".join(recipe.instructions)))
    )


def make_features(
    folder: Path,
    encoder: Encoder,
    name: str,
    batch_size: int = 32,
    progress: Progress | None = None,
) -> None:
    """Compute the features ``name`` of the store in ``folder``, in float16.

    Raises:
        ConfigError: for a batch size below 1.
        DataError: when they exist, another checkpoint left unfinished ones there, or writing fails.
    """
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}")
    if checked_name(name) in feature_names(folder):
        raise DataError(f"{folder.name} already has features '{name}': choose another name")
    store, place = PairStore(folder), folder / FOLDER / name
    about: dict[str, Any] = {"checkpoint": Path(encoder.name).name, "n_items": len(store)}
    if encoder.name in FEATURES and (version := FEATURES[encoder.name].version) != "1":
        about["version"] = version
    n_done = _begun(place, about)
    is_resumed = any(n_done.values())
    try:
        place.mkdir(parents=True, exist_ok=True)
        for side in encoder.sides:
            _one_side(store, encoder, side, place, n_done, batch_size, about, progress)
        write_json(place / "features.json", about)
        (place / PARTIAL).unlink()
    except OSError as error:
        raise DataError(
            f"{place} cannot be written: {error.strerror or error}; make room and run the same "
            "command again, it resumes where it stopped"
        ) from error
    except DataError:
        if not is_resumed:  # the name is free for another checkpoint
            shutil.rmtree(place, ignore_errors=True)
        raise


def _begun(place: Path, about: dict[str, Any]) -> dict[str, int]:
    """Side -> items that an earlier call has finished."""
    try:
        document = read_json(place / PARTIAL)
        counts = {side: int(document["done"][side]) for side in document["done"]}
        begun_for = document["about"]
    except (DataError, KeyError, TypeError, ValueError):
        return {}
    if begun_for != about:
        raise DataError(
            f"{place} holds unfinished features of another checkpoint: delete that folder, or "
            "choose another name"
        )
    return counts


def _one_side(
    store: PairStore,
    encoder: Encoder,
    side: str,
    place: Path,
    n_done: dict[str, int],
    batch_size: int,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    path, n = place / f"{side}.npy", len(store)
    out: Any = None
    if n_done.get(side, 0) and path.is_file():
        with suppress(OSError, ValueError):  # damaged: made again
            out = np.lib.format.open_memmap(path, mode="r+")
    if out is None or len(out) != n:
        out, n_done[side] = None, 0
    for start in range(n_done[side], n, batch_size):
        rows = range(start, min(start + batch_size, n))
        features = _encoded(encoder, store, side, rows).float().cpu().numpy()
        if not np.isfinite(features).all():
            raise DataError(f"{encoder.name} gives values that are not finite for {side}")
        if out is None:
            out = np.lib.format.open_memmap(
                path, mode="w+", dtype=np.float16, shape=(n, features.shape[1])
            )
            reserve(path, path.stat().st_size)
        # Of unit length, so that float16 holds whatever scale the checkpoint has.
        features = in_reach(features)
        length = np.linalg.norm(features, axis=1, keepdims=True)
        out[rows.start : rows.stop] = features / np.where(length > 0, length, 1)
        n_done[side] = rows.stop
        if (start // batch_size) % 20 == 19 or rows.stop == n:
            out.flush()
            write_json(place / PARTIAL, {"about": about, "done": n_done})
            if progress is not None:
                progress(side, rows.stop / n)


def _encoded(encoder: Encoder, store: PairStore, side: str, rows: range) -> Tensor:
    if side == "pictures":
        return encoder.encode_pictures([picture(store, i) for i in rows])
    return encoder.encode_texts([short_text(store.recipe(i)) for i in rows])
