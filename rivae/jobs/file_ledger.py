"""The ledger for a trainer on another machine: three small files per job.

SQLite does not work between machines on network file systems. So a trainer elsewhere reads a copy
of its entry (``task``), checks whether it should stop (``stop``), and reports its state (``said``),
which the dispatcher writes into the ledger.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from rivae.base.config import RunConfig
from rivae.base.errors import DataError, RunError
from rivae.base.files import change_json, write_json
from rivae.base.reading.documents import read_own_form
from rivae.jobs.records import NEXT, Job, State, jobs_folder

MAX_BYTES = 2**21


class _Task(BaseModel):
    model_config = ConfigDict(extra="forbid")

    config: RunConfig
    processes: int
    attempts: int
    max_restarts: int


class TrainerReport(BaseModel):
    """The report of a trainer: its state, a sentence about it, and the number of its starts."""

    model_config = ConfigDict(extra="forbid")

    state: State = "starting"
    message: str = ""
    attempts: int = 0


class FileLedger:
    """The files of the jobs below ``root``, with the methods of the ledger that a trainer needs."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, job_id: str, what: str) -> Path:
        return jobs_folder(self.root) / f"{job_id}.{what}.json"

    # the dispatcher's side

    def hand_over(self, job: Job) -> None:
        """Write the task of a claimed job; the report of an earlier one is deleted."""
        self.remove(job.id)
        assert job.config is not None
        task = _Task(
            config=job.config,
            processes=job.processes,
            attempts=job.attempts,
            max_restarts=job.max_restarts,
        )
        write_json(self._path(job.id, "task"), task.model_dump(mode="json"), private=True)

    def ask_to_stop(self, job_id: str) -> None:
        """Tell the trainer to stop; it looks every half second."""
        self._path(job_id, "stop").touch(mode=0o600)

    def report(self, job_id: str) -> TrainerReport:
        """The last report of the trainer; "starting" before the first."""
        path = self._path(job_id, "said")
        if not path.exists():
            return TrainerReport()
        try:
            return read_own_form(TrainerReport, path, MAX_BYTES)
        except DataError:
            return TrainerReport()

    def remove(self, job_id: str) -> None:
        """Delete the files of a job that has no trainer."""
        for what in ("task", "stop", "said"):
            path = self._path(job_id, what)
            path.unlink(missing_ok=True)
            path.with_name(f".{path.name}.lock").unlink(missing_ok=True)

    # the trainer's side, as in ``rivae.jobs.ledger``

    def job(self, job_id: str) -> Job:
        """The task as an entry of the queue; RunError where there is none."""
        trouble = f"the task of job {job_id[:40]} is missing here: share the folder of runs"
        try:
            task = read_own_form(_Task, self._path(job_id, "task"), MAX_BYTES, trouble)
        except DataError as error:
            raise RunError(str(error)) from None
        report = self.report(job_id)
        return Job(
            id=job_id,
            config=task.config,
            run=task.config.name,
            state=report.state,
            processes=task.processes,
            attempts=max(task.attempts, report.attempts),
            max_restarts=task.max_restarts,
            cancelling=self._path(job_id, "stop").exists(),
            message=report.message,
        )

    def count_start(self, job_id: str) -> int:
        """Count a start of the trainer; returns all starts since the run was queued."""
        attempts = self.job(job_id).attempts + 1
        self._say(job_id, attempts=attempts)
        return attempts

    def advance(self, job_id: str, state: State, message: str = "") -> bool:
        """Report ``state``; False when it may not follow the state reported before."""
        if state not in NEXT[self.report(job_id).state]:
            return False
        self._say(job_id, state=state, message=message)
        return True

    def _say(self, job_id: str, **changes: object) -> None:
        change_json(
            self._path(job_id, "said"),
            lambda: self.report(job_id).model_copy(update=changes).model_dump(),
            private=True,
        )
