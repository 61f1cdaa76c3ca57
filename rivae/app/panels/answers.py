"""From a query to what a panel draws: its z, its card, and the items found for a z.

Questions of the Explore panel are answered here over the web route and through the session alike.
No streamlit here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rivae.app.panels.links import ExploreLink, Query
from rivae.app.panels.questions import Point, Search, SearchOfRuns, Within, of_length, read
from rivae.base.config import Asks, Rows
from rivae.base.errors import RivaeError
from rivae.exploring.explorer import Explorer, Vector
from rivae.exploring.maps import Lasso, among

ONE_WAY = "Here only the {} can be the query."


def rounded(z: Sequence[float] | np.ndarray[Any, Any]) -> tuple[float, ...]:
    """z with the four decimals that the panel and the links carry."""
    return tuple(round(float(v), 4) + 0.0 for v in z)


def next_rev(rev: int) -> int:
    """A number above ``rev`` that another session is not using: the clock in milliseconds."""
    return max(rev + 1, int(time.time() * 1000))


def query_z(explorer: Explorer, query: Query) -> tuple[float, ...]:
    """z of a data row, or the average of all queries."""
    return rounded(explorer.mean if query == "mean" else explorer.encode(query))


def linked_query(
    explorer: Explorer, query: Query | str | None, asks: Asks
) -> tuple[Query, list[str]]:
    """The query that a link names, else the first row; a sentence where it names none there is, or
    where ``explorer`` cannot be asked with the view ``asks`` that the link names.
    """
    first, notes = explorer.first_item, []
    if asks not in ("first", explorer.asks):
        notes.append(ONE_WAY.format(explorer.query_name))
    if query == "mean":
        return "mean", notes
    if not isinstance(query, int):
        return first, notes
    if query < len(explorer.data):
        return query, notes
    return first, [*notes, f"The data set has no item {query}, so the first one is the query."]


ADDED_GONE = "The link moves along added axes that this run no longer has, and ignores them: {}."
Moves = Mapping[str, Sequence[float]]


def moves_of(explorer: Explorer) -> Moves:
    """What each added axis adds to z, by its id."""
    return {place.axis.id: place.axis.moves for place in explorer.added_axes}


def moved_by(z: Sequence[float], amounts: Mapping[str, float], moves: Moves) -> tuple[float, ...]:
    """z (d,) with added axes moved by amounts; those that there are no more are left out."""
    if not amounts:
        return tuple(z)
    steps = [amount * np.array(moves[name]) for name, amount in amounts.items() if name in moves]
    return rounded(np.array(z) + np.sum(steps, axis=0)) if steps else tuple(z)


ROUNDING = 1.5e-4


def settled(z: Sequence[float], expected: Sequence[float]) -> tuple[float, ...]:
    """z (d,) as a panel sends it, equal to ``expected`` where only the rounding differs.

    The browser rounds halves otherwise: a link would name nearly every value of z.
    """
    return tuple(e if abs(v - e) < ROUNDING else v for v, e in zip(z, expected, strict=True))


def linked_z(
    explorer: Explorer, base: Sequence[float], link: ExploreLink
) -> tuple[Vector, dict[str, float], list[str]]:
    """Where a link's sliders have moved the query's z ``base`` (d,); the added axes that it moves
    and the run has, and a sentence for those that the run lacks.
    """
    moves = moves_of(explorer) if link.added else {}
    amounts = {name: amount for name, amount in link.added.items() if name in moves}
    missing = [name for name in link.added if name not in moves]
    z = np.array(moved_by(base, amounts, moves))
    for j, value in link.changes.items():
        if j < len(z):
            z[j] = value
    return z, amounts, [ADDED_GONE.format(", ".join(missing[:8]))] if missing else []


def existing(explorer: Explorer, query: Query) -> Query:
    """``query`` itself.

    Raises:
        ConfigError: there is no such row.
    """
    if query != "mean":
        explorer.title(query)
    return query


def card_of(
    explorer: Explorer, query: Query, base: Sequence[float] | np.ndarray[Any, Any]
) -> dict[str, Any]:
    """Picture and words of a data row, or of the average of all queries with its z ``base``."""
    title: str | bool
    if query == "mean":
        i = int(explorer.topk(np.array(base), 1).ids[0])
        _, address, tiny = picture(explorer, i, explorer.query_side)
        title, text = "Average query", "the mean of all queries; picture of the nearest item"
    else:
        title, address, tiny = picture(
            explorer, int(existing(explorer, query)), explorer.query_side
        )
        text = f"{explorer.query_name} · item {query}"
    return {"title": title, "text": text, "picture": address, "tiny": tiny}


class OpenRun(Protocol):
    """Opens a run by its id, as ``cache.explorer`` does."""

    def __call__(self, run_id: str, rows: Rows = ..., asks: Asks = ..., /) -> Explorer: ...


def answer(question: Mapping[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The top-k for a question ``{run, rows, asks, z, k, side, seq, have}``.

    ``have`` lists the items whose pictures the browser holds already. The answer holds ``seq`` as
    asked, ``ids``, ``scores``, ``far`` and ``items``: {id: [title, data address, tiny]} of the
    items that the browser does not hold.

    A question about several runs of one data set has ``runs``, a list of ``{run, z}``, instead of
    run and z. Its answer has ``runs``, a list of ``{ids, scores, far}`` or ``{error}``, and the
    ``items`` of all.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    request = read(SearchOfRuns if "runs" in question else Search, question)
    sent_items = set(request.have)
    lasso = lasso_of(request.within) if request.within is not None else None

    def ask(part: Mapping[str, Any]) -> dict[str, Any]:
        point = read(Point, part)
        explorer = open_run(point.run, request.rows, request.asks)
        z = of_length(point, explorer.n_components)
        parts = results(explorer, z, request.k, request.side, sent_items, lasso, request.only)
        sent_items.update(parts["ids"])
        return parts

    if not isinstance(request, SearchOfRuns):
        return {"seq": request.seq, **ask(question)}
    parts = [_or_error(ask, part) for part in request.runs]
    items: dict[str, Any] = {}
    for one in parts:
        items |= one.pop("items", {})
    return {"seq": request.seq, "runs": parts, "items": items}


def lasso_of(said: Mapping[str, Any]) -> Lasso:
    """A lasso that a browser sent.

    Raises:
        ConfigError: it is none.
    """
    within = read(Within, said)
    return Lasso(within.x, within.y, tuple((x, y) for x, y in within.corners))


def _or_error(
    ask: Callable[[Mapping[str, Any]], dict[str, Any]], part: Mapping[str, Any]
) -> dict[str, Any]:
    """One run's answer, or its error, so that one broken run does not hide the others."""
    try:
        return ask(part)
    except RivaeError as error:
        return {"error": str(error)}


def results(
    explorer: Explorer,
    z: Vector,
    k: int,
    side: int,
    known: set[int] | None = None,
    lasso: Lasso | None = None,
    only: str = "",
) -> dict[str, Any]:
    """The answer for ``z`` (d,) without its number; see :func:`answer`.

    z, ``k`` and ``side`` are not checked here: whoever takes them from a browser reads them with
    ``questions``.
    """
    is_part = lasso is not None or bool(only.split())
    retriever = among(explorer, lasso, only) if is_part else explorer.retriever
    hits, far = retriever and retriever.search(z[None], k), explorer.retriever.far(z)
    ids = [int(i) for i in hits.ids[0]] if hits else []
    return {
        "ids": ids,
        "scores": [round(float(s), 4) for s in hits.scores[0]] if hits else [],
        "among": len(retriever.ids) if retriever else 0,
        "far": {
            "distance": round(far.value, 3),
            "limit": round(far.limit, 3),
            "where": far.where,
        },
        "engine": searched_by(explorer),
        "items": {str(i): picture(explorer, i, side) for i in ids if i not in (known or ())},
    }


def searched_by(explorer: Explorer) -> str:
    """Who searches, in a sentence for visitors; "" for this process."""
    return getattr(explorer.retriever.index, "searched_by", "")


def picture(explorer: Explorer, i: int, side: int) -> list[str | bool]:
    """Item ``i`` as the browser needs it: title, data address, whether its pixels stay sharp.

    It is an item that there is, and ``side`` 0, 1 or 2.
    """
    title, thumbnail = explorer.thumbnails.titled(i, side)
    return [title, thumbnail.data_uri, thumbnail.is_tiny]
