"""How near the texts of items are to a typed line, without a model of them being trained.

Three spaces are averaged where there are three: weighted words, their latent semantic analysis
(LSA: Deerwester et al. 1990), and the sentence vectors that a run reads beside or instead of words.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rivae.base.arrays import Floats, Ints, Singles
from rivae.base.errors import ConfigError, DataError, shown
from rivae.base.files import remove_oldest
from rivae.base.installed import cache_folder
from rivae.base.reading.typed_text import clean
from rivae.data.base import PairedDataset, Recipe
from rivae.data.sets.pairs import Pairs
from rivae.data.words_view import WordsView, fit_words, recipe_text
from rivae.exploring.words.item_words import has_texts
from rivae.retrieval.storage import kept_array
from rivae.runs.added_axes import MAX_LINE

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

N_SEMANTIC = 300  # dimensions of LSA
MAX_FIT = 10_000  # texts that LSA is fitted to
COMMON = 0.95  # a word in a larger share of the texts tells them from nothing
KEPT, MOST_KEPT = "text-space", 4  # files of a data set: the last words and rows that were read
MAX_WORDS = 4000  # counted where the data read their texts otherwise
NO_TEXTS = (
    "the items of {} have no texts: ask for an axis by a tag, a factor, examples or labels instead"
)


def words_view_of(data: PairedDataset) -> WordsView:
    """The texts of all items as weighted words: those that the run reads, else counted now.

    Raises:
        DataError: the items have no texts, or these hold no words.
    """
    for view in (data.x2, data.x1):
        if isinstance(view, WordsView):
            return view
    if not has_texts(data):
        raise DataError(NO_TEXTS.format(data.name))
    recipes = (data.recipe(i) or Recipe(str(i), data.title(i)) for i in range(len(data)))
    return fit_words(map(recipe_text, recipes), data.splits["train"], len(data), MAX_WORDS)


class TextSpace:
    """The texts of a data set as vectors.

    Args:
        data: items with texts.

    Raises:
        DataError: there are no texts, or they hold no words.
    """

    def __init__(self, data: PairedDataset) -> None:
        self.data, self.view = data, words_view_of(data)
        train = data.splits["train"]
        self._fit = train[:MAX_FIT] if len(train) else np.arange(min(len(data), MAX_FIT))
        self._number = self.view.known.number_of

    @cached_property
    def _texts(self) -> csr_matrix:
        """The texts that LSA is fitted to."""
        return self._words(self._fit)

    @cached_property
    def _share(self) -> Floats:
        """(V,) of them that have each word."""
        return np.asarray((self._texts > 0).mean(axis=0)).ravel()

    @property
    def is_kept(self) -> bool:
        """Whether the slow part of opening is kept with the data."""
        folder = self._folder
        return folder is not None and (folder / f"{KEPT}-{self._key}.npy").is_file()

    @property
    def _folder(self) -> Path | None:
        """Where imported data keep what is computed from them."""
        return cache_folder(self.data.store.folder) if isinstance(self.data, Pairs) else None

    @cached_property
    def _key(self) -> str:
        """32 hex digits for the texts that LSA is fitted to."""
        texts = self._texts
        digest = hashlib.blake2b(f"{texts.shape} {N_SEMANTIC}".encode(), digest_size=16)
        for part in (texts.data, texts.indices, texts.indptr):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @cached_property
    def _semantic(self) -> Singles | None:
        """(k, V) of LSA; None for too few texts or words."""
        n_semantic = min(N_SEMANTIC, min(self._texts.shape) - 1)
        if n_semantic < 2:
            return None
        folder = self._folder
        if folder is not None and not self.is_kept:
            remove_oldest(folder.glob(f"{KEPT}-*.npy"), MOST_KEPT - 1)
        shape = (n_semantic, self._texts.shape[1])
        return kept_array(folder, KEPT, lambda: self._key, shape, self._fitted)

    def _fitted(self) -> Singles:
        from sklearn.decomposition import TruncatedSVD

        n_semantic = min(N_SEMANTIC, min(self._texts.shape) - 1)
        model = TruncatedSVD(n_semantic, random_state=0).fit(self._texts)
        return np.asarray(model.components_, dtype=np.float32)

    def vectors(self, rows: Ints) -> list[Floats | csr_matrix]:
        """The texts of data rows in each space: rows of unit length, or 0 for an empty text."""
        words = self._words(rows)
        return [words, *self._more(words, self._sentences(rows))]

    def line_vectors(self, line: str, other: str = "") -> list[Floats | csr_matrix]:
        """A typed line in each space, (1, D) each.

        Args:
            other: the line of the other end: a word of both ends tells none of them, "bake" and
                "no-bake" say, and counts for neither unless the line has no other word.

        Raises:
            ConfigError: none of its words occurs in the texts, or all of them in every text.
        """
        words = self._content(line)
        other_stems = self.stems(other)
        own_words = [word for word in words if stem(word) not in other_stems] or words
        vector = _unit(self._weights(" ".join(own_words)))
        return [vector, *self._more(vector, self._sentence(line))]

    def stems(self, line: str) -> set[str]:
        """What the words of a line begin with, see ``stem``."""
        return {stem(word) for word in self.view.known.rules.words(clean(line))}

    def features(self, rows: Ints) -> Floats:
        """The texts of data rows as dense numbers for a regression, (n, D)."""
        return np.hstack([_dense(one) for one in self.vectors(rows)[1:]])

    def _weights(self, line: str) -> csr_matrix:
        """A line as (1, V) word weights."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self.view.weigh(line).numpy()[:, : len(self._number)].astype(np.float64))

    def _content(self, line: str) -> list[str]:
        """The words of a line that tell texts apart, for weighing."""
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        line = checked_line(line)
        words = self.view.known.rules.words(line)
        known_words = [word for word in words if word in self._number]
        if not known_words:
            word = (words or [line])[0]
            instead = self.view.known.instead_of(word)
            raise ConfigError(f"'{shown(word, 40)}' occurs in none of the texts: {instead}")
        content = [
            word
            for word in known_words
            if word not in ENGLISH_STOP_WORDS and self._share[self._number[word]] < COMMON
        ]
        if not content:
            raise ConfigError(
                f"'{shown(known_words[0], 40)}' occurs in nearly all texts and tells none from "
                "another: choose a word that only some of them have"
            )
        return content

    def _words(self, rows: Ints) -> csr_matrix:
        return _unit(self.view.sparse(rows)[:, : len(self.view.vocabulary)].astype(np.float64))

    def _more(self, words: csr_matrix, sentences: Floats | None) -> list[Floats]:
        blocks = []
        if self._semantic is not None:
            blocks.append(_unit_rows(np.asarray(words @ self._semantic.T, dtype=np.float64)))
        if sentences is not None:
            blocks.append(_unit_rows(sentences))
        return blocks

    @property
    def _reads_sentences(self) -> bool:
        """Whether the run reads sentence vectors of texts, and can make those of a typed line."""
        view, n_words = self.data.x2, len(self.view.vocabulary)
        if isinstance(view, WordsView):
            return view.shape[0] > n_words and self.data.accepts_text
        return self.data.accepts_text and len(view.shape) == 1

    def _sentences(self, rows: Ints) -> Floats | None:
        if not self._reads_sentences:
            return None
        return self._sentence_part(self.data.x2.batch(rows).double().numpy())

    def _sentence(self, line: str) -> Floats | None:
        if not self._reads_sentences:
            return None
        return self._sentence_part(self.data.from_text(line).double().numpy())

    def _sentence_part(self, rows: Floats) -> Floats:
        is_words = isinstance(self.data.x2, WordsView)
        return rows[:, len(self.view.vocabulary) :] if is_words else rows


def stem(word: str) -> str:
    """A word without the ending of its plural or participle: cakes, cake; berries, berry; baked,
    bake and baking. Only for telling that two words are one.
    """
    endings = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
    for ending, instead in endings:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word


def checked_line(line: str) -> str:
    """A typed line of text.

    Raises:
        ConfigError: it is empty or too long.
    """
    text = clean(line)
    if not text or len(text) > MAX_LINE:
        mend = "shorten it" if text else "type a word or two"
        raise ConfigError(f"an end of an axis is one line of 1 to {MAX_LINE} characters: {mend}")
    return text


def _unit(rows: csr_matrix) -> csr_matrix:
    from sklearn.preprocessing import normalize

    return normalize(rows)


def _unit_rows(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _dense(values: Floats | csr_matrix) -> Floats:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
