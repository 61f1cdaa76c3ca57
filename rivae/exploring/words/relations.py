"""Which words go with an axis, a known factor or a tag: their presence correlated over items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import FactorSpec, PairedDataset

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Relation = Literal["related", "opposite", "none"]

# With fewer items with (or without) the word, the test has no power and its normal approximation
# does not hold.
MIN_COUNT = 5
LEVEL = 0.05
# With thousands of items everything is significant, so a relation must also be visible: items with
# the word differ from the rest by this many s.d. of the value (Cohen's d: .2 small, .5 medium).
MIN_SHIFT = 0.3

AXIS = "axis"  # the key of the target that is the axis itself
MAX_TAGS = 200


@dataclass(frozen=True)
class Relations:
    """How W words go with D values (factors, or latent positions).

    Attributes:
        words: W words.
        counts: (W,) items that have the word.
        correlation: (W, D) Pearson correlation of presence (0 or 1) with the value, in [-1, 1];
            0 where it is undefined (a constant value, too few items).
        shift: (W, D) mean of the value over items with the word minus the mean over the others,
            in s.d. of the value.
        p: (W, D) two-sided p of the correlation (t test), 1 where it is undefined.
    """

    words: tuple[str, ...]
    counts: np.ndarray[Any, np.dtype[np.int64]]
    correlation: Floats
    shift: Floats
    p: Floats

    def kinds(
        self, j: int, *, level: float = LEVEL, min_shift: float = MIN_SHIFT
    ) -> dict[str, Relation]:
        """The relation of each word to value ``j``: "related" if it comes with high values,
        "opposite" if with low ones; "none" if Holm's p over the words is above ``level`` or the
        shift is smaller than ``min_shift``.
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


def presence_of(sets: Sequence[Collection[str]], words: Sequence[str]) -> csr_array:
    """(N, W) 1 where an item has a word."""
    from scipy.sparse import csr_array

    place = {word: w for w, word in enumerate(words)}
    pairs = [(i, place[w]) for i, item in enumerate(sets) for w in set(item) if w in place]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), len(words)))


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
        DataError: the number of rows differs from the number of items.
    """
    from scipy.special import stdtr

    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if len(table) != len(sets):
        raise DataError(
            f"{len(sets)} items have words but {len(table)} have values: give one row per item"
        )
    vocabulary = common_words(sets) if words is None else tuple(words)
    presence = presence_of(sets, vocabulary)
    shape = (len(vocabulary), table.shape[1])
    correlation, shift, p = np.zeros(shape), np.zeros(shape), np.ones(shape)
    for j in range(table.shape[1]):
        is_known = np.isfinite(table[:, j])
        value, n = table[is_known, j], int(is_known.sum())
        spread = value.std() if n else 0.0
        if n < 3 or np.ptp(value) == 0:
            continue
        having = presence[is_known]
        with_word = np.asarray(having.sum(axis=0)).ravel()
        total = np.asarray(having.T @ ((value - value.mean()) / spread)).ravel()
        is_frequent = np.minimum(with_word, n - with_word) >= MIN_COUNT
        share = with_word[is_frequent] / n
        r = np.clip(total[is_frequent] / n / np.sqrt(share * (1 - share)), -1.0, 1.0)
        correlation[is_frequent, j] = r
        shift[is_frequent, j] = r / np.sqrt(share * (1 - share))
        with np.errstate(divide="ignore"):
            t = np.abs(r) * np.sqrt((n - 2) / (1 - r**2))
        p[is_frequent, j] = 2 * stdtr(n - 2, -t)
    counts = np.asarray(presence.sum(axis=0)).ravel().astype(np.int64)
    return Relations(vocabulary, counts, correlation, shift, p)


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values of the same shape (S. Holm, 1979): they keep the chance of any false
    finding below the level, however the tests depend on each other.
    """
    flat = np.asarray(p, dtype=np.float64).ravel()
    order = np.argsort(flat, kind="stable")
    scaled_p = flat[order] * np.arange(len(flat), 0, -1)
    adjusted_p = np.empty_like(flat)
    adjusted_p[order] = np.minimum(np.maximum.accumulate(scaled_p), 1.0)
    return adjusted_p.reshape(np.shape(p))


# What words can be related to


@dataclass(frozen=True)
class Target:
    """A property that items have more or less of.

    Attributes:
        key: "axis", "factor:NAME", "factor:NAME=LEVEL" of a category, or "tag:TAG".
        label: plain text.
    """

    key: str
    label: str
    kind: Literal["axis", "factor", "tag"]


def factor_targets(data: PairedDataset) -> list[Target]:
    """The known factors; a categorical factor, whose levels have no order, gives one per level."""
    targets = []
    for spec in data.factor_specs:
        if spec.kind == "categorical" and spec.levels:
            targets += [
                Target(f"factor:{spec.name}={level}", f"{spec.name}: {level}", "factor")
                for level in spec.levels
            ]
        elif spec.kind != "categorical":
            targets.append(Target(f"factor:{spec.name}", spec.name, "factor"))
    return targets


def tag_targets(
    tags: Sequence[Collection[str]] | None, ignored_tags: Collection[str] = ()
) -> list[Target]:
    """The commonest tags that some but not all items have."""
    counts = Counter(tag for item in tags or () for tag in set(item))
    n = len(tags or ())
    telling = [
        tag
        for tag, c in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if MIN_COUNT <= c <= n - MIN_COUNT and tag not in ignored_tags
    ]
    return [Target(f"tag:{tag}", tag, "tag") for tag in telling[:MAX_TAGS]]


def find_target(
    key: str, data: PairedDataset, tags: Sequence[Collection[str]] | None, axis: str
) -> Target:
    """The target named ``key``; ``axis`` is the name of the axis itself.

    Raises:
        ConfigError: the data have no such factor or tag.
    """
    targets = [Target(AXIS, axis, "axis"), *factor_targets(data), *tag_targets(tags)]
    for target in targets:
        if target.key == key:
            return target
    raise ConfigError(f"{data.name} has no {key[:60]}: choose another relation")


def target_values(
    target: Target, data: PairedDataset, tags: Sequence[Collection[str]] | None = None
) -> Floats:
    """The value of a factor or tag for each of the N items, shape (N,).

    Raises:
        ConfigError: the data have no such factor or tag (an axis is known to its model alone).
    """
    kind, _, name = target.key.partition(":")
    if kind == "tag" and tags is not None:
        return np.array([name in item for item in tags], dtype=np.float64)
    if kind == "factor" and data.factors is not None:
        values = _factor_values(name, data.factors, data.factor_specs)
        if values is not None:
            return values
    raise ConfigError(f"{data.name} has no {target.label}: choose another relation")


def _factor_values(name: str, factors: Floats, specs: Sequence[FactorSpec]) -> Floats | None:
    """The values of a factor, or whether a category has a level ("kind=soup"); (n,) or None."""
    for k, spec in enumerate(specs):
        if name == spec.name:
            return np.asarray(factors[:, k], dtype=np.float64)
        for code, level in enumerate(spec.levels or ()):
            if name == f"{spec.name}={level}":
                return np.asarray(factors[:, k] == code, dtype=np.float64)
    return None


def related_words(
    sets: Sequence[Sequence[str]], values: Floats, words: Sequence[str] | None = None
) -> dict[str, Relation]:
    """The relation of each common word (or of ``words``) to ``values`` (N,), one per item."""
    vocabulary = common_words(sets) if words is None else words
    return relations(sets, values, vocabulary).kinds(0)


def factor_table(
    data: PairedDataset, rows: Ints | None = None
) -> tuple[Floats | None, tuple[str, ...]]:
    """All of ``factor_targets`` as columns (n, K) of some data rows, or of all, with their labels;
    None without factors.
    """
    targets = factor_targets(data)
    if data.factors is None or not targets:
        return None, ()
    factors = data.factors if rows is None else data.factors[rows]
    names = (target.key.partition(":")[2] for target in targets)
    columns = [_factor_values(name, factors, data.factor_specs) for name in names]
    table = np.column_stack([column for column in columns if column is not None])
    return table, tuple(target.label for target in targets)
