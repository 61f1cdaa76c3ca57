"""Which processes of a job are alive: each holds a lock, which the kernel frees at its end.

The lock file holds the pid of its holder. Pids of dead processes may stay or be reused, so a pid
counts only while its lock is held. Processes of the queue are started with their lock held.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from rivae.base.files import is_locked, open_plain, private_file, take_lock

AGENT = "agent"
_HANDLE = "RIVAE_LOCK"  # in the environment: the open lock that a process was started with
_PID_BYTES, _MAX_PID = 20, 2**22


def lock_path(folder: Path, job_id: str, who: str) -> Path:
    """The lock of a job's agent (``AGENT``) or of the trainer of one rank ("rank0", …)."""
    return folder / f"{job_id}.{who}.lock"


def meeting_path(folder: Path, job_id: str) -> Path:
    """The file through which several trainers of a job find each other."""
    return folder / f"{job_id}.meet"


def hold(path: Path) -> IO[Any]:
    """Hold the lock as long as the stream is open, and write this process's pid into it.

    Raises:
        BlockingIOError: another process holds it.
    """
    stream = _take(path)
    _sign(stream, os.getpid())
    return stream


def start_holding(
    path: Path, line: Sequence[str], env: Mapping[str, str], **options: Any
) -> subprocess.Popen[bytes]:
    """Start a process, in a new session, that holds the lock from its start to its end.

    Args:
        path: the lock, which the process takes over with ``keep``.
        options: of ``subprocess.Popen``.

    Raises:
        BlockingIOError: another process holds it.
        OSError: the process cannot be started.
    """
    with _take(path) as stream:
        handle = stream.fileno()
        process = subprocess.Popen(
            line,
            env={**env, _HANDLE: str(handle)},
            pass_fds=(handle,),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            **options,
        )
        _sign(stream, process.pid)
    return process


def keep(path: Path) -> IO[Any]:
    """The lock that ``start_holding`` gave this process; else ``hold``."""
    handle = os.environ.pop(_HANDLE, "")
    with suppress(OSError, ValueError):
        if os.path.samestat(os.fstat(int(handle)), path.stat()):
            os.set_inheritable(int(handle), False)
            stream = os.fdopen(int(handle), "r+b")
            _sign(stream, os.getpid())  # the process that started it may be dead already
            return stream
    return hold(path)


def _take(path: Path) -> IO[Any]:
    private_file(path)
    stream = open_plain(path, "r+b", private=True)
    try:
        take_lock(stream)
        stream.truncate(0)
    except BaseException:
        stream.close()
        raise
    return stream


def _sign(stream: IO[Any], pid: int) -> None:
    # Parent and child write the same bytes at the same place.
    os.pwrite(stream.fileno(), str(pid).encode(), 0)


def holder(path: Path) -> int | None:
    """The pid of the process that holds the lock; None if none does, or has not written it yet."""
    if not is_locked(path):
        return None
    try:
        with open_plain(path, "rb") as stream:
            pid = int(stream.read(_PID_BYTES) or 0)
    except (OSError, ValueError):
        return None
    # Checked again: if the lock is free by now, the number may belong to another process.
    return pid if 1 < pid < _MAX_PID and is_locked(path) else None


def holders(folder: Path, job_id: str) -> list[int]:
    """The pids of a job's living processes: its agent and its trainers."""
    pids = (holder(path) for path in sorted(folder.glob(f"{job_id}.*.lock")))
    return [pid for pid in pids if pid is not None]


def is_alive(folder: Path, job_id: str) -> bool:
    """Whether any process of the job is alive."""
    return any(is_locked(path) for path in folder.glob(f"{job_id}.*.lock"))


def send(folder: Path, job_id: str, number: signal.Signals) -> None:
    """Send a signal to the process groups of the job (each of its processes leads one)."""
    for pid in holders(folder, job_id):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def beat_path(folder: Path, job_id: str) -> Path:
    """The file that a trainer touches to show that it is alive."""
    return folder / f"{job_id}.beat"


def seconds_silent(folder: Path, job_id: str) -> float:
    """Seconds since the trainer last touched its file; 0 where there is none yet."""
    try:
        return max(time.time() - beat_path(folder, job_id).stat().st_mtime, 0.0)
    except OSError:
        return 0.0


def clean(folder: Path, job_id: str) -> None:
    """Remove the locks and files of a job that has no living process."""
    rest = beat_path(folder, job_id), meeting_path(folder, job_id)
    for path in (*folder.glob(f"{job_id}.*.lock"), *rest):
        with suppress(OSError):  # gone already, or not a file of the queue
            path.unlink()
