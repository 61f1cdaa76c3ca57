"""Saves the labels of a damaged SQLite file from its readable rows and its backups.

A copy of the file is read row by row without an index, skipping damaged pages. Events never change
and keep their numbers, so backups fill the gaps. The damaged file is not changed.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rivae.base.errors import LabelError, LabelStoreError
from rivae.base.files import sync_folder
from rivae.labels import sql
from rivae.labels.backups import backups_of, n_events
from rivae.labels.database import parse_url
from rivae.labels.events import LabelEvent, from_record, time_text
from rivae.labels.sqlite_file import HEAD, private_copy, trouble_of, wal_of
from rivae.labels.store import LabelStore

Row = tuple[Any, ...]
_EVENTS, _DOCUMENTS = "label_events", "label_documents"
_COLUMNS = tuple(c.name for c in sql.label_events.columns)
_DOCUMENT_COLUMNS = tuple(c.name for c in sql.label_documents.columns)
_STEP = 200  # rows at once while nothing is damaged
_SMALLEST_ROW = 60  # bytes
PAGE = 4096  # bytes, the default of SQLite


@dataclass(frozen=True)
class Repair:
    """The result of a repair.

    Attributes:
        trouble: the damage; "" if there is none, and nothing was written.
        read: events read from the file.
        from_backups: events only found in backups.
        lost: events that existed and cannot be recovered.
        documents: plans and guidelines, of both.
        written: the new store; None if there was nothing to save.
        kept: where the damaged file is now.
        newest_backup: its day and its events; None without a backup.
    """

    trouble: str
    read: int
    from_backups: int = 0
    lost: int = 0
    documents: int = 0
    written: Path | None = None
    kept: Path | None = None
    newest_backup: tuple[date, int] | None = None


@dataclass
class _Saved:
    """Events by number, and documents by kind and id."""

    events: dict[int, LabelEvent] = field(default_factory=dict)
    documents: dict[tuple[str, str], str] = field(default_factory=dict)
    most: int = 0  # the highest number that is known to have been given
    n_refused: int = 0  # rows that no store would take


def repair(place: str | Path, *, replace: bool = False) -> Repair:
    """Save the labels of a file into a new store beside it.

    Args:
        place: the file, as for ``LabelStore``.
        replace: give the new store the name of the damaged file, which is renamed. Nothing else
            may have the file open.

    Raises:
        LabelError: there is no file and no backup, it is no SQLite file, or the new store cannot
            be written. Nothing has changed then.
    """
    url = parse_url(place)
    if url.get_backend_name() != "sqlite":
        raise LabelError("only SQLite files are repaired here: restore PostgreSQL from its backups")
    path = Path(str(url.database))
    backups = backups_of(path)
    if not path.is_file() and not backups and not wal_of(path).is_file():
        raise LabelError(f"there is no {path.name} and no backup of it: name another file")
    newest = (backups[-1].day, n_events(backups[-1].path)) if backups else None
    try:
        trouble = trouble_of(path)
        salvage = _read_damaged(path) if path.is_file() and path.stat().st_size else _Saved()
        trouble = trouble or _damage(path)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be read: {error.strerror}") from None
    n_own = len(salvage.events)
    if not trouble and not salvage.n_refused:
        return Repair("", n_own, documents=len(salvage.documents), newest_backup=newest)
    trouble = trouble or f"{salvage.n_refused:,} rows of {path.name} are no labels"
    for backup in reversed(backups):
        _add(salvage, _read_backup(backup.path))
    some = salvage.events or salvage.documents
    store_path, damaged_path = _write(path, salvage, replace) if some else (None, None)
    return Repair(
        trouble,
        n_own,
        len(salvage.events) - n_own,
        max(salvage.most - len(salvage.events), 0),
        len(salvage.documents),
        store_path,
        damaged_path,
        newest,
    )


def _add(salvage: _Saved, more: _Saved) -> None:
    """Add missing events and documents; an event is the same under another number."""
    ids = {event.id for event in salvage.events.values()}
    for seq, event in more.events.items():
        if seq not in salvage.events and event.id not in ids:
            salvage.events[seq] = event
    for name, content in more.documents.items():
        salvage.documents.setdefault(name, content)
    salvage.most = max(salvage.most, more.most)


# Reading


def _damage(path: Path) -> str:
    """The result of an integrity check of a copy of the file; "" if it is intact."""
    with private_copy(path) as folder, closing(_connect(Path(folder) / path.name)) as db:
        try:
            messages = [str(row[0]) for row in db.execute("PRAGMA integrity_check(3)")]
        except sqlite3.Error as error:
            messages = [str(error)]
    if messages == ["ok"]:
        return ""
    return f"{path.name} is damaged ({re.sub(r'[^ -~]+', ' ', '; '.join(messages))[:160]})"


def _read_damaged(path: Path) -> _Saved:
    with private_copy(path) as folder:
        copy = Path(folder) / path.name
        if trouble_of(copy):
            _give_head(copy)
        with closing(_connect(copy)) as db:
            return _read(db, _longest(copy))


def _read(db: sqlite3.Connection, longest: int) -> _Saved:
    salvage = _Saved()
    for row in _rows(db, _EVENTS, _COLUMNS, longest):
        _take_event(salvage, row)
    for kind, name, content in _rows(db, _DOCUMENTS, _DOCUMENT_COLUMNS, longest):
        if all(isinstance(text, str) for text in (kind, name, content)):
            salvage.documents[kind, name] = content
    for question in (f"SELECT max(seq) FROM {_EVENTS}", f"SELECT max(rowid) FROM {_EVENTS}"):
        with suppress(sqlite3.Error, TypeError, ValueError):
            salvage.most = max(salvage.most, int(db.execute(question).fetchone()[0] or 0))
    return salvage


def _give_head(copy: Path) -> None:
    """Replace the first page by that of a new store: every store has its tables on the same pages.
    If this one has not, its rows are no valid events.
    """
    with tempfile.TemporaryDirectory(prefix="rivae-labels-") as folder:
        LabelStore(Path(folder) / "new.db").close()
        first = bytearray((Path(folder) / "new.db").read_bytes()[:PAGE])
    n_pages = -(-copy.stat().st_size // PAGE)
    first[28:40] = n_pages.to_bytes(4, "big") + bytes(8)  # and no list of free pages
    first[92:96] = first[24:28]  # so that this number of pages counts
    with copy.open("r+b") as stream:
        stream.write(first)


def _read_backup(path: Path) -> _Saved:
    try:
        return _read_damaged(path)
    except (OSError, sqlite3.Error):
        return _Saved()


def _take_event(salvage: _Saved, row: Row) -> None:
    record: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    seq = record.pop("seq")
    for name in ("suggested", "repeat"):
        record[name] = bool(record[name])
    try:
        event = from_record(record)
    except (LabelError, TypeError, ValueError):
        salvage.n_refused += 1
        return
    if isinstance(seq, int) and seq > 0:
        salvage.events[seq] = event
        salvage.most = max(salvage.most, seq)
    else:
        salvage.n_refused += 1


def _longest(path: Path) -> int:
    """An upper bound of the rows of the file, from its size and the size in its header."""
    with path.open("rb") as stream:
        head = stream.read(100)
    size = path.stat().st_size + (wal_of(path).stat().st_size if wal_of(path).exists() else 0)
    if head.startswith(HEAD) and len(head) == 100:
        page = int.from_bytes(head[16:18], "big")
        size_in_head = int.from_bytes(head[28:32], "big") * (65536 if page == 1 else page)
        size = max(size, min(size_in_head, 16 * size))
    return size // _SMALLEST_ROW + 1


def _rows(
    db: sqlite3.Connection, table: str, columns: tuple[str, ...], longest: int
) -> Iterator[Row]:
    """The rows that SQLite still reads, in the order of their row numbers, which begin at 1."""
    names = ", ".join(f'"{name}"' for name in columns)
    after = 0
    while after < longest:
        rows: list[Row] = []
        try:
            cursor = db.execute(
                f"SELECT rowid, {names} FROM {table} NOT INDEXED WHERE rowid > ? ORDER BY rowid "
                "LIMIT ?",
                (after, _STEP),
            )
            for row in cursor:
                rows.append(row)
            whole = True
        except sqlite3.Error as error:
            if "no such" in str(error) or "not a database" in str(error):
                return
            whole = False
        for number, *values in rows:
            yield tuple(values)
            after = number
        if whole and len(rows) < _STEP:
            return
        if not whole:
            after += 1  # the next row may be on an intact page


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True)
    db.text_factory = _text
    # Otherwise it reads nothing of a file that has been cut off.
    with suppress(sqlite3.Error):
        db.execute("PRAGMA writable_schema=ON")
    return db


def _text(content: bytes) -> str | bytes:
    """Text, or bytes that are not UTF-8: an error would end the query."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


# Writing


def _write(path: Path, salvage: _Saved, replace: bool) -> tuple[Path, Path]:
    """The new store, and where the damaged file is now."""
    new = _free(path, "repaired")
    try:
        with LabelStore(new) as store, store.writing() as connection:
            rows = [
                {**event.record(), "time": time_text(event.time), "seq": seq}
                for seq, event in sorted(salvage.events.items())
            ]
            if rows:
                connection.execute(sql.label_events.insert(), rows)
            documents: list[Mapping[str, str]] = [
                {"kind": kind, "id": name, "content": content}
                for (kind, name), content in sorted(salvage.documents.items())
            ]
            if documents:
                connection.execute(sql.label_documents.insert(), documents)
    except LabelError:
        for part in _parts(new):
            part.unlink(missing_ok=True)
        raise
    if not replace:
        return new, path
    damaged_path = _free(path, "damaged")
    try:
        for part, name in zip(_parts(path), _parts(damaged_path), strict=True):
            if part.exists():
                part.rename(name)
        new.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise LabelStoreError(
            f"{new.name} holds the labels, but cannot take the place of {path.name} "
            f"({error.strerror}): rename it yourself"
        ) from None
    return path, damaged_path


def _parts(path: Path) -> tuple[Path, ...]:
    return path, wal_of(path), path.with_name(f"{path.name}-shm")


def _free(path: Path, word: str) -> Path:
    """A name beside the file that nothing has: ``labels.repaired.db``, ``labels.repaired-2.db``."""
    n = 1
    while True:
        number = f"-{n}" if n > 1 else ""
        candidate = path.with_name(f"{path.stem}.{word}{number}{path.suffix}")
        if not any(part.exists() for part in _parts(candidate)):
            return candidate
        n += 1
