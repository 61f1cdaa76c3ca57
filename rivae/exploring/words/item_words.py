"""The words and tags of every item of a data set, read once and cached with the data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from rivae.base.cluster import spread
from rivae.base.errors import DataError
from rivae.base.files import remove_oldest, write_cache
from rivae.base.installed import cache_folder
from rivae.base.scratch import resumed_folder
from rivae.data import segmenting, tokenizer
from rivae.data.base import PairedDataset
from rivae.data.item_sets import ItemSets
from rivae.data.recipe import Recipe
from rivae.data.sets.pairs import Pairs
from rivae.data.store import PairStore
from rivae.data.tokenizer import caseless, cut, newest
from rivae.exploring.words import ingredient_words, ingredients
from rivae.exploring.words.ingredients import common_spelling, names_as_written

EVERYDAY = 0.1  # a word in more than this share of all items is an everyday word
MAX_WORD = 80  # characters of a word
KEPT = 2  # words by other rules, of another version of the app on the same store
Kind = Literal["ingredients", "words"]
Tell = Callable[[float], None]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class ItemWords:
    """The distinct words of each of N items, by data row.

    Attributes:
        kind: "ingredients", or "words" of titles and steps if no item has ingredients.
    """

    sets: ItemSets
    kind: Kind

    def everyday(self, share: float = EVERYDAY) -> frozenset[str]:
        """Words that more than ``share`` of the items have."""
        common = self.sets.counts() > share * len(self.sets)
        return frozenset(self.sets.words[w] for w in np.flatnonzero(common))


def has_texts(data: PairedDataset) -> bool:
    """Whether the items have texts that words can be taken from."""
    return len(data) > 0 and data.recipe(0) is not None


def item_words(data: PairedDataset, tell: Tell = lambda share: None) -> ItemWords:
    """The words of every item: ingredient names from the source, or else read from its lines.

    Those of imported data are kept in a cache, since reading 15,000 recipes takes seconds; what a
    stop or a kill interrupts resumes.

    Args:
        tell: called with the share of texts that are read.

    Raises:
        DataError: the items have no texts.
    """
    if not has_texts(data):
        raise DataError(f"the items of {data.name} have no texts: choose a run on recipes")
    if not isinstance(data, Pairs):
        return _made(data, None, tell)
    path = cache_folder(data.store.folder) / f"item-words-{_rules()}.arrow"
    if (kept_words := _read(path, len(data), KINDS)) is not None:
        return ItemWords(*kept_words)
    with resumed_folder(path.parent, path.stem, otherwise=nullcontext) as folder:
        new_words = _made(data, folder, tell)
        write_cache(path, lambda stream: new_words.sets.write(stream, new_words.kind))
    remove_oldest(path.parent.glob("item-words-*"), KEPT)
    return new_words


def item_tags(data: PairedDataset) -> ItemSets | None:
    """The tags of every item; None where no item has any. Those of imported data are kept in a
    cache, for the first drag waits for them.
    """
    if not has_texts(data):
        return None
    if isinstance(data, Pairs):
        path = cache_folder(data.store.folder) / "item-tags.arrow"
        if (kept_tags := _read(path, len(data), ("tags",))) is not None:
            tags, _ = kept_tags
        else:
            tags = data.store.item_sets("tags")
            write_cache(path, lambda stream: tags.write(stream, "tags"))
            remove_oldest(path.parent.glob("item-tags.*"), 1)  # that of a version before
    else:
        recipes = map(data.recipe, range(len(data)))
        tags = ItemSets.of(recipe.tags for recipe in recipes if recipe is not None)
    return tags if tags.words else None


def items_with(sets: Sequence[Collection[str]], word: str, ids: Iterable[int]) -> list[int]:
    """The items of ``ids`` that have ``word``, in the same order."""
    return [i for i in ids if word in sets[i]]


def _made(data: PairedDataset, folder: Path | None, tell: Tell) -> ItemWords:
    names = _read_all(data, "ingredients", partial(names_as_written, cache={}), folder, tell)
    names = names.renamed(common_spelling(names))
    source_names = data.store.item_sets("ingredient_names") if isinstance(data, Pairs) else None
    if source_names is not None and source_names.words:
        clean = {
            name: cut(" ".join(caseless(name).split()), MAX_WORD) for name in source_names.words
        }
        names_of_items = (
            tuple(filter(None, dict.fromkeys(clean[name] for name in item)))
            for item in source_names
        )
        both = zip(names_of_items, names, strict=True)
        names = ItemSets.of(of_source or of_lines for of_source, of_lines in both)
        names = names.renamed(common_spelling(names))
    if len(names.codes):
        return ItemWords(names, "ingredients")
    return ItemWords(_read_all(data, "words", _all_words, folder, tell), "words")


def _read_all(
    data: PairedDataset,
    kind: Kind,
    read: Callable[[Iterable[Recipe]], ItemSets],
    folder: Path | None,
    tell: Tell,
) -> ItemSets:
    """What ``read`` finds in the texts of all items; chunk by chunk of imported data, by the
    workers of a cluster where one is named, after the chunks that are in ``folder``.
    """
    if not isinstance(data, Pairs):
        recipes = map(data.recipe, range(len(data)))
        return read(recipe for recipe in recipes if recipe is not None)
    chunks = data.store.manifest.chunks
    files = [] if folder is None else [folder / f"{kind}-{n}.arrow" for n in range(len(chunks))]

    def parts() -> Iterator[ItemSets]:
        n_done = 0
        for path, n in zip(files, chunks, strict=False):  # no files where none can be kept
            if (part := _read(path, n, (kind,))) is None:
                break
            yield part[0]
            n_done += 1
        rest = range(n_done, len(chunks))
        for chunk, result in spread(rest, _Chunks(data.store, read), 0, called=_called):
            sets = result()
            if files:
                write_cache(files[chunk], partial(sets.write, kind=kind))
            yield sets
            tell((chunk + 1) / len(chunks))

    return ItemSets.joined(parts())


class _Chunks:
    """What is read in the texts of a chunk; pickled, the store is where it lies."""

    def __init__(self, store: PairStore, read: Callable[[Iterable[Recipe]], ItemSets]) -> None:
        self._store, self._read = store, read

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._store.folder, self._read)

    def __call__(self, chunk: int) -> ItemSets:
        return self._read(self._store.recipes([chunk]))


def _again(folder: Path, read: Callable[[Iterable[Recipe]], ItemSets]) -> _Chunks:
    return _Chunks(PairStore(folder), read)


def _called(chunk: int) -> str:
    return f"the texts of part {chunk + 1}"


def _all_words(recipes: Iterable[Recipe]) -> ItemSets:
    return ItemSets.of(_plain_words((r.title, *r.instructions)) for r in recipes)


def _plain_words(parts: Iterable[str]) -> tuple[str, ...]:
    """Words of a text that is not a recipe, without stop words (scikit-learn's list)."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    all_words = newest().words(" ".join(parts))
    return tuple(dict.fromkeys(cut(w, MAX_WORD) for w in all_words if w not in ENGLISH_STOP_WORDS))


def _rules() -> str:
    """A hash of the rules that read the lines."""
    digest = hashlib.blake2b(newest().key.encode(), digest_size=6)
    for module in (ingredients, ingredient_words, segmenting, tokenizer):
        digest.update(Path(str(module.__file__)).read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()


def _read(path: Path, n: int, kinds: Collection[str]) -> tuple[ItemSets, Any] | None:
    """The cached words and which of ``kinds`` they are; None if there are none or they do not fit,
    and have to be read again.
    """
    try:
        sets, kind = ItemSets.mapped(path)
    except (OSError, ValueError):
        return None
    return (sets, kind) if len(sets) == n and kind in kinds else None
