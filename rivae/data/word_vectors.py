"""Word vectors to start from: trained on the training texts, or out of a word2vec file.

Supplement, Recipe1M: word2vec of 300 dimensions trained on the corpus, fine-tuned afterwards.
All numbers are scaled by one factor to 1 in the mean square, the scale of random word vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rivae.data.tokens import RESERVED, TokensView, Vectors
from rivae.data.word2vec import read_word2vec
from rivae.errors import DataError
from rivae.files import write_cache

CORPUS, NONE = "corpus", "none"
# Skip-gram with negative sampling (Mikolov et al. 2013); recipes are short, so more passes than
# gensim's five where there are few of them.
SETTINGS = {"sg": 1, "window": 5, "negative": 5, "min_count": 1, "seed": 1, "workers": 1}
EPOCHS, WORDS_WANTED, MAX_EPOCHS = 5, 10_000_000, 15


def vector_source(
    choice: str, folder: Path, key: str, train: NDArray[np.int64]
) -> Callable[[TokensView, int], Vectors] | None:
    """What makes the word vectors of a ``TokensView``.

    Args:
        choice: "corpus", "none", or the path of a word2vec file.
        folder: where trained vectors are kept.
        key: names the word numbers that they are trained on.
        train: the training rows.
    """
    if choice == NONE:
        return None
    if choice == CORPUS:
        return lambda view, dim: _kept_or_trained(view, dim, folder, key, train)
    return lambda view, dim: scaled(
        read_word2vec(Path(choice).expanduser(), view.vocabulary, dim, RESERVED)
    )


def train_vectors(view: TokensView, dim: int, train: NDArray[np.int64]) -> Vectors:
    """Skip-gram vectors (len(vocabulary) + RESERVED, dim) of the training texts.

    One worker and a fixed seed give the same numbers again. The rows of padding and of unknown
    words are zero.

    Raises:
        DataError: without gensim, or when the texts are too short to learn from.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise DataError(
            "training word vectors needs gensim, which has no wheel for every Python: run "
            "`pip install 'rivae-explorer[text]'`, or set dataset.word_vectors to a word2vec file "
            "or to none"
        ) from error
    texts = _Sentences(view, train)
    n_words = sum(len(words) for words in texts)
    epochs = int(np.clip(WORDS_WANTED // max(n_words, 1), EPOCHS, MAX_EPOCHS))
    try:
        model = Word2Vec(texts, vector_size=dim, epochs=epochs, **SETTINGS)
    except RuntimeError as error:
        raise DataError(
            "the texts hold too few words for word vectors: set dataset.word_vectors=none"
        ) from error
    vectors = np.zeros((len(view.vocabulary) + RESERVED, dim), dtype=np.float32)
    for i, word in enumerate(view.vocabulary, start=RESERVED):
        if word in model.wv:
            vectors[i] = model.wv[word]
    return scaled(vectors)


def scaled(vectors: Vectors) -> Vectors:
    """``vectors`` with 1 in the mean square of the rows that are not zero."""
    given = vectors[vectors.any(1)]
    rms = float(np.sqrt(np.mean(np.square(given, dtype=np.float64)))) if len(given) else 1.0
    return (vectors / rms).astype(np.float32)


class _Sentences:
    """The training texts, to be read several times over."""

    def __init__(self, view: TokensView, rows: NDArray[np.int64]) -> None:
        self.view, self.rows = view, rows

    def __iter__(self) -> Iterator[list[str]]:
        return self.view.sentences(self.rows)


def _kept_or_trained(
    view: TokensView, dim: int, folder: Path, key: str, train: NDArray[np.int64]
) -> Vectors:
    from safetensors.numpy import save

    said = f"{key} {dim} {sorted(SETTINGS.items())} {EPOCHS} {WORDS_WANTED} {MAX_EPOCHS}"
    name = hashlib.blake2b(said.encode(), digest_size=8).hexdigest()
    path = folder / f"vectors-{name}.safetensors"
    kept = _read(path, (len(view.vocabulary) + RESERVED, dim))
    if kept is not None:
        return kept
    vectors = train_vectors(view, dim, train)
    write_cache(path, lambda stream: stream.write(save({"vectors": vectors})))
    return vectors


def _read(path: Path, shape: tuple[int, int]) -> Vectors | None:
    """Kept vectors; None when there are none, or they do not fit (then they are made anew)."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from rivae.reading.weights import read_header

    try:
        if read_header(path).shapes != {"vectors": shape}:
            return None
        vectors = load_file(path)["vectors"]
    except (DataError, OSError, SafetensorError, KeyError):
        return None
    fits = vectors.shape == shape and vectors.dtype == np.float32 and np.isfinite(vectors).all()
    return vectors if fits else None
