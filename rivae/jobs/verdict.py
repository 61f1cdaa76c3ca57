"""What the validation scores say of a training, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rivae.jobs.history import History

STILL = "still improved at its end: more epochs may help"
LATE = 0.1  # of a stage's validations; a best one among these is at its end
RISING = 0.02  # gained over the last third, relative to the best: more epochs may gain more
WORSE = 0.05  # lost after the best one, relative to it


def verdict(history: History, is_training: bool) -> str:
    """Whether the last stage still improves, has levelled off or got worse; "" before its third
    validation.

    Args:
        history: the log of the run.
        is_training: whether the run is still training.
    """
    curve = history.scores.get("score")
    if curve is None or not history.stages:
        return ""
    of_stage = (curve.x >= history.stages[-1][1]) & np.isfinite(curve.y)
    epochs, scores = curve.x[of_stage], curve.y[of_stage]
    n = len(scores)
    if n < 3:
        return ""
    best = int(np.argmax(scores))
    top, at = float(scores[best]), f"epoch {epochs[best]:,.0f}"
    ended_late = best >= n - max(1, round(LATE * n))
    if ended_late and top - scores[-max(2, n // 3)] > RISING * top:
        return "still improving" if is_training else STILL
    if top - scores[-1] > WORSE * top:
        return f"validation got worse after {at}"
    return f"no better since {at}" if is_training else f"levelled off at {at}"
