"""Scripts and styles are sent compressed to who can unpack them, and everything else as it is."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor

import pytest

from rivae.app.shell.compressed import Compressed

SCRIPT = b"let a = 1;\n" * 500
PART = 2_000  # bytes that a server sends at once


def served(middleware, path, headers=(("accept-encoding", "gzip, br"),), method="GET"):
    """Status, headers and body of one answer."""
    messages = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }

    async def send(message):
        messages.append(message)

    # In a thread: with a browser open, this one has a loop already.
    with ThreadPoolExecutor(1) as one:
        one.submit(asyncio.run, middleware(scope, None, send)).result()
    head = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], head, b"".join(m.get("body", b"") for m in messages[1:])


class Files:
    """An application with three files, which counts its answers."""

    def __init__(self):
        self.asked = 0

    async def __call__(self, scope, receive, send):
        self.asked += 1
        name = scope["path"].rpartition("/")[2]
        kind, body = {
            "a.js": ("application/javascript", SCRIPT),
            "b.js": ("application/javascript", SCRIPT[::-1]),
            "short.css": ("text/css", b"p {}"),
            "page.js": ("text/html", b"<p>" * 1000),
        }.get(name, ("text/plain", b"no such file" * 200))
        headers = [(b"content-type", kind.encode()), (b"etag", b"x")]
        headers.append((b"content-length", str(len(body)).encode()))
        status = 404 if kind == "text/plain" else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for part in (body[:PART], body[PART:]):
            await send(
                {"type": "http.response.body", "body": part, "more_body": part != body[PART:]}
            )


def test_a_script_is_compressed_once():
    files = Files()
    middleware = Compressed(files)
    for _ in range(3):
        status, head, body = served(middleware, "/static/js/a.js")
        assert (status, head["content-encoding"]) == (200, "gzip")
        assert gzip.decompress(body) == SCRIPT and int(head["content-length"]) == len(body)
        assert head["content-type"] == "application/javascript" and "etag" not in head
    assert files.asked == 1


def test_a_visitor_who_leaves_early_leaves_nobody_half_a_script():
    files = Files()

    async def left_early(scope, receive, send):
        """The first part alone while nobody has asked, as servers end where a visitor has gone."""
        first = files.asked == 0

        async def until_gone(message):
            if not (first and message.get("body") == SCRIPT[PART:]):
                await send(message)

        await files(scope, receive, until_gone)

    middleware = Compressed(left_early)
    status, head, body = served(middleware, "/static/js/a.js")
    assert (status, body) == (200, SCRIPT[:PART]) and int(head["content-length"]) == len(SCRIPT)
    for _ in range(2):
        assert gzip.decompress(served(middleware, "/static/js/a.js")[2]) == SCRIPT
    assert files.asked == 2


@pytest.mark.parametrize(
    ("path", "headers", "method"),
    [
        ("/static/js/a.js", (), "GET"),
        ("/static/js/a.js", (("accept-encoding", "br"),), "GET"),
        ("/static/js/a.js", (("accept-encoding", "gzip"), ("range", "bytes=0-3")), "GET"),
        ("/static/js/a.js", (("accept-encoding", "gzip"), ("if-none-match", "x")), "GET"),
        ("/static/js/a.js", (("accept-encoding", "gzip"),), "HEAD"),
        ("/static/css/short.css", (("accept-encoding", "gzip"),), "GET"),
        ("/static/page.js", (("accept-encoding", "gzip"),), "GET"),
        ("/static/none.js", (("accept-encoding", "gzip"),), "GET"),
        ("/rivae/api/run/a.js", (("accept-encoding", "gzip"),), "GET"),
    ],
)
def test_everything_else_passes_as_it_is(path, headers, method):
    plain, through = Files(), Files()
    expected = served(plain, path, headers, method)
    for _ in range(2):
        assert served(Compressed(through), path, headers, method) == expected


def test_what_is_kept_is_bounded():
    files = Files()
    middleware = Compressed(files, max_kept=100)
    for path in ("/static/a.js", "/static/b.js", "/static/a.js"):
        assert gzip.decompress(served(middleware, path)[2]) in (SCRIPT, SCRIPT[::-1])
    assert files.asked == 3
