"""The panel with query, sliders and grid (``assets/components/explore.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import SHARED, source

_PANEL = st.components.v2.component(
    "rivae_explore",
    js=source(*SHARED, "explore.js"),
    css=source("base.css", "explore.css"),
)


def explore_panel(
    data: Mapping[str, Any],
    *,
    key: str,
    on_commit: Callable[[], None],
    on_pick: Callable[[], None],
    on_choose: Callable[[], None],
    on_ask: Callable[[], None],
) -> None:
    """Show the panel.

    ``data`` comes from :func:`rivae.ui.explore.payload`. While the panel is mounted its reports are
    in ``st.session_state[key]``: ``commit`` (the view after a release), ``pick`` and ``choose`` (an
    action with the view) and ``ask`` (a question, only where the web route is missing).
    """
    _PANEL(
        key=key,
        data=dict(data),
        on_commit_change=on_commit,
        on_pick_change=on_pick,
        on_choose_change=on_choose,
        on_ask_change=on_ask,
    )
