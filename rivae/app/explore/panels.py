"""The parts around the Explore panel: an item at the side, what it shares, the way to Steer."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from PIL import Image

from rivae.app.explore import page_keys
from rivae.app.explore.session import PAGE, best_order
from rivae.app.explore.state import ExploreState, seen, without_added
from rivae.app.panels.component import dock
from rivae.app.panels.steer_link import SteerLink
from rivae.app.shared import address, charts, share
from rivae.app.shell import pages, report
from rivae.app.shell.text import escape, markdown
from rivae.app.work import layouts
from rivae.base.errors import ConfigError
from rivae.exploring.maps import among
from rivae.exploring.placing import AxisKey
from rivae.exploring.steering import MAX_AXES, MAX_LEVEL, Level
from rivae.exploring.words.axis_names import cut

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet
    from rivae.runs import Run

BOTH = "{0} of this item and the current {0}"
ROLES = {"shared": "both views", "private1": "query view only", "private2": "retrieved view only"}


def docked_item(explorer: Explorer, state: ExploreState, i: int) -> None:
    """Item ``i`` at the side, where it stays visible while a slider is dragged."""
    with dock(explorer.title(i), PAGE.close_item):
        _item(explorer, state, i)


def _item(explorer: Explorer, state: ExploreState, i: int) -> None:
    item, letter, names = explorer.item(i), explorer.method.axis_letter(), explorer.axis_names
    _pictures(explorer, i, item.title)
    with st.container(horizontal=True):
        st.button(
            "Use as query",
            icon=":material/search:",
            type="primary",
            key=page_keys.DRAWER_QUERY,
            on_click=PAGE.choose_query,
            args=(i,),
        )
        st.button(
            f"Move {letter} here",
            icon=":material/my_location:",
            key=page_keys.DRAWER_MOVE,
            help="Sets all unlocked sliders to this item's values.",
            on_click=PAGE.move_to_item,
            args=(i,),
        )
    if item.factors:
        rows: dict[str, Any] = {
            f"{markdown(f.name)}": f"{markdown(f.value)} :small[:gray[{ROLES[f.role]}]]"
            for f in item.factors
        }
        st.table(rows, border="horizontal")
    elif item.text and explorer.data.recipe(i) is None:
        st.markdown(markdown(item.text))
    _recipe(explorer, i)
    st.markdown(f"**{BOTH.format(letter)}**")
    own_z, std = explorer.encode(i), explorer.std.tolist()
    signs = explorer.signs
    now, own_z = (signs * state.z).tolist(), (signs * own_z).tolist()
    drawing = z_compare_svg(
        now,
        own_z,
        (signs * explorer.mean).tolist(),
        std,
        names=names,
        ink=charts.ink(),
        accent=charts.accent(),
    )
    st.image(drawing, width="stretch", alt=describe(now, own_z, std, names))
    st.caption(f"Item number ({item.split} split)")
    st.code(str(i), language=None)


def _recipe(explorer: Explorer, i: int) -> None:
    """Ingredients, steps and tags, where items have texts."""
    recipe = explorer.data.recipe(i)
    if recipe is None:
        return
    if recipe.ingredients:
        st.markdown("**Ingredients**")
        st.markdown("\n".join(f"* {markdown(line)}" for line in recipe.ingredients))
    if recipe.instructions:
        with st.expander("Instructions"):
            lines = (f"{n}. {markdown(step)}" for n, step in enumerate(recipe.instructions, 1))
            st.markdown("\n".join(lines))
    if recipe.tags:
        st.caption(markdown(", ".join(recipe.tags)))


def _pictures(explorer: Explorer, i: int, title: str) -> None:
    """Both views, or the completed picture where the views are halves."""
    names = explorer.data.view_names
    if explorer.shows_whole:
        st.image(explorer.picture(i, 0).content, width=260, alt=f"{title}, both halves")
        return
    if explorer.data.text_view is not None:
        st.image(explorer.picture(i, 2).content, width=300, alt=title)
        return
    for column, side in zip(st.columns(2), (1, 2), strict=True):
        picture = explorer.picture(i, side)
        column.image(
            picture.content,
            width="stretch",
            alt=f"{title}, {names[side - 1]}",
            caption=markdown(names[side - 1]),
        )


ROW, TOP, WIDTH, LABEL, VALUE = 22, 26, 420, 44, 104
NAMED = 148  # pixels of the labels once an axis has a name
LONGEST = 20  # characters of a label
SPAN = 4.0


def z_compare_svg(
    now: Sequence[float],
    item: Sequence[float],
    mean: Sequence[float],
    std: Sequence[float],
    *,
    names: Sequence[str],
    ink: str,
    accent: str,
) -> str:
    """A drawing of two points of z, each of shape (d,), on scales of mean ± 4 s.d. or wider.

    ``names`` are the d names of the axes.
    A ring of colour ``ink`` is z now, a disc of colour ``accent`` the item; the numbers are
    now → item.
    """
    wide = any(len(name) > 4 for name in names)
    d, (left, right) = len(now), (NAMED if wide else LABEL, WIDTH - VALUE)
    height = TOP + d * ROW
    parts = [
        f'<circle cx="{left + 6}" cy="10" r="5" fill="none" stroke="currentColor" '
        'stroke-width="2"/>'
        f'<text x="{left + 18}" y="14">now</text>'
        f'<circle cx="{left + 66}" cy="10" r="5" fill="{accent}"/>'
        f'<text x="{left + 78}" y="14">this item</text>'
    ]
    table = np.array([now, item, mean, std], dtype=float)
    for j in range(d):
        a, b, centre, sd = table[:, j]
        reach = max(SPAN * sd, 1.05 * max(abs(a - centre), abs(b - centre)))
        y = TOP + j * ROW + ROW / 2

        def x(value: float, centre: float = centre, reach: float = reach) -> float:
            return (left + right) / 2 + (value - centre) / reach * (right - left) / 2

        parts.append(
            f'<text x="0" y="{y + 4:.1f}" font-weight="600">'
            f"<title>{escape(names[j])}</title>{escape(cut(names[j], LONGEST))}</text>"
            f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            'stroke-opacity=".18" stroke-width="2"/>'
            f'<line x1="{x(a):.1f}" x2="{x(b):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{accent}" '
            'stroke-opacity=".6" stroke-width="3"/>'
            f'<circle cx="{x(b):.1f}" cy="{y:.1f}" r="5" fill="{accent}"/>'
            f'<circle cx="{x(a):.1f}" cy="{y:.1f}" r="5" fill="none" stroke="currentColor" '
            'stroke-width="2"/>'
            f'<text x="{WIDTH}" y="{y + 4:.1f}" text-anchor="end">{number(a)} → {number(b)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12.5" fill="{ink}" '
        f'color="{ink}">{"".join(parts)}</svg>'
    )


def number(value: float) -> str:
    """Two decimals and a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def describe(
    now: Sequence[float], item: Sequence[float], std: Sequence[float], names: Sequence[str]
) -> str:
    """The drawing in one sentence."""
    gaps = np.abs(np.array(item) - np.array(now)) / np.array(std)
    j = int(gaps.argmax())
    if gaps[j] < 0.005:
        return f"The item's {names[0][:1]} is the current {names[0][:1]}."
    return (
        f"The item's {names[0][:1]} differs from the current one most in {names[j]}, "
        f"by {gaps[j]:.1f} s.d."
    )


def layout_progress(explorer: Explorer) -> None:
    """The progress of the layout of this run, or why there is none."""
    task = layouts.task_of(explorer)
    if task is not None and task.running:
        report.watch([task], page_keys.LAYOUT)
    elif task is not None and task.error:
        report.warning(task.error)


def offer(explorer: Explorer, state: ExploreState) -> None:
    """What can be taken away from Explore: the results, and the run as a page."""
    side = 0 if state.whole else explorer.found_side
    settings: dict[str, Any] = {"rows": state.rows, "k": state.k, "side": side, "only": state.only}
    settings |= {} if state.asks == "first" else {"asks": state.asks}
    settings["query"] = None if state.query == "mean" else state.query
    if state.query == "mean" or state.z != state.base:
        settings["z"] = list(state.z)
    sheet_now, run = partial(sheet, explorer, state), state.run
    share.figure("Results", "results", sheet_now, run, "topk", is_chart=False, **settings)
    on_map = address.view() == "Map"
    share.page(explorer, run, partial(seen, explorer, state, best_order(), on_map))


def sheet(explorer: Explorer, state: ExploreState) -> Sheet:
    """The query and the results for the current z."""
    from rivae.data.pictures import open_picture
    from rivae.figures.results import results_sheet

    retriever = among(explorer, None, state.only) if state.only else explorer.retriever
    if retriever is None:
        raise ConfigError(f"no item has the words {state.only}: use others")
    hits = explorer.topk(np.array(state.z), state.k, retriever)
    side = 0 if state.whole else explorer.found_side
    query: Image.Image | None = None
    title = "the average query"
    if state.upload is not None and state.upload.data_uri:
        content = base64.b64decode(state.upload.data_uri.partition(",")[2])
        query, title = open_picture(io.BytesIO(content)), state.upload.title
    elif state.query != "mean" and state.upload is None:
        query = explorer.data.picture(state.query, explorer.query_side)
        title = explorer.title(state.query)
    return results_sheet(
        [int(i) for i in hits.ids],
        lambda i: explorer.data.picture(i, side),
        query=query,
        query_title=title,
        title=explorer.title,
        scores=[float(s) for s in hits.scores],
    )


def steer_button(explorer: Explorer, state: ExploreState) -> None:
    """The link to Steer with the axes that were moved; nothing before one was."""
    if state.z == state.base:
        return
    st.container(key="to_steer", width="content").page_link(
        pages.path("steer"),
        label="Combine moved axes",
        icon=":material/grid_on:",
        query_params=to_steer(explorer, state).write(),
        help="A table of the axes that you moved, for this query",
    )


def second_run(run_id: str, ready: Sequence[Run]) -> None:
    """The way to this run and query beside another run of the same items; nothing without one."""
    this_run = next((run for run in ready if run.id == run_id), None)
    data = this_run.config.dataset if this_run else None
    if data and any(run.id != run_id and run.config.dataset.same_items(data) for run in ready):
        st.container(key="to_second_run", width="content").page_link(
            pages.path("compare"),
            label="+ run",
            help="A second run of the same data beside this one, tied by matching axes",
        )


def to_steer(explorer: Explorer, state: ExploreState) -> SteerLink:
    """The same query in Steer; of the moved axes at most five, those moved furthest in s.d.

    One row keeps them at the query, one puts them where they are now, in s.d. from the mean, as
    far as Steer goes. Without moved axes Steer chooses.
    """
    z, start = np.array(state.z), without_added(explorer, state)
    levels: dict[AxisKey, float] = dict(enumerate((z - explorer.mean) / explorer.std))
    distances: dict[AxisKey, float] = dict(enumerate(np.abs(z - start) / explorer.std))
    if state.added:
        for place in explorer.added_axes:
            name, amount = place.axis.id, state.added.get(place.axis.id, 0.0)
            levels[name] = (float(place.axis.at(z[None])[0]) - place.mean) / place.std
            distances[name] = abs(amount) / place.std
    furthest = sorted(distances, key=lambda key: -distances[key])[:MAX_AXES]
    axes = tuple(key for key in distances if key in furthest and distances[key])
    at_query: tuple[Level, ...] = tuple("query" for _ in axes)
    now: tuple[Level, ...] = tuple(
        round(float(np.clip(levels[key], -MAX_LEVEL, MAX_LEVEL)), 2) + 0.0 for key in axes
    )
    rows = (at_query, now) if axes else ()
    return SteerLink(state.run, state.query, axes, rows=rows, asks=state.asks)
