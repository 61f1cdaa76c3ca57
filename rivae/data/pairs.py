"""Imported pairs of picture and text: a user's own, Recipe1M, or the kitchen.

x1 is the picture (3, S, S) in [0, 1], x2 its text as weighted word counts (V,) or, with
``text="tokens"``, as word numbers (L,). Made by ``python -m rivae import``; the split is the
import's own where the source has one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rivae.data import checks
from rivae.data.base import SPLITS, PairedDataset, View, random_split
from rivae.data.recipes import Recipe
from rivae.data.store import PairStore, find_store
from rivae.data.store.features import read_features
from rivae.data.store.pixels import CACHE, StorePixels, picture, to_pixels
from rivae.data.tokens import cached_tokens, tokens_key
from rivae.data.word_vectors import CORPUS, vector_source
from rivae.data.words_view import cached_words, recipe_text
from rivae.errors import ConfigError, DataError

PAIRS = "pairs"  # the name of every import as a data set
PICTURE_SIZES = (16, 512)
VOCABULARY = (50, 50_000)
READ_AT_ONCE = 20_000


def import_key(store_id: str) -> str:
    """What stands before a record's id in labels of an import."""
    return f"{PAIRS}-{store_id}"


class Pairs(PairedDataset):
    """The data set with its pictures and texts; ``store`` is the import behind it."""

    text_view = 2

    def __init__(self, *, store: PairStore, **rest: Any) -> None:
        self.store = store
        self.title_of_all = store.manifest.title
        self.synthetic = store.manifest.synthetic
        self.accepts_upload = isinstance(rest["x1"], StorePixels)
        super().__init__(
            factors=store.factors,
            factor_specs=tuple(column.spec for column in store.manifest.factors),
            view_names=store.manifest.view_names,
            **rest,
        )

    @property
    def key_name(self) -> str:
        """With the import's own id: the records of two imports may both be numbered 1, 2, 3 …"""
        return import_key(self.store.store_id) if self.name == PAIRS else self.name

    def item_ids(self) -> list[str]:
        return [str(name) for name in self.store.column("id")]

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """The picture, for either side: a text is shown by the picture that belongs to it.

        An item without a picture is a card with its title.
        """
        return picture(self.store, i)

    def title(self, i: int) -> str:
        return self.store.title(i) or f"{self.title_of_all} {i}"

    def recipe(self, i: int) -> Recipe:
        """The text of item ``i`` in its parts, not escaped."""
        return self.store.recipe(i)

    def text(self, i: int) -> str:
        """Known factors, then ingredients, or the steps of a text without ingredients."""
        recipe = self.recipe(i)
        known = [super().text(i)] if self.factors is not None else []
        return " · ".join((*known, *(recipe.ingredients or recipe.instructions)))

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """Any picture: upright, on white, its middle square."""
        if not self.accepts_upload:
            return super().from_upload(image)
        try:
            upright = ImageOps.exif_transpose(image)
            if upright.has_transparency_data:
                rgba = upright.convert("RGBA")
                upright = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
            pixels = to_pixels(upright.convert("RGB"), self.x1.shape[-1])
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise DataError(
                "the uploaded picture cannot be read: save it as PNG or JPEG"
            ) from error
        return torch.from_numpy(pixels.astype(np.float32) / 255)[None]


def load(
    store: str | None = None,
    image_size: int = 64,
    max_words: int = 4000,
    features: str | None = None,
    split_seed: int = 0,
    fractions: tuple[float, float, float] = (0.7, 0.15, 0.15),
    text: Literal["words", "tokens"] = "words",
    word_vectors: str = CORPUS,
) -> PairedDataset:
    """Open imported pairs.

    Args:
        store: name of an import, or the path of its folder.
        image_size: S, the side of the pictures in pixels.
        max_words: the most words V of the vocabulary, taken from the training texts.
        features: name of embeddings that the store has (CLIP …, see ``rivae features``); those of
            pictures are x1 (D1,) instead of pixels, those of texts x2 (D2,) instead of words.
        split_seed: draw of the split where the import brought none.
        fractions: shares of train, validation and test of such a draw.
        text: "words" (weighted counts, V numbers) or "tokens" (the words in order, as numbers;
            see ``rivae.data.tokens``).
        word_vectors: tokens: where word vectors start from: "corpus" (trained on the training
            texts), "none", or the path of a word2vec file.

    Raises:
        ConfigError: for a setting out of range.
        DataError: when there is no such import, or it is damaged.
    """
    if not store or not isinstance(store, str):
        raise DataError("pairs needs an import: choose one by its own name, or set store to it")
    return open_pairs(
        PAIRS,
        find_store(store),
        {"store": store},
        image_size,
        max_words,
        features,
        split_seed,
        fractions,
        text,
        word_vectors,
    )


def shapes(
    store: Any, image_size: Any, max_words: Any, **rest: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of items of both views; the texts of a small import are read for it, those of a large one
    would take minutes.

    Raises:
        ConfigError, DataError: as ``load``, or it is a large one.
    """
    if isinstance(store, str) and store:
        n = len(PairStore(find_store(store)))
        if n > READ_AT_ONCE:
            raise DataError(f"{n:,} texts would have to be read first")
    data = load(store, image_size, max_words, **rest)
    return data.x1.shape, data.x2.shape


def open_pairs(
    name: str,
    folder: Path,
    place: dict[str, Any],
    image_size: int,
    max_words: int,
    features: str | None,
    split_seed: int,
    fractions: tuple[float, float, float],
    text: str = "words",
    word_vectors: str = CORPUS,
) -> Pairs:
    """The store in ``folder`` as data set ``name``; ``place`` are the settings that name it."""
    size = checks.whole_number("image_size", image_size, *PICTURE_SIZES)
    n_words = checks.whole_number("max_words", max_words, *VOCABULARY)
    seed = checks.seed("split_seed", split_seed)
    shares = checks.fractions(fractions)
    form = checks.choice("text", text, ("words", "tokens"))
    if not isinstance(word_vectors, str) or not word_vectors:
        raise ConfigError("word_vectors must be corpus, none or the path of a word2vec file")
    store = PairStore(folder)
    splits = _splits(store, shares, seed)
    found = read_features(folder, str(features), len(store)) if features else {}
    x1: View = found.get("pictures") or StorePixels(store, size)
    x2: View | None = found.get("texts")
    if x2 is not None and form == "tokens":
        raise ConfigError("features stand in place of texts: leave out text=tokens or features")
    if x2 is None:
        where = (splits["train"], len(store), n_words)
        if form == "tokens":
            source = vector_source(word_vectors, folder / CACHE, tokens_key(*where), where[0])
            x2 = cached_tokens(folder / CACHE, store.recipes, *where, source)
        else:
            texts = (recipe_text(recipe) for recipe in store.recipes())
            x2 = cached_words(folder / CACHE, texts, *where)
    return Pairs(
        name=name,
        settings={
            **place,
            "image_size": size,
            "max_words": n_words,
            "features": features or None,
            "split_seed": seed,
            "fractions": list(shares),
            "text": form,
            "word_vectors": word_vectors,
        },
        store=store,
        x1=x1,
        x2=x2,
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def _splits(
    store: PairStore, shares: tuple[float, float, float], seed: int
) -> dict[str, NDArray[np.int64]]:
    """The import's own partition where every item has one, else a draw."""
    said = np.array(store.column("partition"), dtype=str)
    splits = {part: np.flatnonzero(said == part).astype(np.int64) for part in SPLITS}
    if sum(map(len, splits.values())) == len(store) and all(map(len, splits.values())):
        return splits
    if any(map(len, splits.values())) and sum(map(len, splits.values())) == len(store):
        raise DataError(
            f"{store.folder.name} has no "
            f"{next(part for part in SPLITS if not len(splits[part]))} pairs: its partition column "
            "must name train, validation and test, or be left out"
        )
    return random_split(len(store), shares, seed)
