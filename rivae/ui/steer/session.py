"""The Steer page's session: which matrix is shown, what its panel reports, what the link says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from rivae.errors import ConfigError
from rivae.explorer import Explorer
from rivae.runs import Run
from rivae.steering import SteerRow
from rivae.ui.panels.codec import unread
from rivae.ui.panels.component import Component
from rivae.ui.panels.links import Query, SteerLink
from rivae.ui.panels.session import Panel, answered, named_item
from rivae.ui.shared import address
from rivae.ui.shell import cache, keys, theme, web
from rivae.ui.steer import answers as steer_answers
from rivae.ui.steer import state
from rivae.ui.steer.state import SteerState

PANEL = Panel(keys.STEER_NOTICE, keys.STEER_ANSWER, keys.STEER_CHOOSING)


def current(entered: bool, ready: Sequence[Run]) -> tuple[SteerState, Explorer]:
    """The state to show: the session's, unless the address says otherwise.

    Raises:
        RivaeError: the run in question is missing, broken or not ready.
    """
    params = address.read(SteerLink.names())
    known: SteerState | None = st.session_state.get(keys.STEER)
    if known is not None and params == st.session_state.get(keys.STEER_LINK):
        _keep(known)
        return known, cache.explorer(known.run)
    link, dropped = SteerLink.read(params)
    run = link.run or address.run_in_hand() or (ready[0].id if ready else "")
    explorer = cache.explorer(run)
    shown, notes = state.from_link(explorer, run, link, known.rev if known else 0)
    st.session_state[keys.STEER_NOTICE] = " ".join(unread(dropped) + notes)
    st.session_state[keys.STEER_LINK] = params
    _keep(shown)
    if entered and not {"run", "q"} <= params.keys():
        _save(shown)
    return shown, explorer


def _keep(shown: SteerState) -> None:
    st.session_state[keys.STEER] = shown
    address.take(shown.run, shown.query)


def _save(shown: SteerState) -> None:
    address.save(state.to_link(shown).write(), SteerLink.names(), keys.STEER_LINK)


def set_state(shown: SteerState) -> None:
    """Replaces the state and the address; for callbacks."""
    _keep(shown)
    st.session_state[keys.STEER_NOTICE] = ""
    _save(shown)


def panel_data(explorer: Explorer, shown: SteerState) -> dict[str, Any]:
    """What the panel is sent: rebuilt on a new rev, model or axis name, so that other reruns send
    nothing new.
    """
    key = f"{cache.model_key(shown.run)}/{'/'.join(explorer.given_names)}"
    kept = st.session_state.get(keys.STEER_PAYLOAD)
    if kept is None or (kept["rev"], kept["key"]) != (shown.rev, key):
        kept = state.payload(explorer, shown, key, web.steer_url())
        st.session_state[keys.STEER_PAYLOAD] = kept
        st.session_state[keys.STEER_ANSWER] = st.session_state[keys.STEER_WORDS] = None
    answers = {"answer": keys.STEER_ANSWER, "words": keys.STEER_WORDS}
    said = {name: st.session_state.get(key) for name, key in answers.items()}
    return {**kept, **said, "colors": word_colors()}


def word_colors() -> dict[str, str]:
    """The colours of words by their relation, for the theme that is shown."""
    from rivae.plots.clouds import relation_color
    from rivae.plots.palette import theme as colors

    shown = colors(theme.is_dark())
    return {
        "related": relation_color("related", shown),
        "opposite": relation_color("opposite", shown),
        "none": relation_color("none", shown),
    }


def refresh() -> None:
    """Makes the panel take the session's state over again, e.g. after a page switch."""
    st.session_state[keys.STEER_PAYLOAD] = None


def come_back() -> None:
    """The matrix as it was before a tour was presented; for callbacks."""
    shown: SteerState | None = st.session_state.get(keys.STEER)
    if shown is not None:
        _save(shown)
    refresh()


# What the panel and the page's widgets report


def on_commit(view: dict[str, Any]) -> None:
    """The matrix was changed."""
    PANEL.guarded(lambda: _take(view))


def on_pick(report: dict[str, Any]) -> None:
    """A picture was clicked: open its drawer."""
    PANEL.guarded(lambda: _pick(report))


def on_choose(report: dict[str, Any]) -> None:
    """Another query is wanted: a random one, a row number, the average, or the gallery."""
    PANEL.guarded(lambda: _choose(report))


def on_add(report: dict[str, Any]) -> None:
    """A row is to become a step of a tour."""
    PANEL.guarded(lambda: _add(report))


def on_ask(question: dict[str, Any]) -> None:
    """A question of the panel where the web route is missing."""
    ask(question, keys.STEER_ANSWER)


def on_ask_words(question: dict[str, Any]) -> None:
    """The same for word clouds, which must not hold up pictures."""
    ask(question, keys.STEER_WORDS)


def ask(question: dict[str, Any], key: str) -> None:
    """Answers a question through the session, under ``key``."""
    st.session_state[key] = answered(question, steer_answers.answer)


def _take(view: dict[str, Any]) -> SteerState:
    shown: SteerState = st.session_state[keys.STEER]
    after = state.commit(cache.explorer(shown.run), shown, view)
    if after != shown:
        set_state(after)
    return after


def _pick(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    st.session_state[keys.STEER_ITEM] = named_item(report, cache.explorer(shown.run))


def _choose(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    PANEL.choose(report, cache.explorer(shown.run), _with_query)


def _with_query(query: Query) -> None:
    shown: SteerState = st.session_state[keys.STEER]
    set_state(state.with_query(cache.explorer(shown.run), shown, query))


def choose_query(query: Query) -> None:
    """Makes a data row (or "mean") the query and closes whatever it was chosen in."""
    PANEL.guarded(lambda: _with_query(query))
    st.session_state[keys.STEER_CHOOSING] = False
    st.session_state[keys.STEER_ITEM] = None


def _add(report: dict[str, Any]) -> None:
    shown, at = _take(report.get("view") or {}), report.get("row")
    if type(at) is not int or not 0 <= at < len(shown.rows):
        raise ConfigError("the panel named no row")
    st.session_state[keys.STEER_ADDING] = SteerRow(shown.axes, shown.rows[at])


def choose_run() -> None:
    """Another run was chosen; axes belong to a run, so its default matrix is shown."""
    link = SteerLink(st.session_state[keys.STEER_RUN])
    address.write(link.write(), SteerLink.names())


STEER = Component(
    "rivae_steer",
    js=(
        "dom.js",
        "wire.js",
        "layout.js",
        "panel.js",
        "steer_cloud.js",
        "steer_row.js",
        "steer_head.js",
        "steer.js",
    ),
    css=("base.css", "steer_cloud.css", "steer.css"),
    # The matrix after a change, an action with the matrix, and questions where the web route is
    # missing.
    reports={
        "commit": dict,
        "pick": dict,
        "choose": dict,
        "add": dict,
        "ask": dict,
        "ask_words": dict,
    },
)
