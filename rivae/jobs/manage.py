"""Rename and delete runs, so that a kill in between leaves nothing that cannot be used.

Both hold the run's lock and the queue's transaction: nobody can start or resume it meanwhile.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rivae.config import RunConfig, run_config
from rivae.errors import RivaeError, RunError
from rivae.files import locked, sync_folder, write_json
from rivae.jobs.agent import log_path
from rivae.jobs.ledger import Ledger
from rivae.jobs.ledger_file import changing, job_of, update
from rivae.jobs.records import ALIVE
from rivae.runs import DEMO_ROOT, Run, list_runs, runs_root
from rivae.runs.notes import require_own

if TYPE_CHECKING:
    from rivae.tours.tour import Tour

_TRASH = re.compile(r"\.[0-9a-f]{32}\.trash")
log = logging.getLogger("rivae.jobs")


def size_of(run: Run) -> int:
    """The bytes of all files in the run's folder; what links point to does not count."""
    total = 0
    for folder, _, names in os.walk(run.path):
        for name in names:
            try:
                total += os.lstat(Path(folder) / name).st_size
            except OSError:
                continue  # gone a moment ago
    return total


def children_of(run: Run) -> list[Run]:
    """The runs beside it that were derived from it."""
    return [child for child in list_runs([run.path.parent]) if _parent(child) == run.id]


def require_free(name: str, root: Path, db: sqlite3.Connection | None = None) -> None:
    """RunError when a run of this name is in ``root``, among the other runs, or in its queue."""
    taken = any((folder / name).exists() for folder in (root, runs_root(), DEMO_ROOT))
    if db is not None:
        taken |= db.execute("SELECT 1 FROM jobs WHERE run = ?", (name,)).fetchone() is not None
    else:
        taken |= any(job.run == name for job in Ledger(root).jobs())
    if taken:
        raise RunError(f"a run named {name} exists already: choose another name")


def rename(run: Run, name: str) -> Run:
    """Give a run another name: its folder, configuration, entry in the queue, the runs derived
    from it and the tours that show it.

    Killed in between, the run is there under one of the two names; the same call does the rest.

    Raises:
        ConfigError: the name cannot name a run.
        RunError: the name is taken; the run is alive, read-only, or an unfinished part of a batch;
            or a file cannot be written. Nothing has changed then.
    """
    require_own(run)
    config = run_config(**{**run.config.model_dump(), "name": name})
    root, moved = run.path.parent, run.path.with_name(name)
    if name == run.id:
        _write_config(run, config)
        return run
    with ExitStack() as undo:
        with _held(run) as db:
            require_free(name, root, db)
            _require_apart(run)
            for child in children_of(run):
                undo.callback(_write_config, child, child.config)
                _write_config(child, child.config.model_copy(update={"parent": name}))
            # Before the folder: a folder that says what it is about to be called can be renamed
            # again; its own name is the one that counts.
            undo.callback(_write_config, run, run.config)
            _write_config(run, config)
            if db is not None:
                _rename_entry(db, run.id, name)
            undo.callback(_move, moved, run.path)
            _move(run.path, moved)
        undo.pop_all()
    sync_folder(root)
    _follow_in_tours(root, run.id, name)
    return Run(moved)


def delete(run: Run) -> int:
    """Delete a run's folder, its entry in the queue and its log; the bytes that were freed.

    Raises:
        RunError: the run is alive or read-only, and nothing has changed; or it is out of every
            list, but its files cannot be removed.
    """
    require_own(run)
    size, root = size_of(run), run.path.parent
    trash = run.path.with_name(f".{uuid.uuid4().hex}.trash")
    with ExitStack() as undo:
        with _held(run) as db:
            gone = _remove_entries(db, run.id) if db is not None else []
            undo.callback(_move, trash, run.path)
            _move(run.path, trash)
        undo.pop_all()
    for job_id in gone:
        log_path(root, job_id).unlink(missing_ok=True)
    sweep(root)
    if os.path.lexists(trash):
        raise RunError(f"{run.id} is deleted, but some files are left in {trash}: remove them")
    return size


def sweep(root: Path) -> None:
    """Remove what deletions that were killed have left below ``root``."""
    for path in root.glob(".*.trash"):
        if not _TRASH.fullmatch(path.name):
            continue
        if path.is_symlink():
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path, ignore_errors=True)


# helpers


@contextmanager
def _held(run: Run) -> Iterator[sqlite3.Connection | None]:
    """Nobody trains, queues or resumes the run meanwhile; the queue, where there is one."""
    ledger = Ledger(run.path.parent)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(run.lock_path))
        except BlockingIOError:
            raise RunError(f"{run.id} is being trained: cancel it, or wait for it") from None
        except OSError as error:
            raise RunError(f"cannot write {run.path}: {error.strerror}") from None
        db = stack.enter_context(changing(ledger.path)) if ledger.path.exists() else None
        if db is not None:
            rows = db.execute("SELECT state FROM jobs WHERE run = ?", (run.id,)).fetchall()
            for row in rows:
                if row["state"] == "queued" or row["state"] in ALIVE:
                    raise RunError(f"{run.id} is {row['state']}: cancel it first")
        yield db


def _require_apart(run: Run) -> None:
    """RunError when the run still has to go on together with others, which know it by name."""
    try:
        status = run.status
    except RunError:
        return
    if status.state == "finished":
        return
    for name in status.batch:
        partner = Run(run.path.with_name(name)) if Path(name).name == name else run
        if name != run.id and partner.path.is_dir() and _unfinished(partner):
            raise RunError(
                f"{run.id} trains as one batch with {name}: let them finish before it is renamed"
            )


def _unfinished(run: Run) -> bool:
    try:
        return run.status.state != "finished"
    except RunError:
        return False


def _parent(run: Run) -> str | None:
    try:
        return run.config.parent
    except RivaeError:
        return None


def _write_config(run: Run, config: RunConfig) -> None:
    if not run.path.is_dir():
        return  # moved already
    try:
        write_json(run.path / "config.json", config.model_dump(mode="json"))
    except OSError as error:
        raise RunError(f"cannot write {run.path}: {error.strerror}") from None


def _move(source: Path, target: Path) -> None:
    if not os.path.lexists(source):
        return  # nothing to undo
    try:
        source.rename(target)
    except OSError as error:
        why = error.strerror
        raise RunError(f"the folder of run {source.name} cannot be moved: {why}") from None


def _rename_entry(db: sqlite3.Connection, old: str, new: str) -> None:
    for row in db.execute("SELECT * FROM jobs WHERE run = ?", (old,)).fetchall():
        update(db, row["id"], run=new)
        config = job_of(row).config
        if config is not None:
            renamed = config.model_copy(update={"name": new})
            update(db, row["id"], config=renamed.model_dump_json())


def _remove_entries(db: sqlite3.Connection, name: str) -> list[str]:
    found = [row["id"] for row in db.execute("SELECT id FROM jobs WHERE run = ?", (name,))]
    db.execute("DELETE FROM jobs WHERE run = ?", (name,))
    return found


def _follow_in_tours(root: Path, old: str, new: str) -> None:
    """Tours lie beside the runs that new ones are written to."""
    from rivae.tours.folder import change_tour, list_tours, tours_folder

    if tours_folder().parent.resolve() != root.resolve():
        return

    def change(tour: Tour) -> Tour:
        steps = (replace(s, run=new) if s.run == old else s for s in tour.steps)
        return replace(tour, steps=tuple(steps))

    for file in list_tours():
        if file.tour is not None and any(step.run == old for step in file.tour.steps):
            try:
                change_tour(file.id, change)
            except RivaeError as error:
                log.warning("tour %s still shows %s: %s", file.id, old, error)
