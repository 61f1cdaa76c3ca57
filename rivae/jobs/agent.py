"""Starts the trainers of one job, and restarts them from their checkpoint when one dies.

``python -m rivae.jobs.agent ROOT JOB PROCESSES RESTARTS``, in a new session. It imports almost
nothing and opens no socket. Several trainers of a job connect through a file in the private folder
of the queue, on this machine only (``rivae.training.distributed``).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from rivae.base.files import open_plain, private_file
from rivae.base.installed import PACKAGE_ROOT
from rivae.jobs.locks import AGENT, keep, lock_path, meeting_path, start_holding
from rivae.jobs.records import Job, jobs_folder

MAX_LOG_BYTES = 8 * 2**20
LOOK_S = 0.1  # between two looks at the trainers
GRACE_S = 20.0  # from SIGTERM to SIGKILL, so that a trainer can write its end


def log_path(root: Path, job_id: str) -> Path:
    """The file of the output of a job's processes."""
    return jobs_folder(root) / f"{job_id}.log"


def open_log(path: Path) -> IO[bytes]:
    """A log to append to; one that has grown too long starts empty."""
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.unlink()
    return open_plain(path, "ab", private=True)


def start_agent(root: Path, job: Job) -> subprocess.Popen[bytes]:
    """Start the agent of a claimed job; it and its trainers outlive this process.

    Raises:
        OSError: it cannot be started.
    """
    lock = lock_path(jobs_folder(root), job.id, AGENT)
    line = [
        sys.executable,
        "-m",
        "rivae.jobs.agent",
        str(root.resolve()),
        job.id,
        str(job.processes),
        str(restarts_left(job)),
    ]
    with open_log(log_path(root, job.id)) as log:
        return start_holding(
            lock,
            line,
            environment(job, root),
            cwd=str(PACKAGE_ROOT),
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def restarts_left(job: Job) -> int:
    """How often its trainers may still die; earlier starts count."""
    return max(job.max_restarts - job.attempts, 0)


def environment(job: Job, root: Path) -> dict[str, str]:
    """The environment of a job's processes on this machine, its cards included."""
    cards = [slot.partition(":")[2] for slot in job.slots if slot.startswith("gpu:")]
    return {**shared_environment(root), "CUDA_VISIBLE_DEVICES": ",".join(cards)}


def shared_environment(root: Path) -> dict[str, str]:
    """The environment of every trainer: one thread, this program, absolute paths."""
    env = dict(os.environ)
    env["RIVAE_RUNS"] = str(root.resolve())
    path = env.get("PYTHONPATH", "")
    env["PYTHONPATH"] = str(PACKAGE_ROOT) + (os.pathsep + path if path else "")
    # More threads than one cost several times the time as soon as a core is shared.
    env.setdefault("OMP_NUM_THREADS", "1")
    env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return env


class Trainers:
    """The trainers of one job, started and ended together.

    Args:
        root: the folder of runs.
        processes: how many train the run.
        words: arguments of each after the folder and the job.
        options: of ``subprocess.Popen``.
    """

    def __init__(
        self,
        root: Path,
        job_id: str,
        processes: int,
        words: Sequence[str] = (),
        *,
        env: Mapping[str, str] = os.environ,
        **options: Any,
    ) -> None:
        self.folder, self.job_id, self.processes = jobs_folder(root), job_id, processes
        self.line = [sys.executable, "-m", "rivae.jobs.process", str(root), job_id, *words]
        self.env, self.options = env, options
        self._running: list[subprocess.Popen[bytes]] = []
        self._stopping = False

    def run(self, restarts: int) -> int:
        """Train until all end properly (returns 0), or no restart is left.

        SIGTERM and exceptions end them without a restart.
        """
        signal.signal(signal.SIGTERM, self._stop)
        code = 0
        for n_left in range(restarts, -1, -1):
            try:
                self._start()
                code = self._wait()
            finally:
                self._end()
            if not code or self._stopping:
                break
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
            then = "all continue from the last checkpoint" if n_left else "it is not started again"
            sys.stderr.write(f"a trainer died ({how}): {then}\n")
            sys.stderr.flush()
        return code and (1 if code < 0 else code)

    def _stop(self, number: int, frame: Any) -> None:
        self._stopping = True  # checked by ``_wait``, so that a start is never interrupted

    def _start(self) -> None:
        meeting = meeting_path(self.folder, self.job_id)
        meeting.unlink(missing_ok=True)
        if self.processes > 1:
            private_file(meeting)
        for rank in range(self.processes):
            env = {
                **self.env,
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": str(self.processes),
                "RIVAE_MEETING": str(meeting),
            }
            lock = lock_path(self.folder, self.job_id, f"rank{rank}")
            self._running.append(start_holding(lock, self.line, env, **self.options))

    def _wait(self) -> int:
        """0 when all have ended properly, else the exit status of the first that failed."""
        while not self._stopping:
            codes = [trainer.poll() for trainer in self._running]
            for code in codes:
                if code:
                    return code
            if None not in codes:
                return 0
            time.sleep(LOOK_S)
        return 128 + signal.SIGTERM

    def _end(self) -> None:
        deadline = time.monotonic() + GRACE_S
        for number, until in ((signal.SIGTERM, deadline), (signal.SIGKILL, None)):
            for trainer in self._running:
                if trainer.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(trainer.pid, number)
            for trainer in self._running:
                with suppress(subprocess.TimeoutExpired):
                    trainer.wait(None if until is None else max(until - time.monotonic(), 0.0))
        self._running.clear()


def main(argv: Sequence[str]) -> int:
    """Train one job; 1 when another agent has it."""
    root, job_id, processes, restarts = Path(argv[0]), argv[1], int(argv[2]), int(argv[3])
    try:
        lock = keep(lock_path(jobs_folder(root), job_id, AGENT))
    except BlockingIOError:
        sys.stderr.write(f"job {job_id} has an agent already\n")
        return 1
    with lock:
        return Trainers(root, job_id, processes).run(restarts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
