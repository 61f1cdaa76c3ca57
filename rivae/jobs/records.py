"""One entry of the queue of training runs, and the states it can be in."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from rivae.base.files import private_folder

if TYPE_CHECKING:
    from rivae.base.config import RunConfig

State = Literal["queued", "starting", "running", "finished", "failed", "cancelled", "lost"]
STATES: tuple[State, ...] = get_args(State)
# A process may be training it.
ALIVE: tuple[State, ...] = ("starting", "running")
# Ended, but can be resumed from its last checkpoint.
RESUMABLE: tuple[State, ...] = ("failed", "cancelled", "lost")
# The states that may follow each state; each step is one transaction of the ledger.
NEXT: dict[State, tuple[State, ...]] = {
    "queued": ("starting", "cancelled"),
    "starting": ("running", "queued", "failed", "cancelled", "lost"),
    "running": ("finished", "queued", "failed", "cancelled", "lost"),
    "finished": (),
    "failed": ("queued",),
    "cancelled": ("queued",),
    "lost": ("queued",),
}
USUAL_PRIORITY, MAX_PRIORITY = 5, 9
RESTARTS, MAX_RESTARTS = 3, 20  # of a run after a crash, where nothing else is said, and at most


@dataclass(frozen=True, slots=True)
class Job:
    """An entry as the ledger holds it.

    Attributes:
        id: 12 hex digits.
        config: of the run, whose folder has its name; None where the entry is damaged.
        run: the run's name.
        state: see ``NEXT``.
        priority: 0 to 9, the highest first; among equals the one queued first, or as reordered.
        processes: how many processes train it together, one per GPU; 1 on the CPU.
        slots: the slots it uses while it is alive, "cpu" or "gpu:0" and so on; else empty.
        attempts: how often it was started.
        max_restarts: how often it is restarted automatically after a crash.
        cancelling: it was asked to stop.
        boot: the boot of the machine on which it was last started (``boot_id``).
        message: one sentence about its end, or "".
        queued, started, ended: ISO times in UTC, "" where that has not happened.
    """

    id: str
    config: RunConfig | None
    run: str
    state: State
    priority: int = USUAL_PRIORITY
    processes: int = 1
    slots: tuple[str, ...] = ()
    attempts: int = 0
    max_restarts: int = RESTARTS
    cancelling: bool = False
    boot: str = ""
    message: str = ""
    queued: str = ""
    started: str = ""
    ended: str = ""

    @property
    def alive(self) -> bool:
        return self.state in ALIVE

    @property
    def wants_gpu(self) -> bool:
        """Whether it trains on graphics cards."""
        return self.config is not None and self.config.training.device != "cpu"


def new_job_id() -> str:
    """A fresh id of 12 hex digits."""
    return uuid.uuid4().hex[:12]


@cache
def boot_id() -> str:
    """An id that changes when the machine restarts; "" where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def jobs_folder(root: Path) -> Path:
    """The folder of the ledger, locks and logs of the runs below ``root``; not listed as a run."""
    return root / ".jobs"


def make_private(folder: Path) -> Path:
    """``jobs_folder``, created if it is missing, with rights for its owner only.

    The rights of one that an older version left open to others are corrected, since processes are
    started from the files in it.
    """
    private_folder(folder)
    with suppress(OSError):
        status = folder.stat()
        if os.name == "posix" and status.st_mode & 0o077 and status.st_uid == os.geteuid():
            folder.chmod(0o700)
    return folder


def is_supported() -> bool:
    """Whether this system has the locks that show which processes are alive."""
    return os.name == "posix"
