"""Word vectors to start from: trained on the training texts, or read from a word2vec file.

Supplement, Recipe1M: word2vec of 300 dimensions trained on the corpus, fine-tuned afterwards.
All numbers are scaled by one factor to 1 in the mean square, the scale of random word vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.base.installed import how_to_install
from rivae.base.paths import home_path
from rivae.base.reading.regular import open_regular
from rivae.data.tokenizer import caseless
from rivae.data.tokens import RESERVED, TokensView, Vectors

CORPUS, NONE = "corpus", "none"
# Skip-gram with negative sampling (Mikolov et al. 2013); recipes are short, so more passes than
# gensim's five where there are few of them.
SETTINGS = {"sg": 1, "window": 5, "negative": 5, "min_count": 1, "seed": 1, "workers": 1}
EPOCHS, WORDS_WANTED, MAX_EPOCHS = 5, 10_000_000, 15
# Of a word2vec file.
MAX_WORDS, MAX_DIM = 20_000_000, 4096
MAX_WORD_BYTES, MAX_LINE_BYTES = 2_000, 200_000


def vector_source(
    choice: str, folder: Path, key: str, train: NDArray[np.int64]
) -> Callable[[TokensView, int], Vectors] | None:
    """The function that makes the word vectors of a ``TokensView``.

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
        read_word2vec(home_path(choice), view.vocabulary, dim, RESERVED)
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
            f"`{how_to_install('text')}`, or set dataset.word_vectors to a word2vec file "
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
    nonzero = vectors[vectors.any(1)]
    rms = float(np.sqrt(np.mean(np.square(nonzero, dtype=np.float64)))) if len(nonzero) else 1.0
    return (vectors / rms).astype(np.float32)


class _Sentences:
    """The training texts, which can be read several times."""

    def __init__(self, view: TokensView, rows: NDArray[np.int64]) -> None:
        self.view, self.rows = view, rows

    def __iter__(self) -> Iterator[list[str]]:
        return self.view.sentences(self.rows)


def _kept_or_trained(
    view: TokensView, dim: int, folder: Path, key: str, train: NDArray[np.int64]
) -> Vectors:
    from safetensors.numpy import save

    parameters = f"{key} {dim} {sorted(SETTINGS.items())} {EPOCHS} {WORDS_WANTED} {MAX_EPOCHS}"
    name = hashlib.blake2b(parameters.encode(), digest_size=8).hexdigest()
    path = folder / f"vectors-{name}.safetensors"
    vectors_there = _read(path, (len(view.vocabulary) + RESERVED, dim))
    if vectors_there is not None:
        return vectors_there
    vectors = train_vectors(view, dim, train)
    write_cache(path, lambda stream: stream.write(save({"vectors": vectors})))
    return vectors


def _read(path: Path, shape: tuple[int, int]) -> Vectors | None:
    """Kept vectors; None when there are none, or they do not fit (then they are computed again)."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from rivae.base.reading.weights import read_header

    try:
        if read_header(path).shapes != {"vectors": shape}:
            return None
        vectors = load_file(path)["vectors"]
    except (DataError, OSError, SafetensorError, KeyError):
        return None
    fits = vectors.shape == shape and vectors.dtype == np.float32 and np.isfinite(vectors).all()
    return vectors if fits else None


def read_word2vec(
    path: Path, vocabulary: Sequence[str], dim: int, reserved: int = 0
) -> NDArray[np.float32]:
    """Vectors (reserved + len(vocabulary), dim) of a word2vec file; zeros where it lacks the word.

    The file is read once from front to end; nothing but the wanted rows is held. A word in
    capitals, or with its marks apart, counts where the file has none as it is in the vocabulary.

    Args:
        path: the format of the word2vec program; read as binary when its first vector is not text.
        dim: the length the vectors must have.
        reserved: rows of zeros in front.

    Raises:
        DataError: when the file is missing, foreign, damaged or of another length, or knows no
            word of the vocabulary.
    """
    number = {word: i for i, word in enumerate(vocabulary, start=reserved)}
    vectors = np.zeros((reserved + len(vocabulary), dim), dtype=np.float32)
    exact = np.zeros(len(vectors), dtype=bool)
    try:
        with open_regular(path) as stream:
            n, width = _header(stream, path)
            if width != dim:
                raise DataError(
                    f"{path} has vectors of {width} numbers, not {dim}: set word_dim={width} of "
                    "recipe-rnn"
                )
            binary = _is_binary(stream, dim)
            rows = _binary_rows if binary else _text_rows
            for word, vector in rows(stream, n, dim, path):
                i = number.get(word, number.get(word.lower(), number.get(caseless(word))))
                if i is None or exact[i]:
                    continue
                if not np.isfinite(vector).all():
                    raise DataError(f"{path} has NaN or infinite numbers for {word[:60]!r}")
                vectors[i], exact[i] = vector, word in number
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    if not vectors.any():
        raise DataError(f"{path} knows no word of these texts: choose vectors of their language")
    return vectors


def _header(stream: IO[bytes], path: Path) -> tuple[int, int]:
    parts = stream.readline(100).split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise DataError(f"{path} is not a word2vec file: its first line must be 'words dimensions'")
    n, width = int(parts[0]), int(parts[1])
    if not (1 <= n <= MAX_WORDS and 1 <= width <= MAX_DIM):
        raise DataError(f"{path} claims {n:,} words of {width:,} numbers: more than can be read")
    return n, width


def _is_binary(stream: IO[bytes], dim: int) -> bool:
    """Whether no line of ``dim`` readable numbers follows the header."""
    start = stream.tell()
    line = stream.readline(MAX_LINE_BYTES)
    stream.seek(start)
    try:
        return len([float(part) for part in line.split()[-dim:]]) != dim
    except ValueError:
        return True


def _text_rows(
    stream: IO[bytes], n: int, dim: int, path: Path
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for k in range(n):
        parts = stream.readline(MAX_LINE_BYTES).rstrip().rsplit(b" ", dim)
        try:
            vector = np.array([float(part) for part in parts[1:]], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        if len(vector) != dim:
            raise DataError(f"{path}, line {k + 2}: not a word and {dim} numbers")
        yield parts[0].decode("utf-8", "replace"), vector


def _binary_rows(
    stream: IO[bytes], n: int, dim: int, path: Path
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    size = 4 * dim
    data, at = b"", 0
    for k in range(n):
        if len(data) - at < MAX_WORD_BYTES + size:
            data, at = data[at:] + stream.read(1 << 20), 0
        end = data.find(b" ", at, at + MAX_WORD_BYTES)
        if end < 0 or len(data) < end + 1 + size:
            raise DataError(f"{path} is damaged or ends early at word {k + 1:,} of {n:,}")
        word = data[at:end].lstrip(b"\n").decode("utf-8", "replace")
        yield word, np.frombuffer(data, dtype="<f4", count=dim, offset=end + 1)
        at = end + 1 + size
