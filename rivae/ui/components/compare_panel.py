"""The panel with a slider per factor and a column per run (``assets/components/compare.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import SHARED, source

_PANEL = st.components.v2.component(
    "rivae_compare",
    js=source(*SHARED, "compare.js"),
    css=source("base.css", "explore.css", "compare.css"),
)


def compare_panel(
    data: Mapping[str, Any],
    *,
    key: str,
    on_commit: Callable[[], None],
    on_pick: Callable[[], None],
    on_choose: Callable[[], None],
    on_ask: Callable[[], None],
) -> None:
    """Show the panel.

    ``data`` comes from :func:`rivae.ui.compare_state.payload`. Its reports are those of the
    Explore panel, with shifts instead of z.
    """
    _PANEL(
        key=key,
        data=dict(data),
        on_commit_change=on_commit,
        on_pick_change=on_pick,
        on_choose_change=on_choose,
        on_ask_change=on_ask,
    )
