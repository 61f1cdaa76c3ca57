"""The panel of rows over a few axes (``assets/components/steer.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import source

_PANEL = st.components.v2.component(
    "rivae_steer",
    js=source(
        "dom.js", "wire.js", "layout.js", "panel.js", "steer_cloud.js", "steer_row.js",
        "steer_head.js", "steer.js",
    ),
    css=source("base.css", "steer_cloud.css", "steer.css"),
)  # fmt: skip


def steer_panel(
    data: Mapping[str, Any],
    *,
    key: str,
    on_commit: Callable[[], None],
    on_pick: Callable[[], None],
    on_choose: Callable[[], None],
    on_add: Callable[[], None],
    on_ask: Callable[[], None],
    on_ask_words: Callable[[], None],
) -> None:
    """Show the panel.

    ``data`` comes from :func:`rivae.ui.steer_session.panel_data`. While the panel is mounted its
    reports are in ``st.session_state[key]``: ``commit`` (the matrix after a change), ``pick``,
    ``choose`` and ``add`` (an action with the matrix), ``ask`` and ``ask_words`` (questions, only
    where the web route is missing).
    """
    _PANEL(
        key=key,
        data=dict(data),
        on_commit_change=on_commit,
        on_pick_change=on_pick,
        on_choose_change=on_choose,
        on_add_change=on_add,
        on_ask_change=on_ask,
        on_ask_words_change=on_ask_words,
    )
