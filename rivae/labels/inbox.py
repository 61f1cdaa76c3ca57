"""Takes what a labelling page sends: checks it, stores it and says what became of every event.

The page knows positions, not items, and not which positions are hidden repeats; both are added
here. An event that can never be stored is refused by a sentence of its own and the others are
stored, so that one of them does not hold up the rest for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rivae.errors import LabelError, LabelStoreError
from rivae.labels.events import LabelEvent, from_record
from rivae.labels.kept_plans import plan_guideline
from rivae.labels.plan import LabelPlan
from rivae.labels.store import LabelStore

MAX_EVENTS = 200
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


@dataclass(frozen=True)
class Receipt:
    """What became of a batch.

    Attributes:
        stored: sequence number by event id.
        refused: by event id, why it can never be stored, in one sentence.
        error: why nothing was tried; the same batch may be sent again. "" when all is well.
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
        annotator: who labels.
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
        raise LabelError(f"'{str(action)[:40]}' is nothing that the page can do: reload it")
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
