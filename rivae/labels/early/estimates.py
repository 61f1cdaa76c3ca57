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
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import FEW, LEAST, Estimate, ahead, mcc_ahead
from rivae.labels.early.spreading import LevelSpreader
from rivae.labels.scores import NAMES
from rivae.metrics.matching import assignment
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, paper_scores
from rivae.retrieval.base import Floats, Ints

SCORES = (*NAMES, "mcc")
MIN_ITEMS = 20  # of every factor, before D, C, I and MCC are given
MIN_FIRST = 6  # of a factor, before its correlations are given
N_DRAWS = 40


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
    """

    scores: Mapping[str, Estimate]
    factors: tuple[str, ...]
    table: Floats
    low: Floats
    high: Floats
    labelled: tuple[int, ...]
    steps: tuple[float, ...]
    left_out: int = 0

    @property
    def share(self) -> float:
        """Of the steps whose item is answered, the mean over factors."""
        return float(np.mean(self.steps))


@dataclass(frozen=True)
class Fit:
    """One factor's draws from some of its labels.

    Attributes:
        table: (S, J) along the paths.
        matched: (S, d) |corr| of z and levels over the population.
        unseen: share of the steps without an answer.
    """

    table: Floats
    matched: Floats
    unseen: float


@dataclass(frozen=True)
class FactorDraws:
    """What the labels of one factor say, from all of them and from the first half.

    Attributes:
        every, half: the draws; None with fewer than ``MIN_FIRST`` items.
        n: items with a level or a range.
        answered: these, and those that the factor does not apply to or nobody can tell of.
        levels: how many different ones.
        steps: share of the steps whose item is answered.
    """

    every: Fit | None
    half: Fit | None
    n: int
    answered: int
    levels: int
    steps: float


def factor_draws(
    ground: Ground,
    labels: Floats,
    apart: Floats | None = None,
    *,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> FactorDraws:
    """The draws of one factor.

    Args:
        labels: (N,) levels 1 to 5, halves for a range of two, NaN where there is none.
        apart: (N,) True where the factor does not apply or nobody can tell; these steps are left
            out.
        random_state: seed.
    """
    return shared_draws([ground], ground.spreader, labels, apart, n_draws, random_state)[0]


def shared_draws(
    grounds: Sequence[Ground],
    spreader: LevelSpreader,
    labels: Floats,
    apart: Floats | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> list[FactorDraws]:
    """The draws of one factor for each of several runs, from the same levels of the same items.

    Args:
        grounds: of the runs, all on the same items.
        spreader: of these items.
        labels, apart, random_state: as in ``factor_draws``.
    """
    out = np.zeros(len(labels), dtype=np.bool_) if apart is None else np.asarray(apart, dtype=bool)
    labels = np.where(out, np.nan, labels)
    known = np.flatnonzero(~np.isnan(labels))
    n_levels, answered = len(np.unique(labels[known])), len(known) + int(out.sum())
    steps = [float(one.step_share[known].sum() + one.step_share[out].sum()) for one in grounds]
    if len(known) < MIN_FIRST or n_levels < 2:
        return [FactorDraws(None, None, len(known), answered, n_levels, seen) for seen in steps]
    rng = np.random.default_rng(random_state)

    def fitted(kept: Ints) -> list[Fit]:
        given = np.full(len(labels), np.nan)
        given[kept] = labels[kept]
        levels = spreader.draws(given, n_draws, rng)
        return [_fit(ground, levels, out, kept) for ground in grounds]

    step_share = np.mean([ground.step_share for ground in grounds], axis=0)
    by_steps = known[np.argsort(-step_share[known], kind="stable")]
    every, half = fitted(known), fitted(by_steps[: max(2, len(known) // 2)])
    return [
        FactorDraws(of_every, of_half, len(known), answered, n_levels, seen)
        for of_every, of_half, seen in zip(every, half, steps, strict=True)
    ]


def _fit(ground: Ground, levels: Floats, out: np.ndarray, kept: Ints) -> Fit:
    """The draws (S, N) as one run meets them; ``kept`` were labelled, ``out`` has no level."""
    table = ground.paths.tables(levels[:, :, None], (~out[:, None]).astype(np.float64))[:, :, 0]
    seen = ground.step_share[kept].sum() + ground.step_share[out].sum()
    applies = ~out[ground.population]
    strength = _correlations(ground.z[applies], levels[:, ground.population[applies]])
    return Fit(table, strength, float(max(1 - seen, 0.0)))


def _correlations(z: Floats, levels: Floats) -> Floats:
    """|corr| (S, d) of z (n, d) with each draw (S, n); 0 where one is constant."""
    centred, drawn = z - z.mean(axis=0), levels - levels.mean(axis=1, keepdims=True)
    scale = np.linalg.norm(drawn, axis=1)[:, None] * np.linalg.norm(centred, axis=0)
    return np.asarray(np.abs(drawn @ centred) / np.where(scale > 0, scale, np.inf))


def combined(
    ground: Ground, draws: Sequence[FactorDraws], factors: Sequence[str], left_out: int = 0
) -> LabelEstimates:
    """The scores over all factors, and the table of each.

    Args:
        draws: one per factor.
        factors: K ids.
    """
    shape = (ground.paths.n_axes, len(factors))
    table, low, high = (np.full(shape, np.nan) for _ in range(3))
    for k, drawn in enumerate(draws):
        if drawn.every is not None and drawn.half is not None:
            table[:, k], low[:, k], high[:, k] = ahead(
                drawn.every.table, drawn.half.table, drawn.every.unseen, drawn.half.unseen
            )
    scores = _scores(ground, draws, factors)
    return LabelEstimates(
        scores,
        tuple(factors),
        table,
        low,
        high,
        tuple(drawn.n for drawn in draws),
        tuple(drawn.steps for drawn in draws),
        left_out,
    )


def _scores(
    ground: Ground, draws: Sequence[FactorDraws], factors: Sequence[str]
) -> dict[str, Estimate]:
    reason = why_none(draws, factors)
    if reason:
        return dict.fromkeys(SCORES, Estimate.none(reason))
    every, half = [d.every for d in draws if d.every], [d.half for d in draws if d.half]
    unseen, unseen_half = (float(np.mean([fit.unseen for fit in fits])) for fits in (every, half))
    all_scores, half_scores = (dci_draws(ground, fits) for fits in (every, half))
    n_items = float(np.mean([drawn.n for drawn in draws]))
    least = np.array([math.hypot(LEAST, FEW.get(name, 0.0) / n_items) for name in NAMES])
    found = {}
    for name, value, low, high in zip(
        NAMES, *ahead(all_scores, half_scores, unseen, unseen_half, least=least), strict=True
    ):
        none = Estimate.none(f"{name} needs a second factor: label another one")
        found[name] = none if math.isnan(value) else Estimate(value, low, high)
    found["mcc"] = mcc_ahead(mcc_draws(every), mcc_draws(half), n_items)
    return found


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
        )
        for k in range(len(factors))
    ]
    return combined(ground, draws, factors, left_out)
