"""The frame's style is in every page that a browser opens, and in nothing else."""

from pathlib import Path

import pytest

from rivae.app.shell.first_style import FirstStyle, scripts_of
from rivae.app.shell.middleware import FIRST
from tests.app.test_compressed import served

STYLE = ".bar { top: 0 }"
ACCEPTED = b"text/html,application/xhtml+xml,*/*;q=0.8"
OPENED = (("accept", ACCEPTED.decode()), ("if-none-match", "a"), ("accept-encoding", "gzip"))
PAGE = b"<html><head><title>x</title></head><body></body></html>"


def answering(kind, body, status=200, parts=1):
    """An application with one answer; it is asked with no conditions of a browser's cache."""

    async def app(scope, receive, send):
        is_page = scope["method"] == "GET" and (b"accept", ACCEPTED) in scope["headers"]
        names = {name for name, _ in scope["headers"]}
        assert bool(names & {b"if-none-match", b"accept-encoding"}) != is_page
        headers = [(b"content-type", kind), (b"etag", b"a"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        size = -(-len(body) // parts)
        for at in range(parts):
            part = body[at * size : (at + 1) * size]
            more = at + 1 < parts
            await send({"type": "http.response.body", "body": part, "more_body": more})

    return FirstStyle(app, STYLE)


@pytest.mark.parametrize("parts", [1, 3, len(PAGE)])
def test_a_page_has_the_style_in_its_head(parts):
    middleware = answering(b"text/html; charset=utf-8", PAGE, parts=parts)
    status, head, body = served(middleware, "/explore", OPENED)
    assert status == 200 and "etag" not in head
    assert body == PAGE.replace(b"</head>", f"<style>{STYLE}</style></head>".encode())
    assert head["content-length"] == str(len(body))


def test_a_page_links_to_the_scripts_that_it_needs():
    app = answering(b"text/html", PAGE).app
    scripts = {"": ["./a.js"], "metrics": ["./a.js", "./b.js"]}
    middleware = FirstStyle(app, STYLE, scripts)
    link = '<link rel="modulepreload" crossorigin href="./{}.js">'.format
    for path, names in (("/", "a"), ("/explore", "a"), ("/below/metrics", "ab")):
        body = served(middleware, path, OPENED)[2].decode()
        assert f"</style>{''.join(map(link, names))}</head>" in body


def test_streamlit_has_the_scripts_that_pages_begin_with():
    from streamlit.file_util import get_static_dir

    static = Path(get_static_dir())
    for kinds in FIRST.values():
        found = scripts_of(kinds, static)
        assert len(found) == len(kinds)
        assert all((static / name).is_file() for name in found)
    assert scripts_of(["NoSuchKind"], static) == []


@pytest.mark.parametrize(
    ("kind", "status", "method"),
    [(b"text/css", 200, "GET"), (b"text/html", 404, "GET"), (b"text/html", 200, "HEAD")],
)
def test_everything_else_is_passed_on(kind, status, method):
    got, head, body = served(answering(kind, PAGE, status), "/x", OPENED, method)
    assert (got, body, head["etag"]) == (status, PAGE, "a")


def test_a_page_without_end_is_passed_on_whole():
    body = b"<html>" + b"x" * 3_000_000
    assert served(answering(b"text/html", body, parts=30), "/", OPENED)[2] == body


def test_a_script_that_asks_for_a_page_gets_it_as_it_is():
    asked = (("accept", "*/*"), ("if-none-match", "a"))
    assert served(answering(b"text/html", PAGE), "/explore", asked)[2] == PAGE
