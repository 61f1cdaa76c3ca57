"""Events as database rows: read, found, inserted and counted on an open connection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from rivae.base.errors import LabelError
from rivae.labels import sql
from rivae.labels.events import Kind, LabelEvent, parse_time, time_text

NOT_YOURS = "only the person who gave a label can undo it: give your own label instead"
CHUNK = 500  # values in one IN (...), far below the limit of any database


class StoredEvent(NamedTuple):
    """A confirmed event and its sequence number, 1 and up in the order of the commits."""

    seq: int
    event: LabelEvent


class Current(NamedTuple):
    """The current event of a slot (``events.Slot``), and the kind of the slot."""

    seq: int
    kind: Kind
    event: LabelEvent


def chunks(values: Iterable[str]) -> Iterator[list[str]]:
    """The distinct values, in lists short enough for one IN (...)."""
    every = list(dict.fromkeys(values))
    for start in range(0, len(every), CHUNK):
        yield every[start : start + CHUNK]


def event_of(row: Row[Any]) -> LabelEvent:
    """The event in a row with the columns of ``label_events``, checked again."""
    values = {column.name: getattr(row, column.name) for column in sql.EVENT_COLUMNS}
    return LabelEvent(**{**values, "time": parse_time(row.time)})


def find_events(connection: Connection, ids: Collection[str]) -> dict[str, StoredEvent]:
    """The stored events among ``ids``, by id."""
    events: dict[str, StoredEvent] = {}
    for some in chunks(ids):
        query = select(sql.label_events).where(sql.label_events.c.id.in_(some))
        for row in connection.execute(query):
            events[row.id] = StoredEvent(row.seq, event_of(row))
    return events


def insert_events(connection: Connection, events: Sequence[LabelEvent]) -> dict[str, int]:
    """Insert the new events, in a transaction of ``database.writing``; see ``LabelStore.append``.

    Raises:
        LabelError: the caller must not commit then.
    """
    ids = {e.id for e in events} | {e.undoes for e in events if e.undoes}
    stored_by_id = find_events(connection, ids)
    by_id = {event_id: entry.event for event_id, entry in stored_by_id.items()}
    new: list[LabelEvent] = []
    for event in events:
        before = by_id.get(event.id)
        if before is None:
            check_undo(event, by_id)
            by_id[event.id] = event
            new.append(event)
        elif before != event:
            raise LabelError(
                f"the event {event.id} is stored with other content: give every event its own id"
            )
    number = connection.execute(select(func.max(sql.label_events.c.seq))).scalar() or 0
    rows = []
    numbers = {event_id: entry.seq for event_id, entry in stored_by_id.items()}
    for event in new:
        number += 1
        numbers[event.id] = number
        values = {column.name: getattr(event, column.name) for column in sql.EVENT_COLUMNS}
        rows.append({**values, "seq": number, "time": time_text(event.time)})
    if rows:
        connection.execute(sql.label_events.insert(), rows)
    return {event.id: numbers[event.id] for event in events}


def check_undo(event: LabelEvent, by_id: dict[str, LabelEvent]) -> None:
    """LabelError if ``event`` may not undo its target; ``by_id`` has the known events."""
    if event.action != "undo":
        return
    target = by_id.get(event.undoes)
    if target is None:
        raise LabelError(f"the event {event.undoes} cannot be undone: it was never stored")
    if target.action == "undo":
        raise LabelError("an undo cannot be undone: give the label again")
    if target.annotator != event.annotator:
        raise LabelError(NOT_YOURS)
    if (target.item, target.factor) != (event.item, event.factor):
        raise LabelError("an undo must name the item and factor of the event it undoes: correct it")


@dataclass(frozen=True)
class FactorProgress:
    """The progress of one annotator on one factor.

    Attributes:
        annotator, factor: who, and for which factor.
        labelled: items with a current answer, "cannot tell" included.
        cannot_tell: how many of them are "cannot tell".
        not_applicable: how many of them the factor does not apply to.
        unsure: how many of them have two levels.
        repeats: items with an answer to a hidden repeat.
        flagged: items with a flag for this factor.
        skipped: items that were skipped and have no label yet.
        seconds: total time that the labelled items were shown.
    """

    annotator: str
    factor: str
    labelled: int
    cannot_tell: int
    repeats: int
    flagged: int
    skipped: int
    seconds: float
    not_applicable: int = 0
    unsure: int = 0


def count_progress(
    connection: Connection, annotator: str | None, items: Collection[str] | None
) -> list[FactorProgress]:
    """See ``LabelStore.progress``."""
    v = sql.current_labels

    def some(condition: ColumnElement[bool]) -> ColumnElement[int]:
        return func.max(case((condition, 1), else_=0))

    label = v.c.kind == "label"
    # A flag or skip of the item itself has no factor.
    conditions = [v.c.factor != ""]
    if annotator is not None:
        conditions.append(v.c.annotator == annotator)
    totals: dict[tuple[str, str], list[float]] = {}
    for part in item_conditions(v.c.item, items):
        of_item = (
            select(
                v.c.annotator,
                v.c.factor,
                some(label).label("labelled"),
                some(label & v.c.level.is_(None) & (v.c.action == "label")).label("unknown"),
                some(label & (v.c.action == "inapplicable")).label("inapplicable"),
                some(label & (v.c.action == "unsure")).label("unsure"),
                some(v.c.kind == "repeat").label("repeats"),
                some(v.c.kind == "flag").label("flagged"),
                (some(v.c.kind == "skip") * (1 - some(label))).label("skipped"),
                func.max(case((label, v.c.seconds_shown), else_=0.0)).label("seconds"),
            )
            .where(*conditions, *part)
            .group_by(v.c.annotator, v.c.factor, v.c.item)
            .subquery()
        )
        names = (
            "labelled",
            "unknown",
            "repeats",
            "flagged",
            "skipped",
            "seconds",
            "inapplicable",
            "unsure",
        )
        query = select(
            of_item.c.annotator, of_item.c.factor, *(func.sum(of_item.c[name]) for name in names)
        ).group_by(of_item.c.annotator, of_item.c.factor)
        for name, factor, *numbers in connection.execute(query):
            sums = totals.setdefault((name, factor), [0.0] * len(numbers))
            for k, number in enumerate(numbers):
                sums[k] += number
    return [
        FactorProgress(
            name,
            factor,
            int(n),
            int(unknown),
            int(again),
            int(flags),
            int(skips),
            s,
            int(na),
            int(two),
        )
        for (name, factor), (n, unknown, again, flags, skips, s, na, two) in sorted(totals.items())
    ]


def item_conditions(
    item: ColumnElement[str], items: Collection[str] | None
) -> Iterator[list[ColumnElement[bool]]]:
    """The conditions of each query that ``items`` need; None needs one query without conditions."""
    if items is None:
        yield []
    else:
        for some in chunks(items):
            yield [item.in_(some)]
