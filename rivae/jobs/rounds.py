"""One round of a dispatcher: start queued runs, watch the living ones, stop the cancelled ones.

All state is in the ledger, the locks and the run folders: after a kill the next dispatcher
continues.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from rivae.base.errors import ConfigError
from rivae.jobs.agent import start_agent
from rivae.jobs.devices import choose_slots, machine_slots
from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import clean, is_alive, seconds_silent, send
from rivae.jobs.records import Job, boot_id, jobs_folder
from rivae.runs import Run

START_S = 180.0  # for the first sign of life of a started run
HANG_S = 3600.0  # without one step
FLAG_S, TERM_S = 3.0, 4.0  # to stop when asked, then after SIGTERM
log = logging.getLogger("rivae.jobs")


class Dispatcher:
    """The rounds of one dispatcher.

    Args:
        root: the folder of runs.
        slots: the slots to use, all of the machine by default.
        hang_s: a trainer without a step for so many seconds is restarted.
    """

    def __init__(
        self, root: Path, slots: Sequence[str] | None = None, hang_s: float = HANG_S
    ) -> None:
        self.ledger = Ledger(root)
        self.folder = jobs_folder(root)
        self.slots = tuple(machine_slots() if slots is None else slots)
        self.hang_s = hang_s
        self._agents: dict[str, subprocess.Popen[bytes]] = {}
        self._since: dict[str, float] = {}  # when a job was first seen cancelling, or starting

    def round(self) -> bool:
        """Look at every job once; returns whether any is queued or alive."""
        jobs = self.ledger.jobs("starting", "running")
        for job in jobs:
            self._watch(job)
        self._start_queued()
        self._reap()
        return bool(self.ledger.jobs("queued", "starting", "running"))

    # living jobs

    def _watch(self, job: Job) -> None:
        if not is_alive(self.folder, job.id):
            self._ended(job)
        elif job.cancelling:
            seconds = self._seconds(f"{job.id} cancelling")
            if seconds > FLAG_S + TERM_S:
                send(self.folder, job.id, signal.SIGKILL)
            elif seconds > FLAG_S:
                send(self.folder, job.id, signal.SIGTERM)
        elif seconds_silent(self.folder, job.id) > self.hang_s:
            log.warning("%s has not done a step for %.0f s: restarting it", job.run, self.hang_s)
            send(self.folder, job.id, signal.SIGKILL)

    def _ended(self, job: Job) -> None:
        """Find out how a job ended that has no living process."""
        entry = self.ledger.job(job.id)
        if not entry.alive:
            return  # the trainer has written its end
        status = Run(self.ledger.root / job.run).status_or_none
        if status is not None and status.state == "finished":
            self.ledger.advance(job.id, "running")
            self.ledger.advance(job.id, "finished")
        elif entry.cancelling:
            self.ledger.advance(job.id, "cancelled", "stopped: resume it to continue")
        elif self._is_lost(entry):
            message = "the machine restarted: resume the run"
            self.ledger.advance(job.id, "lost", message)
        elif entry.attempts > entry.max_restarts:
            times = f"{entry.attempts} times" if entry.attempts > 1 else "once"
            message = f"its process crashed {times}: see the end of the log"
            self.ledger.advance(job.id, "failed", message)
        else:
            # A trainer that died while starting has not counted its start.
            if job.state == "starting":
                self.ledger.count_start(job.id)
            log.info("%s died: it continues from its last checkpoint", job.run)
            self.ledger.advance(job.id, "queued")
        self._forget(job.id)
        clean(self.folder, job.id)

    def _is_lost(self, job: Job) -> bool:
        """Whether the machine has restarted: then the run waits to be resumed."""
        return job.boot != boot_id()

    # queued jobs

    def _start_queued(self) -> None:
        alive = self.ledger.jobs("starting", "running")
        busy = {slot for job in alive for slot in job.slots}
        free = tuple(slot for slot in self.slots if slot not in busy)
        for job in self.ledger.jobs("queued"):
            slots = self._choose(free, job)
            if slots is None:
                self._warn_without_slot(job)
                continue
            if is_alive(self.folder, job.id) or not self.ledger.claim(job.id, slots):
                continue
            free = tuple(slot for slot in free if slot not in slots)
            self._forget(job.id)
            clean(self.folder, job.id)
            try:
                self._start(self.ledger.job(job.id))
            except OSError as error:
                message = f"its process cannot be started: {error.strerror}"
                self.ledger.advance(job.id, "failed", message)
            except ConfigError as error:
                self.ledger.advance(job.id, "failed", str(error))

    def _choose(self, free: tuple[str, ...], job: Job) -> tuple[str, ...] | None:
        """The slots for a job, or None while too few are free."""
        return choose_slots(free, job.wants_gpu, job.processes)

    def _start(self, job: Job) -> None:
        """Start a claimed job; OSError or ConfigError where that is not possible."""
        self._agents[job.id] = start_agent(self.ledger.root, job)

    def _warn_without_slot(self, job: Job) -> None:
        """Fail a run that asks for more cards than there are, as it would wait forever."""
        if self._choose(self.slots, job) is None:
            need = f"{job.processes} graphics cards" if job.processes > 1 else "a graphics card"
            what = need if job.wants_gpu else "a slot on the CPU"
            self.ledger.advance(job.id, "starting")
            self.ledger.advance(
                job.id,
                "failed",
                f"this machine does not have {what}: clone the run and choose another device",
            )

    # helpers

    def _seconds(self, name: str) -> float:
        return time.monotonic() - self._since.setdefault(name, time.monotonic())

    def _waits(self, job: Job, seconds: float) -> bool:
        return self._seconds(f"{job.id} without life") < seconds

    def _forget(self, job_id: str) -> None:
        for name in [name for name in self._since if name.startswith(job_id)]:
            del self._since[name]

    def _reap(self) -> None:
        """Read the exit status of ended agents, so that no zombies or files are left."""
        for job_id, agent in list(self._agents.items()):
            if agent.poll() is not None:
                del self._agents[job_id]
                if not is_alive(self.folder, job_id):
                    clean(self.folder, job_id)
