"""Words of one end of an axis against the other: log-odds with an informative Dirichlet prior.

B. L. Monroe, M. P. Colaresi and K. M. Quinn, "Fightin' Words" (Political Analysis 16, 2008), the
model with an informative prior: raw log-odds favour rare words, and differences of shares favour
common ones. A prior from the words of all items shrinks each word according to its frequency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.exploring.words.relations import Relation

# Pseudo-counts that the prior spreads over all words in proportion to their counts in all items;
# about as many as fifty recipes have words.
PRIOR_STRENGTH = 500.0
INTERVAL = 0.95


@dataclass(frozen=True)
class WordContrast:
    """One word at the two ends.

    Attributes:
        low, high: items at each end that have the word.
        log_odds: log of its odds at the high end over those at the low end, with the prior; above
            0 for a word of the high end.
        std: its standard deviation.
    """

    word: str
    low: int
    high: int
    log_odds: float
    std: float

    @property
    def z(self) -> float:
        """``log_odds`` in standard deviations."""
        return self.log_odds / self.std

    def interval(self, level: float = INTERVAL) -> tuple[float, float]:
        """The interval of the log-odds at ``level``, by the normal approximation."""
        half = NormalDist().inv_cdf(0.5 + level / 2) * self.std
        return self.log_odds - half, self.log_odds + half


def contrast(
    low: Iterable[int],
    high: Iterable[int],
    sets: Sequence[Collection[str]],
    *,
    prior_strength: float = PRIOR_STRENGTH,
) -> tuple[WordContrast, ...]:
    """Every word of the two ends, the strongest of the high end first, of the low end last.

    Args:
        low, high: ids of the items at each end; an id counts once.
        sets: the words of every item, by id; all of them together make the prior.
        prior_strength: pseudo-counts of the prior, above 0.

    Raises:
        DataError: an end has no words, or an id is not an item.
        ValueError: ``prior_strength`` is not above 0.
    """
    if not prior_strength > 0:
        raise ValueError("prior_strength must be above 0")
    ends = [_counts(ids, sets) for ids in (low, high)]
    if not all(ends):
        raise DataError("a contrast needs words at both ends: choose states that differ more")
    collection = Counter(word for words in sets for word in set(words))
    words = sorted({*ends[0], *ends[1]})
    low_counts, high_counts = (
        np.array([end[word] for word in words], dtype=np.float64) for end in ends
    )
    background = np.array([collection[word] for word in words], dtype=np.float64)
    prior = prior_strength * background / collection.total()
    odds, std = log_odds(low_counts, high_counts, prior, prior_strength)
    contrasts = [
        WordContrast(word, ends[0][word], ends[1][word], float(odds[w]), float(std[w]))
        for w, word in enumerate(words)
    ]
    return tuple(sorted(contrasts, key=lambda c: (-c.z, c.word)))


def log_odds(
    low: Floats, high: Floats, prior: Floats, prior_strength: float
) -> tuple[Floats, Floats]:
    """Log-odds of W words at the high end over the low one, and their standard deviations.

    Args:
        low, high: (..., W) counts at each end.
        prior: (W,) pseudo-counts, each above 0.
        prior_strength: pseudo-counts of all words, also of those that neither end has.
    """
    odds = []
    for counts in (low, high):
        everything = counts.sum(axis=-1, keepdims=True) + prior_strength
        odds.append(np.log((counts + prior) / (everything - counts - prior)))
    return odds[1] - odds[0], np.sqrt(1 / (low + prior) + 1 / (high + prior))


def against_rest(
    ids: Iterable[int], rows: Iterable[int], sets: Sequence[Collection[str]]
) -> tuple[WordContrast, ...]:
    """Every word of the items ``ids`` (the high end) against those of all other ``rows``, as
    ``contrast``.

    Raises:
        DataError: as ``contrast``.
    """
    high = {int(i) for i in ids}
    return contrast((i for i in rows if i not in high), high, sets)


def relation_of(contrasts: Iterable[WordContrast]) -> dict[str, Relation]:
    """Which words are clearly more frequent at the high end ("related") or at the low one
    ("opposite"): their intervals leave zero out.
    """
    relations: dict[str, Relation] = {}
    for one in contrasts:
        start, end = one.interval()
        relations[one.word] = "related" if start > 0 else "opposite" if end < 0 else "none"
    return relations


def strongest(contrasts: Sequence[WordContrast], n_words: int = 10) -> tuple[WordContrast, ...]:
    """The ``n_words`` words of each side that are furthest from 0 in z, in the given order."""
    high = [c for c in contrasts if c.z > 0]
    low = [c for c in contrasts if c.z < 0]
    return (*high[:n_words], *low[max(len(low) - n_words, 0) :])


def _counts(ids: Iterable[int], sets: Sequence[Collection[str]]) -> Counter[str]:
    rows = {int(i) for i in ids}
    if any(not 0 <= i < len(sets) for i in rows):
        raise DataError(f"a retrieved item is not among the {len(sets)} items that have words")
    return Counter(word for i in rows for word in set(sets[i]))
