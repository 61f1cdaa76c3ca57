"""The parts around the Steer panel: one item at the side, the form of a new tour step, exports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared import exports
from rivae.app.shared.item import docked_item
from rivae.app.shell import keys
from rivae.app.shell.text import markdown
from rivae.app.steer import session
from rivae.base.errors import RivaeError
from rivae.exploring.words.axis_names import cut

if TYPE_CHECKING:
    from rivae.app.steer.state import SteerState
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.steering import SteerRow
    from rivae.figures.sheet import Sheet

NEW = ""


def _closed() -> None:
    st.session_state[keys.STEER.item] = st.session_state[keys.STEER_ADDING] = None


def opened_item(explorer: Explorer, i: int) -> None:
    """Item ``i`` at the side, and the button that makes it the query."""
    docked_item(explorer, i, _closed, lambda: _use(i))


def _use(i: int) -> None:
    st.button(
        "Use as query",
        icon=":material/search:",
        type="primary",
        key=keys.STEER_USE,
        on_click=session.PAGE.choose_query,
        args=(i,),
    )


@st.dialog("Add this row to a tour", on_dismiss=_closed)
def add_step(explorer: Explorer, shown: SteerState, row: SteerRow) -> None:
    """Heading, note and tour of a new step."""
    from rivae.exploring import tours

    known = {found.id: found.tour for found in tours.list_tours() if found.tour is not None}
    title = row.turned(explorer.signs.tolist()).title(explorer.axis_names)
    st.caption(markdown(f"{title} · {shown.run}"))
    field = keys.STEER_TOUR_FIELD
    # Outside the form: the title is asked for as soon as a new tour is chosen, and only then.
    chosen = st.selectbox(
        "Tour",
        [*known, NEW],
        key=f"{field}_which",
        index=list(known).index(last) if (last := _last()) in known else 0,
        format_func=lambda t: known[t].title if t in known else "A new tour",
    )
    with st.form(f"{field}_form", border=False):
        name = ""
        if chosen == NEW:
            name = st.text_input("Title", key=f"{field}_title", max_chars=tours.MAX_TITLE)
        heading = st.text_input(
            "Heading",
            value=cut(title, tours.MAX_HEADING),
            max_chars=tours.MAX_HEADING,
            key=f"{field}_heading",
        )
        note = st.text_area("Note", max_chars=tours.MAX_NOTE, key=f"{field}_note")
        wanted = st.form_submit_button(
            "Add", type="primary", icon=":material/flag:", key=f"{field}_add"
        )
    if not wanted:
        return
    try:
        step = tours.TourStep(heading, note, shown.run, shown.query, row, shown.n_sigma, shown.asks)
        if chosen:
            tour = tours.change_tour(chosen, lambda t: replace(t, steps=(*t.steps, step)))
        else:
            tour = tours.add_tour(name, [step])
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    st.session_state[keys.STEER_TOUR] = tour.id
    _closed()
    st.rerun()


def _last() -> str:
    """The tour that was last chosen or added to."""
    return str(st.session_state.get(keys.STEER_TOUR) or NEW)


def exports_of(explorer: Explorer, shown: SteerState) -> None:
    """What can be taken away from Combinations: the matrix as files."""
    from rivae.app.steer.answers import K
    from rivae.exploring.steering import base_point

    start: dict[str, Any] = {"query": shown.query, "asks": shown.asks}
    if shown.query == "mean":
        start |= {"query": None, "z": base_point(explorer, "mean").tolist()}
    exports.files(
        "steer",
        lambda: sheet(explorer, shown),
        shown.run,
        "steer",
        is_chart=False,
        **start,
        axes=shown.axes,
        levels=[list(row) for row in shown.rows],
        n_sigma=shown.n_sigma,
        k=K,
        side=_side(explorer),
    )


def sheet(explorer: Explorer, shown: SteerState) -> Sheet:
    """The matrix as the paper prints it."""
    from rivae.app.steer.answers import K
    from rivae.exploring.steering import base_point, steer
    from rivae.figures.steering import row_clouds, steering_sheet

    rows, data, side = shown.steer_rows, explorer.data, _side(explorer)
    average = shown.query == "mean"
    return steering_sheet(
        rows,
        steer(explorer, base_point(explorer, shown.query), rows, shown.n_sigma, K),
        explorer.axis_names,
        lambda i: data.picture(i, side),
        clouds=row_clouds(explorer, rows, shown.n_sigma),
        query=None if shown.query == "mean" else data.picture(shown.query, explorer.query_side),
        query_title="the average query" if average else data.title(int(shown.query)),
        title=data.title,
        n_sigma=shown.n_sigma,
        signs=explorer.signs.tolist(),
    )


def _side(explorer: Explorer) -> int:
    return 0 if explorer.shows_whole else explorer.found_side
