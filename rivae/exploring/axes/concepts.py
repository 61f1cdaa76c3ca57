"""Concepts: words of titles, and how near the text of an item is to the items that have one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, shown
from rivae.exploring.axes.text_space import TextSpace, stem
from rivae.runs.added_axes import AxisSpec

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LEAST_SHARE = 0.003  # of the training titles that have a concept's word
LEAST_ITEMS = 5
SEPARATOR = ", "
Flags = NDArray[np.bool_]


def title_words(space: TextSpace, rows: Ints) -> list[frozenset[str]]:
    """The distinct words of the titles of data rows that tell items apart, without stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words_of = space.view.known.rules.words
    return [
        frozenset(word for word in words_of(space.data.title(int(i))) if len(word) > 2)
        - ENGLISH_STOP_WORDS
        for i in rows
    ]


class Concepts:
    """The words of enough training titles, those of one stem together.

    Attributes:
        names: K words, the commonest of each stem.
        present: (n, K) whether a title of the training rows has the concept.
    """

    names: tuple[str, ...]
    present: csr_matrix

    def __init__(self, titles: Sequence[frozenset[str]]) -> None:
        from scipy.sparse import csr_array, csr_matrix

        counts = Counter(word for words in titles for word in words)
        stems: dict[str, list[str]] = {}
        for word in sorted(counts, key=lambda w: (-counts[w], w)):
            stems.setdefault(stem(word), []).append(word)
        enough = max(LEAST_ITEMS, LEAST_SHARE * len(titles))
        number = {word: k for k, words in enumerate(stems.values()) for word in words}
        pairs = sorted({(i, number[w]) for i, words in enumerate(titles) for w in words})
        rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        shape = (len(titles), len(stems))
        present = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        totals = np.asarray(present.sum(axis=0)).ravel()
        usable = np.flatnonzero((totals >= enough) & (totals <= len(titles) / 2))
        self.present = csr_matrix(present[:, usable])
        first = [words[0] for words in stems.values()]
        self.names = tuple(first[k] for k in usable)

    def present_in(self, titles: Sequence[frozenset[str]]) -> Floats:
        """(m, K) 1 where another title has the concept, else 0."""
        number = {stem(name): k for k, name in enumerate(self.names)}
        out = np.zeros((len(titles), len(self.names)))
        for i, words in enumerate(titles):
            for k in {number[s] for word in words if (s := stem(word)) in number}:
                out[i, k] = 1.0
        return out


class NearLevels:
    """Levels from two groups of training items: nearness to the mean text of one, minus that of the
    other.

    Args:
        vectors: of the texts of the n training items, in each space.
        groups: (n,) which items belong to the high end, and to the low one where there is one.
    """

    def __init__(self, vectors: Sequence[Floats | csr_matrix], groups: Sequence[Flags]) -> None:
        self._lines = [[mean_text(block, group) for block in vectors] for group in groups]
        self._scales: list[tuple[float, float]] = []
        raw = self._raw(vectors)
        self._scales = [(float(one.mean()), max(float(one.std()), 1e-12)) for one in raw]

    def of(self, vectors: Sequence[Floats | csr_matrix]) -> Floats:
        """The levels (n,) of items with these vectors."""
        pairs = zip(self._raw(vectors), self._scales, strict=True)
        return np.asarray(np.mean([(one - mean) / std for one, (mean, std) in pairs], axis=0))

    def _raw(self, vectors: Sequence[Floats | csr_matrix]) -> list[Floats]:
        high, low = self._lines[0], self._lines[1] if len(self._lines) > 1 else None
        near = [np.asarray(block @ line) for block, line in zip(vectors, high, strict=True)]
        if low is None:
            return near
        return [a - np.asarray(block @ b) for a, block, b in zip(near, vectors, low, strict=True)]


def concept_groups(titles: Sequence[frozenset[str]], spec: AxisSpec) -> list[Flags]:
    """Which training items have a word of each end in their titles, for ``NearLevels``.

    Args:
        titles: ``stem`` of the ``title_words`` of the n training items.
        spec: its ``high`` and ``low`` are words, separated by ", ".

    Raises:
        ConfigError: no title has one of the words.
    """
    groups = []
    for words in filter(None, (spec.high, spec.low)):
        stems = {stem(word) for word in words.split(SEPARATOR)}
        has = np.array([not stems.isdisjoint(title) for title in titles])
        if not has.any():
            raise ConfigError(f"no title of the training items has '{shown(words, 60)}'")
        groups.append(has)
    return groups


def mean_text(vectors: Floats | csr_matrix, has: Flags) -> Floats:
    """The unit-length mean (D,) of the rows of ``vectors`` (n, D) where ``has`` (n,) is true."""
    total = np.asarray(vectors.T @ has.astype(np.float64)).ravel()
    return total / max(float(np.linalg.norm(total)), 1e-12)
