"""Which words go with a factor: correlation of a word's presence with a value, over items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rivae.errors import DataError
from rivae.retrieval.base import Floats

Relation = Literal["related", "opposite", "none"]

# Below this many items with the word (or without it) the test has no power and its normal
# approximation no ground.
MIN_COUNT = 5
LEVEL = 0.05
# With thousands of items everything is significant; a relation must also be visible. Items with
# the word differ from the rest by this many s.d. of the value (Cohen's d: .2 small, .5 medium).
MIN_SHIFT = 0.3


@dataclass(frozen=True)
class Relations:
    """Of W words with D values (factors, or latent positions).

    Attributes:
        words: W words.
        counts: (W,) items that have the word.
        correlation: (W, D) Pearson correlation of presence (0 or 1) with the value, in [-1, 1];
            0 where it has no value (a constant value, too few items).
        shift: (W, D) mean of the value over items with the word minus the mean over the others,
            in s.d. of the value.
        p: (W, D) two-sided p of the correlation (t test), 1 where it has no value.
    """

    words: tuple[str, ...]
    counts: np.ndarray[Any, np.dtype[np.int64]]
    correlation: Floats
    shift: Floats
    p: Floats

    def kinds(
        self, j: int, *, level: float = LEVEL, min_shift: float = MIN_SHIFT
    ) -> dict[str, Relation]:
        """For each word its relation to value ``j``: "related" when it comes with high values,
        "opposite" when with low ones; "none" when Holm's p over the words is above ``level`` or
        the shift is smaller than ``min_shift``.
        """
        sure = (holm(self.p[:, j]) <= level) & (np.abs(self.shift[:, j]) >= min_shift)
        return {
            word: ("related" if self.shift[w, j] > 0 else "opposite") if sure[w] else "none"
            for w, word in enumerate(self.words)
        }


def common_words(
    sets: Iterable[Sequence[str]], *, min_count: int = MIN_COUNT, max_words: int = 2000
) -> tuple[str, ...]:
    """The words of at least ``min_count`` items, the commonest first, at most ``max_words``."""
    counts = Counter(word for words in sets for word in set(words))
    order = sorted(counts, key=lambda word: (-counts[word], word))
    return tuple(word for word in order[:max_words] if counts[word] >= min_count)


def relations(
    sets: Sequence[Sequence[str]], values: Floats, words: Sequence[str] | None = None
) -> Relations:
    """Correlate the presence of every word with every value.

    Args:
        sets: the words of each of N items.
        values: (N,) or (N, D), one row per item; items whose value is NaN (an unknown factor) are
            left out of that column.
        words: W words; the common ones when None.

    Raises:
        DataError: if the number of rows differs from the number of items.
    """
    from scipy.sparse import csr_array
    from scipy.special import stdtr

    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if len(table) != len(sets):
        raise DataError(
            f"{len(sets)} items have words but {len(table)} have values: give one row per item"
        )
    chosen = common_words(sets) if words is None else tuple(words)
    place = {word: w for w, word in enumerate(chosen)}
    pairs = [(i, place[w]) for i, item in enumerate(sets) for w in set(item) if w in place]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    presence = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), len(chosen)))
    shape = (len(chosen), table.shape[1])
    correlation, shift, p = np.zeros(shape), np.zeros(shape), np.ones(shape)
    for j in range(table.shape[1]):
        known = np.isfinite(table[:, j])
        value, n = table[known, j], int(known.sum())
        spread = value.std() if n else 0.0
        if n < 3 or np.ptp(value) == 0:
            continue
        having = presence[known]
        with_word = np.asarray(having.sum(axis=0)).ravel()
        total = np.asarray(having.T @ ((value - value.mean()) / spread)).ravel()
        tested = np.minimum(with_word, n - with_word) >= MIN_COUNT
        share = with_word[tested] / n
        r = np.clip(total[tested] / n / np.sqrt(share * (1 - share)), -1.0, 1.0)
        correlation[tested, j] = r
        shift[tested, j] = r / np.sqrt(share * (1 - share))
        with np.errstate(divide="ignore"):
            t = np.abs(r) * np.sqrt((n - 2) / (1 - r**2))
        p[tested, j] = 2 * stdtr(n - 2, -t)
    counts = np.asarray(presence.sum(axis=0)).ravel().astype(np.int64)
    return Relations(chosen, counts, correlation, shift, p)


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values of the same shape (S. Holm, 1979): they hold the chance of one or
    more false findings at the level, however the tests depend on each other.
    """
    flat = np.asarray(p, dtype=np.float64).ravel()
    order = np.argsort(flat, kind="stable")
    scaled = flat[order] * np.arange(len(flat), 0, -1)
    adjusted = np.empty_like(flat)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted.reshape(np.shape(p))
