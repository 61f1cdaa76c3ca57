"""Two to six runs on one data set, compared by matched factor instead of by axis number.

A factor is an axis of the first run, the reference; every other run has the axis that varies most
with it over the same items, if any does. Factors are moved in units of each run's own axis range,
the central 99 % of its training queries, so that the free scale of z does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer, Vector
from rivae.metrics.matching import match_to_first

MIN_RUNS, MAX_RUNS = 2, 6
# Below this |corr| two axes share less than a quarter of their variance: no counterpart.
COUNTERPART = 0.5
MATCH_ROWS = 3000
NORMAL_99 = 2.576  # s.d. that hold 99 % of a normal distribution


@dataclass(frozen=True)
class Counterpart:
    """The axis of a run that belongs to a factor; ``strength`` is |corr| with the reference."""

    axis: int
    sign: int
    strength: float

    @property
    def is_weak(self) -> bool:
        """Whether it varies too little with the reference to be moved."""
        return self.strength < COUNTERPART


OTHER_ITEMS = "only runs on the same items with the same split can be compared"
TOO_FEW = "comparing takes two to six runs: choose at least one more"
# Per run and factor; None where the run has no axis left for it.
Matching = tuple[tuple[Counterpart | None, ...], ...]


def check_number(n_runs: int) -> None:
    """Raises ConfigError unless 2 to 6 runs are given."""
    if n_runs < MIN_RUNS:
        raise ConfigError(TOO_FEW)
    if n_runs > MAX_RUNS:
        raise ConfigError(f"comparing takes two to six runs, not {n_runs}: remove some")


def match_runs(explorers: Sequence[Explorer]) -> Matching:
    """The counterparts of every axis of the first run, over at most 3,000 searched items.

    Raises:
        ConfigError: fewer than two or more than six runs, or runs on different data.
        DataError: z of a run is not finite, or there are fewer than 8 items.
    """
    check_number(len(explorers))
    first = explorers[0]
    for other in explorers[1:]:
        if other.data.items_key != first.data.items_key:
            raise ConfigError(OTHER_ITEMS)
    rows = np.sort(np.random.default_rng(0).permutation(first.search_rows)[:MATCH_ROWS])
    matches = match_to_first([_latents(explorer, rows) for explorer in explorers])
    identity = tuple(Counterpart(j, 1, 1.0) for j in range(first.n_components))
    return identity, *(
        tuple(
            None if (partner := match.partner(j)) is None else Counterpart(*partner)
            for j in range(first.n_components)
        )
        for match in matches
    )


def _latents(explorer: Explorer, rows: NDArray[np.int64]) -> NDArray[np.floating]:
    """(n, d) z of data rows, which are kept where these are all that are searched."""
    if len(rows) == len(explorer.search_rows):
        return explorer.positions[np.argsort(explorer.search_rows)]
    return explorer.retriever.latents(rows)


@dataclass(frozen=True)
class Comparison:
    """Opened runs and which of their axes belong together.

    Attributes:
        explorers: 2 to 6 runs; the first is the reference.
        matching: from ``match_runs``.
    """

    explorers: tuple[Explorer, ...]
    matching: Matching

    @property
    def n_factors(self) -> int:
        """Axes of the reference."""
        return self.explorers[0].n_components

    def counterpart(self, run: int, factor: int) -> Counterpart | None:
        """The axis that moves with ``factor`` in ``run``; None where there is none or a weak one.

        Raises:
            ConfigError: there is no such factor.
        """
        if not 0 <= factor < self.n_factors:
            raise ConfigError(f"there is no factor {factor + 1}: choose 1 to {self.n_factors}")
        axis = self.matching[run][factor]
        return None if axis is None or axis.is_weak else axis

    def axis_name(self, run: int, axis: int) -> str:
        """ "z3", or "z3 · greenness" once named; v3 where the method has no latent and its axes
        are those of v.
        """
        return self.explorers[run].axis_names[axis]

    def shown_sign(self, run: int, factor: int) -> int:
        """1 if the axis of ``run`` that goes with ``factor`` grows with it, both as they are shown;
        -1 if it falls.
        """
        counterpart = self.matching[run][factor]
        if counterpart is None:
            return 1
        turns = self.explorers[0].signs[factor], self.explorers[run].signs[counterpart.axis]
        return int(counterpart.sign * turns[0] * turns[1])

    def query_z(self, query: int | str) -> list[Vector]:
        """z of a data row, or of the "mean" of all queries, in every run."""
        if query == "mean":
            return [explorer.mean for explorer in self.explorers]
        return [explorer.encode(int(query)) for explorer in self.explorers]

    def step(self, run: int, factor: int) -> tuple[int, float] | None:
        """(axis, change of z for a shift of one range), with its sign."""
        counterpart = self.counterpart(run, factor)
        if counterpart is None:
            return None
        low, high = axis_range(self.explorers[run], counterpart.axis)
        return counterpart.axis, counterpart.sign * max(high - low, 1e-9)

    def shifted(self, run: int, z: Vector, shifts: Mapping[int, float]) -> Vector:
        """``z`` (d,) of a run with factors moved by ``shifts``, in ranges."""
        z_after = np.array(z, dtype=np.float64)
        for factor, shift in shifts.items():
            step = self.step(run, factor)
            if step is not None:
                z_after[step[0]] += shift * step[1]
        return z_after


def compare(explorers: Sequence[Explorer]) -> Comparison:
    """The runs matched to the first; raises as ``match_runs``."""
    return Comparison(tuple(explorers), match_runs(explorers))


def axis_range(explorer: Explorer, axis: int) -> tuple[float, float]:
    """Where the central 99 % of the training queries lie on an axis.

    By their means mu(v1), or by the aggregated prior (± 2.576 s.d.) where the query fixes only a
    distribution and the means hardly move.
    """
    prior = explorer.prior
    if explorer.data.query_fixes == "factors":
        return float(prior.low[axis]), float(prior.high[axis])
    mean, reach = float(prior.mean[axis]), NORMAL_99 * float(prior.std[axis])
    return mean - reach, mean + reach


def strip_name(comparison: Comparison, run: int, factor: int, title: str) -> str:
    """The run's title with its axis, sign and strength, e.g. "seed 1: z3 (−), |corr| .93"."""
    counterpart = comparison.matching[run][factor]
    if counterpart is None:
        return title
    sign = "" if comparison.shown_sign(run, factor) > 0 else " (−)"
    strength = "" if run == 0 else f", |corr| {counterpart.strength:.2f}"
    return f"{title}: {comparison.axis_name(run, counterpart.axis)}{sign}{strength}"
