"""The features of a store: computed once per picture, on all cores, and resumed where they stopped.

``features/NAME/`` holds the matrices, ``features.json`` what made them, and ``encoder.safetensors``
what was fitted to the store.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save

from rivae.base.ahead import ahead
from rivae.base.arrays import in_reach
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import reserve, write_atomic, write_json
from rivae.base.reading.documents import read_json
from rivae.data.features.contract import FEATURES, Encoder, short_text
from rivae.data.store import PairStore
from rivae.data.store.features import BESIDE_WORDS, ENCODER, FOLDER, SIDES, feature_names
from rivae.data.store.manifest import checked_name
from rivae.data.store.pixels import readable_picture

PARTIAL = "partial.json"
UNKNOWN_LANGUAGE = "texts_in_an_unknown_language"  # in features.json: how many
SAVED_AFTER = 20  # batches between two notes of how far it is
Progress = Callable[[str, float], None]


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
    if encoder.precision != Encoder.precision:
        about["precision"] = encoder.precision
    if encoder.origin:
        about.update(origin=encoder.origin, weights=encoder.weights)
    if SIDES[1] in encoder.sides:
        about[BESIDE_WORDS] = True
    done = _begun(place, about)
    resumed = any(done.values())
    try:
        place.mkdir(parents=True, exist_ok=True)
        if fitted := encoder.fitted():
            write_atomic(place / ENCODER, save(fitted))
        items = _Items(store, encoder)
        for side in encoder.sides:
            _one_side(items, side, place, done, batch_size, about, progress)
        write_json(place / "features.json", {**about, **items.remarks()})
        (place / PARTIAL).unlink()
    except OSError as error:
        raise DataError(
            f"{place} cannot be written: {error.strerror or error}; make room and run the same "
            "command again, it resumes where it stopped"
        ) from error
    except DataError:
        if not resumed:  # the name is free for another checkpoint
            shutil.rmtree(place, ignore_errors=True)
        raise


def remarks(folder: Path, name: str) -> list[str]:
    """What is worth knowing of the features ``name`` of the store in ``folder``, in sentences."""
    about, sentences = read_json(folder / FOLDER / name / "features.json"), []
    if n := about.get("unreadable_pictures"):
        sentences.append(f"{n:,} pictures could not be read and count as grey cards")
    if n := about.get(UNKNOWN_LANGUAGE):
        sentences.append(
            f"{n:,} of {about['n_items']:,} texts are in a language that {about['checkpoint']} "
            "hardly knows: a multilingual sentence encoder may tell more of them"
        )
    return sentences


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


class _Items:
    """The items of a store as an encoder sees them."""

    def __init__(self, store: PairStore, encoder: Encoder) -> None:
        self.store, self.encoder = store, encoder
        self._unreadable: set[int] = set()
        self._unknown_texts: list[bool] = []  # of every text read; threads extend it

    def encode(self, side: str, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Rows (n, D) of unit length, so that float16 holds whatever scale the encoder has.

        Raises:
            DataError: they are not finite.
        """
        if side == "pictures":
            features = self.encoder.encode_pictures([self._picture(int(i)) for i in rows])
        else:
            recipes = [self.store.recipe(int(i)) for i in rows]
            features = self.encoder.encode_recipes(recipes)
            self._unknown_texts.extend(not self.encoder.knows(short_text(r)) for r in recipes)
        matrix = features.float().cpu().numpy()
        if not np.isfinite(matrix).all():
            raise DataError(f"{self.encoder.name} gives values that are not finite for {side}")
        return unit_rows(matrix)

    def remarks(self) -> dict[str, Any]:
        """What ``features.json`` says of pictures that could not be read, and of texts in a
        language that the encoder does not know where most are.
        """
        remarks: dict[str, Any] = {}
        if self._unreadable:
            first = [str(i) for i in sorted(self._unreadable)[:5]]
            remarks.update(unreadable_pictures=len(self._unreadable), first_unreadable_items=first)
        n_unknown = sum(self._unknown_texts)
        if n_unknown > len(self._unknown_texts) / 2:
            remarks[UNKNOWN_LANGUAGE] = n_unknown
        return remarks

    def _picture(self, i: int) -> Image.Image:
        picture, could_be_read = readable_picture(self.store, i)
        if not could_be_read:
            self._unreadable.add(i)
        return picture


def unit_rows(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1, however large or small they are; rows of zeros stay."""
    rows = in_reach(features)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(length > 0, length, 1)).astype(np.float32, copy=False)


def _one_side(
    items: _Items,
    side: str,
    place: Path,
    done: dict[str, int],
    batch_size: int,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    path, n = place / f"{side}.npy", len(items.store)
    out: Any = None
    if done.get(side, 0) and path.is_file():
        with suppress(OSError, ValueError):  # damaged: made again
            out = np.lib.format.open_memmap(path, mode="r+")
    if out is None or len(out) != n:
        out, done[side] = None, 0
    # A picture that several items share is computed for the first of them.
    first = items.store.same_picture() if side == "pictures" else np.arange(n)
    batches = [range(a, min(a + batch_size, n)) for a in range(done[side], n, batch_size)]

    def work(rows: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        own = np.array([i for i in rows if first[i] == i], dtype=np.int64)
        return own, items.encode(side, own) if len(own) else np.empty((0, 0), np.float32)

    for k, (rows, result) in enumerate(ahead(batches, work)):
        own, features = result()
        if out is None:
            out = np.lib.format.open_memmap(
                path, mode="w+", dtype=np.float16, shape=(n, features.shape[1])
            )
            reserve(path, path.stat().st_size)
        if len(own):
            out[own] = features
        shared = np.array([i for i in rows if first[i] != i], dtype=np.int64)
        if len(shared):
            out[shared] = out[first[shared]]
        done[side] = rows.stop
        if k % SAVED_AFTER == 0 or rows.stop == n:
            out.flush()
            write_json(place / PARTIAL, {"about": about, "done": done})
            if progress is not None:
                progress(side, rows.stop / n)
