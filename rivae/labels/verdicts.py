"""Verdicts: what an adjudicator decides about an item on which annotators differ.

A verdict is an event like any other. One stands per item and factor, the last one, whoever made
it; taking it back brings back the one before.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from rivae.errors import LabelError
from rivae.labels.events import LabelEvent, check_annotator, new_id
from rivae.labels.rows import Current
from rivae.labels.store import LabelStore


def verdicts(store: LabelStore, items: Collection[str]) -> dict[tuple[str, str], Current]:
    """The verdicts that stand, by item key and factor."""
    found = store.current("adjudication", items=items)
    return {(current.event.item, current.event.factor): current for current in found}


def decide(
    store: LabelStore,
    item: str,
    factor: str,
    level: int | None,
    by: str,
    *,
    guideline: str = "",
    plan: str = "",
) -> LabelEvent:
    """Store a verdict and return it.

    Args:
        item: its key.
        level: 1 to 5; None is "cannot tell".
        by: the adjudicator's name, as an annotator's.
        guideline, plan: as in ``LabelEvent``.

    Raises:
        LabelError: no name, a wrong one, or the store did not answer; nothing is stored then.
    """
    _check_name(by)
    event = LabelEvent(
        new_id(),
        datetime.now(UTC),
        by,
        item,
        factor,
        level,
        "adjudicate",
        guideline=guideline,
        plan=plan,
    )
    store.append([event])
    return event


def take_back(store: LabelStore, event_id: str, by: str) -> None:
    """Undo a verdict; only whoever made it can.

    Raises:
        LabelError: it is somebody else's, is no verdict, or the store did not answer.
    """
    _check_name(by)
    found = store.event(event_id)
    if found is None or found.event.action != "adjudicate":
        raise LabelError("there is no such verdict: reload the page")
    if found.event.annotator != by:
        raise LabelError(
            f"only {found.event.annotator} can undo this verdict: give another one instead"
        )
    store.append([found.event.undone_by(new_id(), datetime.now(UTC))])


def _check_name(by: str) -> None:
    if not by:
        raise LabelError("a verdict needs a name: type yours at the top of the page")
    check_annotator(by)
