"""How far long work has come: what is being done, and the share in [0, 1] that is done."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]


def silent(stage: str, share: float) -> None:
    """A ``Progress`` that tells nobody."""


def part(progress: Progress, begin: float, end: float) -> Progress:
    """What a part of the work tells, whose share of the whole runs from ``begin`` to ``end``.

    >>> part(lambda stage, share: print(stage, share), 0.5, 1.0)("reading", 0.2)
    reading 0.6
    """
    return lambda stage, share: progress(stage, begin + (end - begin) * share)
