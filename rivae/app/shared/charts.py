"""Charts as the pages show them: headline, colours of the visitor's theme, text for screen readers,
and clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shell.text import markdown

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator


def is_dark() -> bool:
    """Whether the page is dark now."""
    return st.context.theme.type == "dark"


def ink() -> str:
    """The colour of text."""
    return _option("textColor", "#e3e9eb", "#10191e")


def accent() -> str:
    """The accent colour for drawings, readable on the page's surface."""
    return _option("linkColor", "#7fc4da", "#14607c")


def _option(name: str, dark: str, light: str) -> str:
    """A colour of .streamlit/config.toml, or ours where another configuration is used."""
    mode = "dark" if is_dark() else "light"
    return str(st.get_option(f"theme.{mode}.{name}") or (dark if is_dark() else light))


def headline(title: str) -> DeltaGenerator:
    """A heading; widgets drawn inside (``with headline(…):``) stand at the end of its line."""
    line = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    line.subheader(markdown(title), anchor=False, width="content")
    return line


def chart(
    figure: go.Figure, key: str, clicked: Callable[[list[Any]], object] | None = None
) -> None:
    """Draw a figure; ``clicked`` gets the ``customdata`` of a clicked point."""
    from rivae.figures.theme import alt_text

    def selected() -> None:
        event: Any = st.session_state.get(key)
        points = event["selection"]["points"] if event else []
        # A redrawn chart reports an empty selection, which means nothing; a stranger may send what
        # the figure does not have.
        values = _values(points[0].get("customdata")) if points else []
        if clicked is not None and any(values == _values(own) for own in _behind(figure)):
            clicked(values)

    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        on_select=selected if clicked is not None else "ignore",
        selection_mode="points",
        alt=alt_text(figure),
        config={"displayModeBar": False},  # charts here are read and clicked, never zoomed
    )


def _behind(figure: go.Figure) -> Iterator[Any]:
    for trace in figure.data:
        custom = getattr(trace, "customdata", None)
        yield from () if custom is None else custom


def _values(customdata: Any) -> list[Any]:
    """Plotly's ``customdata`` arrives as a list, as {"0": …, "1": …} or, if it is one, alone."""
    if isinstance(customdata, dict):
        return list(customdata.values())
    if isinstance(customdata, list | tuple):
        return list(customdata)
    return [] if customdata is None else [customdata]
