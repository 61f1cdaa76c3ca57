"""Adds the labels of a file to a store; stored labels never change.

A file adds nothing to a slot (annotator, item, factor and kind, see ``events.Slot``) that ever had
an event: an equal label counts as known, another one is reported as a conflict. So a file cannot
change, undo or restore a label, and importing it twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection, select

from rivae.base.errors import LabelError
from rivae.base.files import write_atomic
from rivae.base.scratch import scratch_folder
from rivae.labels import sql
from rivae.labels.annotators import names_in_file
from rivae.labels.events import ANSWERS, LabelEvent, Slot, current_events, slot
from rivae.labels.formats import answer_cell
from rivae.labels.intake import FileEvent, read_labels
from rivae.labels.kept_plans import plan_guideline
from rivae.labels.known_items import KnownItems, NamedItem
from rivae.labels.plan import LabelPlan
from rivae.labels.rows import check_undo, chunks, event_of, find_events, insert_events
from rivae.labels.store import LabelStore

MAX_REPORTED = 1_000
MAX_NAMED = 5
MAX_MEGABYTES = 64  # of an uploaded file
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Conflict:
    """A row that differs from the store, or is not valid in it.

    Attributes:
        row: of the file, from 1.
        annotator, item, factor: of the label.
        stored, offered: a cell of ``formats.answer_cell``, "flag", "skip" or "none"; "" if
            ``reason`` is enough.
        reason: one sentence.
    """

    row: int
    annotator: str
    item: str
    factor: str
    stored: str
    offered: str
    reason: str


@dataclass(frozen=True)
class ImportReport:
    """The result of importing a file.

    Attributes:
        added: events that are new in the store.
        known: events that the store had, or that agree with it.
        n_conflicts: events or slots that were not added.
        conflicts: the first ``MAX_REPORTED`` of them.
        named: the first ``MAX_NAMED`` item names that are not keys, with the items found for them.
        n_named: how many such names there are.
    """

    added: int
    known: int
    n_conflicts: int
    conflicts: tuple[Conflict, ...]
    named: tuple[NamedItem, ...] = ()
    n_named: int = 0


def import_labels(
    store: LabelStore,
    path: Path,
    *,
    factors: Collection[str] | None = None,
    guideline: str = "",
    dry_run: bool = False,
    items: KnownItems | None = None,
    annotators: Mapping[str, str] | None = None,
) -> ImportReport:
    """Add the labels in ``path`` to ``store``, in one transaction.

    Args:
        factors: known ids; by default those of the plans, or any if there is no plan.
        guideline: see ``intake.read_labels``.
        items: finds the item of a name; by default among the items of the plans.
        dry_run: check and report, store nothing.
        annotators: the annotators of some names in the file, see ``names_in_file``.

    Raises:
        AlikeNamesError: a name in the file resembles a known one and is not in ``annotators``.
        RivaeError: a row cannot be read, or its item or factor is unknown. Nothing is stored then.
    """
    items = items or KnownItems(store)
    if factors is None:
        factors = known_factors(store, items.plans.values())
    offers = read_labels(path, factors, guideline, items.key)
    names = {offer.event.annotator for offer in offers}
    whose = names_in_file(names, store.annotators(), annotators or {})
    if any(name != who for name, who in whose.items()):
        offers = read_labels(path, factors, guideline, items.key, whose)
    _check_factors(store, path, offers, items.plans)
    with store.writing() as connection:
        new, report = _sort_out(connection, offers)
        if new and not dry_run:
            insert_events(connection, new)
    named_items, n_named = items.named(MAX_NAMED)
    return replace(report, named=named_items, n_named=n_named)


def import_content(
    store: LabelStore,
    name: str,
    content: bytes,
    *,
    items: KnownItems | None = None,
    dry_run: bool = False,
    annotators: Mapping[str, str] | None = None,
) -> ImportReport:
    """``import_labels`` for an uploaded file.

    Raises:
        RivaeError: it is too large, or a row cannot be read. Nothing is stored then.
    """
    if len(content) > MAX_MEGABYTES << 20:
        raise LabelError(f"a file of labels has at most {MAX_MEGABYTES} MB: split it")
    # The name is not trusted; its suffix is the kind of file.
    safe = _ODD.sub("_", name)[-80:].lstrip(".") or "labels"
    with scratch_folder("rivae-labels-") as folder:
        path = folder / safe
        write_atomic(path, content, private=True)
        return import_labels(store, path, items=items, dry_run=dry_run, annotators=annotators)


def known_factors(store: LabelStore, plans: Collection[LabelPlan]) -> frozenset[str] | None:
    """The factors of some plans, which a file may contain; None (any factor) if there is no plan.

    Labels of a factor without a plan would be shown nowhere.
    """
    factors: set[str] = set()
    for plan in plans:
        factors |= _factors_of(store, plan)
    return frozenset(factors) or None


def _factors_of(store: LabelStore, plan: LabelPlan) -> frozenset[str]:
    try:
        return frozenset(plan_guideline(store, plan).ids)
    except LabelError:  # its guideline is lost or damaged
        return frozenset()


def _check_factors(
    store: LabelStore, path: Path, offers: Sequence[FileEvent], plans: Mapping[str, LabelPlan]
) -> None:
    """LabelError where a label names a plan that does not ask for its factor."""
    factors_of: dict[str, frozenset[str]] = {}
    for row, event, _ in offers:
        if not event.factor or event.plan not in plans:
            continue
        if event.plan not in factors_of:
            factors_of[event.plan] = _factors_of(store, plans[event.plan])
        if factors_of[event.plan] and event.factor not in factors_of[event.plan]:
            raise LabelError(
                f"{path.name}, row {row}: '{event.factor}' is not a factor of plan {event.plan}: "
                "add it there first"
            )


def _sort_out(
    connection: Connection, offers: Sequence[FileEvent]
) -> tuple[list[LabelEvent], ImportReport]:
    """The events to add, in the order of the file, and the report."""
    ids = {o.event.id for o in offers} | {o.event.undoes for o in offers if o.event.undoes}
    by_id = {event_id: entry.event for event_id, entry in find_events(connection, ids).items()}
    stored_ids = frozenset(by_id)
    conflicts: list[Conflict] = []
    n_known = 0
    by_slot: dict[Slot, list[FileEvent]] = {}
    for offer in offers:
        event = offer.event
        try:
            check_undo(event, by_id)
            if event.id not in stored_ids and event.id in by_id:
                if by_id[event.id] != event:
                    raise LabelError(
                        "the file has this id twice with different content: correct it"
                    )
                continue
            if event.id in stored_ids and by_id[event.id] != event and not offer.derived:
                raise LabelError("the store has this event with other content")
        except LabelError as error:
            conflicts.append(_conflict(offer, "", "", str(error)))
            continue
        if event.id in stored_ids and not offer.derived:
            n_known += 1
        by_id.setdefault(event.id, event)
        target = by_id[event.undoes] if event.action == "undo" else event
        by_slot.setdefault(slot(target), []).append(offer)
    past_slots, standing = _taken(connection, by_slot)
    new: list[FileEvent] = []
    for place, slot_offers in by_slot.items():
        if place not in past_slots:
            new += slot_offers
            continue
        unseen = [o for o in slot_offers if o.event.id not in stored_ids or o.derived]
        if not unseen:
            continue
        says = _words(current_events(o.event for o in slot_offers).get(place))
        has = _words(standing.get(place))
        if says == has:
            n_known += len(unseen)
        else:
            conflicts.append(_conflict(unseen[-1], has, says, "the store has another label"))
    new.sort(key=lambda offer: offer.row)
    conflicts.sort(key=lambda conflict: conflict.row)
    report = ImportReport(len(new), n_known, len(conflicts), tuple(conflicts[:MAX_REPORTED]))
    return [offer.event for offer in new], report


def _taken(
    connection: Connection, places: Iterable[Slot]
) -> tuple[set[Slot], dict[Slot, LabelEvent]]:
    """The slots of the same items that ever had an event, and their current events."""
    past_slots: set[Slot] = set()
    standing: dict[Slot, LabelEvent] = {}
    e = sql.label_events
    for some in chunks(place.item for place in places):
        query = select(e).where(e.c.item.in_(some), e.c.action != "undo")
        past_slots |= {slot(event_of(row)) for row in connection.execute(query)}
        for view in (sql.current_labels, sql.current_adjudications):
            for row in connection.execute(select(view).where(view.c.item.in_(some))):
                event = event_of(row)
                standing[slot(event)] = event
    return past_slots, standing


def _words(event: LabelEvent | None) -> str:
    if event is None:
        return "none"
    return answer_cell(event) if event.action in (*ANSWERS, "adjudicate") else event.action


def _conflict(offer: FileEvent, has: str, says: str, reason: str) -> Conflict:
    e = offer.event
    return Conflict(offer.row, e.annotator, e.item, e.factor, has, says, reason)
