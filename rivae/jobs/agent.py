"""Starts the trainers of one job: takes the job's lock and becomes ``torchrun``, which keeps it.

``python -m rivae.jobs.agent ROOT JOB``, in a session of its own. torchrun starts one trainer per
slot and starts them again from their checkpoint when one dies.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import AGENT, hold, lock_path
from rivae.jobs.records import Job, jobs_folder
from rivae.runs.finding import PACKAGE_ROOT

MAX_LOG_BYTES = 8 * 2**20


def log_path(root: Path, job_id: str) -> Path:
    """What a job's processes print."""
    return jobs_folder(root) / f"{job_id}.log"


def start_agent(root: Path, job: Job) -> subprocess.Popen[bytes]:
    """Start the agent of a claimed job; it and its trainers outlive this process."""
    path = log_path(root, job.id)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.unlink()
    with path.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "rivae.jobs.agent", str(root.resolve()), job.id],
            cwd=str(PACKAGE_ROOT), env=environment(job, root), stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip


def environment(job: Job, root: Path) -> dict[str, str]:
    """The environment of a job's processes on this machine, its cards included."""
    cards = [slot.partition(":")[2] for slot in job.slots if slot.startswith("gpu:")]
    return {**shared_environment(root), "CUDA_VISIBLE_DEVICES": ",".join(cards)}


def shared_environment(root: Path) -> dict[str, str]:
    """The environment of every trainer: one thread, this program, folders as absolute paths."""
    env = dict(os.environ)
    env["RIVAE_RUNS"] = str(root.resolve())
    path = env.get("PYTHONPATH", "")
    env["PYTHONPATH"] = str(PACKAGE_ROOT) + (os.pathsep + path if path else "")
    # More threads than one cost several times the time as soon as a core is shared.
    env.setdefault("OMP_NUM_THREADS", "1")
    env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return env


def command(root: Path, job: Job) -> list[str]:
    """The torchrun of a job; what it started before counts among its restarts."""
    left = max(job.max_restarts - job.attempts, 0)
    return [
        sys.executable, "-m", "torch.distributed.run", "--standalone",
        f"--nproc-per-node={job.processes}", f"--max-restarts={left}", "--monitor-interval=0.2",
        "-m", "rivae.jobs.process", str(root), job.id,
    ]  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Become torchrun; 1 when another agent has the job."""
    root, job_id = Path(argv[0]), argv[1]
    try:
        stream = hold(lock_path(jobs_folder(root), job_id, AGENT), inherit=True)
    except BlockingIOError:
        sys.stderr.write(f"job {job_id} has an agent already\n")
        return 1
    line = command(root, Ledger(root).job(job_id))
    os.execv(line[0], line)
    stream.close()  # not reached: exec does not return
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
