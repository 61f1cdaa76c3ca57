"""One axis: where the items lie on it, and which factors it follows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.base.wording import join_words
from rivae.exploring.axis_card import QUANTILES, Link
from rivae.figures.palette import series_color, theme
from rivae.figures.theme import axis_label, axis_style, dress, escape

N_BINS = 48


def position_histogram(
    positions: NDArray[np.floating],
    name: str,
    *,
    poles: tuple[str, str] = ("", ""),
    query: float | None = None,
    dark: bool = False,
) -> go.Figure:
    """How many items lie where on an axis.

    Args:
        positions: (n,) z of the items.
        name: of the axis, plain text.
        poles: what lies at its low and at its high end, plain text.
        query: z of the query, marked.
    """
    colors = theme(dark)
    counts, edges = np.histogram(positions, bins=N_BINS)
    middles = (edges[:-1] + edges[1:]) / 2
    bars = go.Bar(
        x=middles,
        y=counts,
        width=np.diff(edges),
        marker={"color": series_color(0, dark), "line": {"width": 0}},
        hovertemplate="%{x:.2f}: %{y} items<extra></extra>",
        showlegend=False,
    )
    figure = go.Figure([bars])
    for share, place in zip(QUANTILES, np.quantile(positions, QUANTILES), strict=True):
        figure.add_vline(
            x=float(place),
            line={"color": colors.muted, "width": 1, "dash": "dot"},
            annotation={"text": f"{share:.0%}", "font": {"size": 12, "color": colors.muted}},
            annotation_position="top",
        )
    if query is not None:
        figure.add_vline(
            x=query,
            line={"color": colors.text, "width": 2},
            annotation={"text": "query", "font": {"color": colors.text}, "yshift": 14},
            annotation_position="top",
        )
    ends = "  ↔  ".join(escape(pole) for pole in poles if pole)
    figure.update_xaxes(axis_style(dark), title_text=ends or axis_label(name))
    figure.update_yaxes(axis_style(dark), title_text="items")
    low, middle, high = np.quantile(positions, (0.05, 0.5, 0.95))
    alt = f"Positions of {len(positions):,} items on {name}: 5 % lie below {low:.2f}, half below "
    alt += f"{middle:.2f}, 95 % below {high:.2f}."
    return dress(figure, dark=dark, alt=alt, height=280).update_layout(margin_t=44)


def link_dots(links: Sequence[Link], name: str, *, dark: bool = False) -> go.Figure:
    """Correlations with their intervals, the strongest on top; 0 is marked."""
    colors, top_down = theme(dark), list(links)[::-1]
    values = np.array([link.r for link in top_down])
    dots = go.Scatter(
        x=values,
        y=[escape(link.name) for link in top_down],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [link.high - link.r for link in top_down],
            "arrayminus": [link.r - link.low for link in top_down],
            "thickness": 1.5,
            "width": 4,
        },
        mode="markers",
        marker={"size": 10, "color": series_color(0, dark)},
        customdata=[[link.low, link.high, link.n] for link in top_down],
        hovertemplate="%{y}: %{x:.2f} (%{customdata[0]:.2f} to %{customdata[1]:.2f}, "
        "%{customdata[2]} items)<extra></extra>",
        showlegend=False,
    )
    figure = go.Figure([dots])
    figure.add_vline(x=0, line={"color": colors.muted, "width": 1})
    figure.update_xaxes(
        axis_style(dark), range=[-1.05, 1.05], title_text=f"correlation with {axis_label(name)}"
    )
    figure.update_yaxes(axis_style(dark))
    strengths = join_words([f"{link.name} {link.r:+.2f}" for link in links[:5]])
    alt = f"Correlation of {name} with what is known of the items: {strengths}."
    return dress(figure, dark=dark, alt=alt, height=90 + 26 * len(top_down))
