"""How far a plan is: what anybody has answered, and how much everybody did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rivae.labels.store import LabelStore


@dataclass(frozen=True)
class Share:
    """What one annotator did.

    Attributes:
        annotator: who.
        answers: items times factors with an answer, "cannot tell" included.
        cannot_tell: those of them without a level.
        repeats: answers to hidden repeats.
        seconds: mean time per answer; 0 without one.
    """

    annotator: str
    answers: int
    cannot_tell: int
    repeats: int
    seconds: float


@dataclass(frozen=True)
class PlanProgress:
    """How far a plan is.

    Attributes:
        needed: items times factors.
        answered: those with an answer by at least one annotator.
        shares: everybody with an answer, most answers first.
    """

    needed: int
    answered: int
    shares: tuple[Share, ...]


def plan_progress(store: LabelStore, keys: Collection[str], factors: Sequence[str]) -> PlanProgress:
    """The progress of a plan; answers given under other plans count for the same items.

    Args:
        keys: the item keys of the plan, repetitions allowed.
        factors: ids that are asked; answers about others are left out.

    Raises:
        LabelError: the store did not answer.
    """
    items, asked = set(keys), set(factors)
    sums: dict[str, list[float]] = {}
    for p in store.progress(items=items):
        if p.factor in asked:
            mine = sums.setdefault(p.annotator, [0.0] * 4)
            for k, number in enumerate((p.labelled, p.cannot_tell, p.repeats, p.seconds)):
                mine[k] += number
    shares = [
        Share(who, int(n), int(unknown), int(repeats), seconds / n if n else 0.0)
        for who, (n, unknown, repeats, seconds) in sums.items()
        if n or repeats
    ]
    # One annotator's answers are each of another item and factor.
    answered = (
        shares[0].answers
        if len(shares) == 1
        else len(
            {(item, factor) for _, item, factor, _ in store.levels(items=items) if factor in asked}
        )
    )
    shares.sort(key=lambda share: (-share.answers, share.annotator))
    return PlanProgress(len(items) * len(asked), answered, tuple(shares))
