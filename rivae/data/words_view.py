"""Texts as weighted word counts (TF-IDF), stored sparse and served dense."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.data import segmenting
from rivae.data.base import View
from rivae.data.recipe import Recipe
from rivae.data.tokenizer import Tokenizer, newest
from rivae.data.vocabulary import Vocabulary, counted

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer

SCALE = "sqrt(V)"  # of a row's length; in the name of kept files
MIN_DOCUMENTS = 5
MIN_SHARE_OF_DOCUMENTS = 5e-4
N_STRONGEST = 5  # words that describe a part of the texts


def recipe_text(recipe: Recipe) -> str:
    """Title, ingredients and instructions as one text."""
    return "\n".join((recipe.title, *recipe.ingredients, *recipe.instructions))


class WordsView:
    """N texts as vectors over a vocabulary, (V,) each, of length sqrt(V).

    So a number is 1 in the mean square, which is what a network's initial weights expect: of unit
    length, a text would be a hundredth of the biases that it is added to.

    Args:
        data, indices, indptr: CSR arrays of the (N, V) weights.
        known: V words, and in how many training texts each occurs.
    """

    def __init__(
        self,
        data: NDArray[np.float32],
        indices: NDArray[np.int32],
        indptr: NDArray[np.int64],
        vocabulary: Vocabulary,
    ) -> None:
        self.data, self.indices, self.indptr = data, indices, indptr
        self.known = vocabulary

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The V words."""
        return self.known.words

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.vocabulary),)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def batch(self, ids: Any) -> torch.Tensor:
        """Items ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + (V,)``."""
        index = np.asarray(ids, dtype=np.int64)
        out = np.zeros((index.size, len(self.vocabulary)), dtype=np.float32)
        for row, i in enumerate(index.reshape(-1)):
            span = slice(int(self.indptr[i]), int(self.indptr[i + 1]))
            out[row, self.indices[span]] = self.data[span]
        return torch.from_numpy(out).reshape(*index.shape, len(self.vocabulary))

    def weigh(self, text: str) -> torch.Tensor:
        """Somebody's own text as (1, V), weighted as the texts were; all zeros where it has no
        word of the vocabulary.

        Raises:
            DataError: it has no spaces, and what found the words of the others is not installed.
        """
        return torch.from_numpy(_weights([text], self.known).toarray())

    def sparse(self, ids: NDArray[np.int64]) -> csr_matrix:
        """Items ``ids`` (n,) as a sparse (n, V) matrix."""
        from scipy.sparse import csr_matrix

        shape = (len(self), len(self.vocabulary))
        return csr_matrix((self.data, self.indices, self.indptr), shape=shape)[ids]


class WordsWithFeatures(WordsView):
    """Weighted words, and features of the same texts behind them, as vectors (V + D,).

    Args:
        words: (V,) of each text.
        features: (D,) of each text.

    Attributes:
        blocks: V, and the D of each source of features.
    """

    def __init__(self, words: WordsView, features: View) -> None:
        super().__init__(words.data, words.indices, words.indptr, words.known)
        self._features = features
        self.blocks = (len(words.vocabulary), *getattr(features, "blocks", features.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(self.blocks),)

    def batch(self, ids: Any) -> torch.Tensor:
        """Items ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + (V + D,)``."""
        return torch.cat([super().batch(ids), self._features.batch(ids)], -1)


@dataclass(frozen=True)
class TextParts:
    """Groups of words that occur together.

    Attributes:
        weights: (n, d) of each text in each part; mean 0 and s.d. 1 over the texts.
        words: the strongest of each part.
    """

    weights: NDArray[np.float64]
    words: tuple[tuple[str, ...], ...]


def text_parts(
    texts: csr_matrix, vocabulary: Sequence[str], d: int, random_state: int
) -> TextParts | None:
    """``d`` parts of ``texts`` (n, V): a non-negative factorisation without stop words.

    Lee and Seung 1999, "Learning the parts of objects". None where there are fewer texts or words
    than parts.
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    content = np.array([word not in ENGLISH_STOP_WORDS for word in vocabulary], dtype=bool)
    texts, vocabulary = texts[:, content], np.array(vocabulary)[content]
    if min(texts.shape) < d:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # parts change little by then
        nmf = NMF(d, init="nndsvda", max_iter=200, random_state=random_state)
        weights = np.asarray(nmf.fit_transform(texts), dtype=np.float64)
    weights = (weights - weights.mean(axis=0)) / np.maximum(weights.std(axis=0), 1e-12)
    strongest = np.argsort(-nmf.components_, axis=1, kind="stable")[:, :N_STRONGEST]
    return TextParts(
        weights, tuple(tuple(str(vocabulary[word]) for word in words) for words in strongest)
    )


def _counter(rules: Tokenizer, **settings: Any) -> CountVectorizer:
    """What counts the words of texts."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=rules.words, dtype=np.int32, **settings)


def _weights(texts: Iterable[str], vocabulary: Vocabulary) -> csr_matrix:
    """The texts (n, V) over a vocabulary."""
    return _weighted(
        _counter(vocabulary.rules, vocabulary=vocabulary.words).transform(texts), vocabulary
    )


def _weighted(counts: csr_matrix, vocabulary: Vocabulary) -> csr_matrix:
    """``counts`` (n, V) by the rarity of the words, rows of length sqrt(V)."""
    from sklearn.feature_extraction.text import TfidfTransformer

    documents = np.array(vocabulary.documents, dtype=np.float64)
    rarity = TfidfTransformer(sublinear_tf=True)
    rarity.idf_ = np.log((vocabulary.n_texts + 1) / (documents + 1)) + 1
    matrix = (rarity.transform(counts) * math.sqrt(counts.shape[1])).tocsr().astype(np.float32)
    matrix.sort_indices()
    return matrix


def enough_documents(n_train: int) -> int:
    """In how many of ``n_train`` training texts a word must occur to enter the vocabulary."""
    return max(min(MIN_DOCUMENTS, n_train // 10), int(MIN_SHARE_OF_DOCUMENTS * n_train), 1)


def fit_words(
    texts: Iterable[str],
    train: NDArray[np.int64],
    n: int,
    max_words: int,
    rules: Tokenizer | None = None,
) -> WordsView:
    """Weights of ``n`` texts; vocabulary and document frequencies from the training rows alone.

    A word counts 1 + log of its occurrences times its inverse document frequency, rows have
    length sqrt(V) (scikit-learn's ``TfidfVectorizer``, sublinear).

    Args:
        texts: read once, in order.
        max_words: the most frequent words that occur in at least five training texts.
        rules: what finds words; the newest by default.

    Raises:
        DataError: when the training texts have no word in common.
    """
    rules = rules or newest()
    words = _counter(rules)
    try:
        counts = words.fit_transform(_numbered(texts, n))
    except ValueError as error:
        raise DataError("the texts hold no words: check which columns are text") from error
    documents = np.asarray((counts[train] > 0).sum(0)).ravel()
    frequent = np.flatnonzero(documents >= enough_documents(len(train)))
    if not len(frequent):
        raise DataError("no word occurs in enough texts: more pairs or longer texts are needed")
    # The most frequent words, ties by the alphabet, in the order of the alphabet.
    word_ids = np.sort(frequent[np.argsort(-documents[frequent], kind="stable")][:max_words])
    names = tuple(words.get_feature_names_out()[word_ids].tolist())
    vocabulary = counted(rules, names, tuple(documents[word_ids].tolist()), len(train))
    return _view(_weighted(counts[:, word_ids], vocabulary), vocabulary)


def _view(weights: csr_matrix, vocabulary: Vocabulary) -> WordsView:
    indices, indptr = weights.indices.astype(np.int32), weights.indptr.astype(np.int64)
    return WordsView(weights.data, indices, indptr, vocabulary)


def _numbered(texts: Iterable[str], n: int) -> Iterator[str]:
    count = 0
    for text in texts:
        count += 1
        yield text
    if count != n:
        raise DataError(f"{count} texts where {n} were expected: import the data again")


def cached_words(
    folder: Path | None,
    texts: Iterable[str],
    train: NDArray[np.int64],
    n: int,
    max_words: int,
    vocabulary: Vocabulary | None = None,
) -> WordsView:
    """``fit_words``, kept in ``folder`` for the next time; None keeps nothing.

    Args:
        vocabulary: the vocabulary of a run, by which the texts are read instead.
    """
    rules = newest() if vocabulary is None else vocabulary.rules
    key = _key(train, n, max_words, rules)
    view = _kept_view(folder, key, n, train, rules)
    if vocabulary is None or not vocabulary.words:
        return view or _made(folder, key, fit_words(texts, train, n, max_words, rules))
    if not vocabulary.documents:
        raise DataError("the vocabulary of this run is for texts as word numbers: set text=tokens")
    if view is None:  # they may need nothing that finds words without spaces
        rules = Tokenizer(vocabulary.tokenizer, segmenting.installed())
        view = _kept_view(folder, _key(train, n, max_words, rules), n, train, rules)
    if view is not None and view.known == vocabulary:  # counted in these texts
        return view
    view = _kept_view(folder, vocabulary.key, n, train, vocabulary.rules)
    if view is not None and view.vocabulary == vocabulary.words:
        return WordsView(view.data, view.indices, view.indptr, vocabulary)
    return _made(
        folder, vocabulary.key, _view(_weights(_numbered(texts, n), vocabulary), vocabulary)
    )


def _key(train: NDArray[np.int64], n: int, max_words: int, rules: Tokenizer) -> str:
    parameters = f"{n} {max_words} {rules.key} {SCALE}".encode()
    return hashlib.blake2b(train.tobytes() + parameters, digest_size=8).hexdigest()


def _made(folder: Path | None, key: str, view: WordsView) -> WordsView:
    if folder is not None:
        write_cache(_file(folder, key), lambda stream: _write(stream, view))
    return view


def _file(folder: Path, key: str) -> Path:
    return folder / f"words-{key}.npz"


def _kept_view(
    folder: Path | None, key: str, n: int, train: NDArray[np.int64], rules: Tokenizer
) -> WordsView | None:
    """The kept view; None when there is none, or it does not fit (then it is computed again)."""
    if folder is None or (arrays := _read(_file(folder, key), n)) is None:
        return None
    data, indices, indptr, words = arrays
    in_train = np.zeros(n, dtype=bool)
    in_train[train] = True
    documents = np.bincount(indices[np.repeat(in_train, np.diff(indptr))], minlength=len(words))
    vocabulary = counted(rules, tuple(words), tuple(documents.tolist()), len(train))
    return WordsView(data, indices, indptr, vocabulary)


def _write(stream: Any, view: WordsView) -> None:
    words = np.frombuffer(json.dumps(view.vocabulary).encode(), dtype=np.uint8)
    np.savez(stream, data=view.data, indices=view.indices, indptr=view.indptr, words=words)


_Arrays = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64], list[str]]


def _read(path: Path, n: int) -> _Arrays | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            data, indices, indptr = file["data"], file["indices"], file["indptr"]
            words = json.loads(file["words"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    fits = (
        len(indptr) == n + 1
        and indptr[0] == 0
        and indptr[-1] == len(data) == len(indices)
        and bool((np.diff(indptr) >= 0).all())
        and isinstance(words, list)
        and all(isinstance(word, str) and word for word in words)
        and len(set(words)) == len(words)
        and (not len(indices) or 0 <= indices.min() <= indices.max() < len(words))
    )
    return (data, indices, indptr, words) if fits else None
