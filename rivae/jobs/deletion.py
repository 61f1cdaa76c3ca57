"""Delete runs and imported data by moving them into the trash, and restore them.

A run's entries in the queue and their logs move with it. If the process is killed meanwhile, the
folder is in one of the two places, and a leftover entry can be removed or restored.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig, parse_config
from rivae.base.errors import ConfigError, RunError
from rivae.data.store import data_root, own_store
from rivae.exploring.tours import restore_tour, trash_of_tours
from rivae.exploring.words.names_trash import restore_names, trash_of_names
from rivae.jobs.agent import log_path
from rivae.jobs.ledger import Ledger
from rivae.jobs.ledger_db import changing
from rivae.jobs.records import ALIVE, RESUMABLE
from rivae.jobs.renaming import held, require_free
from rivae.runs import Run, list_runs, runs_root
from rivae.runs.folders import require_among_runs
from rivae.runs.trash import Deleted, Kind, Trash

_LOG = re.compile(r"[0-9a-f]{12}\.log")
_JOB = re.compile(r"[0-9a-f]{12}")


def trash_of_runs() -> Trash:
    """The trash of runs."""
    return Trash(runs_root(), "run")


def trash_of_imports() -> Trash:
    """The trash of imported data sets."""
    return Trash(data_root(), "import")


TRASHES: dict[Kind, Callable[[], Trash]] = {
    "run": trash_of_runs,
    "import": trash_of_imports,
    "tour": trash_of_tours,
    "names": trash_of_names,
}


def note_date() -> None:
    """Record today as a date on which the app ran, for all trashes that are not empty."""
    for trash in TRASHES.values():
        trash().note_date()


def purge_all() -> None:
    """Permanently remove entries that were in the trash on 30 dates on which the app ran."""
    for trash in TRASHES.values():
        trash().purge()


def delete_run(run: Run, now: datetime | None = None) -> Deleted:
    """Move a run into the trash, with its entries in the queue and their logs.

    Raises:
        DataError, RunError: it is training, may not be changed (``rivae.runs.folders``), or cannot
            be moved. Nothing has changed then.
    """
    require_among_runs(run)
    root, trash = run.path.parent, Trash(run.path.parent, "run")
    with ExitStack() as undo:
        with held(run) as db:
            rows = _take_entries(db, run.id) if db is not None else []
            entry = trash.put(run.id, more={"jobs": rows}, now=now)
            undo.callback(trash.restore, entry.id)  # in case the queue cannot be written
        undo.pop_all()
    for row in rows:
        with suppress(OSError):
            log_path(root, row["id"]).rename(entry.path / f"{row['id']}.log")
    trash.purge(now)
    return entry


def restore_run(name: str) -> Run:
    """Restore a run from the trash; ``name`` is its name, or the id of an entry.

    Raises:
        DataError, RunError: there is none in the trash, or its name is taken now; nothing has
            changed then.
    """
    trash = trash_of_runs()
    entry = trash.entry(name)
    rows, ledger = _entries_of(entry), Ledger(trash.root)
    logs = [path for path in entry.path.iterdir() if _LOG.fullmatch(path.name)]
    with ExitStack() as stack:
        db = stack.enter_context(changing(ledger.path)) if ledger.path.exists() else None
        try:
            require_free(entry.name, trash.root, db, but=[row["id"] for row in rows], returns=True)
        except RunError:
            raise RunError(
                f"there is another run named {entry.name}: rename or delete it first"
            ) from None
        if db is not None:
            _give_back(db, rows)
            for log in logs:
                log.rename(log_path(trash.root, log.stem))
        return Run(trash.restore(entry.id))


def runs_on(store: Path, runs: Iterable[Run] | None = None) -> list[Run]:
    """The runs (among ``runs``) that were or will be trained on the import in this folder."""
    among = list_runs([runs_root()]) if runs is None else runs
    return [run for run in among if _needs(run.config_or_none, store)]


def delete_import(name: str, now: datetime | None = None) -> Deleted:
    """Move an imported data set into the trash; runs on it do not open until it is restored.

    Raises:
        DataError: there is no import of this name, its folder is not one, or cannot be moved.
        RunError: a run trains on it, or is queued to.
    """
    store = own_store(name)
    waiting = [
        job.run for job in Ledger(runs_root()).jobs("queued", *ALIVE) if _needs(job.config, store)
    ]
    training = [run.id for run in runs_on(store) if run.is_training]
    for run_id in (*waiting, *training):
        raise RunError(f"{run_id} is to be trained on {name}: cancel it first, or wait for it")
    trash = trash_of_imports()
    entry = trash.put(name, now=now)
    trash.purge(now)
    return entry


def restore_import(name: str) -> Path:
    """Restore an import from the trash; ``name`` is its name, or the id of an entry.

    Raises:
        DataError: there is none in the trash, or its name is taken now.
    """
    return trash_of_imports().restore(name)


def all_deleted() -> list[Deleted]:
    """The entries of the trash, the last deleted first."""
    entries = [entry for trash in TRASHES.values() for entry in trash().entries()]
    return sorted(entries, key=lambda entry: (entry.deleted, entry.id), reverse=True)


def restore(entry: Deleted) -> str:
    """Restore a run, an import, a tour or axis names from the trash; returns the name.

    Raises:
        ConfigError, DataError, RunError: as ``restore_run``, ``restore_tour`` and
            ``restore_names``.
    """
    if entry.kind == "run":
        return restore_run(entry.id).id
    if entry.kind == "tour":
        return restore_tour(entry.id)
    if entry.kind == "names":
        return restore_names(entry.id)
    return restore_import(entry.id).name


# helpers


def _take_entries(db: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    rows = [dict(row) for row in db.execute("SELECT * FROM jobs WHERE run = ?", (name,))]
    db.execute("DELETE FROM jobs WHERE run = ?", (name,))
    return rows


def _entries_of(entry: Deleted) -> list[dict[str, Any]]:
    """The valid entries of the queue that were deleted with a run."""
    rows = entry.more.get("jobs")
    return [row for row in rows if _is_entry(row, entry.name)] if isinstance(rows, list) else []


def _is_entry(row: Any, name: str) -> bool:
    """Whether a row belongs to the run ``name`` and has ended: restoring it starts nothing."""
    if not isinstance(row, dict) or not _JOB.fullmatch(str(row.get("id"))):
        return False
    try:
        config = parse_config(str(row.get("config")), "")
    except ConfigError:
        return False
    has_ended = row.get("state") in ("finished", *RESUMABLE)
    return has_ended and row.get("run") == config.name == name


def _give_back(db: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    columns = [str(column["name"]) for column in db.execute("PRAGMA table_info(jobs)")]
    for row in rows:
        values = {
            name: row[name] for name in columns if isinstance(row.get(name), str | int | float)
        }
        marks = ", ".join("?" * len(values))
        # An entry that was not removed from the queue stays unchanged.
        db.execute(
            f"INSERT OR IGNORE INTO jobs ({', '.join(values)}) VALUES ({marks})",
            tuple(values.values()),
        )


def _needs(config: RunConfig | None, store: Path) -> bool:
    """Whether a run with this configuration is trained on the import in this folder."""
    setting = None if config is None else config.dataset.settings.get("store")
    if not isinstance(setting, str) or not setting or "\0" in setting:
        return False
    return setting == store.name or Path(setting).absolute() == store.absolute()
