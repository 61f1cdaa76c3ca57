"""Web routes beside the app: the top-k for a z as JSON, and single pictures.

Routes have no session and no login, so they only read, name runs by id (never by path), and take
only questions of ``rivae.ui.questions``, which bound every size. What reaches them has passed
``rivae.ui.gate``. A drag asks ``/rivae/api/topk`` some 60 times a second; a
Streamlit rerun per question would be three times slower.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rivae.errors import ConfigError, DataError, LabelError, RivaeError, RunError

if TYPE_CHECKING:
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from rivae.thumbnails import Thumbnail
    from rivae.ui.answers import OpenRun

    Answer = Callable[[dict[str, Any], OpenRun], dict[str, Any]]

log = logging.getLogger(__name__)
TOPK_PATH = "/rivae/api/topk"
STEER_PATH = "/rivae/api/steer"
STRIP_PATH = "/rivae/api/strip/{run}"
PICTURE_PATH = "/rivae/api/picture/{run}/{side}/{item}"

_mounted_at: str | None = None


def topk_url() -> str:
    """Address of the top-k route, or "" when the script runs without its launcher."""
    return "" if _mounted_at is None else _mounted_at + TOPK_PATH


def steer_url() -> str:
    """Address of the route for rows of several axes, or "" without the launcher."""
    return "" if _mounted_at is None else _mounted_at + STEER_PATH


def pictures_url() -> str:
    """What stands before ``/run/side/item`` in the address of a full picture; "" as above."""
    return "" if _mounted_at is None else _mounted_at + PICTURE_PATH.partition("/{")[0]


def strip_url(run_id: str) -> str:
    """Address of a run's strip of items, or "" when the script runs without its launcher."""
    return "" if _mounted_at is None else _mounted_at + STRIP_PATH.replace("{run}", run_id)


def build_routes() -> list[BaseRoute]:
    """The routes for ``st.App``; from now on :func:`topk_url` names one."""
    from starlette.routing import Route
    from streamlit import config

    from rivae.ui import label_routes

    global _mounted_at
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    _mounted_at = f"/{base}" if base else ""
    return [
        Route(_mounted_at + TOPK_PATH, topk, methods=["GET", "POST"]),
        Route(_mounted_at + STEER_PATH, steer, methods=["POST"]),
        Route(_mounted_at + STRIP_PATH, strip, methods=["GET"]),
        Route(_mounted_at + PICTURE_PATH, picture, methods=["GET"]),
        *label_routes.build(_mounted_at),
        Route(_mounted_at + "/rivae/api/{rest:path}", nothing, methods=["GET", "POST"]),
    ]


def build_gate() -> list[Middleware]:
    """What stands before all routes, for ``st.App``."""
    from starlette.middleware import Middleware
    from streamlit import config

    from rivae.ui.gate import Gate

    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return [Middleware(Gate, base=f"/{base}" if base else "")]


async def topk(request: Request) -> Response:
    """POST a question of :func:`rivae.ui.answers.answer`, or GET ``?run=…&z=0.1,-2&k=5``."""
    from anyio import to_thread

    from rivae.ui.answers import answer

    return await to_thread.run_sync(_answer, await _question(request), answer)


async def steer(request: Request) -> Response:
    """POST a question of :func:`rivae.ui.steer_answers.answer`."""
    from anyio import to_thread

    from rivae.ui.steer_answers import answer

    return await to_thread.run_sync(_answer, await _question(request), answer)


async def picture(request: Request) -> Response:
    """One item's full picture."""
    from anyio import to_thread

    return await to_thread.run_sync(told, _picture, request.path_params)


async def strip(request: Request) -> Response:
    """A few items of a run's data set beside each other."""
    from anyio import to_thread

    return await to_thread.run_sync(told, _strip, request.path_params)


async def nothing(request: Request) -> Response:
    """Any other address below ours, and ours asked in a way that they do not take."""
    return _refusal(RunError("nothing is answered at this address in this way"))


async def _question(request: Request) -> dict[str, Any] | str:
    """The question, or what is wrong with it."""
    if request.method != "POST":
        return _from_address(request.query_params)
    try:
        question = json.loads(await request.body())
    except (ValueError, RecursionError):  # the latter for thousands of nested brackets
        return "the question is not JSON"
    return question if isinstance(question, dict) else "the question must be a JSON object"


def _from_address(params: Any) -> dict[str, Any] | str:
    try:
        z = [float(v) for v in params.get("z", "").split(",") if v]
        usual = {"k": "10", "side": "2", "seq": "0"}
        numbers = {name: int(params.get(name, value)[:20]) for name, value in usual.items()}
    except ValueError:
        return "z takes numbers separated by commas; k, side and seq take whole numbers"
    return {"run": params.get("run"), "rows": params.get("rows", "test"), "z": z, **numbers}


def _answer(question: dict[str, Any] | str, answer: Answer) -> Response:
    from starlette.responses import JSONResponse

    from rivae.ui import cache

    try:
        if isinstance(question, str):
            raise ConfigError(question)
        return JSONResponse(answer(question, cache.explorer))
    except RivaeError as error:
        return _refusal(error)


def told(ask: Callable[[dict[str, Any]], Any], params: dict[str, Any]) -> Response:
    """What ``ask`` finds, as a picture or as JSON; what it raises, as one sentence."""
    from starlette.responses import JSONResponse

    from rivae.thumbnails import Thumbnail

    try:
        found = ask(params)
    except RivaeError as error:
        return _refusal(error)
    return _image(found) if isinstance(found, Thumbnail) else JSONResponse(found)


def _picture(params: dict[str, Any]) -> Thumbnail:
    from rivae.ui import cache
    from rivae.ui.questions import Picture, from_address

    asked = from_address(Picture, params)
    return cache.explorer(asked.run).picture(asked.item, asked.side)


def _strip(params: dict[str, Any]) -> Thumbnail:
    from rivae.ui import cache
    from rivae.ui.questions import Strip, from_address

    return cache.strip(cache.run(from_address(Strip, params).run).config)


def _image(image: Thumbnail) -> Response:
    from starlette.responses import Response

    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(image.content, media_type=image.mime, headers=headers)


def _refusal(error: RivaeError) -> Response:
    from starlette.responses import JSONResponse

    status = 404 if isinstance(error, RunError | DataError | LabelError) else 400
    return JSONResponse({"error": str(error)}, status_code=status)
