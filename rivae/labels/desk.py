"""The state of one annotator's Label page, and the events that it sends, by position in the plan.

A position is a place in ``LabelPlan.order``; a repeated item has two. The page knows
neither its item nor which of the two is the hidden repeat: both are added here. An event that can
never be stored is refused with the reason; the other events of its batch are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rivae.base.errors import LabelError, LabelStoreError
from rivae.labels.events import ACTIONS, LabelEvent, from_record
from rivae.labels.kept_plans import plan_guideline
from rivae.labels.overtaken import Seen, append_seen
from rivae.labels.plan import LabelPlan
from rivae.labels.shares import Share
from rivae.labels.store import LabelStore

NOTHING, CANNOT_TELL, FLAG, SKIPPED = ".", "0", "f", "s"
NOT_APPLICABLE = "n"
ELSEWHERE = "o"  # asked of somebody else, where several share a plan
UNSURE = "abcd"  # between 1 and 2, 2 and 3, 3 and 4, 4 and 5
HISTORY = 500  # undoable steps sent at once

# Events from the page
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
        "seen",
        "after",
    }
)
VERDICT = "adjudicate"  # the only action that the page cannot send


@dataclass(frozen=True, slots=True)
class Step:
    """One action that can be undone.

    Attributes:
        id: of its event.
        at: position.
        factor: index of the factor; -1 for a flag.
        before, after: the answer before and after: "1" to "5", "0" for cannot tell, "a" to "d" for
            unsure between two levels, "n" for not applicable, "s" for skipped, "f" for a flag, "."
            for nothing.
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
        done: per factor one character per position, see ``Step.after``; "." where it was skipped,
            "o" where somebody else is asked.
        skips: per factor the positions that were skipped and have no answer, ascending.
        flags: flagged positions, ascending.
        steps: all steps of this plan that are not undone, the oldest first.
        last: the number of the annotator's last event, which a page sends with its events.
    """

    done: tuple[str, ...]
    flags: tuple[int, ...]
    steps: tuple[Step, ...]
    last: int = 0
    skips: tuple[tuple[int, ...], ...] = ()

    def history(self, n: int = HISTORY) -> tuple[tuple[Step, ...], bool]:
        """The last ``n`` steps, and whether there are older ones."""
        return self.steps[-n:], len(self.steps) > n


def desk(
    store: LabelStore,
    plan: LabelPlan,
    keys: Sequence[str],
    factors: Sequence[str],
    annotator: str,
    share: Share | None = None,
) -> Desk:
    """The desk of ``annotator``.

    Labels of the same items under another plan count as done, but only steps of this plan can be
    undone here.

    Args:
        keys: the item key of every position.
        factors: ids, in the order of the guideline.
        share: where several share the plan.

    Raises:
        LabelError: the store did not answer.
    """
    again = set(plan.repeats)
    place: dict[tuple[bool, str], int] = {(i in again, key): i for i, key in enumerate(keys)}
    column = {factor: k for k, factor in enumerate(factors)}
    stored_events = store.events(annotator=annotator)
    events = [entry.event for entry in stored_events]
    undone = {event.undoes for event in events if event.action == "undo"}
    marks = [[NOTHING] * len(keys) for _ in factors]
    flag_marks: dict[int, str] = {}
    steps: list[Step] = []
    for event in events:
        if event.action in ("undo", VERDICT) or event.id in undone:
            continue
        at = place.get((event.repeat, event.item))
        if at is None:
            continue
        if event.action in ("flag", "unflag"):
            if event.factor:
                continue  # the page flags items only; it does not show flags of one factor
            k, before, after = -1, flag_marks.get(at, NOTHING), _character(event)
            flag_marks[at] = after
        elif event.action == "skip" and not event.factor:
            for row in marks:  # a skip of the item, from an imported file
                row[at] = SKIPPED if row[at] == NOTHING else row[at]
            continue
        elif event.factor in column:
            k = column[event.factor]
            before = marks[k][at]
            # A skip does not remove an earlier answer.
            is_late_skip = event.action == "skip" and before != NOTHING
            after = before if is_late_skip else _character(event)
            marks[k][at] = after
        else:
            continue
        if event.plan == plan.id:
            steps.append(Step(event.id, at, k, before, after))
    for row, apart in zip(marks, share.apart if share else (), strict=False):
        for at in apart:
            row[at] = ELSEWHERE if row[at] in (NOTHING, SKIPPED) else row[at]
    flags = sorted(at for at, mark in flag_marks.items() if mark == FLAG)
    last = stored_events[-1].seq if stored_events else 0
    skips = tuple(tuple(at for at, mark in enumerate(row) if mark == SKIPPED) for row in marks)
    answers = tuple("".join(row).replace(SKIPPED, NOTHING) for row in marks)
    return Desk(answers, tuple(flags), tuple(steps), last, skips)


def _character(event: LabelEvent) -> str:
    if event.action in ("flag", "skip"):
        return FLAG if event.action == "flag" else SKIPPED
    if event.action == "unflag":
        return NOTHING
    if event.action == "inapplicable":
        return NOT_APPLICABLE
    if event.action == "unsure" and event.level:
        return UNSURE[event.level - 1]
    return CANNOT_TELL if event.level is None else str(event.level)


# Events from the page


@dataclass(frozen=True)
class Receipt:
    """The result of storing a batch.

    Attributes:
        stored: sequence number by event id.
        refused: by event id, why it can never be stored.
        error: why nothing was stored (the same batch may be sent again); "" if there was no error.
        overtaken: ids of events that were not stored because another page of the annotator has
            stored an event at their place, which this page had not shown.
    """

    stored: Mapping[str, int]
    refused: Mapping[str, str]
    error: str = ""
    overtaken: tuple[str, ...] = ()


def receive(
    store: LabelStore, plan: LabelPlan, keys: Sequence[str], annotator: str, records: object
) -> Receipt:
    """Store the events that a page sent.

    Args:
        keys: the item key of every position of ``plan.order``.
        annotator: the annotator's name.
        records: a list of at most ``MAX_EVENTS`` mappings with ``FIELDS``, in their order.
    """
    if not isinstance(records, list) or not 1 <= len(records) <= MAX_EVENTS:
        return Receipt({}, {}, f"the page must send 1 to {MAX_EVENTS} labels at once: reload it")
    again = set(plan.repeats)
    try:
        factors = frozenset(plan_guideline(store, plan).ids)
    except LabelError as error:
        return Receipt({}, {}, str(error))
    events: list[LabelEvent] = []
    seen_events: dict[str, Seen] = {}
    refusals: dict[str, str] = {}
    for record in records:
        event_id = record.get("id") if isinstance(record, dict) else None
        if not isinstance(event_id, str):
            return Receipt({}, {}, "the page sent a label without an id: reload it")
        try:
            event = _event(record, plan, keys, annotator, again, factors)
            if (mine := _seen(record)) is not None:
                seen_events[event.id] = mine
            events.append(event)
        except LabelError as error:
            refusals[event_id] = str(error)
    try:
        numbers, overtaken = _stored(store, events, seen_events, refusals)
    except LabelStoreError as error:
        return Receipt({}, {}, str(error))
    return Receipt(numbers, refusals, overtaken=tuple(overtaken))


def has_news(store: LabelStore, annotator: str, seen: int, own_ids: Collection[str] = ()) -> bool:
    """Whether the annotator has events after number ``seen`` other than ``own_ids``."""
    return any(
        e.id not in own_ids for _, e in store.events(since=max(seen, 0), annotator=annotator)
    )


def _stored(
    store: LabelStore,
    events: Sequence[LabelEvent],
    seen: Mapping[str, Seen],
    refusals: dict[str, str],
) -> tuple[dict[str, int], list[str]]:
    """The numbers of the stored events, and the ids of those that were overtaken."""
    try:
        numbers, late = append_seen(store, events, seen)
        return numbers, list(late)
    except LabelStoreError:
        raise
    except LabelError:
        all_numbers: dict[str, int] = {}
        overtaken: list[str] = []
        for event in events:  # one by one, to find the one that cannot be stored
            if event.undoes in overtaken:
                overtaken.append(event.id)
                continue
            try:
                numbers, late = append_seen(store, [event], seen)
            except LabelStoreError:
                raise
            except LabelError as error:
                refusals[event.id] = str(error)
                continue
            all_numbers |= numbers
            overtaken += late
        return all_numbers, overtaken


def _seen(record: Mapping[str, Any]) -> Seen | None:
    """The page's state when the event was made; None if it sent none."""
    seq, after = record.get("seen"), record.get("after", "")
    if seq is None:
        return None
    if isinstance(seq, bool) or not isinstance(seq, int) or not isinstance(after, str):
        raise LabelError("the page sent no number of what it has seen: reload it")
    return Seen(seq, after)


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
    if action not in ACTIONS or action == VERDICT:
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
