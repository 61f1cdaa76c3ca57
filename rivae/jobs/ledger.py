"""The queue of training runs: one SQLite file, every change of state one transaction.

App, command line, dispatcher and trainers share it. Transitions that are not in ``records.NEXT``
are refused inside the transaction, so that a job is taken once, and never after a cancellation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, RunError
from rivae.jobs.announcing import announce
from rivae.jobs.ledger_db import ORDER, changing, job_of, last_place, opened, row_of, update
from rivae.jobs.records import (
    ALIVE,
    MAX_PRIORITY,
    MAX_RESTARTS,
    NEXT,
    RESTARTS,
    RESUMABLE,
    USUAL_PRIORITY,
    Job,
    State,
    boot_id,
    jobs_folder,
    new_job_id,
)
from rivae.runs.folders import require_free_name
from rivae.runs.records import now

MAX_QUEUED = 1_000
MAX_PROCESSES = 64


class Ledger:
    """The queue of the runs below ``root``.

    Every method raises RunError if the file cannot be used. Nothing stays open between calls, so
    any thread and process may use it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = jobs_folder(root) / "ledger.db"

    # reading

    def jobs(self, *states: State) -> list[Job]:
        """The entries in these states, all by default, in the order of their turn."""
        if not self.path.exists():
            return []
        # A damaged entry counts as failed, whatever its state.
        some = () if "failed" in states else states
        where = f"WHERE state IN ({', '.join('?' * len(some))}) " if some else ""
        with opened(self.path) as db:
            rows = db.execute(f"SELECT * FROM jobs {where}ORDER BY {ORDER}", some).fetchall()
        jobs = [job_of(row) for row in rows]
        return [job for job in jobs if not states or job.state in states]

    def job(self, job_id: str) -> Job:
        """One entry; RunError when there is none."""
        with opened(self.path) as db:
            return job_of(row_of(db, job_id))

    def of_run(self, run: str) -> Job | None:
        """The first entry of a run; None without any."""
        return next((job for job in self.jobs() if job.run == run), None)

    # queueing

    def add(
        self,
        configs: Sequence[RunConfig],
        *,
        priority: int = USUAL_PRIORITY,
        max_restarts: int = RESTARTS,
        processes: int = 1,
    ) -> list[Job]:
        """Queue new runs, all or none.

        Raises:
            RunError: a run of this name exists or is queued already, or the queue is full.
            ConfigError: a number out of range.
        """
        _check_numbers(priority, max_restarts, processes)
        names = [config.name for config in configs]
        with changing(self.path) as db:
            waiting = db.execute("SELECT count(*) FROM jobs WHERE state = 'queued'").fetchone()[0]
            if waiting + len(configs) > MAX_QUEUED:
                raise RunError(f"the queue is full ({MAX_QUEUED} runs): wait until some have ended")
            for name in names:
                row = db.execute("SELECT 1 FROM jobs WHERE run = ?", (name,)).fetchone()
                require_free_name(name, self.root, bool(row) or names.count(name) > 1)
            job_ids = [
                _insert(db, config, "queued", priority, max_restarts, processes)
                for config in configs
            ]
            return [job_of(row_of(db, job_id)) for job_id in job_ids]

    def add_existing(
        self, config: RunConfig, *, max_restarts: int = RESTARTS, processes: int = 1
    ) -> Job:
        """Queue a run that has a folder, e.g. one that was started from the command line.

        Raises:
            RunError: it is queued, training or finished already.
        """
        _check_numbers(0, max_restarts, processes)
        with changing(self.path) as db:
            row = db.execute("SELECT id FROM jobs WHERE run = ?", (config.name,)).fetchone()
            job_id = (
                row["id"]
                if row
                else _insert(db, config, "lost", USUAL_PRIORITY, max_restarts, processes)
            )
            return _resumed(db, job_id)

    def resume(self, job_id: str) -> Job:
        """Queue a run again that failed, was cancelled or got lost; it continues from there."""
        with changing(self.path) as db:
            return _resumed(db, job_id)

    def cancel(self, job_id: str) -> Job:
        """Take a queued run out of the queue at once; ask a living one to stop."""
        with changing(self.path) as db:
            job = job_of(row_of(db, job_id))
            if job.state == "queued":
                message = "" if job.attempts else "cancelled before it began"
                update(db, job_id, state="cancelled", ended=now(), message=message)
            elif job.alive:
                update(db, job_id, cancelling=1)
            else:
                raise RunError(f"{job.run} is {job.state}: there is nothing to cancel")
            return job_of(row_of(db, job_id))

    def set_priority(self, job_id: str, priority: int) -> None:
        """0 to 9, the highest first."""
        _check_numbers(priority, 0, 1)
        with changing(self.path) as db:
            row_of(db, job_id)
            update(db, job_id, priority=priority)

    def move(self, job_id: str, by: int) -> None:
        """Move a queued run among those of its priority, up (-1) or down (1)."""
        with changing(self.path) as db:
            job = job_of(row_of(db, job_id))
            queue = db.execute(
                "SELECT id, place FROM jobs WHERE state = 'queued' AND priority = ?"
                f" ORDER BY {ORDER}",
                (job.priority,),
            ).fetchall()
            order = [row["id"] for row in queue]
            if job_id not in order:
                raise RunError(f"{job.run} is {job.state}: only queued runs have a place")
            at = order.index(job_id)
            order.insert(min(max(at + by, 0), len(order) - 1), order.pop(at))
            for other, row in zip(order, queue, strict=True):
                update(db, other, place=row["place"])

    def remove(self, job_id: str) -> None:
        """Delete the entry of a run that has ended; its folder stays."""
        with changing(self.path) as db:
            job = job_of(row_of(db, job_id))
            if job.alive:
                raise RunError(f"{job.run} is {job.state}: cancel it first")
            db.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    # for the dispatcher and the trainers

    def claim(self, job_id: str, slots: Sequence[str]) -> bool:
        """Claim a queued run for these slots; False when it or a slot is taken."""
        with changing(self.path) as db:
            marks = ", ".join("?" * len(ALIVE))
            rows = db.execute(f"SELECT slots FROM jobs WHERE state IN ({marks})", ALIVE).fetchall()
            busy = {slot for row in rows for slot in row["slots"].split()}
            row = db.execute("SELECT state FROM jobs WHERE id = ?", (job_id,)).fetchone()
            if row is None or row["state"] != "queued" or busy & set(slots):
                return False
            update(
                db,
                job_id,
                state="starting",
                slots=" ".join(slots),
                started=now(),
                ended="",
                boot=boot_id(),
                message="",
            )
            return True

    def count_start(self, job_id: str) -> int:
        """Count a start of the trainer; returns all starts since the run was queued."""
        with changing(self.path) as db:
            attempts = int(row_of(db, job_id)["attempts"]) + 1
            update(db, job_id, attempts=attempts)
            return attempts

    def advance(self, job_id: str, state: State, message: str = "") -> bool:
        """Change the state; False when ``state`` may not follow the present one."""
        with changing(self.path) as db:
            row = db.execute("SELECT state FROM jobs WHERE id = ?", (job_id,)).fetchone()
            if row is None or state not in NEXT.get(row["state"], ()):
                return False
            values: dict[str, Any] = {"state": state, "message": message}
            if state not in ALIVE:
                values |= {"slots": "", "ended": "" if state == "queued" else now()}
                if state != "queued":
                    values["cancelling"] = 0
            update(db, job_id, **values)
            job = job_of(row_of(db, job_id))
        if state not in ALIVE and state != "queued":
            announce({"run": job.run, "state": state, "message": message})
        return True


def _check_numbers(priority: int, max_restarts: int, processes: int) -> None:
    if not (0 <= priority <= MAX_PRIORITY and 0 <= max_restarts <= MAX_RESTARTS):
        raise ConfigError(
            f"priorities go from 0 to {MAX_PRIORITY} and restarts from 0 to {MAX_RESTARTS}"
        )
    if not 1 <= processes <= MAX_PROCESSES:
        raise ConfigError(f"a run trains in 1 to {MAX_PROCESSES} processes")


def _insert(
    db: Any, config: RunConfig, state: State, priority: int, max_restarts: int, processes: int
) -> str:
    device = config.training.device
    if device not in ("cpu", "cuda"):
        raise ConfigError(f"the queue chooses the card itself: use the device cuda, not {device}")
    job_id = new_job_id()
    db.execute(
        "INSERT INTO jobs (id, run, config, state, priority, place, processes, max_restarts,"
        " queued) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            job_id,
            config.name,
            config.model_dump_json(),
            state,
            priority,
            last_place(db),
            processes,
            max_restarts,
            now(),
        ),
    )
    return job_id


def _resumed(db: Any, job_id: str) -> Job:
    job = job_of(row_of(db, job_id))
    if job.state not in RESUMABLE or job.config is None:
        reason = "there is nothing to resume" if job.config else "remove its entry"
        raise RunError(f"{job.run} is {job.state}: {reason}")
    update(
        db,
        job_id,
        state="queued",
        attempts=0,
        message="",
        ended="",
        cancelling=0,
        place=last_place(db),
    )
    return job_of(row_of(db, job_id))
