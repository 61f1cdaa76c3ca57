"""What one annotator has done in a plan, by position: where labelling goes on after a reload.

A position is a place in ``LabelPlan.order``; an item that comes again has two. Nothing here tells
which one is the hidden repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rivae.labels.events import LabelEvent, Slot, slot
from rivae.labels.plan import LabelPlan
from rivae.labels.store import LabelStore

NOTHING, CANNOT_TELL, FLAG = ".", "0", "f"
HISTORY = 500  # undoable steps handed over at once


@dataclass(frozen=True, slots=True)
class Step:
    """One act that can be taken back.

    Attributes:
        id: of its event.
        at: position.
        factor: its number among the factors; -1 for a flag.
        before, after: what stood there, and what stands there since: "1" to "5", "0" for cannot
            tell, "f" for a flag, "." for nothing.
    """

    id: str
    at: int
    factor: int
    before: str
    after: str


@dataclass(frozen=True)
class Desk:
    """What was done.

    Attributes:
        done: per factor one character per position, see ``Step.after``.
        flags: flagged positions, ascending.
        steps: every step of this plan that stands, the oldest first.
    """

    done: tuple[str, ...]
    flags: tuple[int, ...]
    steps: tuple[Step, ...]

    def history(self, n: int = HISTORY) -> tuple[tuple[Step, ...], bool]:
        """The last ``n`` steps, and whether there are older ones."""
        return self.steps[-n:], len(self.steps) > n


def desk(
    store: LabelStore, plan: LabelPlan, keys: Sequence[str], factors: Sequence[str], annotator: str
) -> Desk:
    """The desk of ``annotator``.

    Labels of the same items under another plan count as done; only steps of this plan can be taken
    back here.

    Args:
        keys: the item key of every position.
        factors: ids, in the order of the guideline.

    Raises:
        LabelError: the store did not answer.
    """
    again = set(plan.repeats)
    place: dict[tuple[bool, str], int] = {(i in again, key): i for i, key in enumerate(keys)}
    column = {factor: k for k, factor in enumerate(factors)}
    events = [found.event for found in store.events(annotator=annotator)]
    undone = {event.undoes for event in events if event.action == "undo"}
    done = [[NOTHING] * len(keys) for _ in factors]
    flagged: dict[int, str] = {}
    now: dict[Slot, str] = {}
    steps: list[Step] = []
    for event in events:
        if event.action not in ("label", "flag", "unflag") or event.id in undone:
            continue
        spot = _spot(event, place, column)
        if spot is None:
            continue
        (at, k), after = spot, _character(event)
        before, now[slot(event)] = now.get(slot(event), NOTHING), after
        if k < 0:
            flagged[at] = after
        else:
            done[k][at] = after
        if event.plan == plan.id:
            steps.append(Step(event.id, at, k, before, after))
    flags = sorted(at for at, mark in flagged.items() if mark == FLAG)
    return Desk(tuple("".join(row) for row in done), tuple(flags), tuple(steps))


def _spot(
    event: LabelEvent, place: dict[tuple[bool, str], int], column: dict[str, int]
) -> tuple[int, int] | None:
    """Position and factor of an event; None where this plan shows it nowhere."""
    at = place.get((event.repeat, event.item))
    if event.action != "label":
        # The page flags whole items; a flag of one factor is none of its own.
        return None if at is None or event.factor else (at, -1)
    k = column.get(event.factor)
    return None if at is None or k is None else (at, k)


def _character(event: LabelEvent) -> str:
    if event.action == "flag":
        return FLAG
    if event.action == "unflag":
        return NOTHING
    return CANNOT_TELL if event.level is None else str(event.level)
