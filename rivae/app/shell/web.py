"""Addresses of the app's own web routes, and their responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rivae.base.errors import DataError, LabelError, RivaeError, RunError

if TYPE_CHECKING:
    from starlette.responses import Response

    from rivae.data.thumbnails import Thumbnail

TOPK_PATH = "/rivae/api/run/topk"
STEER_PATH = "/rivae/api/run/steer"
STRIP_PATH = "/rivae/api/run/strip/{run}"
# A browser keeps a picture for an hour, so its address tells the data that it is of.
PICTURE_PATH = "/rivae/api/run/picture/{data}/{run}/{side}/{item}"
THUMBNAIL_PATH = "/rivae/api/run/thumbnail/{data}/{run}/{side}/{item}"
COLUMN_PATH = "/rivae/api/run/map/{run}/{rows}/{asks}/{column}"
COLUMNS = "columns"  # in the place of a column: what columns there are
NAMES = "names"  # "names.axis-0.axis-1" in the place of a column: what lies where on their map
LIBRARY_PATH = "/rivae/api/run/library/{name}"
LIBRARIES = ("map", "video")  # scripts of others, each fetched with its first use
CHOSEN_PATH = "/rivae/api/run/chosen"
FOUND_PATH = "/rivae/api/run/found"
HITS_PATH = "/rivae/api/run/hits"
CHANGES_PATH = "/rivae/api/run/changes"
FIND_PATH = "/rivae/api/run/find"
BYTES = "application/octet-stream"
LABEL_PATH = "/rivae/api/run/label/{plan}"

_base: str | None = None


def mount(base: str) -> str:
    """Put the routes below ``base`` and return it as addresses begin with it: "" or "/name"."""
    global _base
    base = base.strip("/")
    _base = f"/{base}" if base else ""
    return _base


def is_mounted() -> bool:
    """Whether the app's own server is there, with its routes and what it adds to pages."""
    return _base is not None


def topk_url() -> str:
    """Address of the top-k route, or "" when the script runs without its launcher."""
    return "" if _base is None else _base + TOPK_PATH


def hits_url() -> str:
    """Address of the search for items by text, or "" without the launcher."""
    return "" if _base is None else _base + HITS_PATH


def changes_url() -> str:
    """Address of what an axis changes, or "" without the launcher."""
    return "" if _base is None else _base + CHANGES_PATH


def find_url() -> str:
    """Address of the search for everything, or "" without the launcher."""
    return "" if _base is None else _base + FIND_PATH


def steer_url() -> str:
    """Address of the route for rows of several axes, or "" without the launcher."""
    return "" if _base is None else _base + STEER_PATH


def pictures_url(data: str) -> str:
    """The address of a full picture without its ``/run/side/item``; "" as above.

    Args:
        data: ``cache.data_version`` of the runs shown.
    """
    return "" if _base is None else f"{_base}{PICTURE_PATH.partition('/{')[0]}/{data}"


def thumbnails_url(data: str) -> str:
    """As ``pictures_url``, of small pictures."""
    return "" if _base is None else f"{_base}{THUMBNAIL_PATH.partition('/{')[0]}/{data}"


def map_urls(run_id: str, rows: str, asks: str) -> dict[str, str] | None:
    """Addresses for a run's map: ``url`` of its columns without ``/column``, ``library`` that draws
    it, ``described`` for what tells chosen items from others, ``found`` for which items have some
    words; None without the launcher.
    """
    if _base is None:
        return None
    column = COLUMN_PATH.partition("/{column}")[0]
    for name, value in (("run", run_id), ("rows", rows), ("asks", asks)):
        column = column.replace(f"{{{name}}}", value)
    paths = {"described": CHOSEN_PATH, "found": FOUND_PATH}
    urls = {name: _base + path for name, path in paths.items()}
    return {"url": _base + column, "library": library_url("map"), **urls}


def library_url(name: str) -> str:
    """Address of one of ``LIBRARIES``, or "" without the launcher."""
    return "" if _base is None else _base + LIBRARY_PATH.replace("{name}", name)


def strip_url(run_id: str, data: str) -> str:
    """Address of a run's strip of items, or "" when the script runs without its launcher.

    Args:
        data: ``cache.data_version`` of the run.
    """
    return "" if _base is None else f"{_base}{STRIP_PATH.replace('{run}', run_id)}?data={data}"


def label_url(plan: str) -> str:
    """The address of a plan's pictures without their ``/picture/position``; "" as above."""
    return "" if _base is None else _base + LABEL_PATH.replace("{plan}", plan)


def respond(ask: Callable[[dict[str, Any]], Any], params: dict[str, Any]) -> Response:
    """The result of ``ask`` as a picture, bytes or JSON; an error as one sentence."""
    from starlette.responses import JSONResponse, Response

    from rivae.data.thumbnails import Thumbnail

    try:
        answer = ask(params)
    except RivaeError as error:
        return refusal(error)
    if isinstance(answer, bytes):
        return Response(answer, media_type=BYTES)
    return _image(answer) if isinstance(answer, Thumbnail) else JSONResponse(answer)


def _image(image: Thumbnail) -> Response:
    from starlette.responses import Response

    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(image.content, media_type=image.mime, headers=headers)


def refusal(error: RivaeError) -> Response:
    """One sentence, with the status that fits it."""
    from starlette.responses import JSONResponse

    status = 404 if isinstance(error, RunError | DataError | LabelError) else 400
    return JSONResponse({"error": str(error)}, status_code=status)
