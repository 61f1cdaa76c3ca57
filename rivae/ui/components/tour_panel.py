"""The presenter's view of a tour (``assets/components/tour.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import source

_PANEL = st.components.v2.component(
    "rivae_tour",
    js=source("dom.js", "wire.js", "steer_cloud.js", "tour.js"),
    css=source("base.css", "steer_cloud.css", "tour.css"),
)


def tour_panel(
    data: Mapping[str, Any],
    *,
    key: str,
    on_step: Callable[[], None],
    on_leave: Callable[[], None],
    on_ask: Callable[[], None],
    on_ask_words: Callable[[], None],
) -> None:
    """Show the view over everything else.

    ``data`` comes from :func:`rivae.ui.steer_tour_view.payload`. ``step`` reports the step that is
    shown (from 1), ``leave`` that the presenter is done.
    """
    _PANEL(
        key=key,
        data=dict(data),
        on_step_change=on_step,
        on_leave_change=on_leave,
        on_ask_change=on_ask,
        on_ask_words_change=on_ask_words,
    )
