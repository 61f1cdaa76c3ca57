"""The Explore page's session: which state is shown, what the panel reports, what the link says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from rivae.catalogue import Rows
from rivae.explorer import Explorer
from rivae.ui.explore import state
from rivae.ui.explore.state import ExploreState
from rivae.ui.panels.codec import unread
from rivae.ui.panels.component import SHARED, Component
from rivae.ui.panels.links import ExploreLink
from rivae.ui.panels.query import rounded
from rivae.ui.panels.session import Panel, named_item
from rivae.ui.shared import address, uploads
from rivae.ui.shared.uploads import Upload
from rivae.ui.shell import cache, keys, web


def current(entered: bool, default_run: str) -> tuple[ExploreState, Explorer]:
    """The state to show: the session's, unless the address says otherwise.

    ``entered`` tells that the visitor has just come from another page.

    Raises:
        RivaeError: the run in question is missing, broken or not ready.
    """
    params = address.read(ExploreLink.names())
    known: ExploreState | None = st.session_state.get(keys.EXPLORE)
    if known is not None and params == st.session_state.get(keys.EXPLORE_LINK):
        _keep(known)
        return known, _opened(known.run, known.rows)
    link, dropped = ExploreLink.read(params)
    run = link.run or address.run_in_hand() or default_run
    explorer = _opened(run, link.rows)
    upload = uploads.KEPT.find(cache.model_key(run), link.upload) if link.upload else None
    shown, notes = state.from_link(explorer, run, link, known.rev if known else 0, upload)
    st.session_state[keys.EXPLORE_NOTICE] = " ".join(unread(dropped) + notes)
    st.session_state[keys.EXPLORE_LINK] = params
    _keep(shown)
    if entered and not {"run", "q"} <= params.keys():
        save_link(explorer, shown)
    return shown, explorer


def _opened(run: str, rows: Rows) -> Explorer:
    """The run with all that its first results need; what takes long happens here, not later."""
    explorer = cache.explorer(run, rows)
    explorer.prepare()
    return explorer


def _keep(shown: ExploreState) -> None:
    st.session_state[keys.EXPLORE] = shown
    address.take(shown.run, shown.start)


def save_link(explorer: Explorer, shown: ExploreState) -> None:
    """Writes the state into the address, which adds one step to the browser's history."""
    params = state.to_link(explorer, shown).write()
    address.save(params, ExploreLink.names(), keys.EXPLORE_LINK)


def set_state(shown: ExploreState) -> None:
    """Replaces the state and the address; for callbacks."""
    _keep(shown)
    st.session_state[keys.EXPLORE_NOTICE] = ""
    save_link(cache.explorer(shown.run, shown.rows), shown)


def panel_data(explorer: Explorer, shown: ExploreState) -> dict[str, Any]:
    """What the panel is sent: rebuilt on a new rev only, so that other reruns send nothing new."""
    kept = st.session_state.get(keys.EXPLORE_PAYLOAD)
    if kept is None or kept["rev"] != shown.rev:
        kept = state.payload(explorer, shown, web.topk_url())
        st.session_state[keys.EXPLORE_PAYLOAD] = kept
        st.session_state[keys.EXPLORE_ANSWER] = None
    said = {"answer": keys.EXPLORE_ANSWER, "watched": keys.EXPLORE_ITEM}
    return {**kept, **{name: st.session_state.get(key) for name, key in said.items()}}


def refresh() -> None:
    """Makes the panel take the session's state over again, e.g. after a page switch."""
    shown: ExploreState | None = st.session_state.get(keys.EXPLORE)
    if shown is not None:
        st.session_state[keys.EXPLORE_PAYLOAD] = None


# What the panel and the pages' widgets report


PANEL = Panel(keys.EXPLORE_NOTICE, keys.EXPLORE_ANSWER, keys.EXPLORE_CHOOSING)


def on_commit(view: dict[str, Any]) -> None:
    """A slider was released, or an option of the panel has changed."""
    PANEL.guarded(lambda: _take(view))


def on_pick(report: dict[str, Any]) -> None:
    """A tile was clicked: its item opens at the side."""
    PANEL.guarded(lambda: _pick(report))


def on_choose(report: dict[str, Any]) -> None:
    """Another query is wanted: a random one, or the gallery."""
    PANEL.guarded(lambda: _choose(report))


def _take(view: dict[str, Any]) -> ExploreState:
    shown: ExploreState = st.session_state[keys.EXPLORE]
    after = state.commit(shown, view)
    if after != shown:
        set_state(after)
    return after


def _pick(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    item = named_item(report, cache.explorer(shown.run, shown.rows))
    st.session_state[keys.EXPLORE_ITEM] = item


def _choose(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    PANEL.choose(report, cache.explorer(shown.run, shown.rows), choose_query)


def choose_query(query: Any) -> None:
    """Makes a data row (or "mean") the query and closes whatever it was chosen in."""

    def change() -> None:
        shown: ExploreState = st.session_state[keys.EXPLORE]
        explorer = cache.explorer(shown.run, shown.rows)
        set_state(state.with_query(explorer, shown, query))

    PANEL.guarded(change)
    close_overlays()


def move_to_item(i: int) -> None:
    """Sets the free dimensions of z to item ``i``'s own; the query stays."""

    def change() -> None:
        shown: ExploreState = st.session_state[keys.EXPLORE]
        explorer = cache.explorer(shown.run, shown.rows)
        set_state(state.with_z(shown, rounded(explorer.encode(i))))

    PANEL.guarded(change)


def close_item() -> None:
    """No item at the side on the next run."""
    st.session_state[keys.EXPLORE_ITEM] = None


def choose_upload(upload: Upload) -> None:
    """Makes a visitor's picture the query."""
    shown: ExploreState = st.session_state[keys.EXPLORE]
    uploads.KEPT.keep(cache.model_key(shown.run), upload)
    set_state(state.with_upload(shown, upload))
    close_overlays()


def close_overlays() -> None:
    """No item at the side and no gallery on the next run."""
    close_item()
    st.session_state[keys.EXPLORE_CHOOSING] = False


def open_run(run: str, rows: str) -> None:
    """Another run, or other rows of the same one, from its default state."""

    def change() -> None:
        chosen: Rows = "all" if rows == "all" else "test"
        known: ExploreState | None = st.session_state.get(keys.EXPLORE)
        explorer = cache.explorer(run, chosen)
        link = ExploreLink(run=run, rows=chosen)
        if known is not None and known.run == run:
            kept = state.to_link(cache.explorer(known.run, known.rows), known)
            link = replace(kept, rows=chosen)
        shown, _ = state.from_link(explorer, run, link, known.rev if known else 0)
        set_state(shown)

    PANEL.guarded(change)


EXPLORE = Component(
    "rivae_explore",
    js=(*SHARED, "explore.js"),
    css=("base.css", "explore.css"),
    # The view after a release, an action with the view, and a question where the web route is
    # missing.
    reports={"commit": dict, "pick": dict, "choose": dict, "ask": dict},
)
