"""Processes that answer drags beside the app's own, for many users at once.

``rivae serve --workers 4`` starts four. Each listens on a socket file in a folder of this user's,
opens runs by itself and shares their mapped points with the others. The app passes a question on to
the one with the least to do. Where none can answer (it is starting, was killed, or has not opened
the run yet) the app answers itself, so nobody waits for a worker.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rivae.app.serve import MOST_WORKERS, WORKERS
from rivae.base.installed import PACKAGE_ROOT
from rivae.base.scratch import scratch_folder

if TYPE_CHECKING:
    from httpx2 import AsyncClient

LOOK_S, LONGEST_S = 0.5, 60.0  # between two looks at the workers; the latter after failures
PATIENCE_S = 30.0  # for one answer
NOT_OPEN = 503  # the status of a worker that has not opened the run yet, and does so now
log = logging.getLogger(__name__)


@dataclass
class Worker:
    """One process, and the way to it.

    Attributes:
        socket: the file that it listens on, there once it is ready.
        asked: questions that it has not answered yet.
    """

    socket: Path
    process: subprocess.Popen[bytes] | None = None
    client: AsyncClient | None = field(default=None, repr=False)
    asked: int = 0
    pause: float = LOOK_S
    begun: float = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it listens."""
        return self.process is not None and self.process.poll() is None and self.socket.exists()

    def keep(self) -> None:
        """Start the process where there is none; one that fails again and again waits longer."""
        now = time.monotonic()
        if self.process is not None:
            if self.process.poll() is None:
                return
            age_s = now - self.begun
            self.pause = LOOK_S if age_s > LONGEST_S else min(2 * self.pause, LONGEST_S)
            if age_s < self.pause:
                return
            log.warning("a worker ended (exit status %s): another starts", self.process.returncode)
        with suppress(FileNotFoundError):
            self.socket.unlink()
        line = [sys.executable, "-m", "rivae.app.worker", str(self.socket)]
        # It ends with its standard input, and so with this process, however that ends.
        self.process = subprocess.Popen(line, cwd=str(PACKAGE_ROOT), stdin=subprocess.PIPE)
        self.begun = now


class Workers:
    """``n`` processes that are started again when they end.

    Args:
        n: how many, at least 1.
    """

    def __init__(self, n: int) -> None:
        self._open = ExitStack()
        folder = self._open.enter_context(scratch_folder("rivae-workers-"))
        self.all = [Worker(folder / f"{i}.sock") for i in range(n)]
        self._stopped = threading.Event()
        self._watching = threading.Thread(target=self._watch, name="rivae-workers", daemon=True)

    def start(self) -> None:
        """Start them, and from now on those that end."""
        self._watching.start()

    def _watch(self) -> None:
        while not self._stopped.is_set():
            for worker in self.all:
                try:
                    worker.keep()
                except OSError as error:
                    log.warning("a worker could not be started: %s", error)
            self._stopped.wait(LOOK_S)

    def stop(self) -> None:
        """End them."""
        self._stopped.set()
        if self._watching.is_alive():
            self._watching.join()
        for worker in self.all:
            if worker.process is not None:
                worker.process.terminate()
        for worker in self.all:
            if worker.process is not None:
                worker.process.wait()
        self._open.close()

    async def answer(self, path: str, question: bytes) -> tuple[int, bytes] | None:
        """Status and JSON of a worker's answer to what was posted to ``path``; None where the app
        should answer itself.
        """
        from httpx2 import AsyncClient, AsyncHTTPTransport, TransportError

        ready = [worker for worker in self.all if worker.is_ready]
        if not ready:
            return None
        worker = min(ready, key=lambda one: one.asked)
        if worker.client is None:
            transport = AsyncHTTPTransport(uds=str(worker.socket), trust_env=False)
            worker.client = AsyncClient(
                transport=transport, base_url="http://worker", timeout=PATIENCE_S, trust_env=False
            )
        worker.asked += 1
        try:
            reply = await worker.client.post(path, content=question)
        except TransportError:
            return None  # it has just ended
        finally:
            worker.asked -= 1
        return None if reply.status_code == NOT_OPEN else (reply.status_code, reply.content)


def from_environment() -> Workers | None:
    """As many as ``rivae serve --workers`` was told; None without any."""
    number = os.environ.get(WORKERS, "")
    return Workers(min(int(number), MOST_WORKERS)) if number.isdecimal() and int(number) else None
