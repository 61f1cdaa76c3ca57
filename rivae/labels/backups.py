"""Backups of a SQLite file of labels: ``backups/`` beside it, made by SQLite while others write.

``backups/labels.db-000012-2026-11-27.db`` is a store like any other. A backup gets its name
after an integrity check. Backups are numbered, since clocks may jump. The newest ten are kept, and
older ones with more events than the newest.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote

from rivae.base.errors import LabelStoreError
from rivae.base.files import locked, private_file, private_folder, remove_temporaries, sync_folder

FOLDER = "backups"
KEPT = 10
MANY_EVENTS = 1_000  # new ones for which a second backup of the day is made
_PATIENCE_S = 2.0
_END = re.compile(r"-(\d{6,9})-(\d{4}-\d\d-\d\d)\.db")


@dataclass(frozen=True)
class Backup:
    """A backup: its file, its number and the day (UTC) on which it was made."""

    path: Path
    number: int
    day: date


def backups_of(path: Path) -> list[Backup]:
    """The backups of the store in ``path``, the oldest first; [] if they cannot be listed."""
    backups = []
    with suppress(OSError):
        for file in (path.parent / FOLDER).iterdir():
            end = _END.fullmatch(file.name.removeprefix(path.name))
            if file.name.startswith(path.name) and end and file.is_file():
                with suppress(ValueError):  # no day of the calendar
                    day = date.fromisoformat(end[2])
                    backups.append(Backup(file, int(end[1]), day))
    return sorted(backups, key=lambda backup: backup.number)


def keep_backup(path: Path, *, now: datetime | None = None, always: bool = False) -> Backup | None:
    """Make today's backup of a store, if it has new events or plans.

    Args:
        path: the SQLite file.
        now: the time, for tests.
        always: also if there is one of today already.

    Returns:
        The new backup; None if none was needed, or another process is making it.

    Raises:
        LabelStoreError: it cannot be made; older backups stay.
    """
    today = (now or datetime.now(UTC)).date()
    try:
        content = _count(path)
        if not any(content) or not _is_due(path, content, today, always):
            return None
        folder = path.parent / FOLDER
        private_folder(folder)
        with locked(folder / ".lock", 0.0, private=True):
            remove_temporaries(folder)
            return _make(path, folder, today)
    except BlockingIOError:
        return None
    except (OSError, sqlite3.Error) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise LabelStoreError(
            f"no backup of {path.name} could be made ({why}): make room or check its folder"
        ) from None


def n_events(path: Path) -> int:
    """The number of events in a SQLite file without writers; 0 if it cannot be read."""
    try:
        return _count(path, still=True)[0]
    except sqlite3.Error:
        return 0


def _is_due(path: Path, content: tuple[int, int], today: date, always: bool) -> bool:
    backups = backups_of(path)
    if not backups:
        return True
    last = backups[-1]
    before = _safe_count(last.path)
    if content == before:
        return False  # nothing new
    return always or last.day != today or content[0] >= before[0] + MANY_EVENTS


def _make(path: Path, folder: Path, today: date) -> Backup:
    size = sum(p.stat().st_size for p in (path, path.with_name(path.name + "-wal")) if p.exists())
    if shutil.disk_usage(folder).free < 3 * size:  # the space is needed for labels
        raise OSError(28, "the disk is nearly full")
    backups = backups_of(path)
    number = backups[-1].number + 1 if backups else 1
    new = folder / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    target = folder / f"{path.name}-{number:06d}-{today.isoformat()}.db"
    try:
        private_file(new)
        with _reading(path) as source, closing(sqlite3.connect(new)) as copy:
            before = source.execute("SELECT count(*) FROM label_events").fetchone()[0]
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, to be carried elsewhere
            verdict = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if verdict != "ok":
                raise sqlite3.DatabaseError(f"the store is damaged: {str(verdict)[:120]}")
            if copy.execute("SELECT count(*) FROM label_events").fetchone()[0] < before:
                raise sqlite3.DatabaseError("the copy lacks events")
        with new.open("rb") as stream:
            os.fsync(stream.fileno())
        new.rename(target)
        sync_folder(folder)
    finally:
        new.unlink(missing_ok=True)
    backup = Backup(target, number, today)
    most = _safe_count(target)[0]
    for old in backups[: max(len(backups) + 1 - KEPT, 0)]:
        if _safe_count(old.path)[0] <= most:
            old.path.unlink(missing_ok=True)
    return backup


def _count(path: Path, still: bool = False) -> tuple[int, int]:
    """The numbers of events and of documents."""
    with _reading(path, still) as db:
        events, documents = (
            db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("label_events", "label_documents")
        )
    return int(events), int(documents)


def _safe_count(path: Path) -> tuple[int, int]:
    try:
        return _count(path, still=True)
    except sqlite3.Error:
        return 0, 0


@contextmanager
def _reading(path: Path, still: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to an existing file; ``still``: it has no writers, open it as immutable."""
    how = "mode=ro&immutable=1" if still else "mode=rw"
    place = f"file:{quote(str(path.absolute()))}?{how}"
    with closing(sqlite3.connect(place, uri=True, timeout=_PATIENCE_S)) as db:
        yield db
