"""What submitit starts on a node: the trainers of a job, for as long as the job lasts.

submitit writes the function that it is given, and its arguments, into a file with cloudpickle. It
is given ``run_task``, which the node finds by its name, and two strings. All trainers of a job are
on one node and meet there as they do on any machine: nothing listens to other nodes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from rivae.jobs.agent import Trainers, log_path, open_log, restarts_left, shared_environment
from rivae.jobs.locks import AGENT, hold, lock_path
from rivae.jobs.records import jobs_folder
from rivae.jobs.slip import Slip


def run_task(root: str, job_id: str) -> None:
    """Train a job until it ends, is stopped from outside or has died too often."""
    folder, slip = Path(root), Slip(Path(root))
    job = slip.job(job_id)
    if not job.alive:
        return
    if job.attempts > job.max_restarts:
        slip.advance(job_id, "failed", f"it was stopped {job.attempts} times before it could end")
        return
    # In a process group of its own, which the lock names.
    with suppress(PermissionError):  # leads a session already
        os.setpgid(0, 0)
    with (
        hold(lock_path(jobs_folder(folder), job_id, AGENT)),
        open_log(log_path(folder, job_id)) as log,
    ):
        trainers = Trainers(
            folder,
            job_id,
            job.processes,
            ["files"],
            env=shared_environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        code = trainers.run(restarts_left(job))
    if code:
        sys.exit(code)
