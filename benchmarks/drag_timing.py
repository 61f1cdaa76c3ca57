"""What the probe in the page noted, turned into updates per second and delays."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Timing:
    """One stretch of dragging.

    Attributes:
        seconds: from the first input to the last painted answer.
        inputs: `input` events of the slider.
        updates: answers whose pictures were painted while the stretch lasted.
        changed: how many of those showed other items than the one before.
        inputs_per_s, updates_per_s: per second of the stretch.
        median_ms, p95_ms: from an input to the painted pictures of the first answer whose question
            was sent at or after it, so that holds its value or a newer one.
    """

    seconds: float
    inputs: int
    updates: int
    changed: int
    inputs_per_s: float
    updates_per_s: float
    median_ms: float
    p95_ms: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready numbers, rounded to what was measured."""
        return {k: round(v, 2) if isinstance(v, float) else v for k, v in asdict(self).items()}


def delays_ms(
    inputs: list[float], sent: list[tuple[int, float]], painted: list[tuple[int, float]]
) -> list[float]:
    """Delay of every input that an answer reached.

    Args:
        inputs: times in ms, ascending.
        sent: (number, time) of every question, ascending.
        painted: (number, time) of every painted answer, ascending; later ones replace earlier ones.
    """
    times = [at for _, at in sent]
    shown_at: dict[int, float] = {}
    for number, _ in sent:
        later = [at for other, at in painted if other >= number]
        if later:
            shown_at[number] = min(later)
    out = []
    for at in inputs:
        k = bisect_left(times, at)
        if k < len(sent) and sent[k][0] in shown_at:
            out.append(shown_at[sent[k][0]] - at)
    return out


def summarise(probe: dict[str, list[Any]]) -> Timing:
    """The numbers of one stretch from ``window.dragProbe``."""
    inputs = sorted(probe["inputs"])
    sent = [(row["seq"], row["at"]) for row in probe["sent"]]
    painted = [(row["seq"], row["at"]) for row in probe["painted"]]
    delays = delays_ms(inputs, sent, painted)
    if len(inputs) < 2 or not delays:
        raise RuntimeError(
            f"{len(inputs)} inputs, {len(sent)} questions, {len(painted)} answers: nothing to time "
            "(the component may have fallen back to the session, which this probe cannot see)"
        )
    seconds = (max(painted[-1][1], inputs[-1]) - inputs[0]) / 1000
    ids = [row["ids"] for row in probe["painted"]]
    return Timing(
        seconds=seconds,
        inputs=len(inputs),
        updates=len(painted),
        changed=sum(a != b for a, b in pairwise(ids)),
        inputs_per_s=len(inputs) / seconds,
        updates_per_s=len(painted) / seconds,
        median_ms=float(np.median(delays)),
        p95_ms=float(np.percentile(delays, 95)),
    )
