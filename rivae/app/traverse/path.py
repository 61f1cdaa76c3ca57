"""The path of Traverse: way-points, what is found between them, and what can be shared of it; the
panel itself writes the video.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from rivae.app.panels.answers import query_z
from rivae.app.panels.codec import MAX_LENGTH, unread
from rivae.app.panels.component import Component
from rivae.app.shared import frame, notices, share
from rivae.app.shell import web
from rivae.app.shell.report import waiting
from rivae.app.traverse import page_keys, pictures, traversals
from rivae.app.traverse.session import query_picker
from rivae.exploring.paths import MAX_STEPS, MAX_STOPS, MIN_STEPS, Kind, Path

if TYPE_CHECKING:
    from PIL import Image

    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet
    from rivae.retrieval.ranges import Range

KINDS: dict[str, Kind] = {"Straight": "straight", "Along the data": "along"}
STEPS = (12, 24, 48)
_PANEL = Component(
    "rivae_path",
    js=("dom.js", "path_video.js", "path.js"),
    css=("base.css", "path.css"),
    reports={"open": dict},
)


def path(explorer: Explorer, anchor: Anchor, choice: Range) -> None:
    """From the query over way-points, with the best item at every point."""
    others, is_whole = _way_points(explorer, anchor)
    notices.say(*unread(() if is_whole else (page_keys.WAY,)))
    query_picker(explorer, anchor)
    with frame.details("Way-points", ":material/route:"):
        _way_points_picker(explorer, others)
    with frame.details():
        kind = st.segmented_control(
            "Way",
            list(KINDS),
            default="Straight",
            required=True,
            key=page_keys.WAY_KIND,
            bind="query-params",
            help="Straight: a line through z. Along the data: through the z of items, from one "
            "to a near one.",
        )
        n = st.segmented_control(
            "Points",
            STEPS,
            default=STEPS[1],
            required=True,
            key=page_keys.WAY_POINTS,
            bind="query-params",
        )
    if not others:
        st.info("Enter the number of an item to go to.")
        return
    z = (anchor.z, *(query_z(explorer, row) for row in others))
    n_steps = min(max(int(n or STEPS[1]), MIN_STEPS), MAX_STEPS)
    way = KINDS.get(kind or "", "straight")
    with waiting("Finding the path …", 390):
        steps = traversals.path(anchor.key, z, n_steps, way, explorer)
    if steps.jumps:
        legs = " and ".join(f"from way-point {leg + 1} to {leg + 2}" for leg in steps.jumps)
        st.caption(f"No items lead {legs}, so the path is straight there.")
    side = 0 if explorer.shows_whole else explorer.found_side
    _show(explorer, anchor, steps, side)
    _share(explorer, anchor, steps, side, others, way)


def _way_points(explorer: Explorer, anchor: Anchor) -> tuple[list[int], bool]:
    """The items to go to, as the address names them, and whether all of it could be read; the
    query's opposite at first.
    """
    text = st.query_params.get(page_keys.WAY)
    return ([_opposite(explorer, anchor)], True) if text is None else _rows(explorer, text)


def _way_points_picker(explorer: Explorer, rows: list[int]) -> None:
    st.session_state[page_keys.WAY_TEXT] = " ".join(map(str, rows))

    def go(text: str) -> None:
        st.query_params[page_keys.WAY] = " ".join(map(str, _rows(explorer, text)[0]))

    st.text_input(
        "Way-points, item numbers",
        key=page_keys.WAY_TEXT,
        width=190,
        on_change=lambda: go(st.session_state[page_keys.WAY_TEXT]),
        help=f"Up to {MAX_STOPS - 1}, in order.",
    )
    first_text = " ".join(map(str, rows[: MAX_STOPS - 2]))
    st.button(
        "Add",
        icon=":material/add_location_alt:",
        key=page_keys.WAY_ADD,
        help="One more way-point, a random item",
        disabled=len(rows) >= MAX_STOPS - 1,
        on_click=lambda: go(f"{first_text} {random.choice(explorer.search_rows)}"),
    )


def _rows(explorer: Explorer, text: str) -> tuple[list[int], bool]:
    """The data rows that a text names, and whether it names nothing else; that is left out."""
    numbers = [int(word) for word in re.findall(r"[0-9]{1,10}", text[:MAX_LENGTH])]
    rows = [row for row in numbers if row < len(explorer.data)][: MAX_STOPS - 1]
    return rows, len(rows) == len(numbers) and not re.search(r"[^0-9 ,]", text)


def _opposite(explorer: Explorer, anchor: Anchor) -> int:
    """The item nearest to where the query's z is mirrored at the mean."""
    if anchor.query == "mean":  # its mirror image is itself, and the path would stay there
        return explorer.first_item
    opposite = 2 * explorer.mean - np.array(anchor.z)
    return int(explorer.topk(opposite, 1).ids[0])


def _show(explorer: Explorer, anchor: Anchor, found: Path, side: int) -> None:
    frames: list[dict[str, Any]] = []
    for row, z in zip(found.ids.tolist(), found.z.round(4).tolist(), strict=True):
        amounts = [value for pair in enumerate(z) for value in pair]
        frames.append({"id": row, "moved": amounts})
    data = {"frames": frames, "stops": list(found.stops), "run": anchor.run}
    data["library"] = web.library_url("video")
    pictures.show(_PANEL, explorer, anchor, data, found.ids.tolist(), side)


def _share(
    explorer: Explorer, anchor: Anchor, found: Path, side: int, rows: list[int], kind: Kind
) -> None:
    """The path as a strip of pictures, and as an animation."""
    from rivae.figures.paths import path_strip, to_gif
    from rivae.figures.traversals import strips_sheet

    def picture(row: int) -> Image.Image:
        return explorer.data.picture(row, side)

    def sheet() -> Sheet:
        marks = found.ids[list(found.stops)].tolist()
        return strips_sheet([path_strip(found)], picture, title=explorer.title, marked=marks)

    share.figure(
        "Path",
        "path",
        sheet,
        anchor.run,
        "path",
        is_chart=False,
        films={"gif": lambda: to_gif([picture(int(row)) for row in found.ids], found.stops)},
        asks=anchor.asks,
        side=side,
        way_points=[anchor.query, *rows],
        n_steps=len(found.z),
        kind=kind,
    )
