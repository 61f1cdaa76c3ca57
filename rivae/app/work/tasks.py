"""Tasks: work in separate processes that pages watch, shared by all sessions.

Nothing of a task runs in the web process except a thread that reads its progress, so other
visitors' drags stay fast. The process, ``python -m rivae.app.work.tasks MODULE:FUNCTION``, reads
its specification as JSON from standard input and writes one JSON object per line to standard
output: {"stage", "share"} while it works, {"alone": "one sentence"} where no cluster helps it, at
last {"done": true, "result": …} or {"error": "one sentence"}. No streamlit here.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakSet

from rivae.base.errors import RivaeError
from rivae.base.installed import PACKAGE_ROOT
from rivae.base.progress import Progress

PACE_S = 20.0  # of the last ones the pace is taken
LEAST_S, LEAST_SHARE = 2.0, 0.05  # of less nothing is foretold
LESS = 5  # what is added to a task's niceness
# What a task runs: takes its specification; a ``RivaeError`` is the sentence that the page shows.
Work = Callable[[Mapping[str, Any], Progress], dict[str, Any] | None]


@dataclass
class Task:
    """One task and its process, or its thread.

    Attributes:
        key: names the task for programs.
        title: names it for people.
        stage, share: its progress; share in [0, 1].
        alone: why the cluster that the operator named does none of it; names that cluster.
        running: whether its process still runs.
        can_stop: whether it is a process; a thread works to its end.
        error: one sentence, once it has failed.
        result: what its function returned, if anything.
    """

    key: str
    title: str
    process: subprocess.Popen[str] | None = field(repr=False)
    stage: str = "starting"
    share: float = 0.0
    alone: str = ""
    running: bool = True
    cancelled: bool = False
    error: str = ""
    result: dict[str, Any] | None = None
    can_stop: bool = True
    _pace: deque[tuple[float, float]] = field(default_factory=deque, repr=False)

    def set_share(self, share: float) -> None:
        """Note that ``share`` is done now."""
        share = min(max(share, 0.0), 1.0)
        if share < self.share:  # a stage whose share starts again
            self._pace.clear()
        if share != self.share or not self._pace:
            self._pace.append((time.monotonic(), share))
        while self._pace[-1][0] - self._pace[0][0] > PACE_S:
            self._pace.popleft()
        self.share = share

    @property
    def left_s(self) -> float | None:
        """Seconds left at the pace of the last ones; None while it cannot be told."""
        if len(self._pace) < 2 or self.share < LEAST_SHARE:
            return None
        (began, before), (end, share) = self._pace[0], self._pace[-1]
        if end - began < LEAST_S:
            return None
        left = (1 - share) * (end - began) / (share - before)
        return max(left - (time.monotonic() - end), 0.0)

    def read(self) -> None:
        """Follow the process until it ends; for a thread."""
        is_done = False
        assert self.process is not None and self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue  # something that a library printed
            if not isinstance(message, dict):
                continue
            self.stage = str(message.get("stage", self.stage))
            self.set_share(float(message.get("share", self.share)))
            self.alone = str(message.get("alone", self.alone))
            self.error = str(message.get("error", self.error))
            if message.get("done"):
                is_done, self.result = True, message.get("result")
        status = self.process.wait()
        if self.cancelled and not is_done:
            self.error = ""  # what a library said of being interrupted is no failure
        elif not is_done and not self.error:
            was_killed = status == -signal.SIGKILL if os.name == "posix" else False
            why = "the system ended this, probably out of memory: free some and try again"
            self.error = (
                why
                if was_killed
                else (
                    f"this ended early (exit status {status}): try again; the output of the app's "
                    "server says more"
                )
            )
        self.running = False

    def cancel(self) -> None:
        """Ask the process and its children to stop."""
        self.cancelled = True
        assert self.process is not None
        with suppress(ProcessLookupError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGTERM)
            else:
                self.process.terminate()


def start_process(key: str, title: str, work: str, spec: Mapping[str, Any]) -> Task:
    """Run the function ``work`` ("module:name", a ``Work``) on ``spec`` in a process; watch it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rivae.app.work.tasks", work],
        cwd=str(PACKAGE_ROOT),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # its errors appear in the server's output
    )
    task = Task(key, title, process)

    def follow() -> None:
        assert process.stdin is not None
        with suppress(OSError), process.stdin as stream:  # it may have ended already
            json.dump(spec, stream)
        task.read()

    threading.Thread(target=follow, name=f"rivae-{work}", daemon=True).start()
    return task


def start_thread(key: str, title: str, work: Callable[[Progress], dict[str, Any]]) -> Task:
    """Run ``work`` in a thread; watch it. For seconds of arithmetic on what the app holds open,
    which a process would have to open again; it cannot be stopped.
    """
    task = Task(key, title, None, can_stop=False)

    def tell(stage: str, share: float) -> None:
        task.stage = stage
        task.set_share(share)

    def follow() -> None:
        task.error = "this ended early: try again; the output of the app's server says more"
        try:
            task.result, task.error = work(tell), ""
        except RivaeError as error:
            task.error = str(error)
        finally:
            task.running = False

    threading.Thread(target=follow, name=f"rivae-{key}"[:60], daemon=True).start()
    return task


class Tasks:
    """The tasks of one kind that visitors have started, shared by all sessions.

    So a running task is found after a reload and in another tab; ``rivae.app.shell.report.watch``
    shows it.

    Args:
        keep: how many tasks are remembered.
        busy: raised, with ``sentence``, while ``at_once`` other tasks are running.
    """

    def __init__(self, keep: int, busy: type[RivaeError], sentence: str, at_once: int = 1) -> None:
        self.keep, self.busy, self.sentence, self.at_once = keep, busy, sentence, at_once
        self.known: dict[str, Task] = {}  # the newest last
        self._lock = threading.Lock()
        _KINDS.add(self)

    def get(self, key: str) -> Task | None:
        """The task ``key``, running or done, or None."""
        return self.known.get(key)

    def running(self) -> list[Task]:
        """The running tasks, the oldest first."""
        return [task for task in list(self.known.values()) if task.running]

    def start(self, key: str, begin: Callable[[], Task], again: bool = False) -> Task:
        """Start the task ``key``, or join it where it is running or, unless ``again``, has its
        result; what failed or was stopped starts again.
        """
        with self._lock:
            task = self.known.get(key)
            if task is not None and (task.running or (task.result is not None and not again)):
                return task
            if len(self.running()) >= self.at_once:
                raise self.busy(self.sentence)
            task = begin()
            self.known.pop(key, None)
            self.known[key] = task
            for old in [k for k, other in self.known.items() if not other.running and k != key]:
                if len(self.known) > self.keep:
                    del self.known[old]
        return task

    def forget(self, key: str) -> None:
        """Show the task ``key`` no longer."""
        self.known.pop(key, None)


_KINDS = WeakSet[Tasks]()


def all_running() -> list[Task]:
    """The running tasks of every kind, by their titles."""
    tasks = (task for kind in list(_KINDS) for task in kind.running())
    return sorted(tasks, key=lambda task: (task.title, task.key))


# The process of a task


def step_back() -> None:
    """Take less of the processor, so that visitors of the app come first."""
    if hasattr(os, "nice"):
        os.nice(LESS)
    with suppress(OSError):  # a session of its own, as ours, competes with others as a group
        Path("/proc/self/autogroup").write_text(str(LESS), encoding="ascii")


@contextmanager
def shared_out(needs: Callable[[], Sequence[Path]]) -> Iterator[None]:
    """Let the cluster that ``RIVAE_CLUSTER`` names do what it can of the work. Where that cannot do
    any, the app is told why.

    Args:
        needs: gives the folders and files that its workers have to see.
    """
    from rivae.base.cluster import on_usual_cluster

    with on_usual_cluster(needs) as problem:
        if problem:
            tell(alone=problem)
        yield


def tell(**message: Any) -> None:
    """Write one line; where the app is gone and no longer reads, the work continues."""
    with suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def main(argv: Sequence[str]) -> int:
    """Run the function that ``argv[0]`` names and return the exit status.

    SIGTERM interrupts it, so that it can tidy up.
    """

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    module, _, name = argv[0].partition(":")
    try:
        spec = json.loads(sys.stdin.buffer.read())
        work: Work = getattr(importlib.import_module(module), name)
        result = work(spec, lambda stage, share: tell(stage=stage, share=share))
    except RivaeError as error:
        tell(error=str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    tell(done=True, result=result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
