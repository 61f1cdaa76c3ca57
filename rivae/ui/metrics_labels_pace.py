"""How often scores from labels are computed anew while labels arrive. No streamlit here."""

from __future__ import annotations

from dataclasses import dataclass

EVERY = 3  # seconds between two looks for new labels
REST = 5  # the scores are computed at most a sixth of the time, however fast labels arrive


@dataclass(frozen=True)
class Drawn:
    """What the page shows.

    Attributes:
        plan: whose scores.
        seq: of the last label behind them.
        at: when they were drawn, seconds of a monotonic clock.
        cost: seconds that scores of newer labels took when they last arrived; 0 when none have.
    """

    plan: str
    seq: int
    at: float
    cost: float = 0.0

    def rests(self, now: float) -> bool:
        """Whether it is too early to look for newer labels."""
        return now - self.at < max(EVERY - 1, REST * self.cost)


def next_drawn(before: Drawn | None, plan: str, seq: int, took: float, now: float) -> Drawn:
    """What is to be remembered after a drawing whose scores took ``took`` seconds.

    The first drawing of a plan also loads models and searches with them. That says nothing about
    what newer labels will cost, and on a busy machine a rest after it would keep them from the
    page for a minute.
    """
    if before is None or before.plan != plan:
        return Drawn(plan, seq, now)
    cost = before.cost if before.seq == seq else took
    return Drawn(plan, seq, now, cost)
