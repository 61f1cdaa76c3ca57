"""The SQLite file of the ledger: opened for one call, created on first use, its rows as jobs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig, parse_config
from rivae.base.errors import ConfigError, RunError
from rivae.base.files import private_file
from rivae.jobs.records import STATES, Job, make_private

SCHEMA_VERSION = 1
PATIENCE_S = 20.0
ORDER = "priority DESC, place, queued, id"
_CREATE = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, run TEXT NOT NULL, config TEXT NOT NULL, state TEXT NOT NULL,
    priority INTEGER NOT NULL, place REAL NOT NULL, processes INTEGER NOT NULL,
    slots TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
    max_restarts INTEGER NOT NULL, cancelling INTEGER NOT NULL DEFAULT 0,
    boot TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',
    queued TEXT NOT NULL, started TEXT NOT NULL DEFAULT '', ended TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state);
"""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the ledger in ``path``, which is created if it is missing.

    Raises:
        RunError: for every error of the file, in one sentence.
    """
    try:
        make_private(path.parent)
        private_file(path)  # SQLite gives its other files the same rights
        if not path.is_file():
            raise OSError("it is not a plain file")
        with closing(sqlite3.connect(path, timeout=PATIENCE_S)) as db:
            db.isolation_level = None
            db.row_factory = sqlite3.Row
            _prepare(db)
            yield db
    except (sqlite3.Error, OSError) as error:
        raise RunError(
            f"the queue in {path.parent.name}/{path.name} cannot be used ({error}): free some "
            "space, or restore the file"
        ) from None


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """``opened`` inside a transaction that is the only writer; an error undoes it."""
    with opened(path) as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _prepare(db: sqlite3.Connection) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise RunError("the queue was written by a newer version: update rivae to open it")
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:  # SQLite does not wait here for others that open it too
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    db.executescript(f"BEGIN IMMEDIATE; {_CREATE} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")


def row_of(db: sqlite3.Connection, job_id: str) -> sqlite3.Row:
    """The row of a job; RunError when there is none."""
    row = db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise RunError(f"there is no job '{job_id[:40]}': choose one of `rivae jobs`")
    return row


def update(db: sqlite3.Connection, job_id: str, **values: Any) -> None:
    """Change some columns of a job's row."""
    names = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE jobs SET {names} WHERE id = ?", (*values.values(), job_id))


def last_place(db: sqlite3.Connection) -> float:
    """The place after all others."""
    return float(db.execute("SELECT coalesce(max(place), 0) + 1 FROM jobs").fetchone()[0])


def job_of(row: sqlite3.Row) -> Job:
    """The entry of a row; a damaged row becomes a failed job without a configuration."""
    config: RunConfig | None = None
    try:
        config = parse_config(row["config"], f"the entry of {row['run']}")
        trouble = "" if row["state"] in STATES else f"unknown state {row['state']!r:.40}"
    except ConfigError as error:
        trouble = str(error)
    message = f"this entry of the queue is damaged ({trouble}): remove it"
    return Job(
        id=row["id"],
        config=None if trouble else config,
        run=str(row["run"]),
        state="failed" if trouble else row["state"],
        message=message if trouble else row["message"],
        priority=row["priority"],
        processes=row["processes"],
        slots=tuple(str(row["slots"]).split()),
        attempts=row["attempts"],
        max_restarts=row["max_restarts"],
        cancelling=bool(row["cancelling"]),
        boot=row["boot"],
        queued=row["queued"],
        started=row["started"],
        ended=row["ended"],
    )
