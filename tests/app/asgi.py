"""The app's own routes behind its gate, asked in this process, byte by byte as a stranger may."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import unquote_to_bytes

HOST = "127.0.0.1:8501"
JSON = "application/json"


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@functools.cache
def app() -> Any:
    """The routes and the gate as ``app.py`` builds them."""
    from starlette.applications import Starlette

    from rivae.app import server
    from rivae.app.shell import middleware, web

    # Other tests of this process run pages without their launcher, which have no routes.
    with patch.object(web, "_base"):
        return Starlette(routes=server.build_routes(), middleware=middleware.build_gate())


# A thread with an event loop of its own: that of the tests may run one already, for a browser.
_thread = ThreadPoolExecutor(1)


@functools.cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def _run(answer: Any) -> Any:
    return _runner().run(answer)


def outcome(answer: Any) -> Any:
    """What a coroutine returns, run in the thread's loop (always the same one)."""
    return _thread.submit(_run, answer).result()


def ask(
    path: str,
    method: str = "GET",
    body: bytes | Iterable[bytes] = b"",
    headers: Iterable[tuple[str, str]] = (("host", HOST), ("content-type", JSON)),
    to: Any = None,
) -> Reply:
    """One request; a body of several parts is sent part by part, without its length."""
    name, _, query = path.partition("?")
    chunks = [body] if isinstance(body, bytes) else list(body)
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote_to_bytes(name).decode(errors="replace"),
        "raw_path": name.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8501),
        "state": {},
    }

    async def receive() -> dict[str, Any]:
        if not chunks:
            return {"type": "http.disconnect"}
        part = chunks.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(chunks)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    outcome((to or app())(scope, receive, send))
    given = {n.decode("latin-1"): v.decode("latin-1") for n, v in sent[0]["headers"]}
    return Reply(sent[0]["status"], given, b"".join(part.get("body", b"") for part in sent[1:]))


def post(path: str, question: Any, **more: Any) -> Reply:
    """A question as JSON; bytes are sent as they are."""
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    return ask(path, "POST", body, **more)
