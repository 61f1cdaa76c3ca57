"""Concurrent pages of one annotator: no page replaces an answer that it has not shown.

Each event has the last event number that its page had received, and the page's own earlier event at
the same place. If the last stored event there is newer and another one, the event is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from rivae.labels import sql
from rivae.labels.events import LabelEvent
from rivae.labels.rows import chunks, insert_events
from rivae.labels.store import LabelStore


class Seen(NamedTuple):
    """The state of a page when an event was made.

    Attributes:
        seq: the highest number of the annotator's events that the page had received.
        after: the id of the page's own event before at the same place; "" without one.
    """

    seq: int
    after: str = ""


class _Place(NamedTuple):
    """A place of one annotator that shows one answer, or one flag."""

    item: str
    factor: str
    repeat: bool
    flag: bool


def append_seen(
    store: LabelStore, events: Sequence[LabelEvent], seen: Mapping[str, Seen]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """``LabelStore.append`` of one annotator's events, without those that were overtaken.

    Args:
        seen: by event id; an event that is not in it is stored in any case.

    Returns:
        The numbers of the stored events by id, and the ids of those that were overtaken.

    Raises:
        LabelError: as ``LabelStore.append``; then nothing is stored.
    """
    if not events:
        return {}, ()
    with store.writing() as connection:
        late = _overtaken(connection, events, seen)
        numbers = insert_events(connection, [event for event in events if event.id not in late])
    return numbers, tuple(event.id for event in events if event.id in late)


def _overtaken(
    connection: Connection, events: Sequence[LabelEvent], seen: Mapping[str, Seen]
) -> set[str]:
    rows = _stored(connection, events)
    stored_ids = {row.id for row in rows}
    flags = {row.id for row in rows if row.action in ("flag", "unflag")}
    last: dict[_Place, tuple[float, str]] = {}
    for row in rows:
        flag = (row.undoes or row.id) in flags
        last[_Place(row.item, row.factor, row.repeat, flag)] = (row.seq, row.id)
    late: set[str] = set()
    for event in events:
        if event.id in stored_ids:
            continue  # sent again: it has its number
        if event.action in ("flag", "unflag"):
            flags.add(event.id)
        flag = (event.undoes or event.id) in flags
        place = _Place(event.item, event.factor, event.repeat, flag)
        seq, before = last.get(place, (0, ""))
        mine = seen.get(event.id)
        if event.undoes in late or (mine and seq > mine.seq and before != mine.after):
            late.add(event.id)
        else:
            last[place] = (float("inf"), event.id)
    return late


def _stored(connection: Connection, events: Sequence[LabelEvent]) -> list[Row[Any]]:
    """The annotator's events about the same items, in their order."""
    e = sql.label_events.c
    rows: list[Row[Any]] = []
    for some in chunks(event.item for event in events):
        query = select(e.seq, e.id, e.item, e.factor, e.action, e.repeat, e.undoes).where(
            e.annotator == events[0].annotator, e.item.in_(some), e.action != "adjudicate"
        )
        rows.extend(connection.execute(query))
    return sorted(rows, key=lambda row: row.seq)
