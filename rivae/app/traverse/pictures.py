"""What the strips and the plane of Traverse send to the browser, and what a click there opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from rivae.app.panels.answers import picture
from rivae.app.panels.component import Component
from rivae.app.panels.links import MAX_DIMS, ExploreLink
from rivae.app.shared.item import docked_item
from rivae.app.shell import cache, pages, web
from rivae.app.traverse import page_keys
from rivae.app.traverse.session import choose_query
from rivae.exploring.placing import AxisKey, at_places
from rivae.exploring.sliders import axes_by_key
from rivae.exploring.traversing import place_on
from rivae.runs.added_axes import ADDED_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.figures.traversals import Strip

_SHEET = Component(
    "rivae_strips",
    js=("dom.js", "strips.js"),
    css=("base.css", "strips.css"),
    reports={"open": dict},
)
# A click: an item, and where on which axes it was found.
Opened = tuple[int, dict[AxisKey, float]]


def strips(
    explorer: Explorer,
    anchor: Anchor,
    found: Mapping[AxisKey, Strip],
    choice: Mapping[AxisKey, NDArray[np.float64]],
    side: int,
) -> None:
    """A strip for every axis of ``found``, turned as the axes are shown; ``choice`` holds the
    values (T,) that each is moved over.
    """
    from rivae.figures.traversals import value_texts

    axes, rows = axes_by_key(explorer), []
    best = int(explorer.topk(np.array(anchor.z), 1).ids[0])
    for key, strip in found.items():
        axis, place = axes[key], place_on(explorer, anchor.z, key)
        sign, low, high = _ends(axis["flipped"], choice[key])
        query = sign * place
        here = _at_query(strip, query, best)
        values = strip.values.copy()
        if here is not None:  # its picture begins further to the left, but this is where it is from
            values[here] = query
        texts = value_texts(values)
        points = [
            {
                "value": text,
                "query": n == here,
                "share": _share(float(strip.values[n]), low, high),
                "moved": [key, sign * float(values[n])],
                "ids": strip.ids[n].tolist(),
            }
            for n, text in enumerate(texts)
        ]
        n_points = len(points)
        rows.append(
            {
                **_said(axis),
                "points": points,
                "at": _inside(_share(query, low, high)),
                "span": f"{low:.1f} to {high:.1f}".replace("-", "−"),
                "note": f"{n_points} of {strip.n_points} points"
                if n_points < strip.n_points
                else "",
            }
        )
    ids = {i for each in rows for point in each["points"] for i in point["ids"]}
    data = {"strips": rows, "query": _query(explorer, anchor)}
    show(_SHEET, explorer, anchor, data, ids, side)


def plane(
    explorer: Explorer,
    anchor: Anchor,
    ids: NDArray[np.int64],
    keys_of_axes: tuple[AxisKey, AxisKey],
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    side: int,
) -> None:
    """The best item (n, n, 1) at every point of two axes."""
    from rivae.figures.traversals import value_texts

    axes, table, sides, here = axes_by_key(explorer), ids[..., 0], [], []
    for way, (key, along) in enumerate(zip(keys_of_axes, values, strict=True)):
        axis = axes[key]
        here.append(int(np.abs(along - place_on(explorer, anchor.z, key)).argmin()))
        sign, step = (-1.0, -1) if axis["flipped"] else (1.0, 1)
        table = table if step > 0 else np.flip(table, way)
        here[-1] = here[-1] if step > 0 else len(along) - 1 - here[-1]
        amounts = [[key, float(value)] for value in along[::step]]
        sides.append({**_said(axis), "values": value_texts(sign * along[::step]), "moved": amounts})
    x, y = sides
    payload = {"x": x, "y": y, "ids": table.tolist(), "here": here}
    data = {"plane": payload, "query": _query(explorer, anchor)}
    show(_SHEET, explorer, anchor, data, table.ravel().tolist(), side)


def _at_query(strip: Strip, query: float, best: int) -> int | None:
    """Which point of a strip shows what is found at the query itself; None where none does."""
    n = int(np.searchsorted(strip.values, query, side="right")) - 1
    return n if n >= 0 and int(strip.ids[n, 0]) == best else None


def _ends(flipped: bool, values: NDArray[np.float64]) -> tuple[float, float, float]:
    """The sign that an axis is shown with, and its ends then."""
    first, last = float(values[0]), float(values[-1])
    return (-1.0, -last, -first) if flipped else (1.0, first, last)


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.5


def _inside(share: float) -> float | None:
    return share if 0 <= share <= 1 else None


def _said(axis: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "axis": axis["name"],
        "left": axis["left"],
        "right": axis["right"] if axis["left"] else "",
    }


def _query(explorer: Explorer, anchor: Anchor) -> dict[str, Any] | None:
    if anchor.query == "mean" or not isinstance(anchor.query, int):
        return None
    title, address, tiny = picture(explorer, anchor.query, explorer.query_side)
    return {"title": title, "address": address, "tiny": tiny, "label": "Query"}


def show(
    component: Component,
    explorer: Explorer,
    anchor: Anchor,
    data: Mapping[str, Any],
    ids: Iterable[int],
    side: int,
) -> None:
    """Mount a component with the pictures of ``ids``, and dock the item that was clicked."""
    item: Opened | None = st.session_state.get(page_keys.ITEM)
    payload = {
        **data,
        "items": {str(i): _picture(explorer, anchor.run, i, side) for i in sorted(set(ids))},
        "aspect": explorer.aspect(side),
        "open": item[0] if item else None,
        "own": anchor.query if isinstance(anchor.query, int) else None,
    }
    component(payload, key=page_keys.SHEET, open=_open)
    if item is not None and item[0] < len(explorer.data):
        docked_item(explorer, item[0], _close, lambda: _buttons(explorer, anchor, item))


def _picture(explorer: Explorer, run: str, i: int, side: int) -> list[str | bool]:
    """As ``picture``, fetched by the browser when it is seen; sharp at any width."""
    if not (url := web.pictures_url(cache.data_version(run))):
        return picture(explorer, i, side)
    return [explorer.title(i), f"{url}/{run}/{side}/{i}", False]


def _open(said: Mapping[str, Any]) -> None:
    """Read a click, which anybody may have sent."""
    item, amounts = said.get("item"), said.get("moved")
    pairs = _pairs(amounts) if isinstance(amounts, list) else None
    if type(item) is int and item >= 0 and pairs is not None:
        st.session_state[page_keys.ITEM] = (item, pairs)


def _pairs(moved: list[Any]) -> dict[AxisKey, float] | None:
    """[axis, value, axis, value …] as a dict; None where it is anything else."""
    pairs: dict[AxisKey, float] = {}
    flat = moved[: 2 * MAX_DIMS]
    for key, value in zip(flat[::2], flat[1::2], strict=False):
        is_axis = key >= 0 if type(key) is int else _is_added(key)
        if not is_axis or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not abs(value) < 1e6:
            return None
        pairs[key] = float(value)
    return pairs


def _is_added(key: object) -> bool:
    return isinstance(key, str) and ADDED_ID.fullmatch(key) is not None


def _close() -> None:
    st.session_state[page_keys.ITEM] = None


def _use(i: int) -> None:
    _close()
    choose_query(i)


def _buttons(explorer: Explorer, anchor: Anchor, opened: Opened) -> None:
    """Start from the item, or go on in Explore from the place where it was found."""
    item, axis_amounts = opened
    st.button(
        "Use as query",
        icon=":material/search:",
        type="primary",
        key=f"{page_keys.ITEM}_use",
        on_click=_use,
        args=(item,),
    )
    there = {key: place for key, place in axis_amounts.items() if key in axes_by_key(explorer)}
    _, amounts = at_places(explorer, np.array([anchor.z]), there)
    link = ExploreLink(
        run=anchor.run,
        query=anchor.query,
        asks=anchor.asks,
        changes={key: place for key, place in there.items() if isinstance(key, int)},
        added={name: float(by[0]) for name, by in amounts.items()},
    )
    st.page_link(
        pages.path("explore"),
        label="Explore from here",
        icon=":material/tune:",
        query_params=link.write(),
    )
