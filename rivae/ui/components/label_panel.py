"""The desk of an annotator (``assets/components/label.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import source

_PANEL = st.components.v2.component(
    "rivae_label",
    js=source(
        "dom.js", "panel.js", "label_queue.js", "label_desk.js", "label_items.js",
        "label_sheet.js", "label_focus.js", "label_zoom.js", "label_overlay.js", "label.js",
    ),
    css=source("base.css", "label.css"),
)  # fmt: skip


def label_panel(
    data: Mapping[str, Any], *, key: str, on_send: Callable[[], None], on_older: Callable[[], None]
) -> None:
    """Show the panel.

    ``data`` comes from :func:`rivae.ui.label_desk.payload`. While the panel is mounted its reports
    are in ``st.session_state[key]``: ``send`` (a batch of events) and ``older`` (a question for
    steps to take back).
    """
    _PANEL(key=key, data=dict(data), on_send_change=on_send, on_older_change=on_older)
