"""Opens the database of labels: a SQLite file, or PostgreSQL by its URL.

For ``store.py`` both behave alike: only one write transaction runs at a time, so sequence numbers
become visible in order, and a commit that returned is on the disk.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from rivae.base.errors import ConfigError, LabelError, LabelStoreError
from rivae.base.installed import how_to_install
from rivae.base.paths import home_path
from rivae.labels import sql
from rivae.labels.sqlite_file import (
    REPAIR,
    has_wal,
    is_only_readable,
    make_file,
    private_copy,
    require_whole,
)

PATIENCE_S = 2.0  # to wait for another writer
_LOCK = 0x52495641  # "RIVA": the advisory lock of our writers on a PostgreSQL server
_NO_FILE = "labels need a SQLite file: write sqlite:///labels.db"
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# The file or a file beside it cannot be written; its content may still be readable.
_NO_ROOM = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
)
_PG_LOCKED = frozenset({"55P03", "57014"})  # lock_not_available, query_canceled


@dataclass(frozen=True)
class Opened:
    """An opened database.

    Attributes:
        engine: on it.
        read_only: why nothing can be added, as the end of a sentence; "" if it can.
        copy: the folder of the copy that is read instead of the file; None without one.
    """

    engine: Engine
    read_only: str = ""
    copy: TemporaryDirectory[str] | None = None

    def close(self) -> None:
        self.engine.dispose()
        if self.copy is not None:
            self.copy.cleanup()


def parse_url(place: str | Path) -> URL:
    """The URL of a file or of a database.

    Args:
        place: a path, "sqlite:///path" or "postgresql://user:password@host/name".

    Raises:
        LabelError: for anything else, without repeating a password.
    """
    if isinstance(place, Path) or "://" not in place:
        if str(place).strip() == ":memory:" or str(place).startswith("file:"):
            raise LabelError(_NO_FILE)
        if not str(place).strip() or str(place) == ".":
            raise LabelError("the store of labels needs a place: give a file or a database URL")
        return URL.create("sqlite", database=_with_home(str(place)))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        raise LabelError(
            "this is not a database URL: write sqlite:///labels.db or postgresql://user@host/name"
        ) from None
    kind = url.get_backend_name()
    if kind == "postgres":
        kind = "postgresql"
    if kind not in ("sqlite", "postgresql"):
        raise LabelError(f"labels cannot be kept in '{kind[:40]}': use SQLite or PostgreSQL")
    if kind == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if not url.database or url.database == ":memory:" or url.query or url.host:
        raise LabelError(_NO_FILE)
    return url.set(drivername="sqlite", database=_with_home(url.database))


def _with_home(place: str) -> str:
    try:
        return str(home_path(place))
    except ConfigError as error:
        raise LabelError(str(error)) from None


def display(url: URL) -> str:
    """The place without user, password and options, for messages."""
    if url.get_backend_name() == "sqlite":
        return Path(str(url.database)).name
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{url.host or 'local'}{port}/{url.database or ''}"


ON_A_MEDIUM = "copy it to a folder that can be written, and open the copy"
NO_ROOM = "free some space on its disk and try again"


def open_database(url: URL) -> Opened:
    """Open a database, and check or create its layout; read-only if it cannot be written.

    Raises:
        LabelError: it cannot be opened, is damaged, not ours, or was written by a newer version.
    """
    if url.get_backend_name() != "sqlite":
        try:
            engine = _postgresql(url)
        except (ImportError, NoSuchModuleError):
            raise LabelError(
                f"PostgreSQL needs a driver that is not installed: {how_to_install('postgresql')}"
            ) from None
        with _closed_on_errors(engine), as_label_errors(url), writing(engine) as connection:
            _prepare(connection, url)
        return Opened(engine)
    path = Path(str(url.database))
    require_whole(path)
    if is_only_readable(path):
        return _opened_for_reading(url, path, ON_A_MEDIUM)
    try:
        return Opened(_opened_file(url, path))
    except SQLAlchemyError as error:
        trouble = LabelStoreError(_sentence(error, url))
        if _code(error) not in _NO_ROOM or not path.is_file():
            raise trouble from None
    try:
        return _opened_for_reading(url, path, NO_ROOM)
    except LabelError:
        raise trouble from None


def _opened_file(url: URL, path: Path) -> Engine:
    def fill(new: Path) -> None:
        new_engine = _sqlite(URL.create("sqlite", database=str(new)))
        try:
            with writing(new_engine) as connection:
                sql.create(connection)
            with new_engine.connect() as connection:
                _write_ahead(connection)
        finally:  # closing the last connection checkpoints the log
            new_engine.dispose()

    try:
        make_file(path, fill)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be opened: {error.strerror}") from None
    engine = _sqlite(url)
    with _closed_on_errors(engine), engine.connect() as connection:
        # Reading needs no lock.
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master")
        _prepare(connection, url, make=False)
        connection.rollback()
        _write_ahead(connection)
    engine.dispose()  # its connection has no busy timeout any more
    return engine


def _opened_for_reading(url: URL, path: Path, why: str) -> Opened:
    """Open the file read-only; a copy of it if it has a write-ahead log."""
    copy = None
    try:
        if has_wal(path):
            copy = private_copy(path)
    except OSError as error:
        raise LabelError(
            f"{path.name} cannot be written here, and not copied ({error.strerror}): copy it and "
            f"{path.name}-wal to a folder that can be written"
        ) from None
    place = path if copy is None else Path(copy.name) / path.name
    engine = _sqlite(url.set(database=str(place)), immutable=copy is None)
    try:
        with _closed_on_errors(engine), as_label_errors(url), engine.connect() as connection:
            _prepare(connection, url, make=False)
    except BaseException:
        if copy is not None:
            copy.cleanup()
        raise
    return Opened(engine, why, copy)


@contextmanager
def _closed_on_errors(engine: Engine) -> Iterator[None]:
    try:
        yield
    except BaseException:
        engine.dispose()
        raise


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """An exclusive write transaction, committed at the end or rolled back."""
    with engine.connect() as connection:
        connection = connection.execution_options(label_write=True)
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                connection.execute(text("SET LOCAL synchronous_commit = on"))
            yield connection


@contextmanager
def as_label_errors(url: URL) -> Iterator[None]:
    """Turns errors of the database into a LabelStoreError without the password."""
    try:
        yield
    except SQLAlchemyError as error:
        raise LabelStoreError(_sentence(error, url)) from None


def _code(error: SQLAlchemyError) -> int:
    """The primary error code of SQLite; 0 for errors of others."""
    return (getattr(getattr(error, "orig", None), "sqlite_errorcode", None) or 0) & 0xFF


def _sentence(error: SQLAlchemyError, url: URL) -> str:
    original = getattr(error, "orig", None)
    reason = _without_secrets(str(original or type(error).__name__).strip(), url)
    code = _code(error)
    if code in _LOCKED or getattr(original, "sqlstate", None) in _PG_LOCKED:
        return (
            f"another program has kept {display(url)} locked for {PATIENCE_S:g} s: wait for it or "
            "close it, then try again"
        )
    if code in _DAMAGED:
        return f"{display(url)} is damaged ({reason}): {REPAIR}"
    if code in _NO_ROOM:
        return (
            f"{display(url)} cannot be written ({reason}): free some space on its disk, and check "
            "that its folder can be written"
        )
    return (
        f"the store of labels at {display(url)} did not answer as it should ({reason}): check that "
        "it can be reached and written to"
    )


def _without_secrets(reason: str, url: URL) -> str:
    words = re.sub(r"\s+", " ", reason)[:300]
    secrets = [url.password, *(v for v in url.query.values() if isinstance(v, str))]
    for secret in secrets:
        if secret:
            words = words.replace(str(secret), "***")
    return words


def _prepare(connection: Connection, url: URL, *, make: bool = True) -> None:
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    if "label_schema" not in names:
        # A PostgreSQL database may hold tables of others; a file is ours alone.
        is_shared = connection.dialect.name == "postgresql"
        if names & sql.OWN_TABLES or (names and not is_shared) or not make:
            raise LabelError(f"{display(url)} is not a database of labels: choose another place")
        sql.create(connection)
        return
    version = sql.found_version(connection)
    if version is None or sql.OWN_TABLES - names:
        raise LabelError(f"{display(url)} is not a database of labels: choose another place")
    if version > sql.SCHEMA_VERSION:
        raise LabelError(f"{display(url)} was written by a newer version: update rivae to open it")


def _sqlite(url: URL, *, immutable: bool = False) -> Engine:
    # Opening never creates a file; with "immutable" SQLite creates none next to it either.
    place = quote(str(Path(str(url.database)).absolute()))
    how = {"mode": "ro", "immutable": "1"} if immutable else {"mode": "rw"}
    uri = url.set(database=f"file:{place}", query={**how, "uri": "true"})
    engine = create_engine(uri, connect_args={"timeout": PATIENCE_S}, pool_size=8, max_overflow=-1)

    @event.listens_for(engine, "connect")
    def _connect(dbapi: sqlite3.Connection, _record: Any) -> None:
        # No implicit transactions (see _begin).
        dbapi.isolation_level = None
        with closing(dbapi.cursor()) as cursor:
            cursor.execute("PRAGMA synchronous=FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # Writers wait here, since waiting inside a transaction would deadlock.
        write = connection.get_execution_options().get("label_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _write_ahead(connection: Connection) -> None:
    """Switch the file to WAL permanently.

    If that fails (some network drives), the default journal is used: slower and as safe.
    """
    deadline = time.monotonic() + 1.0
    with closing(connection.connection.cursor()) as cursor:
        cursor.execute("PRAGMA busy_timeout=0")  # of this connection, which is closed then
        while True:
            try:
                if cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                    cursor.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError:
                # SQLite does not wait while others open the same new file.
                if time.monotonic() > deadline:
                    return
                time.sleep(0.02)


def _postgresql(url: URL) -> Engine:
    return create_engine(
        url,
        connect_args={"connect_timeout": 10, "options": f"-c lock_timeout={int(PATIENCE_S)}s"},
        pool_size=8,
        max_overflow=24,
        pool_pre_ping=True,
    )
