"""Every run that was queued or trained, with its state: the queue joined with the run folders.

Of a run in training also how far it is, how fast it trains and how long it still takes.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rivae.base.config import RunConfig
from rivae.base.errors import RunError
from rivae.jobs.history import numbers, to_float
from rivae.jobs.records import Job
from rivae.jobs.tail import tail_rows
from rivae.runs import Run
from rivae.runs.records import Status

EntryState = Literal[
    "queued",
    "starting",
    "running",
    "finished",
    "failed",
    "cancelled",
    "lost",
    "created",
    "interrupted",
    "broken",
]
TRAINING: tuple[EntryState, ...] = ("starting", "running")
# Ended before its last epoch: can be resumed.
UNFINISHED: tuple[EntryState, ...] = ("failed", "cancelled", "lost", "created", "interrupted")


@dataclass(frozen=True)
class Entry:
    """A run as lists show it; all text is plain.

    Attributes:
        id: the run's name.
        state: that of its job, or of its folder if it was trained without one.
        job: its entry in the queue, None for a run from the command line.
        run: its folder, None before it is created and after it was deleted.
        status: its progress; None without a readable folder.
        config: None where neither entry nor folder can be read.
        message: one sentence about its end, or "".
        updated: ISO time of its last change, or "".
    """

    id: str
    state: EntryState
    job: Job | None = None
    run: Run | None = None
    status: Status | None = None
    config: RunConfig | None = None
    message: str = ""
    updated: str = ""

    @property
    def is_training(self) -> bool:
        return self.state in TRAINING

    @property
    def live(self) -> bool:
        """Whether it is queued or training, so that it changes without the user."""
        return self.state in TRAINING or self.state == "queued"

    @property
    def opens(self) -> bool:
        """Whether there is a model to look at."""
        return self.run is not None and self.state != "broken" and self.run.opens


@dataclass(frozen=True)
class RunProgress:
    """The last epoch of a run in training; ``loss`` is NaN before the first."""

    epoch: int
    total: int
    stage: str
    loss: float
    pace: Pace

    @property
    def share(self) -> float:
        """How much is done, in [0, 1]."""
        return min(max(self.epoch / self.total, 0.0), 1.0) if self.total else 0.0


def entries(jobs: Iterable[Job], runs: Iterable[Run], root: Path) -> list[Entry]:
    """Every job of the queue of ``root`` and every run once: jobs in the order of their turn, then
    the other runs in their order.
    """
    folders = {run.id: run for run in runs}
    # A run of the same name elsewhere, e.g. a demo run, does not belong to the job.
    by_name = {name: run for name, run in folders.items() if run.path.parent == root}
    of_jobs = [_of_job(job, by_name.get(job.run)) for job in jobs]
    names = {entry.id for entry in of_jobs}
    return of_jobs + [_of_run(run) for name, run in folders.items() if name not in names]


def _of_job(job: Job, run: Run | None) -> Entry:
    status = _status(run) if run is not None else None
    state: EntryState = job.state
    message = job.message
    # Since then resumed or finished from the command line.
    if (
        status is not None
        and job.state != "queued"
        and not job.alive
        and job.state != "finished"
        and status.state in ("running", "finished")
    ):
        state, message = status.state, ""
    last_change = job.ended or job.started or job.queued
    if status is not None and job.alive:
        last_change = status.updated
    return Entry(
        job.run or job.id,
        state,
        job,
        run,
        status,
        job.config or (run.config_or_none if run else None),
        message,
        last_change,
    )


def _of_run(run: Run) -> Entry:
    status, config = _status(run), run.config_or_none
    if status is None or config is None:
        return Entry(run.id, "broken", run=run, message=_damage(run))
    return Entry(run.id, status.state, None, run, status, config, status.message, status.updated)


def _damage(run: Run) -> str:
    try:
        run.config, run.status  # noqa: B018
    except RunError as error:
        return str(error)
    return ""


# Read again only when status.json has changed: by path, with its time and size.
_statuses: dict[Path, tuple[tuple[int, int, int], Status]] = {}
_statuses_lock = threading.Lock()
MAX_STATUSES = 5_000


def _status(run: Run) -> Status | None:
    """The status of a run; None where it cannot be read."""
    try:
        stat = (run.path / "status.json").stat()
    except OSError:
        return None
    stamp = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
    with _statuses_lock:
        cache_entry = _statuses.get(run.path)
    if cache_entry is not None and cache_entry[0] == stamp and cache_entry[1].state != "running":
        return cache_entry[1]
    status = run.status_or_none
    if status is None:
        return None
    with _statuses_lock:
        if len(_statuses) >= MAX_STATUSES:
            _statuses.clear()
        _statuses[run.path] = stamp, status
    return status


def progress_of(entry: Entry) -> RunProgress:
    """Progress and time left of a run in training, from the ends of its files."""
    status = entry.status or Status()
    if entry.run is None:
        return RunProgress(0, 0, "", float("nan"), Pace())
    metrics = tail_rows(entry.run.log.path, 1 << 14)
    timing = tail_rows(entry.run.timing.path, 1 << 13)
    row = metrics[-1] if metrics else {}
    values = numbers(row)
    epoch = int(min(max(values.get("epoch", 0.0), 0.0), 1e9)) if row else 0
    stage = str(row.get("stage") or status.stage)[:60]
    since = _seconds_since(entry.run.timing.path)
    return RunProgress(
        max(epoch, status.epoch),
        status.total_epochs,
        stage,
        values.get("objective", float("nan")),
        pace_of(status, timing, metrics, since),
    )


def _seconds_since(path: Path) -> float:
    try:
        return max(time.time() - path.stat().st_mtime, 0.0)
    except OSError:
        return 0.0


RECENT = 20  # epochs


@dataclass(frozen=True)
class Pace:
    """Speeds of the present stage; None where nothing was measured yet.

    Attributes:
        epoch_s: seconds per epoch, validation and saving included.
        steps_s: steps per second of training.
        left_s: seconds to the end of the last stage.
        rough: later stages are counted as if their epochs took as long as those of this one.
    """

    epoch_s: float | None = None
    steps_s: float | None = None
    left_s: float | None = None
    rough: bool = False


def pace_of(
    status: Status,
    timing: Sequence[Mapping[str, Any]],
    metrics: Sequence[Mapping[str, Any]],
    since_s: float = 0.0,
) -> Pace:
    """The pace of a run in training.

    Args:
        timing, metrics: the last rows of ``Run.timing`` and ``Run.log``.
        since_s: seconds since the last epoch ended.
    """
    ends = _stage_ends(status)
    rows = [row for row in map(_times, timing) if row is not None]
    if not rows:
        return Pace()
    epoch = rows[-1][0]
    stage = _stage_at(ends, epoch)
    here = [row for row in rows if _stage_at(ends, row[0]) == stage][-RECENT:]
    # The first epoch of a stage includes making its tables.
    recent = here[1:] if len(here) > 1 else here
    each = sum(wall for _, _, wall in recent) / len(recent)
    training = sum(seconds for _, seconds, _ in recent) / len(recent)
    steps = _steps_per_epoch(metrics)
    epochs_left = max(status.total_epochs - epoch, 0)
    return Pace(
        epoch_s=each,
        steps_s=steps / training if steps and training > 0 else None,
        left_s=max(epochs_left * each - min(since_s, each), 0.0) if status.total_epochs else None,
        rough=bool(ends) and epoch < ends[-1] and ends[stage] < ends[-1],
    )


def _stage_ends(status: Status) -> list[int]:
    """The last epoch of each stage that has any."""
    ends, total = [], 0
    for _, epochs in status.stages:
        total += max(epochs, 0)
        if epochs > 0:
            ends.append(total)
    return ends


def _stage_at(ends: Sequence[int], epoch: int) -> int:
    return next((n for n, end in enumerate(ends) if epoch <= end), max(len(ends) - 1, 0))


def _times(row: Mapping[str, Any]) -> tuple[int, float, float] | None:
    """Epoch, seconds of training and total seconds of a row; None for a damaged one."""
    cells = [row.get(name) for name in ("epoch", "seconds", "wall")]
    values = [
        to_float(value)
        for value in cells
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(values) < 3 or not all(math.isfinite(v) and v >= 0 for v in values):
        return None
    return int(values[0]), values[1], values[2]


def _steps_per_epoch(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Steps of the last epoch, from the counters of the last two rows."""
    counts = [
        (row["epoch"], row["step"])
        for row in rows[-2:]
        if isinstance(row.get("epoch"), int) and isinstance(row.get("step"), int)
    ]
    if not counts:
        return None
    (epoch_a, step_a), (epoch_b, step_b) = counts[0], counts[-1]
    if epoch_b > epoch_a:
        return max(to_float(step_b - step_a), 0.0) / (epoch_b - epoch_a)
    return to_float(step_b) / epoch_b if epoch_b > 0 else None
