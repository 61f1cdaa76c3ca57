"""What a run has measured so far, read as it grows and shared by all who watch it."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from rivae.jobs.growing import GrowingFile
from rivae.jobs.thinned import Array, Curve, Thinned, numbers, to_float
from rivae.runs import Run

MAX_HISTORIES = 16  # some 2 MB each at most
_versions = count(1)  # of all histories: a run's history made anew is another version, too
NOT_TERMS = ("epoch", "step", "stage", "learning_rate", "validation", "seconds")


@dataclass(frozen=True)
class History:
    """What is known of a run at one moment.

    Attributes:
        version: differs after every change; the key of everything made of this.
        stages: (name, first epoch, last epoch) in order.
        terms: the terms of the loss, "objective" first.
        scores: validation scores.
        last_scores: those of the last validation, with its epoch as "epoch"; empty before it.
        elapsed: seconds of work by epoch, without pauses; empty where they were not written.
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
        """Epochs behind one point of a curve; 1 where nothing was thinned."""
        return max((curve.per_point for curve in self.terms.values()), default=1)

    def seconds_at(self, epochs: Array) -> Array:
        """Seconds of work until these epochs (n,); NaN where they were not written."""
        if self.elapsed is None or not len(self.elapsed.x):
            return np.full(len(epochs), np.nan)
        x = np.concatenate([[0.0], self.elapsed.x])
        y = np.concatenate([[0.0], self.elapsed.y])
        return np.asarray(np.interp(epochs, x, y, right=math.nan))


class RunHistory:
    """Follows ``metrics.jsonl`` and ``timing.jsonl`` of one run folder; safe between threads."""

    def __init__(self, folder: Path) -> None:
        run = Run(folder)
        self._metrics, self._timing = GrowingFile(run.log.path), GrowingFile(run.timing.path)
        self._lock = threading.Lock()
        self._now = History()
        self._begin()

    def _begin(self) -> None:
        self._losses, self._scores, self._times = Thinned(), Thinned(), Thinned()
        self._last: dict[str, float] = {}
        self._odd = 0
        self._elapsed = 0.0

    def look(self) -> History:
        """What is known now; only rows written since the last look are read.

        Where the files were replaced or cut, by a run that was resumed, they are read anew.
        """
        with self._lock:
            changes = self._metrics.look(), self._timing.look()
            if changes == ("same", "same"):
                return self._now
            if {"anew", "gone"} & set(changes):
                self._begin()
                self._metrics = GrowingFile(self._metrics.path)
                self._timing = GrowingFile(self._timing.path)
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
        found = row.get("validation")
        scores = numbers(found) if isinstance(found, dict) else {}
        if scores:
            self._scores.add(stage, epoch, scores)
            self._last = {"epoch": float(epoch), **scores}

    def _add_time(self, row: dict[str, Any]) -> None:
        epoch, wall = _epoch(row), numbers(row).get("wall", math.nan)
        if epoch is None or not (math.isfinite(wall) and wall >= 0) or epoch <= self._times.epoch:
            self._odd += 1
            return
        self._elapsed += wall
        self._times.add("", epoch, {"elapsed": self._elapsed})

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
        """Seconds of work by epoch, to the very last one."""
        if not self._times.names:
            return None
        kept = self._times.curve("elapsed")
        x, y = np.append(kept.x, self._times.epoch), np.append(kept.y, self._elapsed)
        return Curve(x, y, y, y, kept.per_point)


def _epoch(row: dict[str, Any]) -> int | None:
    """The epoch of a row, from 1; None for a damaged one."""
    value = row.get("epoch")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = to_float(value)
    return int(number) if 1 <= number <= 1e9 else None


_shared: OrderedDict[Path, RunHistory] = OrderedDict()
_shared_lock = threading.Lock()


def history_of(folder: Path) -> History:
    """The history of the run in ``folder``; followed from one call to the next, for the runs last
    asked for.
    """
    path = folder.resolve()
    with _shared_lock:
        if path not in _shared:
            _shared[path] = RunHistory(path)
        known = _shared[path]
        _shared.move_to_end(path)
        while len(_shared) > MAX_HISTORIES:
            _shared.popitem(last=False)
    return known.look()
