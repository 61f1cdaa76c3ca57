"""One worker: answers what the app passes on, see ``rivae.app.work.workers``.

``python -m rivae.app.worker SOCKET`` listens on a socket file until its standard input ends.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import signal
import sys
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from rivae.app.shell import web
from rivae.app.work.memory import keep_giving_back
from rivae.app.work.workers import NOT_OPEN, receive, send
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.base.config import Asks, Rows
    from rivae.exploring.explorer import Explorer

READ_FIRST = (
    "pandas",
    "rivae.exploring.explorer",
    "rivae.models.methods",
    "rivae.app.shell.cache",
    "rivae.app.panels.answers",
    "rivae.app.steer.answers",
)
log = logging.getLogger(__name__)


class NotOpenError(Exception):
    """The run is being opened."""


class Opened:
    """Runs that this process has opened; others are opened in the background."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._opening: set[str] = set()
        self._guard = threading.Lock()

    def __call__(self, run_id: str, rows: Rows = "test", asks: Asks = "first", /) -> Explorer:
        """The opened run.

        Raises:
            NotOpenError: it is being opened.
            RivaeError: there is no such run.
        """
        from rivae.app.shell import cache
        from rivae.exploring.preparing import needs_preparing

        key = f"{cache.model_key(run_id, asks)}/{rows}"
        if key in self._known:
            return cache.explorer(run_id, rows, asks)
        if needs_preparing(cache.run(run_id), rows, asks):  # the app sees to that
            raise NotOpenError(run_id)
        with self._guard:
            if key not in self._opening:
                self._opening.add(key)
                threading.Thread(target=self._open, args=(key, run_id, rows, asks)).start()
        raise NotOpenError(run_id)

    def _open(self, key: str, run_id: str, rows: Rows, asks: Asks) -> None:
        from rivae.app.shell import cache

        try:
            cache.explorer(run_id, rows, asks)
            self._known.add(key)
        except RivaeError as error:
            log.warning("%s could not be opened: %s", run_id, error)
        finally:
            self._opening.discard(key)


async def listen(socket: str) -> None:
    """Answers the questions of a drag, as many at once as there are connections."""
    from rivae.app.server import answer_posted

    open_run = Opened()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                path, question = (await receive(reader)).decode(), await receive(reader)
                try:
                    reply = await answer_posted(path, question, open_run)
                except NotOpenError:
                    await send(writer, str(NOT_OPEN).encode(), b"")
                else:
                    await send(writer, str(reply.status_code).encode(), bytes(reply.body))

    async with await asyncio.start_unix_server(answer, socket, backlog=1024) as server:
        await server.serve_forever()


def end_with_parent() -> None:
    """End this process when its standard input does."""

    def wait() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="rivae-parent", daemon=True).start()


def main(socket: str) -> None:
    """Answer until the end."""
    end_with_parent()
    web.mount("")
    for module in READ_FIRST:  # the socket appears, and questions come, after that
        importlib.import_module(module)
    os.umask(0o077)
    threading.Thread(target=keep_giving_back, args=[threading.Event()], daemon=True).start()
    asyncio.run(listen(socket))


if __name__ == "__main__":
    main(sys.argv[1])
