"""Rename a run and the references to it, holding its lock and a transaction of the queue.

A run whose renaming was killed can still be used.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rivae.base.config import RunConfig, run_config
from rivae.base.errors import RivaeError, RunError
from rivae.base.files import is_folder, locked, sync_folder, why_not, write_atomic, write_json
from rivae.jobs.ledger import Ledger
from rivae.jobs.ledger_db import changing, job_of, update
from rivae.jobs.records import ALIVE
from rivae.runs import Run, list_runs, runs_root
from rivae.runs.folders import is_demo_name, require_among_runs, require_free_name

if TYPE_CHECKING:
    from rivae.exploring.tours import Tour

log = logging.getLogger("rivae.jobs")


def children_of(run: Run) -> list[Run]:
    """The runs in the same folder that were derived from it."""
    return [child for child in list_runs([run.path.parent]) if child.parent == run.id]


def _refining(run: Run) -> list[Run]:
    """The runs in the same folder that refine it (``rivae.runs.refinement``)."""
    others = list_runs([run.path.parent])
    configs = [(other, other.config_or_none) for other in others]
    return [other for other, config in configs if config and config.refines == run.id]


def require_free(
    name: str,
    root: Path,
    db: sqlite3.Connection | None = None,
    but: Collection[str] = (),
    *,
    returns: bool = False,
) -> None:
    """RunError when a run of this name is in ``root``, among the other runs, or in its queue.

    Args:
        but: ids of entries of the queue that do not count.
        returns: the run had this name before, so that of a demo run is its own.
    """
    is_taken = any(os.path.lexists(folder / name) for folder in (root, runs_root()))
    if db is not None:
        rows = db.execute("SELECT id FROM jobs WHERE run = ?", (name,))
        is_taken |= any(row["id"] not in but for row in rows)
    else:
        is_taken |= any(job.run == name and job.id not in but for job in Ledger(root).jobs())
    if is_taken or not (returns and is_demo_name(name)):
        require_free_name(name, root, is_taken)


def rename(run: Run, name: str) -> Run:
    """Rename a run: its folder, configuration, entry in the queue, the runs derived from it and the
    tours that show it.

    If it is killed, the run has one of the two names, and the same call finishes the rest.

    Raises:
        ConfigError: the name cannot name a run.
        RunError: the name is taken; the run may not be changed (``rivae.runs.folders``), is
            training, or an unfinished part of a batch; or a file cannot be written. Nothing has
            changed then.
    """
    require_among_runs(run)
    config = run_config(**{**run.config.model_dump(), "name": name})
    root, target = run.path.parent, run.path.with_name(name)
    if name == run.id:
        _write_config(run, config)
        return run
    with ExitStack() as undo:
        with held(run) as db:
            require_free(name, root, db)
            _require_apart(run)
            for named_by, others in (("parent", children_of(run)), ("refines", _refining(run))):
                for other in filter(lambda run: is_folder(run.path), others):
                    undo.callback(_restore, other, _config_file(other).read_bytes())
                    _write_config(other, other.config.model_copy(update={named_by: name}))
            # Before the folder: if the configuration has the new name already, the folder can
            # still be renamed; the folder's name is the one that counts.
            undo.callback(_restore, run, _config_file(run).read_bytes())
            _write_config(run, config)
            if db is not None:
                _rename_entry(db, run.id, name)
                _follow_in_queue(db, run.id, name)
            undo.callback(_move, target, run.path)
            _move(run.path, target)
        undo.pop_all()
    sync_folder(root)
    _follow_in_tours(root, run.id, name)
    return Run(target)


@contextmanager
def held(run: Run) -> Iterator[sqlite3.Connection | None]:
    """Keep others from training, queueing or resuming the run; yields the queue if there is one."""
    ledger = Ledger(run.path.parent)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(run.lock_path))
        except BlockingIOError:
            raise RunError(f"{run.id} is being trained: cancel it, or wait for it") from None
        except OSError as error:
            raise RunError(f"cannot write the folder of {run.id}: {error.strerror}") from None
        db = stack.enter_context(changing(ledger.path)) if ledger.path.exists() else None
        if db is not None:
            rows = db.execute("SELECT state FROM jobs WHERE run = ?", (run.id,)).fetchall()
            for row in rows:
                if row["state"] == "queued" or row["state"] in ALIVE:
                    raise RunError(f"{run.id} is {row['state']}: cancel it first")
        yield db


# helpers


def _require_apart(run: Run) -> None:
    """RunError when the run is to continue in one batch with others, which know it by name."""
    status = run.status_or_none
    if status is None or status.state == "finished":
        return
    for name in status.batch:
        partner = Run(run.path.with_name(name)) if Path(name).name == name else run
        other = partner.status_or_none
        if name != run.id and other is not None and other.state != "finished":
            raise RunError(
                f"{run.id} trains as one batch with {name}: let them finish before it is renamed"
            )


def _config_file(run: Run) -> Path:
    return run.path / "config.json"


def _restore(run: Run, config: bytes) -> None:
    if run.path.is_dir():  # not moved
        write_atomic(_config_file(run), config)


def _write_config(run: Run, config: RunConfig) -> None:
    if not run.path.is_dir():
        return  # moved already
    try:
        write_json(_config_file(run), config.model_dump(mode="json"))
    except OSError as error:
        raise RunError(f"{run.path} cannot be written: {why_not(error)}") from None


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
            new_config = config.model_copy(update={"name": new})
            update(db, row["id"], config=new_config.model_dump_json())


def _follow_in_queue(db: sqlite3.Connection, old: str, new: str) -> None:
    """Write the new name into what waits to refine the run."""
    for row in db.execute("SELECT * FROM jobs").fetchall():
        config = job_of(row).config
        if config is not None and config.refines == old:
            follows = config.model_copy(update={"refines": new})
            update(db, row["id"], config=follows.model_dump_json())


def _follow_in_tours(root: Path, old: str, new: str) -> None:
    """Write the new name into the tours, if they belong to this folder of runs."""
    from rivae.exploring.tours import change_tour, list_tours, tours_folder

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
