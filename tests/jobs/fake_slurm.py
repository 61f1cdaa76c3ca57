"""The commands of Slurm that submitit calls, for one node: this one. Installed by ``install``.

``sbatch`` starts the script in a session of its own; ``sacct`` tells its state; ``scancel`` and
``expire`` (what Slurm does at a time limit) signal every process of the job, as its cgroup would.
"""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = ("sbatch", "srun", "sacct", "scancel", "expire")


def install(folder):
    """Put the commands into ``folder``, which then belongs into PATH."""
    for name in COMMANDS:
        path = folder / name
        program = f"{sys.executable} {Path(__file__).resolve()} {name}"
        path.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        path.chmod(0o755)


def members(job_id):
    """The processes of a job."""
    mark, found = f"SLURM_JOB_ID={job_id}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0") and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def end(folder, job_id, state):
    (folder / f"{job_id}.state").write_text(state)
    for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
        for pid in members(job_id):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + (5 if number == signal.SIGTERM else 0)
        while members(job_id) and time.monotonic() < deadline:
            time.sleep(0.1)


def main(name, words):
    folder = Path(os.environ["SLURM_FAKE"])
    if name == "sbatch":
        # Never the same twice: submitit remembers how a job of this number ended.
        job_id = str(time.time_ns() // 1000)
        script = folder / f"{job_id}.sh"
        script.write_text(Path(words[0]).read_text())
        env = {
            **os.environ,
            "SLURM_JOB_ID": job_id,
            "SLURM_NTASKS": "1",
            "SLURM_PROCID": "0",
            "SLURM_JOB_NUM_NODES": "1",
            "SLURM_NODEID": "0",
            "SLURM_LOCALID": "0",
        }
        (folder / f"{job_id}.state").write_text("RUNNING")
        done = (
            f"bash {script}; grep -q RUNNING {folder}/{job_id}.state && "
            f"echo COMPLETED > {folder}/{job_id}.state"
        )
        subprocess.Popen(
            ["bash", "-c", done],
            env=env,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        print(f"Submitted batch job {job_id}")
    elif name == "srun":
        line = words[words.index(sys.executable) :]
        log = words[words.index("--output") + 1]
        log = log.replace("%j", os.environ["SLURM_JOB_ID"]).replace("%t", "0")
        with Path(log).open("ab") as out:
            sys.exit(subprocess.run(line, stdout=out, stderr=out, check=False).returncode)
    elif name == "sacct":
        print("JobID|State|NodeList")
        for job_id in [b for a, b in itertools.pairwise(words) if a == "-j"]:
            path = folder / f"{job_id}.state"
            if path.exists():
                print(f"{job_id}|{path.read_text().strip()}|here")
    elif name == "scancel":
        end(folder, words[0], "CANCELLED by 0")
    elif name == "expire":
        end(folder, words[0], "TIMEOUT")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
