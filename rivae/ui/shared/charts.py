"""What the panels of the Metrics page have in common: their headline and cells of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.ui.shell.text import markdown

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

# Charts here are read and clicked, never zoomed.
QUIET = {"displayModeBar": False}


def headline(title: str) -> DeltaGenerator:
    """A heading; what is drawn inside (``with headline(…):``) stands at the end of its line."""
    line = st.container(
        horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"
    )
    line.subheader(markdown(title), anchor=False, width="content")
    return line


def clicked_cell(key: str) -> tuple[int, int] | None:
    """The cell (``customdata``) clicked in the chart ``key``.

    A redrawn chart reports an empty selection, which means nothing: None.
    """
    event: Any = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    if not points:
        return None
    # Plotly's customdata arrives as a list or as {"0": …, "1": …}.
    found = points[0].get("customdata") or ()
    values = list(found.values()) if isinstance(found, dict) else list(found)
    return (int(values[0]), int(values[1])) if len(values) == 2 else None
