"""Reads a stranger's word2vec file, text or binary, and keeps the words that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from rivae.errors import DataError
from rivae.reading.regular import open_regular

MAX_WORDS, MAX_DIM = 20_000_000, 4096
MAX_WORD_BYTES, MAX_LINE_BYTES = 2_000, 200_000


def read_word2vec(
    path: Path, vocabulary: Sequence[str], dim: int, reserved: int = 0
) -> NDArray[np.float32]:
    """Vectors (reserved + len(vocabulary), dim); zeros where the file lacks the word.

    The file is read once from front to end; nothing but the wanted rows is held. A word in
    capitals counts where the file has none in small letters.

    Args:
        path: the format of the word2vec program; binary when its first vector is no text.
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
                i = number.get(word, number.get(word.lower()))
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
        raise DataError(f"{path} is no word2vec file: its first line must be 'words dimensions'")
    n, width = int(parts[0]), int(parts[1])
    if not (1 <= n <= MAX_WORDS and 1 <= width <= MAX_DIM):
        raise DataError(f"{path} claims {n:,} words of {width:,} numbers: more than can be read")
    return n, width


def _is_binary(stream: IO[bytes], dim: int) -> bool:
    """Whether what follows the header is no line of ``dim`` readable numbers."""
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
