"""The store of labels: an append-only log of events, each confirmed by its sequence number.

``append`` returns only after the commit, so confirmed events survive a crash of the process and of
the machine.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, TableClause, case, func, select

from rivae.base.errors import LabelError, LabelStoreError
from rivae.labels import sql
from rivae.labels.backups import keep_backup
from rivae.labels.database import as_label_errors, display, open_database, parse_url, writing
from rivae.labels.events import KINDS, Kind, LabelEvent
from rivae.labels.guideline import Guideline, guideline_json, parse_guideline
from rivae.labels.rows import (
    Current,
    FactorProgress,
    StoredEvent,
    count_progress,
    event_of,
    insert_events,
    item_conditions,
)
from rivae.labels.sqlite_file import trouble_of

MAX_BATCH = 1_000  # events of one ``append``: others wait while it is written
MAX_DOCUMENT = 16 * 2**20  # characters
GONE = "{} was removed while it was open: bring it back from `rivae labels repair` or a copy"
log = logging.getLogger("rivae.labels")


class LabelStore:
    """Events, current labels and the guidelines and plans they refer to, in one database.

    Many threads may share a store. A forked process must open its own.

    Args:
        url: a file, "sqlite:///labels.db", or "postgresql://user:password@host/name".
        back_up: make a backup of a SQLite file before the first change of each day.

    Raises:
        LabelError: never with the password, here and in every method.
    """

    def __init__(self, url: str | Path, *, back_up: bool = False) -> None:
        self._url = parse_url(url)
        self._database = open_database(self._url)
        sqlite = self._engine.dialect.name == "sqlite"
        self.path = Path(str(self._url.database)) if sqlite else None
        self._file = self._stamp()
        self._backs_up, self._backed_up = back_up and sqlite, date.min
        # Writers of SQLite poll for their turn; threads of one process can queue instead.
        self._turn: AbstractContextManager[Any] = threading.Lock() if sqlite else nullcontext()

    @property
    def _engine(self) -> Engine:
        return self._database.engine

    @property
    def read_only(self) -> bool:
        """The file cannot be written (a DVD, a full disk), so nothing can be added."""
        return bool(self._database.read_only)

    def __repr__(self) -> str:
        return f"LabelStore({display(self._url)})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def back_up(self, *, always: bool = False) -> None:
        """Make today's backup of a SQLite file, if it is needed and the file can be written.

        Args:
            always: also if there is one of today, unless nothing has changed since.

        Raises:
            LabelStoreError: it could not be made.
        """
        if self._backs_up and self.path is not None and not self.read_only:
            self._backed_up = datetime.now(UTC).date()
            keep_backup(self.path, always=always)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other writer shares (see ``rows.insert_events``).

        It commits at the end; an exception rolls it back. Keep it short.
        """
        if self.read_only:
            self._try_again()
        self._follow_file()
        with as_label_errors(self._url), self._turn:
            if self._backs_up and self._backed_up != datetime.now(UTC).date():
                try:
                    self.back_up()
                except LabelStoreError as error:  # labels are stored without a backup, too
                    log.warning("%s", error)
            with writing(self._engine) as connection:
                yield connection

    def _stamp(self) -> tuple[int, int] | None:
        """The identity of the SQLite file; None if it is read-only or a server."""
        if self.path is None or self.read_only:
            return None
        with suppress(OSError):
            file_stat = self.path.stat()
            if file_stat.st_size:
                return file_stat.st_dev, file_stat.st_ino
        raise LabelStoreError(trouble_of(self.path) or GONE.format(display(self._url)))

    def _follow_file(self) -> None:
        """Reopen the file if it was replaced, for instance by a repair; labels written to a removed
        file would be lost.
        """
        now = self._stamp()
        if now != self._file:
            before, self._database = self._database, open_database(self._url)
            before.close()
            self._file = self._stamp()

    def _try_again(self) -> None:
        """Reopen a read-only file: its disk may have space again."""
        why = self._database.read_only
        again = open_database(self._url)
        if again.read_only:
            again.close()
            raise LabelStoreError(f"{display(self._url)} can only be read here: {why}")
        self._database.close()
        self._database = again
        self._file = self._stamp()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._follow_file()
        with as_label_errors(self._url), self._engine.connect() as connection:
            yield connection

    def append(self, events: Sequence[LabelEvent]) -> dict[str, int]:
        """Store ``events`` in their order, all or none, and return their sequence numbers.

        An event that is already stored keeps its number, so a batch that got no answer can be sent
        again unchanged.

        Args:
            events: up to ``MAX_BATCH``.

        Returns:
            The sequence number of every event by id, once they are on the disk.

        Raises:
            LabelError: an id is stored with other content, an undo names another annotator's
                event, or the database did not answer. Then nothing of the batch is stored,
                unless only the answer got lost: send it again.
        """
        if len(events) > MAX_BATCH:
            raise LabelError(f"{len(events)} events are too many at once: send up to {MAX_BATCH}")
        if not events:
            return {}
        with self.writing() as connection:
            return insert_events(connection, events)

    def events(
        self, since: int = 0, limit: int | None = None, annotator: str | None = None
    ) -> list[StoredEvent]:
        """Events with a sequence number above ``since``, in order, at most ``limit``.

        Numbers become visible in order: reading from the last one seen misses none.
        """
        e = sql.label_events
        query = select(e).where(e.c.seq > since).order_by(e.c.seq).limit(limit)
        if annotator is not None:
            query = query.where(e.c.annotator == annotator)
        with self._reading() as connection:
            return [StoredEvent(row.seq, event_of(row)) for row in connection.execute(query)]

    def event(self, event_id: str) -> StoredEvent | None:
        e = sql.label_events
        with self._reading() as connection:
            row = connection.execute(select(e).where(e.c.id == event_id)).first()
        return None if row is None else StoredEvent(row.seq, event_of(row))

    def last(self) -> int:
        """The highest sequence number, 0 in an empty store: a cheap check for new events."""
        with self._reading() as connection:
            return connection.execute(select(func.max(sql.label_events.c.seq))).scalar() or 0

    def current(
        self,
        kind: Kind = "label",
        *,
        annotator: str | None = None,
        factor: str | None = None,
        items: Collection[str] | None = None,
    ) -> list[Current]:
        """The current events, in order of sequence numbers (see ``events.current_events``).

        Args:
            kind: "label" (hidden repeats left out), "repeat", "flag", "skip" or "adjudication".
            annotator, factor, items: only theirs; ``items`` are keys.
        """
        view = _view(kind)
        conditions = [view.c.kind == kind]
        if annotator is not None:
            conditions.append(view.c.annotator == annotator)
        if factor is not None:
            conditions.append(view.c.factor == factor)
        events: list[Current] = []
        with self._reading() as connection:
            for part in item_conditions(view.c.item, items):
                query = select(view).where(*conditions, *part)
                events += [Current(r.seq, kind, event_of(r)) for r in connection.execute(query)]
        return sorted(events, key=lambda current: current.seq)

    def levels(
        self, kind: Kind = "label", items: Collection[str] | None = None, plan: str | None = None
    ) -> list[tuple[str, str, str, float | None]]:
        """``current`` as (annotator, item, factor, ``LabelEvent.value``): faster and unordered.

        Args:
            kind, items: as in ``current``.
            plan: only those that were given under this one.
        """
        c = _view(kind).c
        value = case((c.action == "unsure", c.level + 0.5), else_=c.level)
        query = select(c.annotator, c.item, c.factor, value).where(c.kind == kind)
        if plan is not None:
            query = query.where(c.plan == plan)
        rows: list[tuple[str, str, str, float | None]] = []
        with self._reading() as connection:
            for part in item_conditions(c.item, items):
                rows += [tuple(row) for row in connection.execute(query.where(*part))]
        return rows

    def has_items(self, start: str) -> bool:
        """Whether any event is about an item whose key begins with ``start``."""
        e = sql.label_events.c
        query = select(e.seq).where(e.item.startswith(start, autoescape=True)).limit(1)
        with self._reading() as connection:
            return connection.execute(query).first() is not None

    def items(self) -> frozenset[str]:
        """The keys of all items with an event."""
        query = select(sql.label_events.c.item).distinct()
        with self._reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def annotators(self) -> list[str]:
        """All annotators with an event, sorted."""
        with self._reading() as connection:
            names = connection.execute(select(sql.label_events.c.annotator).distinct()).scalars()
            return sorted(names)

    def progress(
        self, annotator: str | None = None, items: Collection[str] | None = None
    ) -> list[FactorProgress]:
        """Counts per annotator and factor, sorted; of ``items`` only (keys), e.g. of a plan."""
        with self._reading() as connection:
            return count_progress(connection, annotator, items)

    def keep(self, kind: str, document_id: str, content: str) -> None:
        """Store a text that events refer to, for instance a plan; storing it again is harmless.

        Raises:
            LabelError: another text has the id, or the text is too long.
        """
        if not (0 < len(kind) <= 40 and 0 < len(document_id) <= 80) or "\0" in content:
            raise LabelError("a document needs a kind and an id of at most 40 and 80 characters")
        if len(content) > MAX_DOCUMENT:
            raise LabelError("this document is too large for the store of labels: shorten it")
        with self.writing() as connection:
            before = _content(connection, kind, document_id)
            if before is None:
                row = {"kind": kind, "id": document_id, "content": content}
                connection.execute(sql.label_documents.insert().values(row))
        if before not in (None, content):
            raise LabelError(f"another {kind} is kept as '{document_id}': choose a new id")

    def document(self, kind: str, document_id: str) -> str | None:
        """The text with this id; None when there is none."""
        with self._reading() as connection:
            return _content(connection, kind, document_id)

    def documents(self, kind: str) -> list[str]:
        """The ids of all texts of a kind, sorted."""
        d = sql.label_documents
        with self._reading() as connection:
            return sorted(connection.execute(select(d.c.id).where(d.c.kind == kind)).scalars())

    def keep_guideline(self, guideline: Guideline) -> str:
        """Store a guideline; returns ``guideline.version``, which events name."""
        if self.document("guideline", guideline.version) is None:
            self.keep("guideline", guideline.version, guideline_json(guideline))
        return guideline.version

    def guideline(self, version: str) -> Guideline | None:
        """The stored guideline of this version; None when there is none."""
        content = self.document("guideline", version)
        return None if content is None else parse_guideline(content, f"guideline {version}")


def _view(kind: Kind) -> TableClause:
    if kind not in KINDS:
        raise LabelError(f"'{kind!s:.40}' is not a kind: choose from {', '.join(KINDS)}")
    return sql.current_adjudications if kind == "adjudication" else sql.current_labels


def _content(connection: Connection, kind: str, document_id: str) -> str | None:
    d = sql.label_documents
    query = select(d.c.content).where(d.c.kind == kind, d.c.id == document_id)
    return connection.execute(query).scalar()
