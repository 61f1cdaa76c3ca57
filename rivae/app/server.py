"""The server behind the pages: its web routes, the gate before them, and its start.

Routes have no session and no login, so they only read, name runs by id (never by path), and take
only questions of ``rivae.app.panels.questions``, which bound every size. A drag asks
``/rivae/api/run/topk`` some 60 times a second; a Streamlit rerun per question would be three times
slower.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.app.shell import web
from rivae.app.shell.middleware import mounted
from rivae.app.work.memory import keep_giving_back
from rivae.app.work.workers import from_environment
from rivae.base.cores import n_cores
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.base.installed import APP_FILES

if TYPE_CHECKING:
    from anyio import CapacityLimiter
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from rivae.app.panels.answers import OpenRun
    from rivae.app.work.workers import Workers
    from rivae.data.thumbnails import Thumbnail

    Answer = Callable[[dict[str, Any], OpenRun], dict[str, Any] | bytes]

# What answers the questions that are posted to an address, below ``rivae.app``; those of a drag may
# be passed on to workers.
PASSED_ON = {web.TOPK_PATH: "panels.answers:answer", web.STEER_PATH: "steer.answers:answer"}
ANSWERS = {
    web.CHOSEN_PATH: "explore.chosen:about",
    web.FOUND_PATH: "explore.chosen:found",
    web.HITS_PATH: "explore.search:hits",
    web.CHANGES_PATH: "explore.changes:told",
    web.FIND_PATH: "shared.finder:hits",
}
NOT_NOTED = "the trash could not be looked after: %s"
NOT_RESUMED = "the queue of trainings could not be resumed: %s"
log = logging.getLogger(__name__)
_workers: Workers | None = None
_trouble = ""  # with the queue, at the last look


def build_routes() -> list[BaseRoute]:
    """The routes for ``st.App``; from now on ``web.topk_url`` names one."""
    from starlette.routing import Route

    from rivae.app.label import routes

    at = mounted()
    return [
        # The top-k may be asked by an address, too: ``?run=…&z=0.1,-2&k=5``.
        Route(at + web.TOPK_PATH, _topk_of_address, methods=["GET"]),
        *(Route(at + path, _answering(path), methods=["POST"]) for path in PASSED_ON | ANSWERS),
        Route(at + web.STRIP_PATH, strip, methods=["GET"]),
        Route(at + web.PICTURE_PATH, picture, methods=["GET"]),
        Route(at + web.THUMBNAIL_PATH, thumbnail, methods=["GET"]),
        Route(at + web.COLUMN_PATH, column, methods=["GET"]),
        Route(at + web.LIBRARY_PATH, library, methods=["GET"]),
        *routes.build(),
        Route(at + "/rivae/api/run/{rest:path}", nothing, methods=["GET", "POST"]),
    ]


def _answering(path: str) -> Callable[[Request], Awaitable[Response]]:
    """A route for what is posted to ``path``."""

    async def route(request: Request) -> Response:
        from starlette.responses import Response

        from rivae.app.shell import cache

        question = await request.body()
        if _workers is not None and path in PASSED_ON:
            reply = await _workers.answer(path, question)
            if reply is not None:
                return Response(reply[1], reply[0], media_type="application/json")
        return await answer_posted(path, question, cache.at_once)

    return route


async def answer_posted(path: str, question: bytes, open_run: OpenRun) -> Response:
    """The answer to what was posted to ``path``, from a thread; errors are one sentence each."""
    return await _answered(path, _read(question), open_run)


async def _topk_of_address(request: Request) -> Response:
    from rivae.app.shell import cache

    return await _answered(web.TOPK_PATH, _from_address(request.query_params), cache.at_once)


async def _answered(path: str, question: dict[str, Any] | str, open_run: OpenRun) -> Response:
    from anyio import to_thread

    module, _, name = (PASSED_ON | ANSWERS)[path].partition(":")  # imported with its first question
    work: Answer = getattr(importlib.import_module(f"rivae.app.{module}"), name)

    def respond() -> Response:
        from starlette.responses import JSONResponse, Response

        try:
            if isinstance(question, str):
                raise ConfigError(question)
            answer = work(question, open_run)
        except RivaeError as error:
            return web.refusal(error)
        if isinstance(answer, bytes):
            return Response(answer, media_type=web.BYTES)
        return JSONResponse(answer)

    return await to_thread.run_sync(respond, limiter=_at_once(path in PASSED_ON))


@cache
def _at_once(are_of_drags: bool) -> CapacityLimiter:
    """As many answers at once as there are cores: more threads only wait for one another. A drag
    waits for no other question: a search of the texts of millions takes seconds.
    """
    from anyio import CapacityLimiter

    return CapacityLimiter(n_cores())


async def picture(request: Request) -> Response:
    """One item's full picture."""
    from anyio import to_thread

    return await to_thread.run_sync(web.respond, _picture, request.path_params)


async def thumbnail(request: Request) -> Response:
    """One item's small picture, as the grid has it."""
    from anyio import to_thread

    return await to_thread.run_sync(web.respond, _thumbnail, request.path_params)


async def strip(request: Request) -> Response:
    """A few items of a run's data set in one picture."""
    from anyio import to_thread

    return await to_thread.run_sync(web.respond, _strip, request.path_params)


async def column(request: Request) -> Response:
    """One column of a run's map, see ``rivae.exploring.maps``: 16 bits an item, 32 of their
    numbers; or what columns there are.
    """
    from anyio import to_thread

    return await to_thread.run_sync(web.respond, _column, request.path_params)


async def library(request: Request) -> Response:
    """A script that the map is drawn with or videos are written with; fetched when needed."""
    from starlette.responses import FileResponse

    if (name := request.path_params["name"]) not in web.LIBRARIES:
        return await nothing(request)
    headers = {"Cache-Control": "max-age=3600"}
    path = APP_FILES / "assets" / "libraries" / f"{name}.js"
    return FileResponse(path, media_type="text/javascript", headers=headers)


async def nothing(request: Request) -> Response:
    """Any other address below ours, and ours with a method that they do not take."""
    return web.refusal(
        RunError("there is nothing at this address, or it takes another kind of request")
    )


def _read(posted: bytes) -> dict[str, Any] | str:
    """The question, or one sentence about its error."""
    try:
        question = json.loads(posted)
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
    address_fields = {
        name: params.get(name, usual) for name, usual in (("rows", "test"), ("asks", "first"))
    }
    return {"run": params.get("run"), **address_fields, "z": z, **numbers}


def _picture(params: dict[str, Any]) -> Thumbnail:
    from rivae.app.panels.questions import Picture, from_address
    from rivae.app.shell import cache

    request = from_address(Picture, params)
    return cache.explorer(request.run).picture(request.item, request.side)


def _thumbnail(params: dict[str, Any]) -> Thumbnail:
    from rivae.app.panels.questions import Picture, from_address
    from rivae.app.shell import cache

    request = from_address(Picture, params)
    return cache.explorer(request.run).thumbnail(request.item, request.side)


def _column(params: dict[str, Any]) -> bytes | list[dict[str, Any]]:
    from rivae.app.panels.questions import Column, from_address
    from rivae.app.shared.map import region_names
    from rivae.app.shell import cache
    from rivae.exploring.maps import codes, columns

    request = from_address(Column, params)
    explorer = cache.at_once(request.run, request.rows, request.asks)
    if request.column == web.COLUMNS:
        return [asdict(one) for one in columns(explorer)]
    kind, *axes = request.column.split(".")
    if kind == web.NAMES and len(axes) == 2:
        return region_names(explorer, cache.model_key(request.run, request.asks), *axes)
    values = codes(explorer, request.column)
    return values.astype(values.dtype.newbyteorder("<")).tobytes()


def _strip(params: dict[str, Any]) -> Thumbnail:
    from rivae.app.panels.questions import Strip, from_address
    from rivae.app.shell import cache

    return cache.strip(cache.run(from_address(Strip, params).run).config)


DATE_S = 600.0  # between two looks at the date
LOOK_S, LONGEST_S = 0.25, 60.0  # between two looks at the queue; the latter after failures


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start warming in the background; the first page does not wait for it."""
    # In one thread before there are two: a page and the warming thread that import a package for
    # the first time at once, one of them by its submodule, break each other's import.
    begun = ("pandas", "rivae.exploring.explorer", "rivae.models.methods")
    modules = ("scipy.sparse", "scipy.special")  # by the first page with words or effects
    for module in (*begun, *modules, "rivae.jobs.deletion", "rivae.jobs.leftovers"):
        importlib.import_module(module)
    # Imported here: cached functions belong to the runtime, which exists only from now on.
    from rivae.app.shell.first_runs import warm

    # For other processes too: by this they know that they work for the app.
    os.environ.setdefault("RIVAE_FILES", str(Path.cwd()))
    resume_queue()
    threading.Thread(target=warm, name="rivae-warm", daemon=True).start()
    stop = threading.Event()
    for name, work in {
        "rivae-queue": watch_queue,
        "rivae-dates": watch_dates,
        "rivae-leftovers": clear_leftovers,
        "rivae-memory": keep_giving_back,
    }.items():
        threading.Thread(target=work, args=[stop], name=name, daemon=True).start()
    global _workers
    _workers = from_environment()
    if _workers is not None:
        _workers.start()
    yield {}
    stop.set()
    if _workers is not None:
        _workers.stop()
        _workers = None


def watch_dates(stop: threading.Event) -> None:
    """Empty the trash of what has lain there long enough, as whoever starts the app may; then only
    note each date on which the app runs, until ``stop`` is set.
    """
    from rivae.jobs.deletion import note_date, purge_all

    look: Callable[[], None] = purge_all
    while True:
        try:
            look()
        except (RivaeError, OSError) as error:
            log.warning(NOT_NOTED, error)
        look = note_date
        if stop.wait(DATE_S):
            return


def clear_leftovers(stop: threading.Event) -> None:
    """Remove what processes that were killed left behind: now, and again once what they wrote at
    the end is old enough.
    """
    from rivae.app.serve import PLACES
    from rivae.jobs.leftovers import OLD_S, sweep

    url = os.environ.get("RIVAE_LABELS") or PLACES["RIVAE_LABELS"]
    labels = [] if "://" in url else [Path(url).parent]
    sweep(*labels)
    if not stop.wait(OLD_S + LONGEST_S):
        sweep(*labels)


def watch_queue(stop: threading.Event) -> None:
    """Restart the queue's dispatcher whenever it has died, until ``stop`` is set."""
    pause = LOOK_S
    while not stop.wait(pause):
        pause = LOOK_S if resume_queue() else min(2 * max(pause, 1.0), LONGEST_S)


def resume_queue() -> bool:
    """Start a dispatcher where runs wait or train without one; False if the last one has failed.

    Where the queue does not answer now, the next look may find out more, and the log says it once.
    It runs in a separate process, started like any program (never a fork of this one); a running
    one is left alone.
    """
    from rivae.jobs.dispatcher import restart_if_needed
    from rivae.jobs.records import is_supported
    from rivae.runs import runs_root

    global _trouble
    try:
        is_running = not is_supported() or restart_if_needed(runs_root())
    except (RivaeError, OSError) as error:
        if str(error) != _trouble:
            _trouble = str(error)
            log.warning(NOT_RESUMED, error)
        return True
    _trouble = ""
    return is_running
