"""What an axis changes: a mark for each factor, tag and word, and the size that chance reaches."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rivae.exploring.axis_effects import AxisEffects
from rivae.figures.palette import series_color, theme
from rivae.figures.theme import axis_label, axis_style, dress, escape

N_SHOWN = 15


def effect_bars(effects: AxisEffects, *, n: int = N_SHOWN, dark: bool = False) -> go.Figure:
    """The ``n`` columns that change most, the measurable ones first; the rest is chance's width.

    Bands are the sizes that chance reaches, and marks the changes: filled where they are larger.
    """
    colors, order = theme(dark), effects.order[:n][::-1]
    names = [f"{escape(effects.names[c])} ({effects.kinds[c]})" for c in order]
    change, chance = effects.change[order], effects.chance[order]
    is_measurable = effects.is_measurable[order]
    band = go.Bar(
        x=2 * chance,
        base=-chance,
        y=names,
        orientation="h",
        marker={"color": colors.muted, "opacity": 0.25, "line": {"width": 0}},
        hoverinfo="skip",
        name="chance",
    )
    marks = go.Scatter(
        x=change,
        y=names,
        mode="markers",
        marker={
            "size": 11,
            "color": series_color(0, dark),
            "symbol": np.where(is_measurable, "circle", "circle-open").tolist(),
        },
        customdata=chance,
        hovertemplate="%{y}: %{x:+.2f} s.d., chance %{customdata:.2f}<extra></extra>",
        name="change",
    )
    figure = go.Figure([band, marks])
    figure.add_vline(x=0, line={"color": colors.muted, "width": 1})
    title = f"change of retrieved items along {axis_label(effects.axis)}, s.d."
    figure.update_xaxes(axis_style(dark), title_text=title)
    figure.update_yaxes(axis_style(dark))
    figure.update_layout(showlegend=False, bargap=0.3)
    return dress(figure, dark=dark, alt=effects.sentence, height=90 + 26 * max(len(order), 1))
