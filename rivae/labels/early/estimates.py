"""D, C, I and MCC of a run from the labels of a part of its items, with 90 % intervals.

The levels of the other items are drawn many times from what the labels say, and each draw is
scored. The same is done from the half of the labels that most steps meet: how far the score moves
from half to all tells how far it has yet to go, and the interval covers that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rivae.base.errors import ConfigError
from rivae.labels.early.draws import N_DRAWS, FactorDraws, Fit, factor_draws
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import (
    LEAST,
    MCC_LEAST,
    MCC_LEAST_OF_TWO,
    SLIPS,
    Estimate,
    ahead,
    least_reach,
    mcc_ahead,
)
from rivae.labels.early.slips import SlipRate
from rivae.labels.scores import NAMES
from rivae.metrics.matching import assignment
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, paper_scores
from rivae.retrieval.base import Floats

SCORES = (*NAMES, "mcc")
MIN_ITEMS = 20  # of every factor, before D, C, I and MCC are given


@dataclass(frozen=True)
class LabelEstimates:
    """What a part of the labels says of a run.

    Attributes:
        scores: "disentanglement", "completeness", "informativeness" and "mcc".
        factors: K ids.
        table, low, high: (J, K) mean |corr| of axis and factor along the traversals, and its 90 %
            interval; NaN for a factor with fewer than ``MIN_FIRST`` items.
        labelled: per factor, items with a level or a range.
        steps: per factor, the share of the steps whose item is answered.
        left_out: labelled items that the plan did not choose; they count for nothing.
        slips: how often answers slip, for which scores and table are corrected; None if they are
            not.
    """

    scores: Mapping[str, Estimate]
    factors: tuple[str, ...]
    table: Floats
    low: Floats
    high: Floats
    labelled: tuple[int, ...]
    steps: tuple[float, ...]
    left_out: int = 0
    slips: SlipRate | None = None

    @property
    def share(self) -> float:
        """Of the steps whose item is answered, the mean over factors."""
        return float(np.mean(self.steps))


def combined(
    ground: Ground,
    draws: Sequence[FactorDraws],
    factors: Sequence[str],
    left_out: int = 0,
    slips: SlipRate | None = None,
) -> LabelEstimates:
    """The scores over all factors, and the table of each.

    Args:
        draws: one per factor.
        factors: K ids.
        slips: how often answers slip; scores are corrected where the draws have ``worse``.
    """
    shape = (ground.paths.n_axes, len(factors))
    table, low, high = (np.full(shape, np.nan) for _ in range(3))
    for k, drawn in enumerate(draws):
        if drawn.every is not None and drawn.half is not None:
            every, half, worse = drawn.every, drawn.half, drawn.worse
            cost = slip_cost(slips, every.table, None if worse is None else worse.table)
            table[:, k], low[:, k], high[:, k] = ahead(
                every.table, half.table, every.unseen, half.unseen, slips=cost
            )
    reason = why_none(draws, factors)
    if reason:
        scores = dict.fromkeys(SCORES, Estimate.none(reason))
    else:
        scores = ScoreDraws.of(ground, draws).estimates(slips)
    return LabelEstimates(
        scores,
        tuple(factors),
        table,
        low,
        high,
        tuple(drawn.n for drawn in draws),
        tuple(drawn.steps for drawn in draws),
        left_out,
        slips if any(drawn.worse is not None for drawn in draws) else None,
    )


@dataclass(frozen=True)
class ScoreDraws:
    """Draws of D, C, I and MCC: of a run, or of one less another.

    Attributes:
        every, half, worse: (S, 4) from all labels, the half of them, and with more slips (None
            where these are not drawn).
        unseen, unseen_half: share of the steps without a label, in [0, 1].
        n_items: with a label, the mean over factors.
        of_two: whether it is a difference, in [-1, 1].
    """

    every: Floats
    half: Floats
    worse: Floats | None
    unseen: float
    unseen_half: float
    n_items: float
    of_two: bool = False

    @classmethod
    def of(cls, ground: Ground, draws: Sequence[FactorDraws]) -> ScoreDraws:
        """Of a run whose factors have draws (``why_none`` says nothing)."""
        every, half, worse = (
            [fit for fit in fits if fit is not None]
            for fits in zip(*((one.every, one.half, one.worse) for one in draws), strict=True)
        )
        return cls(
            _score_draws(ground, every),
            _score_draws(ground, half),
            _score_draws(ground, worse) if len(worse) == len(draws) else None,
            float(np.mean([fit.unseen for fit in every])),
            float(np.mean([fit.unseen for fit in half])),
            float(np.mean([drawn.n for drawn in draws])),
        )

    def less(self, other: ScoreDraws) -> ScoreDraws:
        """The difference to another run, on the same drawn levels."""
        worse = None
        if self.worse is not None and other.worse is not None:
            worse = self.worse - other.worse
        return ScoreDraws(
            self.every - other.every,
            self.half - other.half,
            worse,
            (self.unseen + other.unseen) / 2,
            (self.unseen_half + other.unseen_half) / 2,
            self.n_items,
            of_two=True,
        )

    def estimates(self, slips: SlipRate | None = None) -> dict[str, Estimate]:
        """The scores by name, corrected for slips where there are draws with more of them."""
        cost, unsure = slip_cost(slips, self.every, self.worse)
        if slips is not None and self.worse is not None and not self.of_two:
            unsure = np.hypot(unsure, SLIPS * slips.rate / math.sqrt(self.n_items))
        lowest = -1.0 if self.of_two else 0.0
        least: float | Floats = LEAST
        if not self.of_two:
            least = np.array([least_reach(name, self.n_items) for name in NAMES])
        found = {}
        for name, value, low, high in zip(
            NAMES,
            *ahead(
                self.every[:, :-1],
                self.half[:, :-1],
                self.unseen,
                self.unseen_half,
                lowest,
                least,
                (cost[:-1], unsure[:-1]),
            ),
            strict=True,
        ):
            none = Estimate.none(f"{name} needs a second factor: label another one")
            found[name] = none if math.isnan(value) else Estimate(value, low, high)
        found["mcc"] = mcc_ahead(
            self.every[:, -1],
            self.half[:, -1],
            self.n_items,
            lowest,
            MCC_LEAST_OF_TWO if self.of_two else MCC_LEAST,
            (cost[-1], unsure[-1]),
        )
        return found


def slip_cost(slips: SlipRate | None, every: Floats, worse: Floats | None) -> tuple[Floats, Floats]:
    """What slips have taken from scores drawn (S, n) times, and its s.d.; 0 where unknown."""
    if slips is None or not slips.some or worse is None:
        return np.zeros(every.shape[1]), np.zeros(every.shape[1])
    return slips.cost(every.mean(axis=0), worse.mean(axis=0))


def _score_draws(ground: Ground, fits: Sequence[Fit]) -> Floats:
    """D, C, I and MCC (S, 4) of draws."""
    if not fits:
        return np.empty((0, len(SCORES)))
    return np.column_stack([dci_draws(ground, fits), mcc_draws(fits)])


def why_none(draws: Sequence[FactorDraws], factors: Sequence[str]) -> str:
    """Why there are no scores yet, in one sentence; "" if there are."""
    if not draws:
        return "no factor is chosen: choose at least one"
    least = min(range(len(draws)), key=lambda k: draws[k].answered)
    if draws[least].answered < MIN_ITEMS:
        return (
            f"{factors[least]} has {draws[least].answered} of the {MIN_ITEMS} labelled items that "
            "every factor needs: label more"
        )
    for factor, drawn in zip(factors, draws, strict=True):
        if drawn.levels < 2:
            return f"all labels of {factor} are the same level: label more items, or leave it out"
        if drawn.every is None:
            return f"{factor} has levels of {drawn.n} items only: label more items, or leave it out"
    return ""


def dci_draws(ground: Ground, fits: Sequence[Fit]) -> Floats:
    """D, C and I (S, 3) of the axes that are best in each draw."""
    tables = np.stack([fit.table for fit in fits], axis=2)
    return paper_scores(best_axes(np.nan_to_num(tables), ground.n_selected), DEFAULT_ALPHA)


def mcc_draws(fits: Sequence[Fit]) -> Floats:
    """MCC (S,) of the draws, axes and factors being matched in each."""
    tables = np.stack([fit.matched for fit in fits], axis=2)
    n_factors = tables.shape[2]
    return np.array([table[assignment(table)].sum() / n_factors for table in tables])


def best_axes(tables: Floats, n: int) -> Floats:
    """The ``n`` axes (b, n, K) with the largest entry of each table (b, J, K); all if fewer."""
    if n >= tables.shape[1]:
        return tables
    rows = np.argsort(-tables.max(axis=2), axis=1, kind="stable")[:, :n]
    return np.take_along_axis(tables, rows[:, :, None], axis=1)


def estimate(
    ground: Ground,
    levels: Floats,
    factors: Sequence[str],
    apart: Floats | None = None,
    *,
    left_out: int = 0,
    slips: SlipRate | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> LabelEstimates:
    """D, C, I, MCC and the table from partial labels.

    Args:
        ground: of the run.
        levels: (N, K) of its items, halves for a range of two levels, NaN where there is none.
            Only items that the plan chose may have one.
        factors: K ids.
        apart: (N, K) True where a factor does not apply or nobody can tell.
        left_out: labelled items that the plan did not choose, for the report.
        slips: of the annotators, for which scores are corrected; none by default.
        n_draws: from which the interval is computed.
        random_state: seed.

    Raises:
        ConfigError: the shapes do not fit.
    """
    if levels.shape != (len(ground.items), len(factors)):
        raise ConfigError(
            f"levels {levels.shape} do not fit {len(ground.items)} items, {len(factors)} factors"
        )
    draws = [
        factor_draws(
            ground,
            levels[:, k],
            None if apart is None else apart[:, k],
            n_draws=n_draws,
            random_state=random_state + k,
            worse=slips is not None and slips.some,
        )
        for k in range(len(factors))
    ]
    return combined(ground, draws, factors, left_out, slips)
