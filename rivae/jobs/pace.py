"""How fast a run trains and how long it still takes, from the times of its last epochs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rivae.jobs.thinned import to_float
from rivae.runs.records import Status

RECENT = 20  # epochs


@dataclass(frozen=True)
class Pace:
    """Speeds of the stage at work; None where nothing was measured yet.

    Attributes:
        epoch_s: seconds per epoch, validation and saving included.
        steps_s: steps per second of training.
        left_s: seconds to the end of the last stage.
        rough: a later stage counts as if its epochs took as long as those of this one.
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
    """The pace of a run at work.

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
    # The first epoch of a stage waits for its tables.
    recent = here[1:] if len(here) > 1 else here
    each = sum(wall for _, _, wall in recent) / len(recent)
    training = sum(seconds for _, seconds, _ in recent) / len(recent)
    steps = _steps_per_epoch(metrics)
    left = max(status.total_epochs - epoch, 0)
    return Pace(
        epoch_s=each,
        steps_s=steps / training if steps and training > 0 else None,
        left_s=max(left * each - min(since_s, each), 0.0) if status.total_epochs else None,
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
    """Epoch, seconds of training and all seconds of a row; None for a damaged one."""
    found = [row.get(name) for name in ("epoch", "seconds", "wall")]
    values = [
        to_float(value)
        for value in found
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(values) < 3 or not all(math.isfinite(v) and v >= 0 for v in values):
        return None
    return int(values[0]), values[1], values[2]


def _steps_per_epoch(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Steps of the last epoch, from the counters of the last two rows."""
    counted = [
        (row["epoch"], row["step"])
        for row in rows[-2:]
        if isinstance(row.get("epoch"), int) and isinstance(row.get("step"), int)
    ]
    if not counted:
        return None
    (epoch_a, step_a), (epoch_b, step_b) = counted[0], counted[-1]
    if epoch_b > epoch_a:
        return max(to_float(step_b - step_a), 0.0) / (epoch_b - epoch_a)
    return to_float(step_b) / epoch_b if epoch_b > 0 else None
