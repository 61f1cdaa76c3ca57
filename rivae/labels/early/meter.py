"""How far somebody has come who labels: scores with intervals, and the minutes to go.

A meter keeps the draws of each factor, so that a sheet of one factor costs one factor's draws. It
only reads, and may be called from a background task; calls wait for each other.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rivae.base.errors import ConfigError
from rivae.labels.agreement import Agreement, agreement
from rivae.labels.early.comparing import MAX_COMPARED, Difference, Rivals
from rivae.labels.early.draws import N_DRAWS, FactorDraws, factor_draws
from rivae.labels.early.estimates import (
    MIN_ITEMS,
    LabelEstimates,
    combined,
)
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import UNSEEN, Estimate, least_reach
from rivae.labels.early.reading import PartialLabels, partial_labels
from rivae.labels.early.sample import REPEATS, SECONDS
from rivae.labels.early.slips import SlipRate, slip_rate
from rivae.labels.plan import LabelPlan
from rivae.labels.table import adjudicated, level_table

WITHIN = 0.1  # half of the width that "minutes to go" aim at
# Power of the share without a label; from the widths in benchmarks/results/label-estimates.md.
_NARROWS = 0.6
_USUAL = 0.25  # half of the rest of the width without a label, until it is measured
N_BOOTSTRAP = 200  # of agreement
_EMPTY = level_table([], {})
_TOGETHER = ""  # no run's id


@dataclass(frozen=True)
class FactorMeter:
    """How well one factor is known.

    Attributes:
        factor: its id.
        labelled: items with an answer.
        steps: share of the steps whose item is answered, in [0, 1].
        width: mean width of the 90 % intervals of its correlations with the axes; NaN while there
            are none.
        best: the axis that it goes with most, with its |corr|; None while there is none.
    """

    factor: str
    labelled: int
    steps: float
    width: float
    best: tuple[int, Estimate] | None


@dataclass(frozen=True)
class MeterReading:
    """What a meter shows.

    Attributes:
        runs: the estimates by run id.
        steps: share of the steps whose item is answered, the mean over factors and runs.
        factors: how well each is known, in the first run.
        minutes: until D of every run is known to ± ``WITHIN``; 0 once it is, None where the plan
            ends before.
        agreement: of factors on which two annotators share an item.
        slips: from hidden repeats.
        differences: of every pair among the first ``MAX_COMPARED`` runs.
    """

    runs: Mapping[str, LabelEstimates]
    steps: float
    factors: tuple[FactorMeter, ...]
    minutes: float | None
    agreement: tuple[Agreement, ...]
    slips: SlipRate
    differences: tuple[Difference, ...] = ()


class Meter:
    """The meter of one plan.

    Args:
        plan: whose items are labelled.
        grounds: of the plan's runs, by id; all on the same items.
        factors: K ids.
        n_draws: see ``estimate``.
        random_state: seed; the same labels always read the same.

    Raises:
        ConfigError: no run, or no factor.
    """

    def __init__(
        self,
        plan: LabelPlan,
        grounds: Mapping[str, Ground],
        factors: Sequence[str],
        *,
        n_draws: int = N_DRAWS,
        random_state: int = 0,
    ) -> None:
        if not grounds or not factors:
            raise ConfigError("a meter needs a run and a factor: choose them")
        self.plan, self.grounds, self.factors = plan, dict(grounds), tuple(factors)
        self._n_draws, self._random_state = n_draws, random_state
        self._drawn: dict[tuple[str, int], tuple[bytes, list[FactorDraws]]] = {}
        compared = dict(list(self.grounds.items())[:MAX_COMPARED])
        self._rivals = Rivals(compared) if len(compared) > 1 else None
        self._lock = threading.Lock()

    def read(
        self,
        labels: pd.DataFrame,
        again: pd.DataFrame | None = None,
        seconds: float = SECONDS,
        verdicts: pd.DataFrame | None = None,
    ) -> MeterReading:
        """What the labels say now; factors whose labels did not change are not drawn again.

        Args:
            labels: all current labels of the plan's items, see ``rivae.labels.table``.
            again: answers to hidden repeats.
            seconds: an answer, see ``sample.pace``.
            verdicts: that decide labels where annotators differ.
        """
        decided = labels if verdicts is None else adjudicated(labels, verdicts)
        mine = labels[labels["factor"].isin(self.factors)]
        slips = slip_rate(mine, _EMPTY if again is None else again)
        with self._lock:
            runs = {name: self._of_run(name, decided, slips) for name in self.grounds}
            differences = self._differences(decided, slips)
        first = next(iter(runs.values()))
        shared = [
            one for one in agreement(mine, self.factors, n_bootstrap=N_BOOTSTRAP) if one.n_items
        ]
        return MeterReading(
            runs,
            float(np.mean([found.share for found in runs.values()])),
            tuple(_factor_meter(first, k) for k in range(len(self.factors))),
            self._minutes(runs, mine, seconds),
            tuple(shared),
            slips,
            differences,
        )

    def _of_run(self, name: str, labels: pd.DataFrame, slips: SlipRate) -> LabelEstimates:
        ground = self.grounds[name]
        partial = partial_labels(labels, self.plan, ground.items, self.factors)

        def draw(*some: Any, **how: Any) -> list[FactorDraws]:
            return [factor_draws(ground, *some, **how)]

        draws = [drawn for (drawn,) in self._draws(name, partial, draw, slips.some)]
        return combined(ground, draws, self.factors, partial.left_out, slips)

    def _differences(self, labels: pd.DataFrame, slips: SlipRate) -> tuple[Difference, ...]:
        if self._rivals is None:
            return ()
        items = next(iter(self.grounds.values())).items
        partial = partial_labels(labels, self.plan, items, self.factors)
        draws = self._draws(_TOGETHER, partial, self._rivals.draws, slips.some)
        return self._rivals.differences(draws, self.factors, slips)

    def _draws(
        self, of: str, partial: PartialLabels, draw: Callable[..., list[FactorDraws]], worse: bool
    ) -> list[list[FactorDraws]]:
        """Of every factor; those whose labels did not change are not drawn again."""
        draws = []
        for k in range(len(self.factors)):
            levels, apart = partial.levels[:, k], partial.apart[:, k]
            key = hashlib.blake2b(levels.tobytes() + apart.tobytes() + bytes([worse])).digest()
            before = self._drawn.get((of, k))
            if before is None or before[0] != key:
                seed = self._random_state + k
                drawn = draw(levels, apart, n_draws=self._n_draws, random_state=seed, worse=worse)
                before = self._drawn[of, k] = key, drawn
            draws.append(before[1])
        return draws

    def _minutes(
        self, runs: Mapping[str, LabelEstimates], labels: pd.DataFrame, seconds: float
    ) -> float | None:
        """Minutes to the end of the longest way of all runs; None if the plan is shorter."""
        n_factors = len(self.factors)
        counts = labels.groupby("item")["factor"].nunique()
        done = set(counts[counts >= n_factors].index.astype(int).tolist())
        order = [row for row in dict.fromkeys(self.plan.order) if row not in done]
        answers_left = len(order) * n_factors - int(counts[~counts.index.isin(done)].sum())
        needed = [
            self._items_needed(found, self.grounds[name], order) for name, found in runs.items()
        ]
        if any(n is None for n in needed):
            return None
        most = max(n for n in needed if n is not None)
        answers = min(most * n_factors, answers_left)
        return answers * seconds * (1 + REPEATS) / 60

    def _items_needed(
        self, found: LabelEstimates, ground: Ground, order: Sequence[int]
    ) -> int | None:
        """How many of the next items bring D to ± ``WITHIN``: what few labels miss falls as their
        number grows, the rest of its interval with the share of the steps without a label.
        """
        name = "disentanglement"
        score = found.scores[name]
        unseen = max(1 - found.share, 1e-9)
        n = float(np.mean(found.labelled))
        if score.known and score.width / 2 <= WITHIN:
            return 0
        rest = _USUAL * unseen**_NARROWS
        if score.known:
            whole, least = score.width / 2, float(least_reach(name, n))
            rest = max(math.sqrt(max(whole**2 - least**2, 0.0)), UNSEEN * unseen)
        at_least = 0 if score.known else max(MIN_ITEMS - min(found.labelled, default=0), 1)
        rows = np.asarray(order, dtype=np.int64)
        place = np.minimum(np.searchsorted(ground.items, rows), len(ground.items) - 1)
        share = np.where(ground.items[place] == rows, ground.step_share[place], 0.0)
        left = np.maximum(unseen - np.cumsum(share), 0.0)
        counts = n + np.arange(1.0, len(rows) + 1)
        good = np.hypot(rest * (left / unseen) ** _NARROWS, least_reach(name, counts)) <= WITHIN
        if not good.any():
            return None
        return max(int(np.argmax(good)) + 1, at_least)


def _factor_meter(found: LabelEstimates, k: int) -> FactorMeter:
    table = found.table[:, k]
    best = None
    if not np.isnan(table).all():
        j = int(np.nanargmax(table))
        value, low, high = (float(x[j, k]) for x in (found.table, found.low, found.high))
        best = j, Estimate(value, low, high)
    width = found.high[:, k] - found.low[:, k]
    return FactorMeter(
        found.factors[k],
        found.labelled[k],
        found.steps[k],
        float(width.mean()),
        best,
    )
