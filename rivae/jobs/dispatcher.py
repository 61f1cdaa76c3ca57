"""The dispatcher's process: one per folder of runs, which starts and watches them until the end.

``python -m rivae.jobs.dispatcher ROOT``. It repeats the rounds of ``rivae.jobs.rounds``.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rivae.base.errors import RivaeError, RunError
from rivae.base.files import is_locked
from rivae.base.installed import PACKAGE_ROOT
from rivae.base.paths import variable_path
from rivae.jobs.agent import open_log
from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import keep, start_holding
from rivae.jobs.records import jobs_folder, make_private
from rivae.jobs.rounds import Dispatcher
from rivae.jobs.slurm import ClusterDispatcher

ROUND_S = 0.3
ANOTHER = 3  # the exit status if another one is running
IDLE_S = 60.0  # with nothing queued or alive
AT_WORK = "looking after the queue"
EXECUTOR = "RIVAE_EXECUTOR"  # "" is this machine; see ``rivae.jobs.slurm``
log = logging.getLogger("rivae.jobs")


def make_dispatcher(root: Path, slots: Sequence[str] | None = None) -> Dispatcher:
    """The dispatcher of this machine, or of the cluster that ``$RIVAE_EXECUTOR`` names."""
    name = os.environ.get(EXECUTOR, "")
    if not name:
        return Dispatcher(root, slots)
    return ClusterDispatcher(root, name)


def run_dispatcher(
    root: Path, *, idle_s: float = IDLE_S, slots: Sequence[str] | None = None
) -> int:
    """Dispatch until there is nothing to do for ``idle_s`` seconds; ``ANOTHER`` if one is running.

    A process that ``ensure_dispatcher`` started holds the lock already.
    """
    make_private(jobs_folder(root))
    while True:
        try:
            with keep(_lock(root)):
                _dispatch(make_dispatcher(root, slots), idle_s)
        except BlockingIOError:
            return ANOTHER
        # Was a run queued just now, by a process that still saw the lock held?
        with suppress(RunError):
            if idle_s and Ledger(root).jobs("queued"):
                continue
        return 0


def _dispatch(dispatcher: Dispatcher, idle_s: float) -> None:
    log.info(AT_WORK)
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < idle_s:
        try:
            if dispatcher.round():
                idle_since = time.monotonic()
        except RivaeError as error:  # e.g. a full disk: wait until there is space
            log.warning("%s", error)
            time.sleep(2.0)
        time.sleep(ROUND_S)


_started: dict[Path, subprocess.Popen[bytes]] = {}  # the last one of each folder of runs
_starting = threading.Lock()


def is_dispatching(root: Path) -> bool:
    """Whether a dispatcher is running for the runs below ``root``."""
    return is_locked(_lock(root))


def _lock(root: Path) -> Path:
    return jobs_folder(root) / "dispatcher.lock"


def ensure_dispatcher(root: Path) -> None:
    """Start a dispatcher in a new session unless one is running; it outlives this process.

    It is started with its lock held, since its imports may take seconds.
    """
    folder = make_private(jobs_folder(root)).resolve()
    with _starting:
        if is_dispatching(root):
            return
        data = variable_path("RIVAE_DATA", "data")  # its own module would load torch
        # A process of another app may have been quicker.
        with open_log(folder / "dispatcher.log") as stream, suppress(BlockingIOError):
            _started[folder] = start_holding(
                _lock(root),
                [sys.executable, "-m", "rivae.jobs.dispatcher", str(root.resolve())],
                # By its full path: the runs of this folder read the imports of this one.
                {**os.environ, "RIVAE_DATA": str(data.absolute())},
                cwd=str(PACKAGE_ROOT),
                stdout=stream,
                stderr=subprocess.STDOUT,
            )


def restart_if_needed(root: Path) -> bool:
    """Start a dispatcher if runs wait or train and none is running; to be called now and then.

    False if the last one that this process started has failed: then wait longer.

    Raises:
        RunError: the queue cannot be used.
        OSError: it cannot be started.
    """
    last = _started.get(jobs_folder(root).resolve())
    code = last.poll() if last is not None else None  # leaves no zombie
    if is_dispatching(root) or not Ledger(root).jobs("queued", "starting", "running"):
        return True
    ensure_dispatcher(root)
    return code is None or code <= 0 or code == ANOTHER


def main(argv: Sequence[str]) -> int:
    """The dispatcher's own process."""
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    return run_dispatcher(Path(argv[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
