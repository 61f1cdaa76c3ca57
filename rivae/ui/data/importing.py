"""Imports on the Data page without their widgets: names, the running import, and its process.

No streamlit here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.errors import ConfigError, DataError, RivaeError
from rivae.ui.work.job import Progress, step_back
from rivae.ui.work.tasks import Job, Tasks, start_process

if TYPE_CHECKING:
    from rivae.importing.plan import Plan

WORK = "rivae.ui.data.importing:import_pairs"
BUSY = "another import is running: wait for it, or stop it"
# One at a time, whatever it is called: two would share the disk, and the visitor's patience.
tasks = Tasks(1, ConfigError, BUSY)


def newest() -> Job | None:
    """The import or check that was last asked for, by whomever; None when that was put away.

    Where this app knows of none, the import that another one began, before a restart say.
    """
    if not tasks.jobs and os.name == "posix":  # elsewhere nobody can tell whether it is at work
        from rivae.data.store.manifest import data_root
        from rivae.ui.data.import_record import FoundJob, read_record

        root = data_root().absolute()
        record = read_record(root)
        if record is not None:
            tasks.start(record.key, lambda: FoundJob(root, record))
    return next(reversed(list(tasks.jobs.values())), None)


def put_away(job: Job) -> None:
    """No more of this import is shown; for callbacks."""
    from rivae.data.store.manifest import data_root
    from rivae.ui.data.import_record import RECORD, read_record

    tasks.forget(job.key)
    record = read_record(data_root())
    if record is not None and record.key == job.key:
        with suppress(OSError):
            (data_root() / RECORD).unlink(missing_ok=True)


def free_name(table: Path) -> str:
    """A name for what is imported from ``table`` that no data set has."""
    from rivae.data import dataset_names
    from rivae.data.store.manifest import data_root

    words = re.sub(r"[^a-z0-9._-]+", "-", table.name.split(".")[0].lower()).strip("-._")
    name, taken = words[:36] or "pairs-1", dataset_names()
    numbered = (f"{name}-{i}" for i in range(2, 1000))
    free = (n for n in (name, *numbered) if n not in taken and not (data_root() / n).exists())
    return next(free, name)


def start(plan: Plan) -> Job:
    """Begin the import, or its dry run.

    Raises:
        ConfigError, DataError: when it cannot begin; in one sentence.
    """
    settings = plan.settings()
    settings.check()
    plan.source()  # wrong choices are told here, not after a process has started
    folder = settings.folder.absolute()
    if folder.exists() and not plan.dry_run:
        raise DataError(f"there is already a data set '{plan.name}': choose another name")
    plan = plan.model_copy(update={"root": folder.parent})
    newest()
    key = f"{'check' if plan.dry_run else 'import'} {folder}"
    title = f"{'Check' if plan.dry_run else 'Import'} of {plan.name}"
    spec = {"plan": plan.model_dump_json(), "key": key, "title": title}
    return tasks.start(
        key,
        lambda: start_process(key, title, WORK, spec),
        again=True,
    )


def import_pairs(spec: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Import the pairs of ``plan``, or check them; for the process.

    An import leaves a record beside the data sets, so that an app that restarts finds it.
    """
    step_back()
    # Said before the modules are loaded, which takes seconds on a busy machine.
    progress("reading the table", 0.0)
    from rivae.importing.plan import Plan

    plan = Plan.model_validate_json(spec["plan"])
    if plan.dry_run:  # a check writes nothing
        return _imported(plan, progress)
    from rivae.ui.data.import_record import recording

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

        try:
            result = _imported(plan, say)
        except RivaeError as error:
            keep(error=str(error))
            raise
        keep(result=result)
        return result


def _imported(plan: Plan, progress: Progress) -> dict[str, Any]:
    from rivae.importing import run_import

    report = run_import(plan.source(), plan.settings(), dry_run=plan.dry_run, progress=progress)
    return {"name": None if plan.dry_run else plan.name, "report": report.to_dict()}
