"""The gate in front of the app: every request, page and websocket has to pass it.

Browsers let any page of the internet send requests to this machine, and a name of a stranger can be
made to point to it. So the gate asks under which name the app was called, from which site's page,
and how much is sent, before anything else looks at the request. Every answer carries headers
that keep other sites from framing, embedding or sniffing it.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
API = "/rivae/api/run/"
MAX_BODY = 64 * 1024  # of a question; the longest of ours has some 10 KB
MAX_API_PATH, MAX_API_QUERY = 400, 8_000
MAX_PATH, MAX_QUERY = 2_000, 32_000  # of Streamlit's pages and files: links hold whole states
METHODS = {"GET", "HEAD", "POST"}
# Files that the browser sends are in memory until they are read or written down.
SMALL_FILE = 16  # MB of a picture that asks, or of a document; others: ``large_file``
LARGE_FILES = 3  # as many have room, of all visitors together, so that none fills the memory
UPLOADS = "/_stcore/upload_file/"  # Streamlit's
CROWDED = (
    "visitors' files take all the memory that is kept for them: close other tabs of the app, and "
    "try again in two minutes"
)
FAILED = "the server could not answer this: its log says why"


def large_file() -> int:
    """MB of a table, a zip of pictures or the archive of a run: the most that the server lets pass,
    ``maxUploadSize`` in ``.streamlit/config.toml``.
    """
    from streamlit import config

    return int(config.get_option("server.maxUploadSize"))


class RefusedError(Exception):
    """A request that does not pass, with its HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Gate:
    """ASGI middleware around all routes, ours and Streamlit's, and its websocket.

    Args:
        app: the application behind the gate.
        base: the path below which the app is served, "" or "/name".
        held: how many bytes the files of all visitors take at the moment.
    """

    def __init__(self, app: ASGIApp, base: str = "", held: Callable[[], int] = lambda: 0) -> None:
        self.app, self.base, self.held = app, base, held
        self._arriving = 0  # bytes of the files that are being sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, pass it on, and count the bytes read."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        started, file = False, 0
        left = self._most(scope)

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            if message["type"] == "http.request":
                left -= len(message.get("body", b""))
                if left < 0:
                    raise _too_long(self._most(scope))
            return message

        async def dressed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given_names = {name.lower() for name, _ in message.get("headers", ())}
                own_headers = [header for header in self._headers if header[0] not in given_names]
                message = {**message, "headers": [*message.get("headers", ()), *own_headers]}
            await send(message)

        try:
            self._check(scope)
            file = self._room_for_file(scope)
            if scope["type"] == "websocket":
                await self.app(scope, receive, send)
            else:
                await self.app(scope, counted, dressed)
        except RefusedError as refusal:
            if started:
                raise
            await self._refuse(scope, receive, dressed, refusal)
        except Exception:
            # Whatever failed, the browser learns nothing about the server's files.
            log.exception("%s %r failed", scope.get("method", "websocket"), scope["path"][:200])
            if started or scope["type"] == "websocket":
                raise
            await self._refuse(scope, receive, dressed, RefusedError(500, FAILED))
        finally:
            self._arriving -= file

    def _room_for_file(self, scope: Scope) -> int:
        """Reserve memory for a file that is about to be sent, and return its bytes; 0 for none."""
        if scope.get("method") != "PUT" or not scope["path"].startswith(self.base + UPLOADS):
            return 0
        length = _Headers(scope).length
        size = self._most(scope) if length is None else length
        if self.held() + self._arriving + size > LARGE_FILES * large_file() * 2**20:
            raise RefusedError(507, CROWDED)
        self._arriving += size
        return size

    def _is_api(self, scope: Scope) -> bool:
        return bool(scope["path"].startswith(self.base + API))

    def _most(self, scope: Scope) -> int:
        return MAX_BODY if self._is_api(scope) else (large_file() + 1) * 2**20

    def _check(self, scope: Scope) -> None:
        headers = _Headers(scope)
        _check_host(headers)
        _check_site(scope, headers)
        is_api = self._is_api(scope)
        if len(scope["path"]) > (MAX_API_PATH if is_api else MAX_PATH):
            raise RefusedError(414, "the address is too long: shorten it")
        if len(scope.get("query_string", b"")) > (MAX_API_QUERY if is_api else MAX_QUERY):
            raise RefusedError(414, "the address is too long: ask with POST, or shorten the link")
        if scope["type"] == "websocket":
            return
        if scope["path"].rstrip("/") == self.base + "/_stcore/metrics":
            raise RefusedError(404, "there is nothing at this address")
        if (headers.length or 0) > self._most(scope):
            raise _too_long(self._most(scope))
        if is_api:
            if not scope["path"].isprintable():
                raise RefusedError(400, "the address holds a character that no name here has")
            if scope["method"] not in METHODS:
                raise RefusedError(405, "questions are asked with GET or POST")
            kind = headers.get("content-type").partition(";")[0].strip().lower()
            if scope["method"] == "POST" and kind != "application/json":
                raise RefusedError(415, "send the question as application/json")

    async def _refuse(
        self, scope: Scope, receive: Receive, send: Send, refusal: RefusedError
    ) -> None:
        from starlette.responses import JSONResponse, PlainTextResponse, Response

        if scope["type"] == "websocket":
            log.warning("a websocket was refused: %s", refusal)
            await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)[:120]})
            return
        answer: Response
        if self._is_api(scope):
            answer = JSONResponse({"error": str(refusal)}, status_code=refusal.status)
        else:
            sentence = str(refusal)
            answer = PlainTextResponse(
                f"{sentence[:1].upper()}{sentence[1:]}.\n", status_code=refusal.status
            )
        if refusal.status in (413, 507):  # the rest of the request is not read
            answer.headers["Connection"] = "close"
        await answer(scope, receive, send)

    @cached_property
    def _headers(self) -> list[tuple[bytes, bytes]]:
        values = {
            "content-security-policy": content_policy(),
            "x-content-type-options": "nosniff",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "same-origin",
        }
        return [(name.encode(), value.encode()) for name, value in values.items()]


def allowed_hosts() -> tuple[str, ...]:
    """The names that the app answers to (`server.allowedHosts`), in small letters."""
    from streamlit import config

    names = config.get_option("server.allowedHosts") or LOOPBACK
    return tuple(str(name).strip().lower().strip("[]").rstrip(".") for name in names)


def host_name(text: str) -> str:
    """The name in a Host header without its port, in small letters; "" where it is none."""
    try:
        parts = urlsplit(f"//{text}")
        name, _ = parts.hostname, parts.port  # the latter raises for a port out of range
    except ValueError:
        return ""
    if not name or parts.netloc != text or "@" in text:
        return ""
    return name.lower().rstrip(".")


def is_allowed(name: str) -> bool:
    """Whether the app answers to this name; ``*.example.org`` stands for all names below it."""
    return bool(name) and any(
        name == pattern
        or pattern == "*"
        or (pattern.startswith("*.") and name.endswith(pattern[1:]))
        for pattern in allowed_hosts()
    )


def content_policy() -> str:
    """The Content-Security-Policy: everything from this server only.

    Streamlit sets styles inline and loads components from blobs; its page has one inline script,
    which is allowed by its hash.
    """
    import streamlit

    page = Path(streamlit.__file__).parent / "static" / "index.html"
    scripts = re.findall(rb"<script>(.*?)</script>", page.read_bytes(), re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    rules: Mapping[str, str] = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "blob:", *(f"'sha256-{one}'" for one in hashes)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class _Headers:
    """The headers of a request by name; a header sent twice is seen as two."""

    def __init__(self, scope: Scope) -> None:
        self.found: dict[str, list[str]] = {}
        for name, value in scope.get("headers", ()):
            self.found.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )

    def get(self, name: str) -> str:
        return (self.found.get(name) or [""])[-1]

    @property
    def length(self) -> int | None:
        """The bytes of the body; None where that is not said."""
        text = self.get("content-length")
        if not text.isdigit():
            return None
        return int(text) if len(text) <= 18 else 10**18  # digits without end are not read

    def count(self, name: str) -> int:
        return len(self.found.get(name, ()))


def _check_host(headers: _Headers) -> None:
    if headers.count("host") != 1 or not is_allowed(host_name(headers.get("host"))):
        raise RefusedError(
            403, "the app does not answer to this name: start it with `rivae serve --host NAME`"
        )


def _check_site(scope: Scope, headers: _Headers) -> None:
    """Only the app's own pages may ask; a link on another site may open a page, nothing else."""
    from streamlit import config

    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    foreign = site in ("cross-site", "same-site")
    if headers.count("origin"):
        origins = config.get_option("server.corsAllowedOrigins") or ()
        is_own = urlsplit(origin).netloc.lower() == headers.get("host").lower()
        if origin in {str(one).strip() for one in origins}:
            return
        foreign = foreign or not is_own
    opens = (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not headers.count("origin")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and API not in scope["path"]
    )
    if foreign and not opens:
        raise RefusedError(
            403,
            "a page of another site asked: only the app's own pages may (a proxy in between "
            "has to pass on the header Host)",
        )


def _too_long(most: int) -> RefusedError:
    return RefusedError(413, f"the request is too large: send at most {most:,} bytes")
