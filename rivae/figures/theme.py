"""What all Plotly figures share: transparent background, page colours, readable sizes, alt text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rivae.exploring.words.axis_names import cut
from rivae.figures.palette import Theme, theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

FONT = '"Source Sans", "Source Sans Pro", system-ui, -apple-system, "Segoe UI", sans-serif'


def escape(text: str) -> str:
    """Text from data as Plotly text: Plotly reads a little HTML, so ``<`` and ``&`` are masked."""
    return html.escape(text, quote=False)


def axis_label(name: str, longest: int = 60) -> str:
    """A plain-text name as Plotly text; the number of "z3" or "v3" is set low, as in the paper,
    also in "−z3 · greenness". More than ``longest`` characters are cut.
    """
    match = re.fullmatch("(−?[a-z])([0-9]+)( · .*)?", name)
    if not match:
        return escape(cut(name, longest))
    return f"{match[1]}<sub>{match[2]}</sub>{escape(cut(match[3] or '', longest))}"


def axis_labels(names: Sequence[str] | None, n_components: int) -> list[str]:
    """Plotly labels of the axes: the given plain-text names, cut to 24 characters, or z1 ... zd.

    Raises ValueError when the number of names is not ``n_components``.
    """
    if names is not None and len(names) != n_components:
        raise ValueError(f"{len(names)} names for {n_components} axes")
    return [axis_label(name, 24) for name in plain_labels(names, n_components)]


def plain_labels(names: Sequence[str] | None, n_components: int) -> list[str]:
    """The same names as plain text, for descriptions and tables."""
    return list(names) if names is not None else [f"z{j + 1}" for j in range(n_components)]


def axis_style(dark: bool) -> dict[str, Any]:
    """Settings of a quiet axis; labels move the margin so that none is cut."""
    colors = theme(dark)
    return {
        "automargin": True,
        "gridcolor": colors.grid,
        "linecolor": colors.grid,
        "zerolinecolor": colors.grid,
        "zeroline": False,
        "tickfont": {"size": 13, "color": colors.muted},
        "title": {"font": {"size": 14, "color": colors.text}, "standoff": 8},
    }


def dress(
    figure: go.Figure,
    *,
    dark: bool,
    alt: str,
    height: int,
    title: str = "",
    subtitle: str = "",
    **layout: Any,
) -> go.Figure:
    """Give ``figure`` the page's look in place and return it.

    The one-sentence description ``alt`` and the theme are kept in ``layout.meta``, where
    ``alt_text`` and the file export find them. ``title`` and ``subtitle`` are plain text;
    ``layout`` is what else the chart sets.
    """
    colors = theme(dark)
    figure.update_layout(
        template=None,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 14, "color": colors.text},
        height=height,
        margin={"l": 12, "r": 12, "t": 44 if title else 16, "b": 12},
        hoverlabel={
            "bgcolor": colors.panel,
            "bordercolor": colors.grid,
            "font": {"family": FONT, "size": 13, "color": colors.text},
        },
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": colors.muted, "activecolor": colors.text},
        legend={"font": {"size": 13, "color": colors.text}, "bgcolor": "rgba(0,0,0,0)"},
        meta={"alt": alt, "dark": dark},
    )
    if title:
        text = escape(title)
        if subtitle:
            style = f"font-size:13px;color:{colors.muted}"
            text += f'<span style="{style}">   {escape(subtitle)}</span>'
        figure.update_layout(
            title={"text": text, "x": 0.01, "xref": "container", "font": {"size": 16}}
        )
    figure.update_xaxes(**axis_style(dark))
    figure.update_yaxes(**axis_style(dark))
    return figure.update_layout(layout)


def row_legend(y: float) -> dict[str, Any]:
    """A legend in one row from the left: above ``y`` (1 is the top of the plot), or below it where
    that is under the plot.
    """
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "bottom" if y >= 0 else "top"}


def alt_text(figure: go.Figure) -> str:
    """The one-sentence description of a figure made in this package."""
    meta = figure.layout.meta
    return str(meta["alt"]) if meta else "Chart"


def surface_of(figure: go.Figure) -> Theme:
    """The theme a figure was drawn for (light when it does not say)."""
    meta = figure.layout.meta
    return theme(bool(meta and meta.get("dark")))
