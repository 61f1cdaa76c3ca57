"""The levels of one factor drawn many times, and each draw as a run meets it.

They are drawn from all labels, from the half that most steps meet, and from labels with more slips
(``slips``): what the last two change tells how far scores have yet to go, and what slips cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rivae.labels.early.ground import Ground
from rivae.labels.early.slips import ADDED, slipped
from rivae.labels.early.spreading import LevelSpreader
from rivae.retrieval.base import Floats, Ints

MIN_FIRST = 6  # of a factor, before its correlations are given
N_DRAWS = 40
N_COPIES = 4  # of the labels with more slips, that share the draws


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
        worse: with ``slips.ADDED`` more slips among all labels; None unless asked for.
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
    worse: Fit | None = None


def factor_draws(
    ground: Ground,
    labels: Floats,
    apart: Floats | None = None,
    *,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
    worse: bool = False,
) -> FactorDraws:
    """The draws of one factor.

    Args:
        labels: (N,) levels 1 to 5, halves for a range of two, NaN where there is none.
        apart: (N,) True where the factor does not apply or nobody can tell; these steps are left
            out.
        random_state: seed.
        worse: whether to draw from labels with more slips too.
    """
    spreader = ground.spreader
    return shared_draws([ground], spreader, labels, apart, n_draws, random_state, worse)[0]


def shared_draws(
    grounds: Sequence[Ground],
    spreader: LevelSpreader,
    labels: Floats,
    apart: Floats | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
    worse: bool = False,
) -> list[FactorDraws]:
    """The draws of one factor for each of several runs, from the same levels of the same items.

    Args:
        grounds: of the runs, all on the same items.
        spreader: of these items.
        labels, apart, random_state, worse: as in ``factor_draws``.
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

    def slipping() -> list[Fit]:
        copies = [slipped(labels, ADDED, rng) for _ in range(N_COPIES)]
        some = max(2, n_draws // N_COPIES)
        levels = np.vstack([spreader.draws(copy, some, rng) for copy in copies])
        return [_fit(ground, levels, out, known) for ground in grounds]

    step_share = np.mean([ground.step_share for ground in grounds], axis=0)
    by_steps = known[np.argsort(-step_share[known], kind="stable")]
    every, half = fitted(known), fitted(by_steps[: max(2, len(known) // 2)])
    with_more = slipping() if worse else [None] * len(grounds)
    return [
        FactorDraws(of_every, of_half, len(known), answered, n_levels, seen, of_worse)
        for of_every, of_half, of_worse, seen in zip(every, half, with_more, steps, strict=True)
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
