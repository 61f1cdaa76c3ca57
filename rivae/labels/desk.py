"""What the Label page of one annotator shows and sends, by position in the plan.

A position is a place in ``LabelPlan.order``; a repeated item has two. The page knows
neither its item nor which of the two is the hidden repeat: both are added here. An event that can
never be stored is refused with the reason, and the others are stored, so that it blocks none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rivae.errors import LabelError, LabelStoreError
from rivae.labels.events import LabelEvent, Slot, from_record, slot
from rivae.labels.kept_plans import plan_guideline
from rivae.labels.plan import LabelPlan
from rivae.labels.store import LabelStore

NOTHING, CANNOT_TELL, FLAG = ".", "0", "f"
HISTORY = 500  # undoable steps sent at once

# What a page may send
MAX_EVENTS = 200  # at once
FIELDS = frozenset(
    {
        "id",
        "time",
        "at",
        "factor",
        "level",
        "action",
        "seconds",
        "suggested",
        "undoes",
        "guideline",
    }
)
ACTIONS = ("label", "undo", "flag", "unflag")


@dataclass(frozen=True, slots=True)
class Step:
    """One action that can be undone.

    Attributes:
        id: of its event.
        at: position.
        factor: index of the factor; -1 for a flag.
        before, after: the answer before and after: "1" to "5", "0" for cannot tell, "f" for a
            flag, "." for nothing.
    """

    id: str
    at: int
    factor: int
    before: str
    after: str


@dataclass(frozen=True)
class Desk:
    """The answers of one annotator in a plan.

    Attributes:
        done: per factor one character per position, see ``Step.after``.
        flags: flagged positions, ascending.
        steps: all steps of this plan that are not undone, the oldest first.
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

    Labels of the same items under another plan count as done, but only steps of this plan can be
    undone here.

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
    """Position and factor of an event; None if this plan does not show it."""
    at = place.get((event.repeat, event.item))
    if event.action != "label":
        # The page flags items only; it does not show flags of one factor.
        return None if at is None or event.factor else (at, -1)
    k = column.get(event.factor)
    return None if at is None or k is None else (at, k)


def _character(event: LabelEvent) -> str:
    if event.action == "flag":
        return FLAG
    if event.action == "unflag":
        return NOTHING
    return CANNOT_TELL if event.level is None else str(event.level)


# What the page sends


@dataclass(frozen=True)
class Receipt:
    """The result of storing a batch.

    Attributes:
        stored: sequence number by event id.
        refused: by event id, why it can never be stored.
        error: why nothing was stored (the same batch may be sent again); "" if there was no error.
    """

    stored: Mapping[str, int]
    refused: Mapping[str, str]
    error: str = ""


def receive(
    store: LabelStore, plan: LabelPlan, keys: Sequence[str], annotator: str, sent: object
) -> Receipt:
    """Store the events that a page sent.

    Args:
        keys: the item key of every position of ``plan.order``.
        annotator: the annotator's name.
        sent: a list of at most ``MAX_EVENTS`` mappings with ``FIELDS``, in their order.
    """
    if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_EVENTS:
        return Receipt({}, {}, f"the page must send 1 to {MAX_EVENTS} labels at once: reload it")
    again = set(plan.repeats)
    try:
        factors = frozenset(plan_guideline(store, plan).ids)
    except LabelError as error:
        return Receipt({}, {}, str(error))
    events: list[LabelEvent] = []
    refused: dict[str, str] = {}
    for record in sent:
        event_id = record.get("id") if isinstance(record, dict) else None
        if not isinstance(event_id, str):
            return Receipt({}, {}, "the page sent a label without an id: reload it")
        try:
            events.append(_event(record, plan, keys, annotator, again, factors))
        except LabelError as error:
            refused[event_id] = str(error)
    try:
        return Receipt(_stored(store, events, refused), refused)
    except LabelStoreError as error:
        return Receipt({}, {}, str(error))


def _stored(
    store: LabelStore, events: Sequence[LabelEvent], refused: dict[str, str]
) -> dict[str, int]:
    try:
        return store.append(events)
    except LabelStoreError:
        raise
    except LabelError:
        found: dict[str, int] = {}
        for event in events:  # one by one, to find the one that cannot be stored
            try:
                found |= store.append([event])
            except LabelStoreError:
                raise
            except LabelError as error:
                refused[event.id] = str(error)
        return found


def _event(
    record: Mapping[str, Any],
    plan: LabelPlan,
    keys: Sequence[str],
    annotator: str,
    again: set[int],
    factors: frozenset[str],
) -> LabelEvent:
    if set(record) - FIELDS:
        raise LabelError("the page sent a field that labels do not have: reload it")
    at, action = record.get("at"), record.get("action")
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < len(keys):
        raise LabelError("the page named no item of this plan: reload it")
    if action not in ACTIONS:
        raise LabelError(f"'{str(action)[:40]}' is not an action of this page: reload it")
    factor = record.get("factor")
    if isinstance(factor, str) and factor and factor not in factors:
        raise LabelError(f"'{factor[:40]}' is not a factor of this plan: reload it")
    return from_record(
        {
            "id": record.get("id"),
            "time": record.get("time"),
            "annotator": annotator,
            "item": keys[at],
            "factor": factor,
            "level": record.get("level"),
            "action": action,
            "seconds_shown": record.get("seconds", 0.0),
            "guideline": record.get("guideline", ""),
            "suggested": record.get("suggested", False),
            "repeat": at in again,
            "plan": plan.id,
            "undoes": record.get("undoes", ""),
        }
    )
