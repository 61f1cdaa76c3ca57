"""Processes that answer drags beside the app's own, for many users at once.

``rivae serve --workers 4`` starts four. Each listens on a socket file in a folder of this user's,
opens runs by itself and shares their mapped points with the others. The app passes a question on to
the one with the least to do. Where none can answer (it is starting, was killed, or has not opened
the run yet) the app answers itself, so nobody waits for a worker.

A question is two messages, the route's path and what was posted to it; an answer is two, the status
in digits and its body. HTTP here would cost as much of the processor as the answer itself
(``benchmarks/results/scale.md``).
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rivae.app.serve import WORKERS
from rivae.base.installed import PACKAGE_ROOT
from rivae.base.scratch import scratch_folder

LOOK_S, LONGEST_S = 0.5, 60.0  # between two looks at the workers; the latter after failures
PATIENCE_S = 30.0  # for one answer
NOT_OPEN = 503  # the status of a worker that has not opened the run yet, and does so now
log = logging.getLogger(__name__)

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def send(writer: asyncio.StreamWriter, *messages: bytes) -> None:
    """Writes each message after its length, in four bytes."""
    writer.writelines(part for m in messages for part in (len(m).to_bytes(4, "big"), m))
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> bytes:
    """The next message.

    Raises:
        IncompleteReadError: the other side has closed the connection.
    """
    length = int.from_bytes(await reader.readexactly(4), "big")
    return await reader.readexactly(length)


@dataclass
class Worker:
    """One process, and the way to it.

    Attributes:
        socket: the file that it listens on, there once it is ready.
        idle: connections over which no question is under way.
        asked: questions that it has not answered yet.
    """

    socket: Path
    process: subprocess.Popen[bytes] | None = None
    idle: list[Connection] = field(default_factory=list, repr=False)
    asked: int = 0
    pause: float = LOOK_S
    begun: float = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it listens."""
        return self.process is not None and self.process.poll() is None and self.socket.exists()

    async def ask(self, path: str, question: bytes) -> tuple[int, bytes]:
        """Status and body of its answer.

        Raises:
            OSError: it has ended, or takes too long.
            IncompleteReadError: it ended meanwhile.
        """
        self.asked += 1
        try:
            reader, writer = (
                self.idle.pop() if self.idle else await asyncio.open_unix_connection(self.socket)
            )
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await send(writer, path.encode(), question)
                    status, body = await receive(reader), await receive(reader)
            except BaseException:  # also a visitor who has left: the answer to come is nobody's
                writer.close()
                raise
            self.idle.append((reader, writer))
        finally:
            self.asked -= 1
        return int(status), body

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
        ready = [worker for worker in self.all if worker.is_ready]
        if not ready:
            return None
        worker = min(ready, key=lambda one: one.asked)
        try:
            status, body = await worker.ask(path, question)
        except (OSError, asyncio.IncompleteReadError):
            return None
        return None if status == NOT_OPEN else (status, body)


def from_environment() -> Workers | None:
    """As many as ``rivae serve --workers`` was told; None without any."""
    number = os.environ.get(WORKERS, "")
    return Workers(int(number)) if number.isdecimal() and int(number) else None
