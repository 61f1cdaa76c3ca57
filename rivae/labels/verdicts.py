"""Items with disagreement or flags, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd
from sqlalchemy import Connection, select

from rivae.base.errors import LabelError
from rivae.labels import sql
from rivae.labels.events import LabelEvent, check_annotator, new_id
from rivae.labels.review import PlanAgreement, PlanAnswers
from rivae.labels.rows import Current, insert_events
from rivae.labels.store import LabelStore


def verdicts(store: LabelStore, items: Collection[str]) -> dict[tuple[str, str], Current]:
    """The current verdicts, by item key and factor."""
    standing = store.current("adjudication", items=items)
    return {(current.event.item, current.event.factor): current for current in standing}


def decide(
    store: LabelStore,
    item: str,
    factor: str,
    level: int | None,
    by: str,
    *,
    guideline: str = "",
    plan: str = "",
    instead_of: str | None = None,
) -> LabelEvent:
    """Store a verdict and return it.

    Args:
        item: its key.
        level: 1 to 5; None is "cannot tell".
        by: the adjudicator's name, as an annotator's.
        guideline, plan: as in ``LabelEvent``.
        instead_of: id of the verdict that its author has seen, "" if there was none; by default
            any verdict is replaced.

    Raises:
        LabelError: the name is missing or wrong, another verdict was given first, or the store
            did not answer. Nothing is stored then.
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
    with store.writing() as connection:
        if instead_of is not None:
            _check_standing(connection, item, factor, instead_of)
        insert_events(connection, [event])
    return event


def _check_standing(connection: Connection, item: str, factor: str, seen_id: str) -> None:
    v = sql.current_adjudications
    query = select(v.c.id, v.c.annotator, v.c.level)
    row = connection.execute(query.where(v.c.item == item, v.c.factor == factor)).first()
    if row is not None and row.id != seen_id:
        answer = "cannot tell" if row.level is None else row.level
        raise LabelError(f"{row.annotator} has decided on {answer} meanwhile: look again")


def take_back(store: LabelStore, event_id: str, by: str) -> None:
    """Undo a verdict; only its author can.

    Raises:
        LabelError: somebody else gave it, it is not a verdict, or the store did not answer.
    """
    _check_name(by)
    verdict = store.event(event_id)
    if verdict is None or verdict.event.action != "adjudicate":
        raise LabelError("there is no such verdict: reload the page")
    if verdict.event.annotator != by:
        raise LabelError(
            f"only {verdict.event.annotator} can undo this verdict: give another one instead"
        )
    store.append([verdict.event.undone_by(new_id(), datetime.now(UTC))])


def _check_name(by: str) -> None:
    if not by:
        raise LabelError("a verdict needs a name: type yours at the top of the page")
    check_annotator(by)


@dataclass(frozen=True)
class Case:
    """An item to discuss.

    Attributes:
        row: data row.
        factor: id; "" if the item itself is flagged.
        gap: levels between the lowest and the highest; 0 for a flag.
        flagged_by: annotators.
    """

    row: int
    factor: str
    gap: int = 0
    flagged_by: tuple[str, ...] = ()


def far_cases(plan_agreement: PlanAgreement, factor: str | None = None) -> list[Case]:
    """Items whose levels are two or more apart, the widest first; of one factor if given."""
    apart = (
        plan_agreement.apart
        if factor is None
        else plan_agreement.apart[plan_agreement.apart["factor"] == factor]
    )
    return [
        Case(int(item), str(name), int(gap))
        for item, name, gap in zip(apart["item"], apart["factor"], apart["gap"], strict=True)
    ]


def flagged_cases(answers: PlanAnswers, factor: str | None = None) -> list[Case]:
    """Flagged items, those with most flags first.

    Args:
        factor: only flags of this factor, and of items themselves, listed under this factor.
    """
    flaggers: dict[tuple[int, str], set[str]] = {}
    for item, name, who in answers.flags.itertuples(index=False):
        if factor is None or name in ("", factor):
            flaggers.setdefault((int(item), name if factor is None else factor), set()).add(
                str(who)
            )
    cases = [Case(row, name, 0, tuple(sorted(who))) for (row, name), who in flaggers.items()]
    return sorted(cases, key=lambda case: (-len(case.flagged_by), case.row, case.factor))


def levels_of(labels: pd.DataFrame, case: Case) -> list[tuple[str, float | None]]:
    """Everybody's level of a case, with names; None is "cannot tell" or "not applicable", half of
    an odd number a range of two levels.
    """
    case_labels = labels[(labels["item"] == case.row) & (labels["factor"] == case.factor)]
    return [
        (str(who), None if level != level else int(level) if level % 1 == 0 else float(level))
        for who, level in zip(case_labels["annotator"], case_labels["level"], strict=True)
    ]
