"""Web routes of the Label page: pictures and texts by position of a plan. They only read.

They are named by plan and position, so that no address or answer reveals the run, the row or the
hidden repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivae.app.shell import web
from rivae.base.errors import DataError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from rivae.app.shared.labels import OpenPlan
    from rivae.data.thumbnails import Thumbnail

MAX_LINES, MAX_CHARACTERS = 60, 600


def build() -> list[BaseRoute]:
    """The routes of the page, below where the app is mounted."""
    from starlette.routing import Route

    at = web.label_url("{plan}")
    return [
        Route(at + "/picture/{at}", picture, methods=["GET"]),
        Route(at + "/texts/{at}/{n}", texts, methods=["GET"]),
        Route(at + "/examples", examples, methods=["GET"]),
    ]


async def picture(request: Request) -> Response:
    """The item at a position, at full size."""
    return await _told(_picture, request.path_params)


async def texts(request: Request) -> Response:
    """{position: {title, ingredients, instructions}} of ``n`` positions; {} without texts."""
    return await _told(_texts, request.path_params)


async def examples(request: Request) -> Response:
    """{factor: {level: data address}} of the guideline that the plan follows now."""
    return await _told(_examples, request.path_params)


async def _told(answer: Any, params: dict[str, Any]) -> Response:
    from anyio import to_thread

    return await to_thread.run_sync(web.respond, answer, params)


def _picture(params: dict[str, Any]) -> Thumbnail:
    from rivae.app.panels.questions import PlanPicture, from_address
    from rivae.app.shared import labels
    from rivae.data.thumbnails import encode_picture, enlarged

    request = from_address(PlanPicture, params)
    open_plan = labels.open_plan(request.plan)
    (at,) = _positions(open_plan, request.at, 1)
    image = open_plan.data.picture(open_plan.plan.order[at], open_plan.side)
    return encode_picture(enlarged(image), max_side=1024)


def _texts(params: dict[str, Any]) -> dict[str, Any]:
    from rivae.app.panels.questions import PlanTexts, from_address
    from rivae.app.shared import labels

    request = from_address(PlanTexts, params)
    open_plan = labels.open_plan(request.plan)
    texts = {}
    for at in _positions(open_plan, request.at, request.n):
        recipe = open_plan.data.recipe(open_plan.plan.order[at])
        if recipe is not None:
            texts[str(at)] = {
                "title": recipe.title[:MAX_CHARACTERS],
                "ingredients": _cut(recipe.ingredients),
                "instructions": _cut(recipe.instructions),
            }
    return texts


def _examples(params: dict[str, Any]) -> dict[str, Any]:
    from rivae.app.panels.questions import OfPlan, from_address
    from rivae.app.shared import labels
    from rivae.labels.hints import level_examples
    from rivae.labels.kept_plans import plan_guideline

    open_plan = labels.open_plan(from_address(OfPlan, params).plan)
    pictures = level_examples(plan_guideline(labels.store(), open_plan.plan), open_plan.data)
    return {
        factor: {str(level): picture.data_uri for level, picture in by_level.items()}
        for factor, by_level in pictures.items()
    }


def _positions(open_plan: OpenPlan, first: int, n: int) -> range:
    total = len(open_plan.plan.order)
    if first >= total:
        raise DataError(f"the plan has positions 0 to {total - 1}: choose one of them")
    return range(first, min(first + n, total))


def _cut(lines: tuple[str, ...]) -> list[str]:
    return [line[:MAX_CHARACTERS] for line in lines[:MAX_LINES]]
