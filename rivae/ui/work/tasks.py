"""Work in a process of its own that a page watches; shared by all sessions.

Nothing of it runs in the web process but a thread that reads the progress, so other visitors'
drags stay as quick as before. The process (``rivae.ui.work.job``) writes one JSON object per line
to its standard output: {"stage", "share"} while it works, at last {"done": true, "result": …} or
{"error": "one sentence"}.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rivae.errors import RivaeError
from rivae.installed import PACKAGE_ROOT


@dataclass
class Job:
    """One process.

    Attributes:
        key: what it works on, as programs know it.
        title: what it does, as a person says it.
        stage, share: how far it is, share in [0, 1].
        running: whether its process is still at work.
        error: one sentence, once it has failed.
        result: what it handed over at its end, if anything.
    """

    key: str
    title: str
    process: subprocess.Popen[str] | None = field(repr=False)
    stage: str = "starting"
    share: float = 0.0
    running: bool = True
    cancelled: bool = False
    error: str = ""
    result: dict[str, Any] | None = None

    def read(self) -> None:
        """Follow the process to its end; for a thread."""
        done = False
        assert self.process is not None and self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue  # something that a library printed
            if not isinstance(message, dict):
                continue
            self.stage = str(message.get("stage", self.stage))
            self.share = min(max(float(message.get("share", self.share)), 0.0), 1.0)
            self.error = str(message.get("error", self.error))
            if message.get("done"):
                done, self.result = True, message.get("result")
        status = self.process.wait()
        if not done and not self.error and not self.cancelled:
            killed = status == -signal.SIGKILL if os.name == "posix" else False
            why = "the system ended this, probably out of memory: free some and try again"
            self.error = (
                why
                if killed
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


def start_process(key: str, title: str, work: str, spec: Mapping[str, Any]) -> Job:
    """Run the function ``work`` ("module:name", see ``job``) on ``spec`` in a process; watch it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rivae.ui.work.job", work],
        cwd=str(PACKAGE_ROOT),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # its errors go where those of the server go
    )
    job = Job(key, title, process)

    def follow() -> None:
        assert process.stdin is not None
        with suppress(OSError), process.stdin as stream:  # it may have ended already
            json.dump(spec, stream)
        job.read()

    threading.Thread(target=follow, name=f"rivae-{work}", daemon=True).start()
    return job


class Tasks:
    """Work of one kind that visitors asked for, shared by all sessions.

    What is running is known here, whatever a form says meanwhile, after a reload and in another
    tab; ``rivae.ui.work.report.watch`` shows it.

    Args:
        keep: how many pieces of work are remembered.
        busy: raised, with ``sentence``, while ``at_once`` other tasks are running.
    """

    def __init__(self, keep: int, busy: type[RivaeError], sentence: str, at_once: int = 1) -> None:
        self.keep, self.busy, self.sentence, self.at_once = keep, busy, sentence, at_once
        self.jobs: dict[str, Job] = {}  # the newest last
        self._lock = threading.Lock()

    def get(self, key: str) -> Job | None:
        """The task ``key``, running or done, or None."""
        return self.jobs.get(key)

    def running(self) -> list[Job]:
        """What is running, the oldest first."""
        return [job for job in list(self.jobs.values()) if job.running]

    def start(self, key: str, begin: Callable[[], Job], again: bool = False) -> Job:
        """Start the task ``key``, or join it where it is running or, unless ``again``, has its
        result; what failed or was stopped starts again.
        """
        with self._lock:
            known = self.jobs.get(key)
            if known is not None and (known.running or (known.result is not None and not again)):
                return known
            if len(self.running()) >= self.at_once:
                raise self.busy(self.sentence)
            job = begin()
            self.jobs.pop(key, None)
            self.jobs[key] = job
            for old in [k for k, other in self.jobs.items() if not other.running and k != key]:
                if len(self.jobs) > self.keep:
                    del self.jobs[old]
        return job

    def forget(self, key: str) -> None:
        """No more of this work is shown."""
        self.jobs.pop(key, None)
