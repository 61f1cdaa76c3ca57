"""Reads labels from a file as events; every row is checked, and nothing is stored here.

A file has one of the three forms of ``formats.py``, or is a table with at least the columns
annotator, item, factor and level.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rivae.base.csv_text import unescaped
from rivae.base.errors import LabelError
from rivae.base.reading.tables import InputTable, table_kind
from rivae.labels.events import LabelEvent, Slot, from_record, new_id, parse_time, slot
from rivae.labels.formats import (
    LONG_COLUMNS,
    LONG_KINDS,
    WIDE_COLUMNS,
    read_answer,
    read_flag,
    read_seconds,
)

MAX_EVENTS = 200_000  # of one file: others wait while it is stored
MAX_ROWS = 1_000_000  # empty ones included
_NAMED_FACTORS = 12  # in a sentence
_NAMESPACE = uuid.UUID("6f1c0c5e-5f7b-4f0a-9d0c-6a5a2f4f7c11")


class FileEvent(NamedTuple):
    """An event of a file.

    Attributes:
        row: number of the record in the file, from 1, without the line of column names.
        event: the event.
        derived: the id was derived from the content, as the file has none.
    """

    row: int
    event: LabelEvent
    derived: bool


def read_labels(
    path: Path,
    factors: Collection[str] | None = None,
    guideline: str = "",
    item: Callable[[str, str], str] | None = None,
    annotators: Mapping[str, str] | None = None,
) -> list[FileEvent]:
    """The events of a file, in its order.

    Args:
        factors: known ids; others are refused. None allows all.
        guideline: the version for labels that do not name one.
        item: gives the key of an item from its name and plan in the file; LabelError refuses it.
            By default names are keys.
        annotators: the annotator by name in the file; by default the name itself.

    Raises:
        RivaeError: names the first wrong row; a file is read completely or not at all.
    """
    kind = table_kind(path)
    if kind not in (".csv", ".jsonl", ".ndjson"):
        raise LabelError(f"{path.name} holds no labels: give a .csv or .jsonl file")
    now = datetime.now(UTC)
    events: list[FileEvent] = []
    places: dict[Slot, LabelEvent] = {}
    keys = _Keys(item)
    for row, record in enumerate(InputTable(path).records(), start=1):
        try:
            for offer in _events(row, record, kind == ".csv", guideline, now):
                factor = offer.event.factor
                if factors is not None and factor and factor not in factors:
                    raise LabelError(
                        f"'{factor[:40]}' is no factor of the plans here: choose from "
                        f"{', '.join(sorted(factors)[:_NAMED_FACTORS])}"
                    )
                offer = keys.named(_by(offer, annotators or {}))
                if kind != ".csv" or _first(offer.event, places):
                    events.append(offer)
        except LabelError as error:
            # A file may hold unpaired surrogates, which cannot be shown.
            words = str(error).encode("utf-8", "backslashreplace").decode()
            raise LabelError(f"{path.name}, row {row}: {words}") from None
        if len(events) > MAX_EVENTS or row > MAX_ROWS:
            raise LabelError(
                f"{path.name} has more than {MAX_EVENTS} labels: split it into several files"
            )
    return events


def _first(event: LabelEvent, places: dict[Slot, LabelEvent]) -> bool:
    """Whether the row is new; LabelError if an earlier row differs, as rows have no order."""
    before = places.setdefault(slot(event), event)
    if before is not event and before != event:
        raise LabelError(
            f"an earlier row has another {event.factor} of {event.item} by {event.annotator}: "
            "keep one"
        )
    return before is event


def _by(offer: FileEvent, annotators: Mapping[str, str]) -> FileEvent:
    name = offer.event.annotator
    who = annotators.get(name, name)
    return offer if who == name else offer._replace(event=replace(offer.event, annotator=who))


class _Keys:
    """The keys of items by their names in the file, each looked up once."""

    def __init__(self, look_up: Callable[[str, str], str] | None) -> None:
        self._look_up = look_up or (lambda name, plan: name)
        self._key_of_name: dict[tuple[str, str], str] = {}
        self._of_event: dict[str, str] = {}

    def of(self, name: str, plan: str) -> str:
        if (name, plan) not in self._key_of_name:
            self._key_of_name[name, plan] = self._look_up(name, plan)
        return self._key_of_name[name, plan]

    def named(self, offer: FileEvent) -> FileEvent:
        """The event with the key of its item; an undo gets the key of the event it undoes."""
        event = offer.event
        before = self._of_event.get(event.undoes) if event.undoes else None
        key = before or self.of(event.item, event.plan)
        self._of_event[event.id] = key
        if key != event.item:
            event = replace(event, item=key)
        return offer._replace(event=replace(event, id=_said(event)) if offer.derived else event)


def _events(
    row: int, record: dict[str, Any], table: bool, guideline: str, now: datetime
) -> Iterator[FileEvent]:
    if not table:
        record.pop("seq", None)
        yield FileEvent(row, from_record(record), False)
        return
    cells = {name: unescaped(cell.strip()) for name, cell in record.items()}
    missing = [name for name in WIDE_COLUMNS if name not in cells]
    if missing:
        raise LabelError(f"there is no column '{missing[0]}': name it in the first line")
    if "level" in cells or "factor" in cells:
        yield from _long(row, cells, guideline, now)
        return
    if not any(cells.values()):
        return
    for factor in cells:
        if factor not in WIDE_COLUMNS and cells[factor]:
            one = {name: cells[name] for name in WIDE_COLUMNS}
            one |= {"factor": factor, "level": cells[factor]}
            yield from _long(row, one, guideline, now)


def _said(event: LabelEvent) -> str:
    """An id derived from the content of a row, so that equal rows are one event."""
    parts = [event.kind, event.annotator, event.item, event.factor, event.level, event.guideline]
    if event.action in ("unsure", "inapplicable"):
        parts.append(event.action)
    return str(uuid.uuid5(_NAMESPACE, "\n".join(str(part) for part in parts)))


def _long(row: int, cells: dict[str, str], guideline: str, now: datetime) -> Iterator[FileEvent]:
    unknown = [name for name in cells if name not in LONG_COLUMNS]
    if unknown:
        raise LabelError(f"unknown column '{unknown[0][:40]}': use {', '.join(LONG_COLUMNS)}")
    for name in ("factor", "level"):
        if name not in cells:
            raise LabelError(f"there is no column '{name}': name it in the first line")
    if not cells["level"]:
        return  # a row to be filled in later
    kind = cells.get("kind") or "label"
    if kind not in LONG_KINDS:
        raise LabelError(f"'{kind[:20]}' is not a kind: write {', '.join(LONG_KINDS)}")
    action, level = read_answer(cells["level"])
    if kind == "adjudication":
        if action != "label":
            raise LabelError("a verdict has one level: write it, or 'cannot tell'")
        action = "adjudicate"
    version = cells.get("guideline") or guideline
    event = LabelEvent(
        id=cells.get("id") or new_id(),
        time=parse_time(cells["time"]) if cells.get("time") else now,
        annotator=cells["annotator"],
        item=cells["item"],
        factor=cells["factor"],
        level=level,
        action=action,
        seconds_shown=read_seconds(cells.get("seconds_shown", "")),
        guideline=version,
        suggested=read_flag(cells.get("suggested", ""), "suggested"),
        repeat=kind == "repeat",
        plan=cells.get("plan", ""),
    )
    yield FileEvent(row, event, not cells.get("id"))
