"""Whether the scores of two runs differ beyond chance, from a part of the labels.

The levels of the items without a label are drawn once for all runs that are compared, from what
the embeddings and axes of each say, and each draw is scored with every run. So what the runs have
in common cancels: the difference is known better than from two intervals that may overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rivae.base.errors import ConfigError
from rivae.labels.early.draws import N_DRAWS, FactorDraws, shared_draws
from rivae.labels.early.estimates import (
    SCORES,
    ScoreDraws,
    why_none,
)
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import Estimate
from rivae.labels.early.slips import SlipRate
from rivae.labels.early.spreading import LevelSpreader
from rivae.retrieval.base import Floats

MAX_COMPARED = 3  # runs, the first of a plan: each more costs as much as the one before


@dataclass(frozen=True)
class Difference:
    """How much higher the scores of one run are than those of another.

    Attributes:
        first, second: ids of the runs.
        scores: by name, the first less the second, in [-1, 1]; the reason where there is none.

    >>> apart = Estimate(0.1, 0.02, 0.18)
    >>> alike = Estimate(-0.01, -0.06, 0.04)
    >>> found = Difference("a", "b", {"disentanglement": apart, "completeness": alike})
    >>> found.beyond_chance
    ('disentanglement',)
    """

    first: str
    second: str
    scores: Mapping[str, Estimate]

    @property
    def beyond_chance(self) -> tuple[str, ...]:
        """The scores whose 90 % interval leaves 0 out."""
        return tuple(name for name, one in self.scores.items() if one.low > 0 or one.high < 0)


class Rivals:
    """Runs that are compared on the same labels.

    Args:
        grounds: by run, at least two, all on the same items.

    Raises:
        ConfigError: there is only one, or the items differ.
    """

    def __init__(self, grounds: Mapping[str, Ground]) -> None:
        if len(grounds) < 2:
            raise ConfigError("one run cannot be compared: name another one")
        first, *others = grounds.values()
        if any(not np.array_equal(first.items, other.items) for other in others):
            raise ConfigError("the runs are not on the same items: make their grounds together")
        self.grounds = dict(grounds)
        self._spreader = LevelSpreader.together([one.spreader for one in grounds.values()])

    def draws(
        self,
        labels: Floats,
        apart: Floats | None = None,
        *,
        n_draws: int = N_DRAWS,
        random_state: int = 0,
        worse: bool = False,
    ) -> list[FactorDraws]:
        """The draws of one factor, one per run; see ``estimates.factor_draws``."""
        runs = list(self.grounds.values())
        return shared_draws(runs, self._spreader, labels, apart, n_draws, random_state, worse)

    def differences(
        self,
        draws: Sequence[Sequence[FactorDraws]],
        factors: Sequence[str],
        slips: SlipRate | None = None,
    ) -> tuple[Difference, ...]:
        """Every pair of runs.

        Args:
            draws: of ``self.draws``, one per factor.
            factors: K ids.
            slips: as in ``estimates.combined``.
        """
        pairs = list(combinations(self.grounds, 2))
        if reason := why_none([of_first for of_first, *_ in draws], factors):
            none = dict.fromkeys(SCORES, Estimate.none(reason))
            return tuple(Difference(first, second, none) for first, second in pairs)
        scores = {
            run: ScoreDraws.of(ground, [of_runs[n] for of_runs in draws])
            for n, (run, ground) in enumerate(self.grounds.items())
        }
        return tuple(
            Difference(first, second, scores[first].less(scores[second]).estimates(slips))
            for first, second in pairs
        )


def compare(
    grounds: Mapping[str, Ground],
    levels: Floats,
    factors: Sequence[str],
    apart: Floats | None = None,
    *,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> tuple[Difference, ...]:
    """The differences of every pair of runs, from partial labels.

    Args:
        grounds: by run, all on the same items (``of_run.grounds_of``).
        levels, factors, apart, n_draws, random_state: as in ``estimates.estimate``.

    Raises:
        ConfigError: as ``Rivals``.

    >>> from types import SimpleNamespace
    >>> from rivae.labels.early.paths import PathSums
    >>> rng = np.random.default_rng(0)
    >>> levels = rng.integers(1, 6, (90, 2)).astype(float)
    >>> values = np.tile(np.linspace(-2, 2, 9), (2, 1))
    >>> met = SimpleNamespace(values=values, ids=rng.integers(0, 90, (4, 2, 9, 1)))
    >>> noise = rng.standard_normal((90, 2))
    >>> blocks = [rng.standard_normal((90, 3)) for _ in range(3)] + [noise, noise]
    >>> ground = Ground(PathSums.of(met, np.arange(90)), blocks, noise)
    >>> few = np.where(np.arange(90)[:, None] < 40, levels, np.nan)
    >>> (found,) = compare({"a": ground, "b": ground}, few, ("fruit", "salt"))
    >>> found.beyond_chance, float(found.scores["informativeness"].value)
    ((), 0.0)
    """
    rivals = Rivals(grounds)
    draws = [
        rivals.draws(
            levels[:, k],
            None if apart is None else apart[:, k],
            n_draws=n_draws,
            random_state=random_state + k,
        )
        for k in range(len(factors))
    ]
    return rivals.differences(draws, factors)
