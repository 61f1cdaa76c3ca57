"""Scripts and styles of the app, compressed once and kept.

Streamlit sends its own uncompressed, because its server would compress them again for each visitor.
Their names change with their content, so what was compressed stays right.
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    Headers = list[tuple[bytes, bytes]]

KINDS = (".js", ".css")
LEAST = 1_000  # bytes; less is not worth it
MAX_KEPT = 16 * 2**20  # bytes of all that is kept; everything that pages use comes to 6 MB
LEVEL = 6


class Compressed:
    """ASGI middleware for files below ``static``; passes on everything else.

    Args:
        app: what serves the files.
        max_kept: bytes; the least recently used go first.
    """

    def __init__(self, app: ASGIApp, max_kept: int = MAX_KEPT) -> None:
        self.app, self.max_kept = app, max_kept
        self._kept: OrderedDict[str, tuple[Headers, bytes]] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from what is kept, or compress the answer of the application."""
        if not _wanted(scope):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if path in self._kept:
            self._kept.move_to_end(path)
            await _answer(send, *self._kept[path])
            return
        await self._fetch(path, scope, receive, send)

    async def _fetch(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        from anyio import to_thread

        start: Message | None = None
        parts: list[bytes] = []
        is_whole = False

        async def held(message: Message) -> None:
            nonlocal start, is_whole
            if message["type"] == "http.response.start" and _suits(message):
                start = message
            elif start is None:
                await send(message)
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))
                is_whole = not message.get("more_body", False)

        await self.app(scope, receive, held)
        if start is None:
            return
        body = b"".join(parts)
        # Whoever leaves before the end has the rest neither read nor kept for others.
        if not is_whole or len(body) < LEAST:
            await send(start)
            await send({"type": "http.response.body", "body": body, "more_body": not is_whole})
            return
        gzip_body = await to_thread.run_sync(gzip.compress, body, LEVEL)
        stale_headers = (b"content-length", b"content-encoding", b"etag", b"accept-ranges")
        headers = [
            *(
                (name, value)
                for name, value in start["headers"]
                if name.lower() not in stale_headers
            ),
            (b"content-encoding", b"gzip"),
            (b"content-length", str(len(gzip_body)).encode()),
            (b"vary", b"Accept-Encoding"),
        ]
        self._keep(path, headers, gzip_body)
        await _answer(send, headers, gzip_body)

    def _keep(self, path: str, headers: Headers, packed: bytes) -> None:
        if path not in self._kept:
            self._kept[path] = headers, packed
            self._bytes += len(packed)
        while self._bytes > self.max_kept:
            self._bytes -= len(self._kept.popitem(last=False)[1][1])


def _wanted(scope: Scope) -> bool:
    """Whether the request is for a whole file of a fitting kind, by a browser that unpacks it."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    if "/static/" not in scope["path"] or not scope["path"].endswith(KINDS):
        return False
    headers = {name.lower(): value for name, value in scope["headers"]}
    whole = not headers.keys() & {b"range", b"if-none-match", b"if-modified-since"}
    return whole and b"gzip" in headers.get(b"accept-encoding", b"")


def _suits(start: Message) -> bool:
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    is_text = any(kind in headers.get(b"content-type", b"") for kind in (b"javascript", b"css"))
    return start["status"] == 200 and is_text and b"content-encoding" not in headers


async def _answer(send: Send, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
