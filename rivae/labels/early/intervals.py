"""The 90 % interval of a score from draws of the levels.

The same is drawn from the half of the labels that most steps meet: how far the score moves from
half to all tells how far it has yet to go, and the interval covers that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rivae.retrieval.base import Floats

NORMAL_90 = 1.645
# Chosen on the kitchen and one half of the dishes: see benchmarks/label_estimates.py.
MOST_AHEAD = 3.0  # times the way from half of the labels to all
AHEAD, UNSURE, UNSEEN = 0.5, 0.8, 0.2  # of that way: added, and its s.d.; of the steps left
MCC_AHEAD, MCC_UNSURE = 0.9, 1.0
LEAST = 0.025  # to both sides
# What few labels miss in every draw alike, so that no spread shows it: over the number of items.
FEW = {"disentanglement": 4.0, "completeness": 3.5}
MCC_LEAST = 0.515  # over the root of the number of items
MCC_LEAST_OF_TWO = 0.25  # for a difference of two runs, in which that cancels
# What slips add to that: s.d., times their rate, over the root of the number of items.
SLIPS = 3.0
NO_SLIPS = (0.0, 0.0)


def least_reach(score: str, n_items: float | Floats) -> Floats:
    """To both sides of a score; no interval from ``n_items`` labelled items is narrower."""
    return np.hypot(LEAST, FEW.get(score, 0.0) / np.asarray(n_items, dtype=np.float64))


@dataclass(frozen=True)
class Estimate:
    """A number with its 90 % interval, or the reason why there is none.

    Attributes:
        value, low, high: NaN where there is no number.
        reason: one sentence where there is none; "" otherwise.
    """

    value: float
    low: float
    high: float
    reason: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a number."""
        return not self.reason

    @property
    def width(self) -> float:
        return self.high - self.low

    @classmethod
    def none(cls, reason: str) -> Estimate:
        return cls(math.nan, math.nan, math.nan, reason)

    def __str__(self) -> str:
        return self.reason or f"{self.low:.2f} – {self.high:.2f}"


def ahead(
    every: Floats,
    half: Floats,
    unseen: float,
    unseen_half: float,
    lowest: float = 0.0,
    least: float | Floats = LEAST,
    slips: tuple[Floats | float, Floats | float] = NO_SLIPS,
) -> tuple[Floats, Floats, Floats]:
    """Value, low and high (n,) of scores.

    Args:
        every, half: (S, n) drawn from all labels and from the half of them.
        unseen, unseen_half: share of the steps without a label, in [0, 1].
        lowest: that a score can be; the highest is 1.
        least: reach to both sides that no interval goes below.
        slips: what they have taken from the scores, and its s.d.; see ``SlipRate.cost``.
    """
    mean, spread = every.mean(axis=0), every.std(axis=0, ddof=1)
    way = min(MOST_AHEAD, unseen / max(unseen_half - unseen, 1e-9)) * (mean - half.mean(axis=0))
    cost, cost_unsure = slips
    reach = np.sqrt(
        (NORMAL_90 * spread) ** 2
        + (UNSURE * way) ** 2
        + (UNSEEN * unseen) ** 2
        + least**2
        + (NORMAL_90 * cost_unsure) ** 2
    )
    return _within(mean + AHEAD * way + cost, reach, lowest)


def mcc_ahead(
    every: Floats,
    half: Floats,
    n_items: float,
    lowest: float = 0.0,
    least: float = MCC_LEAST,
    slips: tuple[Floats | float, Floats | float] = NO_SLIPS,
) -> Estimate:
    """MCC, or a difference of two, from draws (S,) of ``n_items`` labels and of half of them."""
    way = float(every.mean() - half.mean())
    spread = float(every.std(ddof=1))
    cost, cost_unsure = (float(x) for x in slips)
    reach = math.sqrt(
        (NORMAL_90 * spread) ** 2
        + (MCC_UNSURE * way) ** 2
        + least**2 / n_items
        + (NORMAL_90 * cost_unsure) ** 2
    )
    value, low, high = _within(
        np.array(every.mean() + MCC_AHEAD * way + cost), np.array(reach), lowest
    )
    return Estimate(float(value), float(low), float(high))


def _within(value: Floats, reach: Floats, lowest: float) -> tuple[Floats, Floats, Floats]:
    value = np.clip(value, lowest, 1.0)
    return value, np.clip(value - reach, lowest, 1.0), np.clip(value + reach, lowest, 1.0)
