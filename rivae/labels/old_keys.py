"""Labels made before imports were told apart: given the name of the import that they were made on.

An item of any import was "pairs:ID", so two imports with ids 1, 2, 3 took each other's labels. Such
an event now gets the key of its plan's data, found by one of the plan's runs; an event without a
plan, where all plans are about one import, gets that one's. What cannot be told stays as it is,
belongs to no import, and is tried again the next time, for instance once the run is back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from rivae.errors import LabelError
from rivae.labels import sql
from rivae.labels.events import OLD_IMPORT
from rivae.labels.known_items import KnownItems
from rivae.labels.store import LabelStore


@dataclass(frozen=True)
class Renamed:
    """What became of old keys.

    Attributes:
        events: how many have the key of their import now.
        left: sentences about those that do not.
    """

    events: int = 0
    left: tuple[str, ...] = ()


def rename_old_keys(store: LabelStore) -> Renamed:
    """Name the import in every event that lacks it, in one transaction; harmless to do again.

    Raises:
        LabelError: the store did not answer, or cannot be written; nothing is changed then.
    """
    items = KnownItems(store, deleted=True)
    with store.writing() as connection:
        e = sql.label_events.c
        query = select(e.id, e.seq, e.item, e.plan, e.undoes).order_by(e.seq)
        rows = connection.execute(query.where(e.item.startswith(OLD_IMPORT, autoescape=True))).all()
        new, left = _new_keys(rows, items)
        if new:
            # An older program would look for the old keys and find nothing.
            connection.execute(sql.label_schema.update().values(version=sql.SCHEMA_VERSION))
            with sql.rewriting(connection):
                connection.execute(
                    sql.label_events.update().where(e.seq == bindparam("at")),
                    [{"at": seq, "item": key} for seq, key in new.items()],
                )
    return Renamed(len(new), left)


def _new_keys(rows: Iterable[Any], items: KnownItems) -> tuple[dict[int, str], tuple[str, ...]]:
    """The new key by sequence number, and sentences about what keeps its old one."""
    by_id: dict[str, str] = {}
    new: dict[int, str] = {}
    left: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        try:
            # Undone under another plan, it is still the item of what is undone.
            key = by_id.get(row.undoes) if row.undoes else None
            key = key or items.key(row.item, row.plan)
        except LabelError as error:
            left.setdefault((row.plan, str(error)), []).append(row.item)
            continue
        by_id[row.id] = new[row.seq] = key
    return new, tuple(_told(plan, why, items) for (plan, why), items in left.items())


def _told(plan: str, why: str, items: list[str]) -> str:
    n = "1 label" if len(items) == 1 else f"{len(items):,} labels"
    whose = f"of plan {plan}" if plan else "without a plan"
    return (
        f"{n} {whose} ({items[0][:60]} …) could not be given to an import ({why}): they are kept, "
        "but count nowhere; bring back the run of the plan, or import their table again with --plan"
    )
