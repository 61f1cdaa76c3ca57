"""The search box: items that fit a text best, and the text or a picture itself as the query."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rivae.app.panels.answers import picture
from rivae.app.panels.questions import TextSearch, read
from rivae.app.shared.uploads import Upload, read_text, read_upload
from rivae.base.errors import DataError
from rivae.data.pictures import KNOWN

if TYPE_CHECKING:
    from rivae.app.panels.answers import OpenRun
    from rivae.exploring.explorer import Explorer

N_HITS = 7
MAX_CONTENT = 8 * 2**20  # characters; the browser makes pictures smaller before it sends them
NO_PICTURE = f"the file cannot be read as a picture: save it as {KNOWN}"


def hits(question: dict[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The items that fit a text best: id, title and text in pieces, picture, whether it is tiny.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    request = read(TextSearch, question)
    explorer = open_run(request.run, request.rows, request.asks)
    side = 0 if explorer.shows_whole else explorer.query_side
    rows = []
    for hit in explorer.best(request.text, N_HITS):
        _, address, tiny = picture(explorer, hit.row, side)
        about = {"title": hit.title, "snippet": hit.snippet}
        rows.append({"id": hit.row, **about, "picture": address, "tiny": tiny})
    return {"seq": request.seq, "hits": rows}


def takes(explorer: Explorer) -> dict[str, bool]:
    """What besides items can be asked with here."""
    return {"text": explorer.accepts_text, "picture": explorer.data.accepts_upload}


def upload_of(explorer: Explorer, report: Mapping[str, Any]) -> Upload:
    """The text or picture that the search box reports, as a query.

    Raises:
        DataError: it is no text or picture that the data set can use.
        ConfigError: the model cannot be asked with it.
    """
    text, content = report.get("text"), report.get("content")
    if isinstance(text, str):
        return read_text(explorer, text)
    if not isinstance(content, str) or len(content) > MAX_CONTENT:
        raise DataError(NO_PICTURE)
    try:
        content_bytes = base64.b64decode(content, validate=True)
    except (ValueError, binascii.Error):
        raise DataError(NO_PICTURE) from None
    return read_upload(explorer, str(report.get("name") or "picture")[:200], content_bytes)
