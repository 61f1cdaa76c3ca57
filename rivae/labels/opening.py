"""Where labels are kept; a store of an older version gets today's item keys when it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from rivae.base.errors import LabelError, LabelStoreError
from rivae.base.paths import home_path
from rivae.labels import sql
from rivae.labels.events import OLD_IMPORT
from rivae.labels.store import LabelStore

if TYPE_CHECKING:
    from rivae.labels.known_items import KnownItems


@dataclass(frozen=True)
class Renamed:
    """The result of renaming old keys.

    Attributes:
        events: how many now have the key of their import.
        problems: sentences about those that could not be renamed.
    """

    events: int = 0
    problems: tuple[str, ...] = ()


def rename_old_keys(store: LabelStore) -> Renamed:
    """Add the import to every key that lacks it, in one transaction; harmless to repeat.

    Raises:
        LabelError: the store did not answer, or is read-only; nothing is changed then.
    """
    from rivae.labels.known_items import KnownItems  # imports PyTorch

    items = KnownItems(store, deleted=True)
    with store.writing() as connection:
        e = sql.label_events.c
        query = select(e.id, e.seq, e.item, e.plan, e.undoes).order_by(e.seq)
        rows = connection.execute(query.where(e.item.startswith(OLD_IMPORT, autoescape=True))).all()
        new, problems = _new_keys(rows, items)
        if new:
            # An older program would look for the old keys and find nothing.
            connection.execute(sql.label_schema.update().values(version=sql.SCHEMA_VERSION))
            with sql.rewriting(connection):
                connection.execute(
                    sql.label_events.update().where(e.seq == bindparam("at")),
                    [{"at": seq, "item": key} for seq, key in new.items()],
                )
    return Renamed(len(new), problems)


def _new_keys(rows: Iterable[Any], items: KnownItems) -> tuple[dict[int, str], tuple[str, ...]]:
    """The new key by sequence number, and sentences about the keys that stay."""
    by_id: dict[str, str] = {}
    new: dict[int, str] = {}
    failures: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        try:
            # An undo under another plan is still about the item of the undone event.
            key = by_id.get(row.undoes) if row.undoes else None
            key = key or items.key(row.item, row.plan)
        except LabelError as error:
            failures.setdefault((row.plan, str(error)), []).append(row.item)
            continue
        by_id[row.id] = new[row.seq] = key
    return new, tuple(_told(plan, why, items) for (plan, why), items in failures.items())


def _told(plan: str, why: str, items: list[str]) -> str:
    n = "1 label" if len(items) == 1 else f"{len(items):,} labels"
    whose = f"of plan {plan}" if plan else "without a plan"
    return (
        f"{n} {whose} ({items[0][:60]} …) could not be matched to an import ({why}): they are kept "
        "but not counted; bring back the run of the plan, or import their table again with --plan"
    )


VARIABLE = "RIVAE_LABELS"
DEFAULT = "labels/labels.db"
READ_ONLY = (
    "these labels were made by an older version and are read-only here: open them once where they "
    "can be written, so that labels of imported items are found"
)


def labels_url() -> str:
    """Where labels are kept: a path or the URL of a database (see ``LabelStore``)."""
    url = os.environ.get(VARIABLE) or DEFAULT
    return url if "://" in url else str(home_path(url, VARIABLE))


def labels_are_kept() -> bool:
    """Whether the file of labels exists; assumed for the URL of a server."""
    url = labels_url()
    return "://" in url or Path(url).is_file()


def open_labels(url: str = "", tell: Callable[[str], None] | None = None) -> LabelStore:
    """The store of labels; old keys of imported items get the name of their import.

    Args:
        url: instead of ``labels_url()``.
        tell: called with a sentence about each group of keys that could not be renamed.

    Raises:
        LabelError: it cannot be opened.
    """
    store = LabelStore(url or labels_url(), back_up=True)
    try:
        for sentence in _made_ready(store):
            if tell is not None:
                tell(sentence)
    except BaseException:
        store.close()
        raise
    return store


def _made_ready(store: LabelStore) -> list[str]:
    """Back up the store and rename its old keys; sentences about failures, which do not prevent
    reading (a full disk, another writer).
    """
    sentences = []
    old = store.has_items(OLD_IMPORT)
    try:
        store.back_up(always=old)
    except LabelStoreError as error:
        sentences.append(str(error))
        old = False  # nothing is rewritten without a backup
    if old:
        try:
            sentences += [READ_ONLY] if store.read_only else rename_old_keys(store).problems
        except LabelStoreError as error:
            sentences.append(str(error))
    return sentences
