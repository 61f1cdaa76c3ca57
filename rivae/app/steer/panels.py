"""The parts around the Steer panel: one item at the side, what it shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.panels.links import ExploreLink
from rivae.app.shared import share
from rivae.app.shared.item import docked_item
from rivae.app.shell import keys
from rivae.app.steer import page_keys, session

if TYPE_CHECKING:
    from rivae.app.steer.state import SteerState
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet


def _closed() -> None:
    st.session_state[keys.STEER.item] = None


def opened_item(explorer: Explorer, i: int) -> None:
    """Item ``i`` at the side, and the button that makes it the query."""
    docked_item(explorer, i, _closed, lambda: _use(i))


def _use(i: int) -> None:
    st.button(
        "Use as query",
        icon=":material/search:",
        type="primary",
        key=page_keys.USE,
        on_click=session.PAGE.choose_query,
        args=(i,),
    )


def offer(explorer: Explorer, state: SteerState) -> None:
    """What can be taken away from Combinations: the matrix, and the run as a page."""
    from rivae.app.steer.answers import K
    from rivae.exploring.steering import base_point

    start: dict[str, Any] = {"query": state.query, "asks": state.asks}
    if state.query == "mean":
        start |= {"query": None, "z": base_point(explorer, "mean").tolist()}
    link = ExploreLink(run=state.run, asks=state.asks, query=state.query)
    share.page(explorer, state.run, lambda: share.linked(explorer, link))
    share.figure(
        "Combinations",
        "steer",
        lambda: sheet(explorer, state),
        state.run,
        "steer",
        is_chart=False,
        **start,
        axes=state.axes,
        levels=[list(row) for row in state.rows],
        n_sigma=state.n_sigma,
        k=K,
        side=_side(explorer),
    )


def sheet(explorer: Explorer, state: SteerState) -> Sheet:
    """The matrix as the paper prints it."""
    from rivae.app.steer.answers import K
    from rivae.exploring.placing import axis_names
    from rivae.exploring.steering import base_point, steer
    from rivae.figures.steering import row_clouds, steering_sheet

    rows, data, side = state.steer_rows, explorer.data, _side(explorer)
    average = state.query == "mean"
    return steering_sheet(
        rows,
        steer(explorer, base_point(explorer, state.query), rows, state.n_sigma, K),
        axis_names(explorer),
        lambda i: data.picture(i, side),
        clouds=row_clouds(explorer, rows, state.n_sigma),
        query=None if state.query == "mean" else data.picture(state.query, explorer.query_side),
        query_title="the average query" if average else data.title(int(state.query)),
        title=data.title,
        n_sigma=state.n_sigma,
        signs=explorer.signs.tolist(),
    )


def _side(explorer: Explorer) -> int:
    return 0 if explorer.shows_whole else explorer.found_side
