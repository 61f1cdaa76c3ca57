"""Levels of items from what an axis is asked with: words, a tag, a factor, examples, labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError, shown, some_of
from rivae.data.base import PairedDataset
from rivae.exploring.axes.text_space import TextSpace, checked_line
from rivae.exploring.words.item_words import item_tags
from rivae.exploring.words.relations import MIN_COUNT, factor_targets, tag_targets, target_values
from rivae.training.alignment.white import ridge_weights

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MIN_MARKED = 3  # examples of one side
MIN_LABELS = 6
Vectors = Sequence["Floats | csr_matrix"]


class LineLevels:
    """Levels from one typed line, or from one for each end: standardised over training items.

    Args:
        space: of the texts.
        vectors: of the training items, from ``space``.
        high, low: the lines; ``low`` is "" where there is only one.

    Raises:
        ConfigError: a line is empty or too long, holds no word of the texts, or the two ends are
            equal.
    """

    def __init__(self, space: TextSpace, vectors: Vectors, high: str, low: str = "") -> None:
        high, low = checked_line(high), low and checked_line(low)
        if low and space.stems(high) == space.stems(low):
            raise ConfigError("the two ends of the axis are equal: say what lies at the other end")
        self._lines = [
            space.line_vectors(high, low),
            *([space.line_vectors(low, high)] if low else []),
        ]
        self._scales: list[list[tuple[float, float]]] = []
        ends_of_lines = self._ends(vectors)
        self._scales = [[(float(e.mean()), float(e.std())) for e in ends] for ends in ends_of_lines]
        self._scale = 0.0, 1.0
        raw = self._raw(vectors)
        self._scale = float(raw.mean()), max(float(raw.std()), 1e-12)

    def of(self, vectors: Vectors) -> Floats:
        """The levels (n,) of items with these vectors."""
        mean, std = self._scale
        return (self._raw(vectors) - mean) / std

    def _ends(self, vectors: Vectors) -> list[list[Floats]]:
        """Nearness (n,) to each line in each space."""
        return [
            [_dense_column(block @ line.T) for block, line in zip(vectors, of_line, strict=True)]
            for of_line in self._lines
        ]

    def _raw(self, vectors: Vectors) -> Floats:
        standard = [
            [(end - mean) / max(std, 1e-12) for end, (mean, std) in zip(ends, scales, strict=True)]
            for ends, scales in zip(self._ends(vectors), self._scales, strict=True)
        ]
        high = np.mean(standard[0], axis=0)
        return np.asarray(high - np.mean(standard[1], axis=0) if len(standard) > 1 else high)


def column_levels(data: PairedDataset, target: str) -> tuple[Floats, str, tuple[str, str]]:
    """A tag or a factor of every item.

    Args:
        target: as ``relations.Target.key``: "tag:TAG", "factor:NAME" or "factor:NAME=LEVEL".

    Returns:
        (N,) values, NaN where unknown; a name; and the names of the poles, "" where there is none.

    Raises:
        ConfigError: the data have no such tag or factor, or nearly all or none of the items have
            the tag.
    """
    kind, _, name = target.partition(":")
    tags = item_tags(data) if kind == "tag" else None
    if kind == "tag":
        tags_there = sorted({tag for item in tags or () for tag in item})
        targets = [t for t in tag_targets(tags) if t.label == name]
        if name in tags_there and not targets:
            n_tagged = sum(name in item for item in tags or ())
            few = MIN_COUNT <= n_tagged <= len(data) - MIN_COUNT
            if not few:
                raise ConfigError(
                    f"{n_tagged} of {len(data)} items have the tag '{shown(name, 40)}': choose one "
                    f"that at least {MIN_COUNT} have and as many have not"
                )
        if name not in tags_there:
            raise ConfigError(_unknown("tag", name, tags_there, data))
        values = np.array([name in item for item in tags or ()], dtype=np.float64)
        return values, name, ("", name)
    factors = {t.key: t for t in factor_targets(data)}
    if target not in factors:
        labels = [t.label for t in factors.values()]
        raise ConfigError(_unknown("factor", name, labels, data))
    values = target_values(factors[target], data)
    poles = next((spec.poles for spec in data.factor_specs if spec.name == name), ("", ""))
    return values, factors[target].label, poles if any(poles) else ("", factors[target].label)


def _unknown(kind: str, name: str, names: Sequence[str], data: PairedDataset) -> str:
    if not names:
        return f"the items of {data.name} have no {kind}s: ask for an axis with words or examples"
    near = get_close_matches(name[:40], names, 4, 0.5)
    return f"there is no {kind} '{shown(name, 40)}': choose from {some_of(near or names, name)}"


def rows_of(data: PairedDataset, items: Sequence[str]) -> Ints:
    """The data rows of items by their ids, each once.

    Raises:
        ConfigError: there is no item of an id.
    """
    row_of = {name: row for row, name in enumerate(data.item_ids())}
    for name in items:
        if name not in row_of:
            near = get_close_matches(name[:40], row_of, 3, 0.6)
            instead = f"did you mean {near[0]}?" if near else "give ids of the data's items"
            raise ConfigError(f"there is no item '{shown(name, 40)}': {instead}")
    return np.array(list(dict.fromkeys(row_of[name] for name in items)), dtype=np.int64)


def example_levels(
    data: PairedDataset, items: Sequence[str], against: Sequence[str], rest: Ints
) -> tuple[Ints, Floats]:
    """Rows (n,) and levels (n,): 1 for the marked items, 0 for the others.

    Args:
        items, against: ids; without ``against`` the others are those of ``rest`` (data rows).

    Raises:
        ConfigError: an id is unknown, an item is on both sides, or a side has too few.
    """
    high = rows_of(data, items)
    others = rows_of(data, against) if against else np.setdiff1d(rest, high)
    for rows, what in ((high, "marked"), (others, "other")):
        if len(rows) < MIN_MARKED:
            raise ConfigError(
                f"{len(rows)} {what} items are too few for an axis: mark at least {MIN_MARKED}"
            )
    if len(both := np.intersect1d(high, others)):
        name = data.item_ids()[int(both[0])]
        raise ConfigError(f"item {shown(name, 40)} is on both sides: keep it on one")
    return np.concatenate([high, others]), np.repeat([1.0, 0.0], [len(high), len(others)])


def label_levels(data: PairedDataset, levels: Mapping[str, float]) -> tuple[Ints, Floats]:
    """Rows (n,) and levels (n,) of labelled items.

    Raises:
        ConfigError: an id is unknown, or a level is not finite.
        DataError: there are too few, or all are equal.
    """
    rows = rows_of(data, list(levels))
    values = np.array(list(levels.values()), dtype=np.float64)
    if not np.isfinite(values).all():
        raise ConfigError("a level is not a finite number: leave out items without one")
    if len(values) < MIN_LABELS:
        raise DataError(
            f"{len(values)} labels are too few for an axis: label at least {MIN_LABELS} items, "
            "better 30"
        )
    if np.ptp(values) == 0:
        raise DataError("all labels are equal: label items that differ")
    return rows, values


def spread(
    features: Floats, levels: Floats, others: Floats, prior: tuple[Floats, Floats] | None = None
) -> Floats:
    """Levels of other items from those of few, by a ridge on what their texts say.

    Args:
        features: (n, D) of the labelled items' texts.
        levels: (n,).
        others: (m, D) of the other items' texts.
        prior: levels (n,) and (m,) that are known of both without labels, as from typed lines:
            the ridge then corrects the best multiple of these.

    Returns:
        (m,).
    """
    centre, mean = features.mean(axis=0), float(levels.mean())
    target, base = levels - mean, np.full(len(others), mean)
    if prior is not None and np.ptp(prior[0]) > 0:
        prior_levels = prior[0] - prior[0].mean()
        slope = max(0.0, float(prior_levels @ target) / float(prior_levels @ prior_levels))
        target = target - slope * prior_levels
        base = base + slope * (prior[1] - prior[0].mean())
    return np.asarray(base + (others - centre) @ ridge_weights(features - centre, target))


def cross_fitted(
    rows: Ints, levels: Floats, reading: Callable[[Ints, Floats, Ints], Floats], n_folds: int = 5
) -> Floats:
    """Readings (n,) of items by axes that were found without them.

    Args:
        rows, levels: (n,) of all items.
        reading: takes the rows and levels of some items, and the rows of others; returns the
            readings of the others.
    """
    # Each fold has its share of every level.
    order = np.argsort(levels, kind="stable")
    fold = np.empty(len(rows), dtype=np.int64)
    fold[order] = np.arange(len(rows)) % min(n_folds, len(rows))
    readings = np.zeros(len(rows))
    for k in np.unique(fold):
        fit = fold != k
        if np.ptp(levels[fit]) > 0:
            readings[~fit] = reading(rows[fit], levels[fit], rows[~fit])
    return readings


def _dense_column(values: Floats | csr_matrix) -> Floats:
    dense = values.toarray() if hasattr(values, "toarray") else values
    return np.asarray(dense, dtype=np.float64).ravel()
