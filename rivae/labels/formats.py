"""The three forms of label files, and writing them: events as JSON lines, long and wide CSV.

``intake.py`` reads all three.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, get_args

from rivae.base.csv_text import csv_line
from rivae.base.errors import LabelError
from rivae.base.files import why_not, write_atomic_with
from rivae.labels.events import Action, Kind, LabelEvent, time_text
from rivae.labels.guideline import N_LEVELS
from rivae.labels.store import LabelStore

Form = Literal["events", "long", "wide"]
FORMS: tuple[Form, ...] = get_args(Form)
SUFFIXES: dict[Form, str] = {"events": ".jsonl", "long": ".csv", "wide": ".csv"}

LONG_KINDS: tuple[Kind, ...] = ("label", "repeat", "adjudication")
LONG_COLUMNS = (
    "annotator",
    "item",
    "factor",
    "level",
    "kind",
    "time",
    "seconds_shown",
    "suggested",
    "guideline",
    "plan",
    "id",
)
WIDE_COLUMNS = ("annotator", "item")
_PAGE = 5_000  # events in memory

CANNOT_TELL = "cannot tell"
NOT_APPLICABLE = "not applicable"
_LEVEL = re.compile(rf"([1-{N_LEVELS}])(\.0+)?")
_RANGE = re.compile(rf"([1-{N_LEVELS}]) or ([1-{N_LEVELS}])")
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no", "")

# Cells of the tables; ``csv_text`` makes them safe to open in a spreadsheet


def answer_cell(event: LabelEvent) -> str:
    """ "1" to "5", "2 or 3" where the annotator is unsure, "cannot tell" or "not applicable": no
    program takes these for a number or a date.
    """
    if event.action == "inapplicable":
        return NOT_APPLICABLE
    if event.level is None:
        return CANNOT_TELL
    unsure = event.action == "unsure"
    return f"{event.level} or {event.level + 1}" if unsure else str(event.level)


def read_answer(cell: str) -> tuple[Action, int | None]:
    """The action and level in a cell, see ``answer_cell``.

    Raises:
        LabelError: for anything else, also an empty cell.
    """
    text = " ".join(cell.lower().split())
    if text == NOT_APPLICABLE:
        return "inapplicable", None
    pair = _RANGE.fullmatch(text)
    if pair is None:
        return "label", read_level(cell)
    low, high = int(pair[1]), int(pair[2])
    if high != low + 1:
        raise LabelError(f"'{cell[:20]}' are not two adjacent levels: write '2 or 3'")
    return "unsure", low


def read_level(cell: str) -> int | None:
    """The level in a cell; 0, the key on the Label page, also means "cannot tell".

    Raises:
        LabelError: for anything else, also an empty cell.
    """
    text = cell.strip().lower()
    if text in (CANNOT_TELL, "0", "0.0"):
        return None
    match = _LEVEL.fullmatch(text)
    if match is None:
        raise LabelError(
            f"'{cell[:20]}' is not a level: write 1 to {N_LEVELS}, '2 or 3', "
            f"'{CANNOT_TELL}', '{NOT_APPLICABLE}' or nothing"
        )
    return int(match[1])


def read_flag(cell: str, name: str) -> bool:
    """True or false, false when empty; LabelError for anything else."""
    text = cell.strip().lower()
    if text not in (*_YES, *_NO):
        raise LabelError(
            f"'{cell[:20]}' under '{name}' is neither true nor false: write one of them"
        )
    return text in _YES


def read_seconds(cell: str) -> float:
    """A number, 0 when empty; LabelError for anything else."""
    try:
        return float(cell.strip() or 0)
    except ValueError:
        raise LabelError(
            f"'{cell[:20]}' under 'seconds_shown' is not a number: correct it"
        ) from None


# Written


def events_jsonl(store: LabelStore) -> Iterator[str]:
    """Every event in order, also undone ones, as one JSON object per line.

    ``seq`` is its number in this store only.
    """
    since, last = 0, store.last()
    while since < last:
        page = store.events(since=since, limit=min(_PAGE, last - since))
        for seq, event in page:
            yield json.dumps({"seq": seq, **event.record()}, ensure_ascii=False) + "\n"
        since = page[-1].seq


def long_csv(store: LabelStore, annotator: str | None = None) -> Iterator[str]:
    """Current labels, answers to hidden repeats and adjudications, one per line.

    ``level`` is what ``answer_cell`` writes.
    """
    yield _line(LONG_COLUMNS)
    for kind in LONG_KINDS:
        for current in store.current(kind, annotator=annotator):
            e = current.event
            yield _line(
                (
                    e.annotator,
                    e.item,
                    e.factor,
                    answer_cell(e),
                    kind,
                    time_text(e.time),
                    repr(e.seconds_shown),
                    str(e.suggested).lower(),
                    e.guideline,
                    e.plan,
                    e.id,
                )
            )


def wide_csv(
    store: LabelStore, factors: Sequence[str] | None = None, annotator: str | None = None
) -> Iterator[str]:
    """Current labels, one line per annotator and item and one column per factor.

    Args:
        factors: the columns, in this order; by default all that have labels, sorted.

    A cell is empty where there is no label.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for current in store.current("label", annotator=annotator):
        e = current.event
        rows.setdefault((e.annotator, e.item), {})[e.factor] = answer_cell(e)
    names = sorted({f for row in rows.values() for f in row}) if factors is None else list(factors)
    yield _line((*WIDE_COLUMNS, *names))
    for (who, item), row in sorted(rows.items()):
        if any(name in row for name in names):
            yield _line((who, item, *(row.get(name, "") for name in names)))


def lines_of(store: LabelStore, form: Form) -> Iterator[str]:
    """The lines of a file in one of the three forms."""
    return {"events": events_jsonl, "long": long_csv, "wide": wide_csv}[form](store)


def export(store: LabelStore, path: Path, form: Form = "events") -> None:
    """Atomically write one of the three forms.

    Raises:
        LabelError: the form is unknown, or ``path`` cannot be written.
    """
    if form not in FORMS:
        raise LabelError(f"'{form!s:.20}' is not a form of export: choose from {', '.join(FORMS)}")

    def write(stream: IO[bytes]) -> None:
        for line in lines_of(store, form):
            stream.write(line.encode())

    try:
        write_atomic_with(path, write)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be written: {why_not(error)}") from None


def _line(cells: Sequence[str]) -> str:
    return csv_line(cells, names=True)
