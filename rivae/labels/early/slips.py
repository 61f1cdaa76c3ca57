"""Slips of annotators, measured by hidden repeats, and what they cost a score.

Slips make scores lower. How much is seen when as many are added once more (as in SIMEX, Cook and
Stefanski 1994): the score is drawn with ``ADDED`` more, and the loss is given back in proportion to
the rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rivae.labels.guideline import N_LEVELS
from rivae.labels.table import check_labels
from rivae.metrics.intervals import NORMAL_95, share_interval
from rivae.retrieval.base import Floats

MIN_REPEATS = 10  # answered, before a rate is given
ADDED = 0.1  # share of the labels that slip once more, to see what slips cost
# Chosen on the kitchen and one half of the dishes: see benchmarks/label_estimates.py.
LOSS_UNSURE = 1.0  # of the loss: its s.d.


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

    @property
    def some(self) -> bool:
        """Whether answers are known to slip, so that scores are corrected."""
        return self.rate > 0

    def cost(self, score: Floats, worse: Floats) -> tuple[Floats, Floats]:
        """What slips have taken from scores, and the s.d. of that.

        Args:
            score, worse: without and with ``ADDED`` more slips.

        >>> cost, unsure = SlipRate(0.05, 0.02, 0.1, 60).cost(np.array([0.5]), np.array([0.4]))
        >>> cost.round(2), unsure.round(3)
        (array([0.05]), array([0.054]))
        """
        loss = score - worse
        of_rate = (self.high - self.low) / (2 * NORMAL_95)
        unsure = math.hypot(LOSS_UNSURE * self.rate, of_rate) / ADDED
        return loss * self.rate / ADDED, np.abs(loss) * unsure


def slip_rate(first: pd.DataFrame, again: pd.DataFrame) -> SlipRate:
    """The rate from hidden repeats: two answers differ if one of them slipped, or both apart.

    Args:
        first, again: labels and answers to hidden repeats, see ``rivae.labels.table``. Ranges of
            two levels count as equal to each of them.
    """
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
