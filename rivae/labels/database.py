"""Opens the database of labels: a SQLite file, or PostgreSQL by its URL.

For ``store.py`` both behave alike: only one write transaction runs at a time, so sequence numbers
become visible in order, and a commit that returned is on the disk.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from rivae.errors import ConfigError, LabelError, LabelStoreError
from rivae.files import home_path, private_file, private_folder
from rivae.labels import sql

PATIENCE_S = 30.0  # for another writer
_LOCK = 0x52495641  # "RIVA": the advisory lock of our writers on a PostgreSQL server
_NO_FILE = "labels need a SQLite file: write sqlite:///labels.db"
_SQLITE_HEAD = b"SQLite format 3\x00"


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


def open_engine(url: URL) -> tuple[Engine, bool]:
    """An engine on a database with a checked layout (created if it was empty), and whether it is
    read-only.

    Raises:
        LabelError: it cannot be opened, is not ours or was written by a newer version.
    """
    sqlite = url.get_backend_name() == "sqlite"
    read_only = sqlite and _only_readable(Path(str(url.database)))
    if sqlite and not read_only:
        _check_file(Path(str(url.database)))
    try:
        engine = _sqlite(url, read_only) if sqlite else _postgresql(url)
    except (ImportError, NoSuchModuleError):
        raise LabelError(
            "PostgreSQL needs a driver that is not installed: pip install 'psycopg[binary]'"
        ) from None
    try:
        if read_only:
            with as_label_errors(url), engine.connect() as connection:
                _prepare(connection, url, make=False)
        else:
            with as_label_errors(url), writing(engine) as connection:
                _prepare(connection, url)
        if sqlite and not read_only:
            with as_label_errors(url), engine.connect() as connection:
                _write_ahead(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine, read_only


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that no other writer shares; it commits at the end, or leaves no trace."""
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
        reason = str(getattr(error, "orig", None) or type(error).__name__).strip()
        raise LabelStoreError(
            f"the store of labels at {display(url)} did not answer as it should "
            f"({_without_secrets(reason, url)}): check that it can be reached and written to"
        ) from None


def _without_secrets(reason: str, url: URL) -> str:
    words = re.sub(r"\s+", " ", reason)[:300]
    secrets = [url.password, *(v for v in url.query.values() if isinstance(v, str))]
    for secret in secrets:
        if secret:
            words = words.replace(str(secret), "***")
    return words


def _only_readable(path: Path) -> bool:
    """Whether the file exists but it or its folder is read-only (a DVD, a snapshot)."""
    try:
        if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            return False
        left = path.with_name(path.name + "-wal")
        unfinished = left.exists() and left.stat().st_size > 0
    except OSError as error:
        raise LabelError(f"{path.name} cannot be opened: {error.strerror}") from None
    if unfinished:
        raise LabelError(
            f"the last labels of {path.name} are still in {left.name}, and this folder cannot be "
            "written: copy both files to one that can"
        )
    return True


def _check_file(path: Path) -> None:
    # Only its first bytes are read, so that a stranger's file stays as it is.
    try:
        private_folder(path.parent)
        if path.exists() and path.stat().st_size:
            with path.open("rb") as stream:
                head = stream.read(len(_SQLITE_HEAD))
            if head != _SQLITE_HEAD:
                raise LabelError(f"{path.name} is not a database of labels: choose another file")
        # SQLite gives the files next to it the same rights; files left by a crash have others.
        private_file(path)
        for extra in (path.with_name(path.name + end) for end in ("-wal", "-shm")):
            if extra.exists():
                private_file(extra)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be opened: {error.strerror}") from None


def _prepare(connection: Connection, url: URL, *, make: bool = True) -> None:
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    if "label_schema" not in names:
        # A PostgreSQL database may hold tables of others; a file is ours alone.
        shared = connection.dialect.name == "postgresql"
        if names & sql.OWN_TABLES or (names and not shared) or not make:
            raise LabelError(f"{display(url)} is not a database of labels: choose another place")
        sql.create(connection)
        return
    version = sql.found_version(connection)
    if version is None or sql.OWN_TABLES - names:
        raise LabelError(f"{display(url)} is not a database of labels: choose another place")
    if version > sql.SCHEMA_VERSION:
        raise LabelError(f"{display(url)} was written by a newer version: update rivae to open it")


def _sqlite(url: URL, read_only: bool) -> Engine:
    if read_only:  # "immutable": SQLite then tries to make no file next to it
        place = quote(str(Path(str(url.database)).absolute()))
        query = {"mode": "ro", "immutable": "1", "uri": "true"}
        url = url.set(database=f"file:{place}", query=query)
    engine = create_engine(url, connect_args={"timeout": PATIENCE_S}, pool_size=8, max_overflow=-1)

    @event.listens_for(engine, "connect")
    def _connect(dbapi: sqlite3.Connection, _record: Any) -> None:
        # Switches off sqlite3's own start of transactions (see _begin).
        dbapi.isolation_level = None
        with closing(dbapi.cursor()) as cursor:
            cursor.execute("PRAGMA synchronous=FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer waits for its turn here; waiting inside the transaction would deadlock.
        write = connection.get_execution_options().get("label_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _write_ahead(connection: Connection) -> None:
    """Switch the file to WAL for good.

    Where that fails (some network drives) the usual journal stays: slower and just as safe.
    """
    deadline = time.monotonic() + PATIENCE_S
    with closing(connection.connection.cursor()) as cursor:
        while True:
            try:
                cursor.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError:
                # SQLite does not wait by itself while others open the same new file.
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
