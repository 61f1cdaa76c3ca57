"""The HTML of an exported page: scripts, styles and content in one text.

Its Content-Security-Policy allows the two scripts of the file by their hashes, pictures that are
in the file, and nothing else; the worker is made of a text in the file. What comes from data is
JSON in blocks that no browser runs, without any character that could end one.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError
from rivae.base.files import write_atomic
from rivae.base.scripts import library, source, styles
from rivae.exploring.explorer import Explorer
from rivae.exploring.tours import Tour
from rivae.figures.page.content import content_of
from rivae.figures.page.opening import opened_at

PANEL_STYLES = ("held.css", "base.css", "explore.css", "search.css", "map.css", "cloud.css")
# Before anything is painted: the visitor's light or dark.
_THEME = (
    "document.documentElement.dataset.theme = "
    "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
<script>{theme}</script>
</head>
<body>
<p id="opening">Opening … This page needs a browser with JavaScript.</p>
<main id="page"></main>
<script type="application/json" id="data">{data}</script>
<script type="application/json" id="seen">{seen}</script>
<script type="application/json" id="worker">{worker}</script>
<script type="module">{script}</script>
</body>
</html>
"""

_SEEN = b'<script type="application/json" id="seen">'


def as_json(value: Any) -> str:
    """JSON that stands safely in a script block: no character of it can end the block."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for unsafe in "<>&\u2028\u2029":
        plain = plain.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return plain


def document(content: dict[str, Any], seen: dict[str, Any]) -> str:
    """The page of a content, which opens with what is ``seen``; see ``rivae.figures.page.content``
    and ``opening``.
    """
    script = f"{source('file.js')}\nopenPage({library() if content['map'] else 'null'})\n"
    assert "</script" not in script.lower(), "a script of the page must not end itself"
    style = styles(*PANEL_STYLES, "file.css")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(_THEME)} {_hash(script)}",
            "worker-src blob:",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(content["title"]),
        style=style,
        theme=_THEME,
        data=as_json(content),
        seen=as_json(seen),
        worker=as_json(source("engine_worker.js")),
        script=script,
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def page_bytes(
    explorer: Explorer,
    name: str,
    tours: list[Tour] | None = None,
    progress: Callable[[float], None] | None = None,
) -> bytes:
    """The page of an opened run.

    Raises:
        ConfigError: more than 50,000 items, or a decoder that cannot be run in a browser.
    """
    content = content_of(explorer, name, tours or [], progress)
    return document(content, opened_at(explorer)).encode()


def seen_in(page: bytes, seen: dict[str, Any]) -> bytes:
    """The same page, opened with something else."""
    # What comes from data holds no "<", so the first block of this name is the page's own.
    head, _, tail = page.partition(_SEEN)
    return head + _SEEN + as_json(seen).encode() + tail[tail.index(b"</script>") :]


def write_page(path: Path, page: bytes, replace: bool = False) -> None:
    """Write a page to a new file, or with ``replace`` in the place of one that is there.

    Raises:
        ConfigError: there is such a file.
        WriteError: it cannot be written; a file that is there stays as it is.
    """
    if not replace and os.path.lexists(path):
        raise ConfigError(f"{path} exists: choose another name, or delete it first")
    write_atomic(path, page)
