"""The curves of a run, read as its files grow, in bounded memory, and shared by all viewers.

Curves of long runs hold the means and extremes of equal blocks of epochs.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.jobs.tail import GrowingRows
from rivae.runs import Run

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
        some = (
            [1.0, value, value, value] if math.isfinite(value) else [0.0, 0.0, math.inf, -math.inf]
        )
        self._add(name, [1.0, epoch, *some])

    def join(self, other: _Block) -> None:
        for name, values in other.values.items():
            self._add(name, values)

    def _add(self, name: str, values: list[float]) -> None:
        sums = self.values.setdefault(name, [0.0, 0.0, 0.0, 0.0, math.inf, -math.inf])
        for k in range(4):
            sums[k] += values[k]
        sums[4], sums[5] = min(sums[4], values[4]), max(sums[5], values[5])


class Thinned:
    """All terms of a run by epoch: at most ``max_blocks`` blocks, each of one stage.

    Blocks hold one epoch at first; when there are too many, neighbours are joined.
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
        """Add one epoch; False if it does not come after the ones before."""
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
        blocks: list[_Block] = []
        for block in self._blocks:
            block.place //= 2
            last = blocks[-1] if blocks else None
            if last is not None and (last.stage, last.place) == (block.stage, block.place):
                last.join(block)
            else:
                blocks.append(block)
        self._blocks = blocks
        return True

    def curve(self, name: str) -> Curve:
        """The curve of one term; empty where there is none of this name."""
        rows = [block.values[name] for block in self._blocks if name in block.values]
        table = np.array(rows, dtype=np.float64).reshape(-1, 6)
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
    """The numbers of a row by name; null becomes NaN."""
    numbers_by_name: dict[str, float] = {}
    for name, value in row.items():
        if value is None:
            numbers_by_name[str(name)[:MAX_NAME]] = math.nan
        elif isinstance(value, int | float) and not isinstance(value, bool):
            numbers_by_name[str(name)[:MAX_NAME]] = to_float(value)
    return numbers_by_name


def to_float(value: float) -> float:
    """A number of a JSON file as float; its integers may be of any size."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


MAX_HISTORIES = 16  # some 2 MB each at most
_versions = count(1)  # of all histories, so that versions are unique
NOT_TERMS = ("epoch", "step", "stage", "learning_rate", "validation", "seconds")


@dataclass(frozen=True)
class History:
    """The log of a run as read at one moment.

    Attributes:
        version: differs after every change; the cache key of everything made from this.
        stages: (name, first epoch, last epoch) in order.
        terms: the terms of the loss, "objective" first.
        scores: validation scores.
        last_scores: those of the last validation, with its epoch as "epoch"; empty before it.
        elapsed: seconds of training by epoch, without pauses; None where they were not written.
        epoch: the last one, 0 before the first.
        damaged: rows that could not be read.
    """

    version: int = 0
    stages: tuple[tuple[str, int, int], ...] = ()
    terms: dict[str, Curve] = field(default_factory=dict)
    scores: dict[str, Curve] = field(default_factory=dict)
    last_scores: dict[str, float] = field(default_factory=dict)
    elapsed: Curve | None = None
    epoch: int = 0
    damaged: int = 0

    @property
    def per_point(self) -> int:
        """Epochs per point of a curve; 1 where nothing was thinned."""
        return max((curve.per_point for curve in self.terms.values()), default=1)

    def seconds_at(self, epochs: Array) -> Array:
        """Seconds of training until these epochs (n,); NaN where they were not written."""
        if self.elapsed is None or not len(self.elapsed.x):
            return np.full(len(epochs), np.nan)
        x = np.concatenate([[0.0], self.elapsed.x])
        y = np.concatenate([[0.0], self.elapsed.y])
        return np.asarray(np.interp(epochs, x, y, right=math.nan))


class RunHistory:
    """Follows ``metrics.jsonl`` and ``timing.jsonl`` of one run folder; safe between threads."""

    def __init__(self, folder: Path) -> None:
        run = Run(folder)
        self._metrics, self._timing = GrowingRows(run.log.path), GrowingRows(run.timing.path)
        self._lock = threading.Lock()
        self._now = History()
        self._begin()

    def _begin(self) -> None:
        self._losses, self._scores, self._times = Thinned(), Thinned(), Thinned()
        self._last: dict[str, float] = {}
        self._odd = 0
        self._seconds = 0.0

    def look(self) -> History:
        """The history now; only rows written since the last call are read.

        Files that were replaced or cut, by a run that was resumed, are read from the beginning.
        """
        with self._lock:
            changes = self._metrics.look(), self._timing.look()
            if changes == ("same", "same"):
                return self._now
            if {"replaced", "gone"} & set(changes):
                self._begin()
                self._metrics = GrowingRows(self._metrics.path)
                self._timing = GrowingRows(self._timing.path)
                self._metrics.look(), self._timing.look()
            for row in self._metrics.rows():
                self._add(row)
            for row in self._timing.rows():
                self._add_time(row)
            self._now = self._history()
            return self._now

    def _add(self, row: dict[str, Any]) -> None:
        epoch = _epoch(row)
        stage = str(row.get("stage", ""))[:60]
        terms = {name: value for name, value in numbers(row).items() if name not in NOT_TERMS}
        if epoch is None or not self._losses.add(stage, epoch, terms):
            self._odd += 1
            return
        validation = row.get("validation")
        scores = numbers(validation) if isinstance(validation, dict) else {}
        if scores:
            self._scores.add(stage, epoch, scores)
            self._last = {"epoch": float(epoch), **scores}

    def _add_time(self, row: dict[str, Any]) -> None:
        epoch, wall = _epoch(row), numbers(row).get("wall", math.nan)
        if epoch is None or not (math.isfinite(wall) and wall >= 0) or epoch <= self._times.epoch:
            self._odd += 1
            return
        self._seconds += wall
        self._times.add("", epoch, {"elapsed": self._seconds})

    def _history(self) -> History:
        names = sorted(self._losses.names, key=lambda name: name != "objective")
        return History(
            version=next(_versions),
            stages=tuple(self._losses.stages),
            terms={name: self._losses.curve(name) for name in names},
            scores={name: self._scores.curve(name) for name in self._scores.names},
            last_scores=dict(self._last),
            elapsed=self._work(),
            epoch=self._losses.epoch,
            damaged=self._odd + self._metrics.damaged + self._timing.damaged,
        )

    def _work(self) -> Curve | None:
        """Seconds of training by epoch, including the last epoch."""
        if not self._times.names:
            return None
        curve = self._times.curve("elapsed")
        x, y = np.append(curve.x, self._times.epoch), np.append(curve.y, self._seconds)
        return Curve(x, y, y, y, curve.per_point)


def _epoch(row: dict[str, Any]) -> int | None:
    """The epoch of a row, from 1; None for a damaged one."""
    value = row.get("epoch")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = to_float(value)
    return int(number) if 1 <= number <= 1e9 else None


_histories: OrderedDict[Path, RunHistory] = OrderedDict()
_shared_lock = threading.Lock()


def history_of(folder: Path) -> History:
    """The history of the run in ``folder``, cached for recently used runs."""
    path = folder.resolve()
    with _shared_lock:
        if path not in _histories:
            _histories[path] = RunHistory(path)
        history = _histories[path]
        _histories.move_to_end(path)
        while len(_histories) > MAX_HISTORIES:
            _histories.popitem(last=False)
    return history.look()
