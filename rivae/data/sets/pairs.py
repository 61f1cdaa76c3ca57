"""Imported pairs of picture and text: a user's own, Recipe1M, or the kitchen.

x1 is the picture (3, S, S) in [0, 1], x2 its text as weighted word counts (V,) or, with
``text="tokens"``, as word numbers (L,). Made by ``python -m rivae import``; the split is the
import's own where the source has one, see ``rivae.data.splits``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from PIL import Image
from pydantic import Field

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import cache_folder
from rivae.base.reading.typed_text import clean
from rivae.data.base import PairedDataset, Recipe, Shape, View
from rivae.data.dataset import Dataset
from rivae.data.features.asked import encodes, picture_features, text_features
from rivae.data.pictures import UPLOADED, as_seen, decoding
from rivae.data.settings import DatasetSettings, Fractions, OptionalText, Seed
from rivae.data.splits import USUAL_FRACTIONS, USUAL_SEED
from rivae.data.store import PairStore, find_store
from rivae.data.store.content import store_content
from rivae.data.store.features import beside_words, features_content, read_features
from rivae.data.store.pixels import StorePixels, picture, to_pixels
from rivae.data.store.split import store_split
from rivae.data.tokenizer import newest
from rivae.data.tokens import TokensView, cached_tokens, tokens_key
from rivae.data.vocabulary import Vocabulary
from rivae.data.word_vectors import CORPUS, vector_source
from rivae.data.words_view import WordsView, WordsWithFeatures, cached_words, recipe_text

PAIRS = "pairs"  # the name of every import as a data set
READ_AT_ONCE = 20_000
MAX_TEXT = 20_000  # characters of a user's own text
TOO_LONG = f"a text has at most {MAX_TEXT:,} characters: shorten it"
UNKNOWN_WORDS = "none of these words is in the vocabulary of the data: {}"


def import_key(store_id: str) -> str:
    """The prefix of a record's id in labels of an import."""
    return f"{PAIRS}-{store_id}"


class Pairs(PairedDataset):
    """The data set with its pictures and texts; ``store`` is the import behind it."""

    text_view = 2

    def __init__(self, *, store: PairStore, **rest: Any) -> None:
        self.store = store
        self.title_of_all = store.manifest.title
        self.synthetic = store.manifest.synthetic
        self._features = str(rest["settings"].get("features") or "")
        self.accepts_upload = isinstance(rest["x1"], StorePixels) or self._encodes("pictures")
        self.accepts_text = isinstance(rest["x2"], WordsView) and (
            not isinstance(rest["x2"], WordsWithFeatures) or self._encodes("texts")
        )
        if isinstance(rest["x2"], WordsView | TokensView):
            self.vocabulary = rest["x2"].known
        super().__init__(
            factors=store.factors,
            factor_specs=tuple(column.spec for column in store.manifest.factors),
            view_names=store.manifest.view_names,
            **rest,
        )

    def _encodes(self, side: str) -> bool:
        """Whether an upload becomes the features of ``side`` that the data are read by."""
        return bool(self._features) and encodes(self.store.folder, self._features, side)

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
        factor_text = [super().text(i)] if self.factors is not None else []
        return " · ".join((*factor_text, *(recipe.ingredients or recipe.instructions)))

    def search_texts(self) -> Iterator[tuple[str, str]]:
        return self.store.search_texts()

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """Any picture: upright, in sRGB, on white, its middle square."""
        if not self.accepts_upload:
            return super().from_upload(image)
        with decoding(UPLOADED):
            upright = as_seen(image).convert("RGB")
        if not isinstance(self.x1, StorePixels):
            return picture_features(self.store.folder, self._features, upright)
        pixels = to_pixels(upright, self.x1.shape[-1])
        return torch.from_numpy(pixels.astype(np.float32) / 255)[None]

    def from_text(self, text: str) -> torch.Tensor:
        """Any text, of which the words of the vocabulary count, and all of it where there are
        features of texts.
        """
        if not isinstance(self.x2, WordsView) or not self.accepts_text:
            return super().from_text(text)
        if len(text) > MAX_TEXT:
            raise DataError(TOO_LONG)
        query, language_known = clean(text), False
        weights = self.x2.weigh(query)
        has_words = bool(weights.any())
        if isinstance(self.x2, WordsWithFeatures):
            features, language_known = text_features(self.store.folder, self._features, query)
            weights = torch.cat([weights, features], -1)
        if not (has_words or language_known):
            unknown = self.x2.known.unknown(query) or [query]
            raise DataError(UNKNOWN_WORDS.format(self.x2.known.instead_of(unknown[0])))
        return weights


class PictureTextSettings(DatasetSettings):
    """How pictures and texts are read."""

    image_size: int = Field(
        default=64,
        ge=16,
        le=512,
        title="Picture size",
        description="side of the pictures in pixels",
    )
    max_words: int = Field(
        default=4000,
        ge=50,
        le=50_000,
        title="Vocabulary",
        description="number of words kept, the most frequent of the training texts",
    )


class Settings(PictureTextSettings):
    """Settings of imported pairs."""

    store: str | None = Field(
        default=None, title="Import", description="name of an import, or the path of its folder"
    )
    features: OptionalText = Field(
        default=None,
        title="Embeddings",
        description="name of embeddings of the import that replace pixels and words (CLIP …, "
        "see rivae features); those of texts that were made here stand beside the words",
    )
    split_seed: Seed = Field(
        default=USUAL_SEED,
        title="Split seed",
        description="draw of the parts that the import does not name",
    )
    fractions: Fractions = Field(
        default=USUAL_FRACTIONS,
        title="Split",
        description="shares of train, validation and test, of what the import does not name",
    )
    text: Literal["words", "tokens"] = Field(
        default="words",
        title="Text",
        description="words: weighted counts; tokens: the words in order, as numbers",
    )
    word_vectors: str = Field(
        default=CORPUS,
        min_length=1,
        title="Word vectors",
        description="what tokens start from: corpus (trained on the training texts), none, or the "
        "path of a word2vec file",
    )


def load(settings: Settings, vocabulary: Vocabulary | None = None) -> PairedDataset:
    """Open imported pairs.

    Args:
        vocabulary: the vocabulary of a run; by default the words are counted by the newest rules.

    Returns:
        Views (3, S, S) and (V,). Where the settings name features, those of pictures stand for
        the first, and those of texts stand beside the words, (V + D2,), or, where they came with
        the import, for them.

    Raises:
        ConfigError: for settings that do not go together.
        DataError: when the import does not exist or is damaged.
    """
    if not settings.store:
        raise DataError("pairs needs an import: choose one by its own name, or set store to it")
    return open_pairs(PAIRS, find_store(settings.store), settings, vocabulary)


def content(settings: Settings) -> str:
    """A hash of the import, and of its embeddings where the settings name some.

    Raises:
        DataError: the import does not exist or is damaged.
    """
    folder = find_store(settings.store or "")
    embeddings = features_content(folder, settings.features) if settings.features else ""
    return f"{store_content(folder)} {embeddings}".rstrip()


def shapes(settings: Settings, vocabulary: Vocabulary | None = None) -> tuple[Shape, Shape]:
    """Of items of both views; reads the texts of a small import; those of a large one would take
    minutes.

    Raises:
        ConfigError, DataError: as ``load``, or it is a large one.
    """
    if settings.store:
        n = len(PairStore(find_store(settings.store)))
        if n > READ_AT_ONCE:
            raise DataError(f"{n:,} texts would have to be read first")
    data = load(settings, vocabulary)
    return data.x1.shape, data.x2.shape


def open_pairs(
    name: str,
    folder: Path,
    settings: Settings,
    vocabulary: Vocabulary | None = None,
    store: PairStore | None = None,
    kind: type[Pairs] = Pairs,
) -> Pairs:
    """The store in ``folder`` as data set ``name``, its texts by the vocabulary of a run if any.

    Args:
        store: reads ``folder`` in another way than ``PairStore``.
        kind: the class of the data set.
    """
    item_content = store_content(folder)
    store, n_words = store or PairStore(folder), settings.max_words
    cache = cache_folder(folder)
    splits = store_split(store, settings.fractions, settings.split_seed)
    features = read_features(folder, settings.features, len(store)) if settings.features else {}
    x1: View = features.get("pictures") or StorePixels(store, settings.image_size)
    dense = features.get("texts")
    if dense is not None and settings.text == "tokens":
        raise ConfigError("features of texts do not go with tokens: remove text=tokens or features")
    x2: View
    if dense is not None and not beside_words(folder, settings.features or ""):
        x2 = dense
    else:
        where = (splits["train"], len(store), n_words)
        if settings.text == "tokens":
            key = tokens_key(*where, newest() if vocabulary is None else vocabulary.rules)
            source = vector_source(settings.word_vectors, cache, key, where[0])
            x2 = cached_tokens(cache, store.recipes, *where, source, vocabulary)
        else:
            texts = (recipe_text(recipe) for recipe in store.recipes())
            words = cached_words(cache, texts, *where, vocabulary)
            x2 = words if dense is None else WordsWithFeatures(words, dense)
    data = kind(
        name=name,
        settings=settings.kept(),
        store=store,
        x1=x1,
        x2=x2,
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )
    data.item_content = item_content
    return data


DATASET = Dataset(
    name="pairs",
    title="Imported pairs",
    blurb="Your own pairs of pictures and texts.",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
    content=content,
    words=True,
    texts=True,
    smallest={"image_size": 16},
)
