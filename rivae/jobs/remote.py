"""What submitit starts on a node: torchrun and its trainers, for as long as the job lasts.

submitit writes the function that it is given, and its arguments, into a file with cloudpickle. It
is given ``run_task``, which the node finds by its name, and two strings.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from rivae.jobs.agent import command, log_path, shared_environment
from rivae.jobs.locks import AGENT, hold, holders, lock_path
from rivae.jobs.records import jobs_folder
from rivae.jobs.slip import Slip

GRACE_S = 20.0


def run_task(root: str, job_id: str) -> None:
    """Train a job until it ends, is stopped from outside or has died too often."""
    slip, folder = Slip(Path(root)), jobs_folder(Path(root))
    job = slip.job(job_id)
    if not job.alive:
        return
    if job.attempts > job.max_restarts:
        slip.advance(job_id, "failed", f"it was stopped {job.attempts} times before it could end")
        return
    # With torchrun in one process group of its own, which the lock names.
    with suppress(PermissionError):  # leads a session already
        os.setpgid(0, 0)
    lock = hold(lock_path(folder, job_id, AGENT), inherit=True)
    with lock, log_path(Path(root), job_id).open("ab") as log:
        process = subprocess.Popen(
            [*command(Path(root), job), "files"], env=shared_environment(Path(root)),
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            pass_fds=(lock.fileno(),),
        )  # fmt: skip
        try:
            code = process.wait()
        finally:
            _stop(process, folder, job_id)
    if code:
        sys.exit(code)


def _stop(process: subprocess.Popen[bytes], folder: Path, job_id: str) -> None:
    """End torchrun and the trainers; the trainers first, since this process may soon be killed."""
    if process.poll() is not None:
        return
    for pid in holders(folder, job_id):
        if pid != os.getpid():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGTERM)
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
