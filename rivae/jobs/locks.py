"""Who is at work: a lock per process that the kernel frees with it, and the pid of who holds it.

A pid alone tells nothing: a dead child of a living parent still has one, and a number is given out
again. It is believed only while its lock is held.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from rivae.files import is_locked

AGENT = "agent"


def lock_path(folder: Path, job_id: str, who: str) -> Path:
    """The lock of a job's agent (``AGENT``) or of the trainer of one rank ("rank0", …)."""
    return folder / f"{job_id}.{who}.lock"


def hold(path: Path, *, inherit: bool = False) -> IO[str]:
    """Take the lock for as long as the stream is open, and write the own pid into it.

    Args:
        inherit: keep it through ``os.exec``.

    Raises:
        BlockingIOError: somebody else holds it.
    """
    stream = path.open("a+")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        stream.close()
        raise
    stream.truncate(0)
    stream.write(str(os.getpid()))
    stream.flush()
    os.set_inheritable(stream.fileno(), inherit)
    return stream


def holder(path: Path) -> int | None:
    """The pid of who holds the lock; None when nobody does."""
    if not path.exists() or not is_locked(path):
        return None
    try:
        pid = int(path.read_text() or 0)
    except (OSError, ValueError):
        return None
    # Free by now: the number may belong to somebody else.
    return pid if pid > 1 and is_locked(path) else None


def holders(folder: Path, job_id: str) -> list[int]:
    """The pids at work on a job: its agent and its trainers."""
    found = (holder(path) for path in sorted(folder.glob(f"{job_id}.*.lock")))
    return [pid for pid in found if pid is not None]


def is_alive(folder: Path, job_id: str) -> bool:
    """Whether any process is at work on the job."""
    return any(is_locked(path) for path in folder.glob(f"{job_id}.*.lock"))


def send(folder: Path, job_id: str, number: signal.Signals) -> None:
    """Send a signal to the groups of all processes at work on the job (each leads its own)."""
    for pid in holders(folder, job_id):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def beat_path(folder: Path, job_id: str) -> Path:
    """The file that a trainer touches as it goes on."""
    return folder / f"{job_id}.beat"


def seconds_silent(folder: Path, job_id: str) -> float:
    """How long the trainer has not touched its file; 0 where there is none yet."""
    try:
        return max(time.time() - beat_path(folder, job_id).stat().st_mtime, 0.0)
    except OSError:
        return 0.0


def clean(folder: Path, job_id: str) -> None:
    """Remove locks and heartbeat of a job that nobody is at work on."""
    for path in [*folder.glob(f"{job_id}.*.lock"), beat_path(folder, job_id)]:
        path.unlink(missing_ok=True)
