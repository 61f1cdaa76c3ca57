"""What axes change: of one, a mark for each factor, tag and word beside what chance reaches; of
all, a heat map in which what chance may reach is blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rivae.base.arrays import Floats
from rivae.exploring.axis_effects import AxisEffects
from rivae.exploring.words.axis_names import cut
from rivae.figures.effect_cells import (
    LONGEST,
    LONGEST_COLUMN,
    Column,
    cell_colors,
    cells_of,
    describe_effects,
    effect_columns,
    effect_height,
    largest_of,
    said_of,
    signed,
)
from rivae.figures.heatmap import as_table, click_layer, frame, heat_cells
from rivae.figures.palette import series_color, theme
from rivae.figures.theme import axis_label, axis_style, dress, escape
from rivae.runs.results import Change

N_SHOWN = 15
READING = "s.d.; blank:<br>chance"


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


def effect_heatmap(
    changes: Sequence[Sequence[Change]],
    axis_names: Sequence[str],
    columns: Sequence[Column] | None = None,
    *,
    axes: Sequence[int] | None = None,
    selected: tuple[int, Column] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Heat map of what each axis changes among the items found, one row per axis.

    Cells that change no more than by chance are blank. A click in a cell selects a point whose
    ``customdata`` is (number of the axis, position of the column).

    Args:
        changes: of each axis what it changes measurably (``AxisEffects.changes``).
        axis_names: what the rows are called, plain text.
        columns: kind and name of each; ``effect_columns`` when None.
        axes: numbers of the axes of the rows; 0, 1, 2 ... when None.
        selected: the number of an axis and the column of the chosen cell.
    """
    numbers = list(range(len(changes))) if axes is None else list(axes)
    shown = effect_columns(changes) if columns is None else list(columns)
    cells = cells_of(changes, shown)
    values = np.full((len(changes), len(shown)), np.nan)
    for (row, c), change in cells.items():
        values[row, c] = change.change
    most = largest_of(cells)
    colors, names = theme(dark), [escape(cut(name, LONGEST)) for name in axis_names]
    figure = go.Figure(
        heat_cells(
            values,
            (-most, most),
            colors.diverging,
            gap=2,
            name="change",
            muted=colors.muted,
            bar={"title_text": READING, "nticks": 5},
        )
    )
    places = [(c, row) for row in range(len(changes)) for c in range(len(shown))]
    layer = click_layer(
        places,
        [
            "<br>".join(map(escape, said_of(axis_names[row], shown[c], cells.get((row, c)))))
            for c, row in places
        ],
    )
    layer.customdata = [[numbers[row], c] for c, row in places]
    figure.add_trace(layer)
    texts = [
        {
            "x": c,
            "y": row,
            "showarrow": False,
            "text": signed(change.change),
            "font": {"size": 12, "color": cell_colors(change.change, most, colors)[1]},
        }
        for (row, c), change in cells.items()
    ]
    frames = []
    if selected is not None and selected[0] in numbers and selected[1] in shown:
        cell = shown.index(selected[1]), numbers.index(selected[0])
        frames.append(frame(cell, colors.selection, 0.47, 2))
    marks: dict[str, Any] = {
        "annotations": texts,
        "shapes": [*_rules(values, colors.grid), *frames],
    }
    alt = describe_effects(changes, axis_names, shown)
    dress(figure, dark=dark, alt=alt, height=effect_height(len(changes)), **marks)
    labels = [escape(cut(name, LONGEST_COLUMN)) for _, name in shown]
    return as_table(figure, labels, names, dark, slanted=True)


def _rules(values: Floats, color: str) -> list[dict[str, Any]]:
    """Thin lines between the rows, which the eye follows over blank cells."""
    n, m = values.shape
    return [
        {
            "type": "line",
            "layer": "below",
            "x0": -0.5,
            "x1": m - 0.5,
            "y0": row + 0.5,
            "y1": row + 0.5,
            "line": {"color": color, "width": 1},
        }
        for row in range(-1, n)
    ]
