"""The features of a store: computed once per picture, on all cores, and resumed where they stopped.

``features/NAME/`` holds the matrices, ``features.json`` what made them, and ``encoder.safetensors``
what was fitted to the store.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import save

from rivae.base.ahead import ahead
from rivae.base.arrays import in_reach
from rivae.base.cluster import spread
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import locked, reserve, write_atomic, write_json
from rivae.base.installed import cache_folder
from rivae.base.progress import Progress, part, silent
from rivae.base.reading.documents import read_json
from rivae.data.features.contract import (
    FEATURES,
    NAMED,
    Encoder,
    open_again,
    open_encoder,
    short_text,
)
from rivae.data.store import PairStore
from rivae.data.store.features import (
    BESIDE_WORDS,
    ENCODER,
    FOLDER,
    SIDES,
    feature_names,
    single_names,
)
from rivae.data.store.manifest import checked_name
from rivae.data.store.pixels import NONE_READABLE, readable_picture

PARTIAL = "partial.json"
UNKNOWN_LANGUAGE = "texts_in_an_unknown_language"  # in features.json: how many
SAVED_AFTER = 20  # batches between two notes of how far it is
WAIT_S = 1.0  # between two looks at what another process makes
N_NAMED = 5  # items in ``features.json``


class BeingMadeError(DataError):
    """Another process is making these features."""


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
        DataError: when they exist, no picture can be read, another checkpoint left unfinished ones
            there, another process is making them (``BeingMadeError``), or writing fails.
    """
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}")
    if checked_name(name) in feature_names(folder):
        raise DataError(f"{folder.name} already has features '{name}': choose another name")
    place = folder / FOLDER / name
    try:
        place.mkdir(parents=True, exist_ok=True)
        cache_folder(folder).mkdir(exist_ok=True)
        with locked(cache_folder(folder) / f"features-{name}.lock"):
            _make(place, PairStore(folder), encoder, batch_size, progress)
    except BlockingIOError:
        raise BeingMadeError(
            f"another process is making features '{name}' of {folder.name}: wait for it"
        ) from None
    except OSError as error:
        raise DataError(
            f"{place} cannot be written: {error.strerror or error}; make room and run the same "
            "command again, it resumes where it stopped"
        ) from error


def make_missing(folder: Path, features: str, progress: Progress = silent) -> None:
    """Compute those of ``features`` ("a+b") that the store in ``folder`` lacks and that a source
    makes by its name alone; what another process is making is waited for.

    One source is opened, and fitted to the store, while the one before it is computed.

    Args:
        progress: called with what is done, for people, and the share of it; its errors pass.

    Raises:
        ConfigError, DataError: as ``open_encoder`` and ``make_features``.
    """
    missing = [name for name in missing_features(folder, features) if name in made_by_name()]
    encoders = ahead(missing, lambda name: open_encoder(name, PairStore(folder)))
    for n, (name, encoder) in enumerate(encoders):
        tell = part(progress, n / len(missing), (n + 1) / len(missing))
        looking = f"looking at the {' and '.join(FEATURES[name].sides)}: {FEATURES[name].title}"
        tell(looking, 0.0)
        encoder_here = encoder()
        while name not in feature_names(folder):
            try:
                make_features(folder, encoder_here, name, progress=_shares_only(tell, looking))
            except BeingMadeError:
                tell(looking, 0.0)
                time.sleep(WAIT_S)


def missing_features(folder: Path, features: str) -> list[str]:
    """Those of ``features`` ("a+b", or "" for none) that the store in ``folder`` lacks."""
    return sorted(set(single_names(features)) - {"", *feature_names(folder)})


def made_by_name() -> list[str]:
    """The sources that need nothing but their name to make features."""
    sources = FEATURES.working().values()
    return [source.name for source in sources if source.open and not source.needs_name]


def _shares_only(tell: Progress, stage: str) -> Progress:
    return lambda side, share: tell(stage, share)


def _make(
    place: Path, store: PairStore, encoder: Encoder, batch_size: int, progress: Progress | None
) -> None:
    """All sides of features that this process holds the lock of."""
    about: dict[str, Any] = {"checkpoint": Path(encoder.name).name, "n_items": len(store)}
    if encoder.name in FEATURES and (version := FEATURES[encoder.name].version) != "1":
        about["version"] = version
    if encoder.precision != Encoder.precision:
        about["precision"] = encoder.precision
    if encoder.origin:
        about.update(origin=encoder.origin, weights=encoder.weights)
    if SIDES[1] in encoder.sides:
        about[BESIDE_WORDS] = True
    counts, odd = _begun(place, about)
    is_resumed = any(counts.values())
    try:
        if fitted_tensors := encoder.fitted():
            write_atomic(place / ENCODER, save(fitted_tensors))
        items = _Items(store, encoder, place)
        for side in encoder.sides:
            _one_side(items, side, place, counts, odd, batch_size, about, progress)
        write_json(place / "features.json", {**about, **odd.remarks(len(store))})
        (place / PARTIAL).unlink()
    except DataError:
        if not is_resumed:  # the name is free for another checkpoint
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


def _begun(place: Path, about: dict[str, Any]) -> tuple[dict[str, int], _Seen]:
    """Side -> items that an earlier call has finished, and what it saw in them."""
    try:
        document = read_json(place / PARTIAL)
        counts = {side: int(document["done"][side]) for side in document["done"]}
        begun_for = document["about"]
        problems = _Seen(**document.get("seen", {}))
    except (DataError, KeyError, TypeError, ValueError):
        return {}, _Seen()
    if begun_for != about:
        raise DataError(
            f"{place} holds unfinished features of another checkpoint: delete that folder, or "
            "choose another name"
        )
    return counts, problems


@dataclass
class _Seen:
    """What was noticed in the items so far.

    Attributes:
        unreadable: pictures that could not be read.
        first_unreadable: the first items of these.
        unknown_texts: texts in a language that the encoder does not know.
    """

    unreadable: int = 0
    first_unreadable: list[int] = field(default_factory=list)
    unknown_texts: int = 0

    def add(self, unreadable: Sequence[int], unknown_texts: int) -> None:
        """What was noticed in more items."""
        self.unreadable += len(unreadable)
        self.first_unreadable = [*self.first_unreadable, *unreadable][:N_NAMED]
        self.unknown_texts += unknown_texts

    def remarks(self, n: int) -> dict[str, Any]:
        """What ``features.json`` says of it, of ``n`` items: of texts only where most are unknown.

        Raises:
            DataError: no picture could be read.
        """
        if self.unreadable == n:
            raise DataError(NONE_READABLE)
        remarks: dict[str, Any] = {}
        if self.unreadable:
            first = [str(i) for i in self.first_unreadable]
            remarks.update(unreadable_pictures=self.unreadable, first_unreadable_items=first)
        if self.unknown_texts > n / 2:
            remarks[UNKNOWN_LANGUAGE] = self.unknown_texts
        return remarks


@dataclass
class _Encoded:
    """Rows of unit length of some items, and what was noticed in them."""

    rows: NDArray[np.int64]
    features: NDArray[np.float32]
    unreadable: list[int] = field(default_factory=list)
    unknown_texts: int = 0


class _Items:
    """The items of a store as an encoder sees them, whose features go to ``place``.

    A worker of a cluster opens the store and the encoder again.
    """

    def __init__(self, store: PairStore, encoder: Encoder, place: Path) -> None:
        self.store, self.encoder, self.place = store, encoder, place

    def __reduce__(self) -> tuple[Any, ...]:
        encoder, source = self.encoder, NAMED if self.encoder.origin else self.encoder.name
        origin = (encoder.origin, encoder.weights, str(encoder.device))
        return _items_again, (self.store.folder.resolve(), self.place.resolve(), source, origin)

    def encode(self, side: str, rows: NDArray[np.int64]) -> _Encoded:
        """Rows (n, D) of unit length, so that float16 holds whatever scale the encoder has.

        Raises:
            DataError: they are not finite.
        """
        batch = _Encoded(rows, np.empty((0, 0), np.float32))
        if not len(rows):
            return batch
        if side == "pictures":
            pictures = {int(i): readable_picture(self.store, int(i)) for i in rows}
            batch.unreadable = [
                i for i, (_, could_be_read) in pictures.items() if not could_be_read
            ]
            features = self.encoder.encode_pictures([image for image, _ in pictures.values()])
        else:
            recipes = [self.store.recipe(int(i)) for i in rows]
            features = self.encoder.encode_recipes(recipes)
            batch.unknown_texts = sum(not self.encoder.knows(short_text(r)) for r in recipes)
        matrix = features.float().cpu().numpy()
        if not np.isfinite(matrix).all():
            raise DataError(f"{self.encoder.name} gives values that are not finite for {side}")
        batch.features = unit_rows(matrix)
        return batch


def _items_again(folder: Path, place: Path, source: str, origin: tuple[str, str, str]) -> _Items:
    store = PairStore(folder)
    return _Items(store, open_again(FEATURES[source], store, place, *origin), place)


def unit_rows(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1, however large or small they are; rows of zeros stay."""
    rows = in_reach(features)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(length > 0, length, 1)).astype(np.float32, copy=False)


def _encoded(items: _Items, side: str, batch: tuple[range, NDArray[np.int64]]) -> _Encoded:
    return items.encode(side, batch[1])


def _called(batch: tuple[range, NDArray[np.int64]]) -> str:
    return f"items {batch[0].start + 1:,} to {batch[0].stop:,}"


def _one_side(
    items: _Items,
    side: str,
    place: Path,
    counts: dict[str, int],
    odd: _Seen,
    batch_size: int,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    path, n = place / f"{side}.npy", len(items.store)
    out: Any = None
    if counts.get(side, 0) and path.is_file():
        with suppress(OSError, ValueError):  # damaged: made again
            out = np.lib.format.open_memmap(path, mode="r+")
    if out is None or len(out) != n:
        out, counts[side] = None, 0
    # A picture that several items share is computed for the first of them.
    first = items.store.same_picture() if side == "pictures" else np.arange(n)
    batches = [range(a, min(a + batch_size, n)) for a in range(counts[side], n, batch_size)]

    work = partial(_encoded, items, side)
    inputs = ((rows, np.array([i for i in rows if first[i] == i], np.int64)) for rows in batches)
    for k, ((rows, _), result) in enumerate(spread(inputs, work, called=_called)):
        batch = result()
        if out is None:
            out = np.lib.format.open_memmap(
                path, mode="w+", dtype=np.float16, shape=(n, batch.features.shape[1])
            )
            reserve(path, path.stat().st_size)
        if len(batch.rows):
            out[batch.rows] = batch.features
        odd.add(batch.unreadable, batch.unknown_texts)
        twin_rows = np.array([i for i in rows if first[i] != i], dtype=np.int64)
        if len(twin_rows):
            out[twin_rows] = out[first[twin_rows]]
        counts[side] = rows.stop
        if k % SAVED_AFTER == 0 or rows.stop == n:
            out.flush()
            write_json(place / PARTIAL, {"about": about, "done": counts, "seen": asdict(odd)})
        if progress is not None:
            progress(side, rows.stop / n)
