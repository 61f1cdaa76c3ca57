"""Labels out of a store: all events as JSON lines, current labels as long or wide CSV.

``intake.py`` reads all three.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, get_args

from rivae.errors import LabelError
from rivae.files import write_atomic_with
from rivae.labels.cells import escaped, level_cell
from rivae.labels.events import Kind, time_text
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


def events_jsonl(store: LabelStore) -> Iterator[str]:
    """Every event in order, one JSON object per line: nothing is lost, undone labels included.

    ``seq`` is the number it has in this store; another store gives it its own.
    """
    since, last = 0, store.last()
    while since < last:
        page = store.events(since=since, limit=min(_PAGE, last - since))
        for seq, event in page:
            yield json.dumps({"seq": seq, **event.record()}, ensure_ascii=False) + "\n"
        since = page[-1].seq


def long_csv(store: LabelStore, annotator: str | None = None) -> Iterator[str]:
    """Current labels, answers to hidden repeats and adjudications, one per line.

    ``level`` is 1 to 5 or "cannot tell".
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
                    level_cell(e.level),
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
        rows.setdefault((e.annotator, e.item), {})[e.factor] = level_cell(e.level)
    names = sorted({f for row in rows.values() for f in row}) if factors is None else list(factors)
    yield _line((*WIDE_COLUMNS, *names))
    for (who, item), row in sorted(rows.items()):
        if any(name in row for name in names):
            yield _line((who, item, *(row.get(name, "") for name in names)))


def export(store: LabelStore, path: Path, form: Form = "events") -> None:
    """Atomically write one of the three forms.

    Raises:
        LabelError: for an unknown form, or when ``path`` cannot be written.
    """
    forms: dict[str, Callable[[LabelStore], Iterator[str]]] = {
        "events": events_jsonl,
        "long": long_csv,
        "wide": wide_csv,
    }
    if form not in forms:
        raise LabelError(f"'{form!s:.20}' is not a form of export: choose from {', '.join(forms)}")

    def write(stream: IO[bytes]) -> None:
        for line in forms[form](store):
            stream.write(line.encode())

    try:
        write_atomic_with(path, write)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be written: {error.strerror}") from None


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([escaped(cell) for cell in cells])
    return out.getvalue()
