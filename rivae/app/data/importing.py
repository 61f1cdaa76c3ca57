"""Imports on the Data page without their widgets: names, start, process and record.

The process of an import holds ``.import.lock`` as long as it lives and keeps ``.import.json`` up to
date, which stays behind with the result; it ends when it finds ``.import.stop``. So an app that
restarts, or another one on the same data, finds the import there. No streamlit here.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.app.work.tasks import Task, Tasks, shared_out, start_process, step_back
from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.files import is_locked, locked, write_json
from rivae.base.progress import Progress, part
from rivae.base.reading.documents import read_own_form

if TYPE_CHECKING:
    from rivae.data.importing.plan import Plan

WORK = "rivae.app.data.importing:import_pairs"
RECORD, LOCK, STOP = ".import.json", ".import.lock", ".import.stop"
MAX_RECORD = 4 << 20
LOOK_S = 0.5
IMPORTING = 0.2  # of the time from files to a model
ENDED = "this import ended early: import the same files under the same name to resume"
TAKEN = "there is already a data set '{}': choose another name"
BUSY = "another import is running: wait for it, or stop it"
# One at a time: two would slow each other down.
tasks = Tasks(1, ConfigError, BUSY)


def newest() -> Task | None:
    """The import or check that anybody started last; None once it was closed.

    Where this app knows of none, the import that another app started (this one before a restart).
    """
    if not tasks.known and os.name == "posix":  # elsewhere nobody can tell whether it runs
        from rivae.data.store.manifest import data_root

        root = data_root().absolute()
        record = read_record(root)
        if record is not None:
            tasks.start(record.key, lambda: FoundTask(root, record))
    return next(reversed(list(tasks.known.values())), None)


def put_away(job: Task) -> None:
    """Show this import no longer; for callbacks."""
    from rivae.data.store.manifest import data_root

    tasks.forget(job.key)
    record = read_record(data_root())
    if record is not None and record.key == job.key:
        with suppress(OSError):
            (data_root() / RECORD).unlink(missing_ok=True)


def start(plan: Plan, runs: Path | None = None, is_named: bool = True) -> Task:
    """Begin the import, or its dry run.

    Args:
        runs: where a model of the import is made next, in one go with it; None without one.
        is_named: with ``runs``, whether the user chose the name; else the same files imported
            before under any name will do.

    Raises:
        ConfigError, DataError: when it cannot begin; in one sentence.
    """
    settings = plan.settings()
    settings.check()
    plan.source()  # wrong choices are refused here, before a process starts
    folder = settings.folder.absolute()
    if folder.exists() and not plan.dry_run and runs is None:
        raise DataError(TAKEN.format(plan.name))
    plan = plan.model_copy(update={"root": folder.parent})
    newest()
    key = f"{'check' if plan.dry_run else 'import'} {folder}"
    title = f"{'Check' if plan.dry_run else 'Import'} of {plan.name}" if runs is None else plan.name
    spec = {"plan": plan.model_dump_json(), "key": key, "title": title, "is_named": is_named}
    if runs is not None:
        spec["runs"] = str(runs.absolute())
    return tasks.start(
        key,
        lambda: start_process(key, title, WORK, spec),
        again=True,
    )


def import_pairs(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Import the pairs of ``plan``, or check them; with ``runs``, make a model of them; for the
    process.

    An import leaves a record in the folder of data sets, where an app that restarts finds it.
    """
    step_back()
    # Reported before the modules are loaded, which takes seconds on a busy machine.
    progress("reading the table", 0.0)
    from rivae.data.importing.plan import Plan

    plan = Plan.model_validate_json(spec["plan"])
    if plan.dry_run:  # a check writes nothing
        return _imported(plan, progress)
    root = plan.settings().folder.parent
    with ExitStack() as stack:
        try:
            keep = stack.enter_context(recording(root, spec["key"], spec["title"]))
        except BlockingIOError:
            raise ConfigError(BUSY) from None
        except OSError as error:
            raise DataError(f"{root} cannot be written: {error.strerror or error}") from None

        def say(stage: str, share: float) -> None:
            progress(stage, share)
            keep(stage=stage, share=share)

        needs = (plan.table, *plan.images, root)
        try:
            with shared_out(lambda: needs):
                result = _opened(plan, spec, say) if "runs" in spec else _imported(plan, say)
        except RivaeError as error:
            keep(error=str(error))
            raise
        keep(result=result)
        return result


def _imported(plan: Plan, progress: Progress) -> dict[str, Any]:
    from rivae.data.importing import run_import
    from rivae.data.importing.uploads import forget

    report = run_import(plan.source(), plan.settings(), dry_run=plan.dry_run, progress=progress)
    if not plan.dry_run:
        forget((plan.table, *plan.images))
    return {"name": None if plan.dry_run else plan.name, "report": report.to_dict()}


def _opened(plan: Plan, spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from rivae.app.data.quick import model_of
    from rivae.data.importing.once import import_once
    from rivae.data.importing.uploads import forget
    from rivae.data.store import Manifest

    importing, is_named = part(progress, 0, IMPORTING), bool(spec["is_named"])
    folder = import_once(plan, is_named, importing, lambda line: None)
    forget((plan.table, *plan.images))
    model = model_of(folder, Path(spec["runs"]), part(progress, IMPORTING, 1))
    return {"name": folder.name, "report": Manifest.read(folder).report, **model}


class Record(BaseModel):
    """The state of an import, as its process writes it; ``started`` tells two of one name apart."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: Literal[1] = 1
    key: Annotated[str, Field(max_length=5000)]
    title: Annotated[str, Field(max_length=200)]
    started: float
    stage: str = "starting"
    share: Annotated[float, Field(ge=0, le=1)] = 0.0
    error: str = ""
    stopped: bool = False
    result: dict[str, Any] | None = None


def read_record(root: Path) -> Record | None:
    """The record of the import that runs in ``root`` or was the last; None without any."""
    with suppress(DataError):
        return read_own_form(Record, root / RECORD, MAX_RECORD)
    return None


def _end_group() -> None:
    os.killpg(os.getpgrp(), signal.SIGTERM)


@contextmanager
def recording(
    root: Path, key: str, title: str, stop: Callable[[], None] = _end_group
) -> Iterator[Callable[..., None]]:
    """Keep a record while the ``with`` block runs, in the import's process.

    Yields a function that takes the changed fields of the record.

    Args:
        stop: called in a thread when somebody asks the import to stop.

    Raises:
        BlockingIOError: another import is running.
        OSError: the folder cannot be written.
    """
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / LOCK):
        (root / STOP).unlink(missing_ok=True)
        now = Record(key=key, title=title, started=time.time())

        def keep(**changes: Any) -> None:
            nonlocal now
            now = now.model_copy(update=changes)
            with suppress(OSError):  # a full disk: the import itself says so
                write_json(root / RECORD, now.model_dump(mode="json"))

        keep()
        over = threading.Event()
        threading.Thread(target=_watch, args=(root / STOP, stop, over), daemon=True).start()
        try:
            yield keep
        except KeyboardInterrupt:
            keep(stopped=True)
            raise
        finally:
            over.set()


def _watch(path: Path, stop: Callable[[], None], over: threading.Event) -> None:
    while not over.wait(LOOK_S):
        if path.exists():
            path.unlink(missing_ok=True)
            stop()
            return


class FoundTask(Task):
    """An import that another app started, followed through its record."""

    def __init__(self, root: Path, record: Record) -> None:
        super().__init__(record.key, record.title, None)
        self.root, self.started = root, record.started
        if self._look():
            threading.Thread(target=self.read, name="rivae-import", daemon=True).start()

    def read(self) -> None:
        """Follow it until it ends; for a thread."""
        while self._look():
            time.sleep(LOOK_S)

    def cancel(self) -> None:
        """Ask it to stop."""
        self.cancelled = True
        with suppress(OSError):
            (self.root / STOP).touch()

    def _look(self) -> bool:
        """Take over its record; whether it is still running."""
        alive = is_locked(self.root / LOCK)  # asked first, so that its last words are not missed
        record = read_record(self.root)
        mine = record is not None and record.started == self.started
        if record is not None and mine:
            self.stage, self.error = record.stage, record.error
            self.set_share(record.share)
            self.result = record.result
            self.cancelled = record.stopped or (self.cancelled and alive)
        if alive and mine:
            return True
        if not (self.result or self.error or self.cancelled):
            self.error = ENDED
        self.running = False
        return False
