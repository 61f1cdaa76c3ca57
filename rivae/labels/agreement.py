"""Agreement of annotators: Krippendorff's alpha, weighted kappa, repeats, items far apart.

Alpha: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), in the form with
coincidences, which allows any number of annotators and missing levels. 1 is perfect agreement, 0 is
chance. He recommends .8, or .667 for tentative conclusions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.base.errors import ConfigError
from rivae.labels.table import LEVELS, check_labels, sure_labels
from rivae.retrieval.base import Floats

Metric = Literal["ordinal", "interval", "nominal"]
MIN_FOR_INTERVAL = 5  # items that two annotators have labelled
MIN_FOR_KAPPA = 2


@dataclass(frozen=True)
class Agreement:
    """Alpha of one factor.

    Attributes:
        factor: its id.
        alpha: at most 1; NaN if no two annotators share an item, or all levels are equal.
        low, high: 95 % bootstrap interval over items; NaN below five shared items.
        n_items: items with levels of two annotators or more.
        n_annotators: annotators with a level for such an item.
    """

    factor: str
    alpha: float
    low: float
    high: float
    n_items: int
    n_annotators: int


def krippendorff_alpha(
    ratings: ArrayLike, *, metric: Metric = "ordinal", n_levels: int = len(LEVELS)
) -> float:
    """Alpha of ratings (annotators, items) in 1 ... n_levels, NaN where missing.

    NaN if there is nothing to compare, or all levels are equal.

    Raises:
        ConfigError: the metric is unknown.
    """
    pairs = _coincidences(np.asarray(ratings, dtype=np.float64), n_levels)
    return float(_alpha(pairs.sum(axis=0)[None], metric)[0])


def alpha_interval(
    ratings: ArrayLike,
    *,
    metric: Metric = "ordinal",
    n_levels: int = len(LEVELS),
    n_bootstrap: int = 1000,
    random_state: int = 0,
) -> tuple[float, float]:
    """95 % percentile interval of alpha, items drawn with replacement; NaN below five items."""
    pairs = _coincidences(np.asarray(ratings, dtype=np.float64), n_levels)
    n = len(pairs)
    if n < MIN_FOR_INTERVAL:
        return math.nan, math.nan
    rng = np.random.default_rng(random_state)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=n_bootstrap).astype(np.float64)
    values = _alpha(np.einsum("bn,nck->bck", draws, pairs), metric)
    values = values[~np.isnan(values)]
    if not len(values):
        return math.nan, math.nan
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _coincidences(ratings: Floats, n_levels: int) -> Floats:
    """Per item with two levels or more: how often each pair of levels occurs, (n, L, L)."""
    counts = np.stack([(ratings == c).sum(axis=0) for c in range(1, n_levels + 1)], axis=1)
    m = counts.sum(axis=1)
    counts, m = counts[m >= 2].astype(np.float64), m[m >= 2]
    pairs = counts[:, :, None] * counts[:, None, :]
    i = np.arange(n_levels)
    pairs[:, i, i] -= counts  # a label is not paired with itself
    return np.asarray(pairs / (m - 1)[:, None, None])


def _alpha(pairs: Floats, metric: Metric) -> Floats:
    """Alpha of coincidence matrices (b, L, L), shape (b,)."""
    margin = pairs.sum(axis=2)
    n = margin.sum(axis=1)
    n_levels = margin.shape[1]
    if metric == "ordinal":
        # The labels between the midpoints of two levels.
        upto = np.cumsum(margin, axis=1) - margin / 2
        squared_gaps = (upto[:, :, None] - upto[:, None, :]) ** 2
    elif metric in ("interval", "nominal"):
        steps = np.subtract.outer(np.arange(n_levels), np.arange(n_levels)).astype(np.float64)
        one = steps**2 if metric == "interval" else (steps != 0).astype(np.float64)
        squared_gaps = np.broadcast_to(one, pairs.shape)
    else:
        raise ConfigError(f"alpha is 'ordinal', 'interval' or 'nominal', not '{metric}'")
    observed_disagreement = (pairs * squared_gaps).sum(axis=(1, 2))
    expected_disagreement = np.einsum("bc,bk,bck->b", margin, margin, squared_gaps)
    alive = expected_disagreement > 0
    ratio = (n - 1) * observed_disagreement / np.where(alive, expected_disagreement, 1.0)
    return np.where(alive, 1.0 - ratio, np.nan)


def _ratings(labels: pd.DataFrame, factor: str) -> pd.DataFrame:
    """Annotators x items of one factor, from labels with one level."""
    factor_labels = sure_labels(labels[labels["factor"] == factor])
    return factor_labels.pivot(index="annotator", columns="item", values="level")


def agreement(
    labels: pd.DataFrame, factors: Iterable[str], *, n_bootstrap: int = 1000, random_state: int = 0
) -> list[Agreement]:
    """Alpha (ordinal) of every factor with its interval over items.

    Raises:
        DataError: it is not a table of labels, see ``rivae.labels.table``.
    """
    labels = check_labels(labels)
    out = []
    for factor in factors:
        ratings = _ratings(labels, factor)
        shared_items = ratings.loc[:, ratings.notna().sum(axis=0) >= 2]
        table = shared_items.to_numpy(dtype=np.float64)
        low, high = alpha_interval(table, n_bootstrap=n_bootstrap, random_state=random_state)
        out.append(
            Agreement(
                factor,
                krippendorff_alpha(table),
                low,
                high,
                shared_items.shape[1],
                int(shared_items.notna().any(axis=1).sum()),
            )
        )
    return out


def weighted_kappa(a: ArrayLike, b: ArrayLike) -> float:
    """Cohen's kappa of two lists of levels, with quadratic weights; NaN if all levels are equal."""
    from sklearn.metrics import cohen_kappa_score

    x, y = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    if len(x) < MIN_FOR_KAPPA or (np.ptp(x) == 0 and np.ptp(y) == 0 and x[0] == y[0]):
        return math.nan
    with warnings.catch_warnings():  # sklearn warns about unused levels
        warnings.simplefilter("ignore")
        return float(cohen_kappa_score(x, y, labels=list(LEVELS), weights="quadratic"))


def pairwise_kappa(labels: pd.DataFrame, factors: Iterable[str]) -> pd.DataFrame:
    """One row per factor and pair of annotators: factor, first, second, n (shared items), kappa."""
    labels, rows = check_labels(labels), []
    for factor in factors:
        ratings = _ratings(labels, factor)
        for first, second in combinations(sorted(ratings.index), 2):
            both = ratings.loc[[first, second]].dropna(axis=1)
            a, b = both.to_numpy()
            rows.append((factor, first, second, both.shape[1], weighted_kappa(a, b)))
    return pd.DataFrame(rows, columns=["factor", "first", "second", "n", "kappa"])


def self_agreement(
    first: pd.DataFrame, again: pd.DataFrame, factors: Iterable[str]
) -> pd.DataFrame:
    """Agreement of annotators with their own labels on hidden repeats.

    Args:
        first: labels of items when first shown.
        again: labels of their hidden repeats, in the same columns.

    Returns:
        one row per factor and annotator with a repeat: factor, annotator, n, same (share of equal
        levels), near (share at most one level apart), kappa (quadratic weights).
    """
    keys = ["annotator", "item", "factor"]
    once, twice = sure_labels(check_labels(first)), sure_labels(check_labels(again))
    both, rows = once.merge(twice, on=keys, suffixes=("", "_again")), []
    for factor in factors:
        for annotator, group in both[both["factor"] == factor].groupby("annotator"):
            a, b = group["level"].to_numpy(), group["level_again"].to_numpy()
            apart = np.abs(a - b)
            rows.append(
                (
                    factor,
                    annotator,
                    len(group),
                    float((apart == 0).mean()),
                    float((apart <= 1).mean()),
                    weighted_kappa(a, b),
                )
            )
    return pd.DataFrame(rows, columns=["factor", "annotator", "n", "same", "near", "kappa"])


def far_apart(labels: pd.DataFrame, *, min_gap: int = 2) -> pd.DataFrame:
    """Items on which annotators are ``min_gap`` levels apart or more, the widest first.

    Returns:
        item, factor, gap, low, high, n (annotators with a level).
    """
    labels = check_labels(labels).dropna(subset="level")
    span = labels.groupby(["item", "factor"], sort=True)["level"].agg(["min", "max", "count"])
    span = span.rename(columns={"min": "low", "max": "high", "count": "n"}).reset_index()
    span.insert(2, "gap", span["high"] - span["low"])
    wide = span[span["gap"] >= min_gap]
    return wide.sort_values(["gap", "item", "factor"], ascending=[False, True, True]).reset_index(
        drop=True
    )
