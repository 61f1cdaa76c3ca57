"""How far everybody is: counts per annotator and factor, by one query."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, select

from rivae.labels import sql
from rivae.labels.rows import chunks


@dataclass(frozen=True)
class Progress:
    """What one annotator has done for one factor.

    Attributes:
        annotator, factor: whose and what.
        labelled: items with a current label, "cannot tell" included.
        cannot_tell: those of them without a level.
        repeats: items with an answer to a hidden repeat.
        flagged: items with a flag for this factor.
        seconds: how long the labelled items were shown, together.
    """

    annotator: str
    factor: str
    labelled: int
    cannot_tell: int
    repeats: int
    flagged: int
    seconds: float


def count_progress(
    connection: Connection, annotator: str | None, items: Collection[str] | None
) -> list[Progress]:
    """See ``LabelStore.progress``."""
    v = sql.current_labels
    labelled = v.c.kind == "label"
    counted: list[ColumnElement[bool]] = [
        labelled,
        labelled & v.c.level.is_(None),
        v.c.kind == "repeat",
        v.c.kind == "flag",
    ]
    query = select(
        v.c.annotator,
        v.c.factor,
        *(func.sum(case((condition, 1), else_=0)) for condition in counted),
        func.sum(case((labelled, v.c.seconds_shown), else_=0.0)),
    ).group_by(v.c.annotator, v.c.factor)
    # A flag or skip of the whole item belongs to no factor.
    query = query.where(v.c.factor != "")
    if annotator is not None:
        query = query.where(v.c.annotator == annotator)
    totals: dict[tuple[str, str], list[float]] = {}
    for part in item_conditions(v.c.item, items):
        for name, factor, *numbers in connection.execute(query.where(*part)):
            sums = totals.setdefault((name, factor), [0.0] * len(numbers))
            for k, number in enumerate(numbers):
                sums[k] += number
    return [
        Progress(name, factor, int(n), int(unknown), int(repeats), int(flags), seconds)
        for (name, factor), (n, unknown, repeats, flags, seconds) in sorted(totals.items())
    ]


def item_conditions(
    item: ColumnElement[str], items: Collection[str] | None
) -> Iterator[list[ColumnElement[bool]]]:
    """Conditions for as many queries as ``items`` need; one without a condition for None."""
    if items is None:
        yield []
    else:
        for some in chunks(items):
            yield [item.in_(some)]
