"""Slips of annotators, measured by hidden repeats, and estimates less what slips cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rivae.labels.early.estimates import N_DRAWS, LabelEstimates, estimate
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import Estimate
from rivae.labels.guideline import N_LEVELS
from rivae.labels.table import check_labels
from rivae.metrics.intervals import share_interval
from rivae.retrieval.base import Floats

MIN_REPEATS = 10  # answered, before a rate is given


@dataclass(frozen=True)
class SlipRate:
    """How often an answer is off by a level.

    Attributes:
        rate, low, high: share of the answers, with its 95 % interval; NaN below ``MIN_REPEATS``.
        n: hidden repeats with two levels.
    """

    rate: float
    low: float
    high: float
    n: int


def slip_rate(first: pd.DataFrame, again: pd.DataFrame) -> SlipRate:
    """The rate from hidden repeats: two answers differ if one of them slipped, or both apart.

    Args:
        first, again: labels and answers to hidden repeats, see ``rivae.labels.table``. Ranges of
            two levels count as equal to each of them.
    """
    if first.empty or again.empty:  # whose columns have no types to merge on
        return SlipRate(float("nan"), float("nan"), float("nan"), 0)
    keys = ["annotator", "item", "factor"]
    both = check_labels(first).merge(check_labels(again), on=keys, suffixes=("", "_again"))
    both = both.dropna(subset=["level", "level_again"])
    n = len(both)
    if n < MIN_REPEATS:
        return SlipRate(float("nan"), float("nan"), float("nan"), n)
    differ = float(((both["level"] - both["level_again"]).abs() > 0.5).mean())
    low, high = share_interval(differ, n)
    return SlipRate(_rate(differ), _rate(low), _rate(high), n)


def _rate(differ: float) -> float:
    """The rate r at which two answers differ: 2 r (1 - r) + r² / 2, as slips go either way."""
    return float((2 - np.sqrt(max(4 - 6 * differ, 0.0))) / 3)


def slipped(levels: Floats, rate: float, rng: np.random.Generator) -> Floats:
    """Levels with a share of them moved to a neighbour; NaN stays."""
    step = rng.choice([-1.0, 1.0], levels.shape)
    step = np.where(levels + step < 1, 1.0, np.where(levels + step > N_LEVELS, -1.0, step))
    return np.where(rng.random(levels.shape) < rate, levels + step, levels)


def estimate_with_slips(
    ground: Ground,
    levels: Floats,
    factors: Sequence[str],
    apart: Floats | None = None,
    *,
    rate: float,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> LabelEstimates:
    """The estimates less what slips cost: as many are added once more, and the loss is given back.

    The intervals grow by the size of the correction. Args are those of ``estimate``.
    """
    found = estimate(ground, levels, factors, apart, n_draws=n_draws, random_state=random_state)
    rng = np.random.default_rng([random_state, 1])
    worse = estimate(
        ground,
        slipped(levels, rate, rng),
        factors,
        apart,
        n_draws=n_draws,
        random_state=random_state,
    )
    return replace(
        found,
        scores={name: _corrected(one, worse.scores[name]) for name, one in found.scores.items()},
    )


def _corrected(one: Estimate, worse: Estimate) -> Estimate:
    if not (one.known and worse.known):
        return one
    loss = one.value - worse.value
    ends = (one.low + loss, one.high + loss)
    low, high = min(ends[0], ends[0] - abs(loss) / 2), max(ends[1], ends[1] + abs(loss) / 2)
    value, low, high = (float(np.clip(x, 0, 1)) for x in (one.value + loss, low, high))
    return Estimate(value, low, high)
