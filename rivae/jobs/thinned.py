"""Curves of any length in bounded memory: means of equal blocks of epochs, with their extremes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_BLOCKS = 600
MAX_NAMES = 48
MAX_STAGES = 32
MAX_NAME = 60  # characters


@dataclass(frozen=True)
class Curve:
    """One term over training.

    Attributes:
        x: (n,) epochs, increasing; the middle of a block of several.
        y: (n,) means, NaN where a block holds no finite value.
        low, high: (n,) lowest and highest finite value of each block, NaN without one.
        per_point: epochs per point; 1 where nothing was thinned.
    """

    x: Array
    y: Array
    low: Array
    high: Array
    per_point: int = 1

    @property
    def last(self) -> float:
        """The last finite value, NaN where there is none."""
        finite = self.y[np.isfinite(self.y)]
        return float(finite[-1]) if len(finite) else math.nan


@dataclass
class _Block:
    stage: int
    place: int
    # By name: number of rows, sum of epochs; number, sum, lowest and highest of finite values.
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, epoch: float, value: float) -> None:
        finite = math.isfinite(value)
        known = self.values.setdefault(name, [0.0, 0.0, 0.0, 0.0, math.inf, -math.inf])
        known[0] += 1
        known[1] += epoch
        if finite:
            known[2] += 1
            known[3] += value
            known[4], known[5] = min(known[4], value), max(known[5], value)

    def join(self, other: _Block) -> None:
        for name, (n, epochs, finite, total, low, high) in other.values.items():
            known = self.values.setdefault(name, [0.0, 0.0, 0.0, 0.0, math.inf, -math.inf])
            known[0] += n
            known[1] += epochs
            known[2] += finite
            known[3] += total
            known[4], known[5] = min(known[4], low), max(known[5], high)


class Thinned:
    """All terms of a run by epoch: at most ``max_blocks`` blocks, each of one stage.

    Blocks hold one epoch at first; whenever there are too many, neighbours are joined.
    """

    def __init__(self, max_blocks: int = MAX_BLOCKS) -> None:
        self.max_blocks, self.per_point = max_blocks, 1
        self.stages: list[tuple[str, int, int]] = []  # name, first and last epoch
        self._blocks: list[_Block] = []
        self._names: dict[str, None] = {}

    @property
    def names(self) -> list[str]:
        """The terms so far, in the order of their first row."""
        return list(self._names)

    @property
    def epoch(self) -> int:
        """The last epoch, 0 before the first."""
        return self.stages[-1][2] if self.stages else 0

    def add(self, stage: str, epoch: int, values: Mapping[str, float]) -> bool:
        """One epoch; False where it does not come after the ones before."""
        if epoch <= self.epoch:
            return False
        new = not self.stages or (self.stages[-1][0] != stage and len(self.stages) < MAX_STAGES)
        if new:
            self.stages.append((stage, epoch, epoch))
        name, first, _ = self.stages[-1]
        self.stages[-1] = (name, first, epoch)
        at = (len(self.stages) - 1, (epoch - first) // self.per_point)
        if not self._blocks or (self._blocks[-1].stage, self._blocks[-1].place) != at:
            self._blocks.append(_Block(*at))
        for name, value in values.items():
            if name in self._names or len(self._names) < MAX_NAMES:
                self._names[name] = None
                self._blocks[-1].add(name, epoch, value)
        while len(self._blocks) > self.max_blocks and self._join():
            pass
        return True

    def _join(self) -> bool:
        """Join neighbours of one stage; False where none are left."""
        if all(block.place == 0 for block in self._blocks):
            return False
        self.per_point *= 2
        joined: list[_Block] = []
        for block in self._blocks:
            block.place //= 2
            last = joined[-1] if joined else None
            if last is not None and (last.stage, last.place) == (block.stage, block.place):
                last.join(block)
            else:
                joined.append(block)
        self._blocks = joined
        return True

    def curve(self, name: str) -> Curve:
        """One term; empty where there is none of this name."""
        found = [block.values[name] for block in self._blocks if name in block.values]
        table = np.array(found, dtype=np.float64).reshape(-1, 6)
        n, epochs, finite, total, low, high = table.T
        missing = finite == 0
        mean = np.where(missing, np.nan, total / np.maximum(finite, 1))
        return Curve(
            epochs / np.maximum(n, 1),
            mean,
            np.where(missing, np.nan, low),
            np.where(missing, np.nan, high),
            self.per_point,
        )


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row by name; null, which stands for one that was not finite, is NaN."""
    found: dict[str, float] = {}
    for name, value in row.items():
        if value is None:
            found[str(name)[:MAX_NAME]] = math.nan
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[str(name)[:MAX_NAME]] = to_float(value)
    return found


def to_float(value: float) -> float:
    """A number of a JSON file, whose integers may be of any size."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
