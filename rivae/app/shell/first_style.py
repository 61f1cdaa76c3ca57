"""The style of the frame in the page itself, so that nothing moves when it is drawn, and links to
the scripts that it will need.

Streamlit's page is empty, and styles that Python sends come after the parts that they place. It
asks for the script of a kind of element once the first of them is to be drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_PAGE = 2**20  # bytes; Streamlit's page has 2 kB
END = b"</head>"


class FirstStyle:
    """ASGI middleware that adds a style to the head of every HTML page that is opened, and links to
    scripts that are fetched while the page is still empty.

    Args:
        app: what serves the pages.
        style: CSS.
        scripts: addresses of scripts by the name of the page that needs them, "" for every page.
    """

    def __init__(
        self, app: ASGIApp, style: str, scripts: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.app, self._style = app, f"<style>{style}</style>"
        self._scripts = scripts or {}

    def _head(self, path: str) -> bytes:
        name = path.rstrip("/").rpartition("/")[2]
        scripts = dict.fromkeys((*self._scripts.get("", ()), *self._scripts.get(name, ())))
        links = (f'<link rel="modulepreload" crossorigin href="{address}">' for address in scripts)
        return "".join((self._style, *links)).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application's page and the style in it; pass on everything else."""
        if not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = b""
        request_headers = [(k, v) for k, v in scope["headers"] if k.lower() not in CONDITIONS]
        scope = {**scope, "headers": request_headers}

        async def styled(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if start is None or message["type"] != "http.response.body":
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body", False) and len(body) <= MAX_PAGE:
                return
            body = body.replace(END, self._head(scope["path"]) + END, 1)
            headers = [(k, v) for k, v in start["headers"] if k.lower() not in CHANGED]
            if not message.get("more_body", False):
                headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "headers": headers})
            await send({**message, "body": body})
            start = None  # whatever comes after a page that is too long is passed on

        await self.app(scope, receive, styled)


# A page that the browser keeps may have another style, and a packed one cannot be changed.
CONDITIONS = (b"if-none-match", b"if-modified-since", b"accept-encoding")
# What the changed page has otherwise.
CHANGED = (b"content-length", b"etag", b"accept-ranges", b"last-modified")


def scripts_of(kinds: Sequence[str], static: Path) -> list[str]:
    """The addresses of Streamlit's scripts for ``kinds`` of elements, as its page names its own;
    ``static`` is its folder. A kind that another version lacks is left out.
    """
    files = (sorted(static.glob(f"static/js/{kind}.*.js")) for kind in kinds)
    return [f"./static/js/{path.name}" for paths in files for path in paths[:1]]


def _asks_for_page(scope: Scope) -> bool:
    """Whether a browser opens an address, as a visitor does."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return any(k.lower() == b"accept" and b"text/html" in v for k, v in scope["headers"])


def _is_page(start: Message) -> bool:
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    is_html = headers.get(b"content-type", b"").startswith(b"text/html")
    return start["status"] == 200 and is_html and b"content-encoding" not in headers
