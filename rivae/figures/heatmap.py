"""The correlation table of factors and axes as one heat map.

It sums up the paper's matrix of plots of factor against axis: each cell is the correlation of one
small plot, and the red boxes of those figures ("significant changes in the
true factors ... i.e., high correlation") are drawn around the cells that reach the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.base.wording import join_words, short
from rivae.figures.palette import colorscale, sample, text_on, theme
from rivae.figures.theme import axis_labels, dress, escape, plain_labels

CELL_HEIGHT = 46
SLANT, SLANTED = -40, 100  # degrees and pixels of long labels, which end at their column
UNDEFINED = "undefined: one of the two is constant"

Cell = tuple[int, int]


def correlation_heatmap(
    table: NDArray[np.float64],
    factor_names: Sequence[str],
    axis_names: Sequence[str] | None = None,
    *,
    threshold: float = 0.5,
    signed: bool = False,
    selected: Cell | None = None,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """Heat map of a (d, K) table, one row per factor and one column per axis.

    A click anywhere in a cell selects a point whose ``customdata`` is the pair (j, k); a second
    click on it clears the selection.

    Args:
        table: correlations of axis j (row) with factor k (column) in [-1, 1]; NaN
            where undefined. Without ``signed`` their absolute values are shown.
        factor_names: K plain-text names.
        axis_names: d plain-text names; z1 ... zd when None.
        threshold: cells with |corr| >= threshold are framed; kept in ``layout.meta["threshold"]``.
        signed: show the sign on a diverging scale from -1 to 1.
        selected: the chosen (j, k), marked by a second frame.

    Raises:
        ValueError: the table does not fit the names, or leaves [-1, 1].
    """
    values = _checked(table, factor_names)
    shades = values if signed else np.abs(values)
    d, n_factors = values.shape
    colors = theme(dark)
    scale, low = (colors.diverging, -1.0) if signed else (colors.sequential, 0.0)
    columns, rows = axis_labels(axis_names, d), [escape(name) for name in factor_names]
    kind = "corr" if signed else "|corr|"
    cells = [(j, k) for k in range(n_factors) for j in range(d)]
    high = {(j, k) for j, k in cells if abs(values[j, k]) >= threshold}

    figure = go.Figure(
        heat_cells(
            shades.T,
            (low, 1.0),
            scale,
            gap=3,
            name=kind,
            muted=colors.muted,
            bar={"title_text": kind, "nticks": 5},
        )
    )
    figure.add_trace(
        click_layer(
            cells,
            [
                f"{rows[k]} × {columns[j]}<br>"
                + (f"{kind} {shades[j, k]:.3f}" if np.isfinite(shades[j, k]) else UNDEFINED)
                for j, k in cells
            ],
        )
    )
    numbers = []
    for j, k in cells:
        value, text = shades[j, k], short(shades[j, k])
        fill = sample(scale, (value - low) / (1.0 - low)) if value == value else colors.surface
        numbers.append(
            {
                "x": j,
                "y": k,
                "showarrow": False,
                "text": f"<b>{text}</b>" if (j, k) in high else text,
                "font": {"size": 14 if d <= 16 else 11, "color": text_on(fill)},
            }
        )
    frames = [frame(cell, colors.frame, 0.5, 3) for cell in sorted(high)]
    if selected is not None:
        frames.append(frame(selected, colors.selection, 0.41, 2))
    alt = describe_correlation(values, factor_names, axis_names, threshold=threshold)
    height = CELL_HEIGHT * n_factors + (98 if title else 70)
    if _slanted(columns):
        height += SLANTED
    # All at once: adding annotations one by one takes seconds for 8 factors of 30 axes.
    marks: dict[str, Any] = {"annotations": numbers, "shapes": frames}
    dress(figure, dark=dark, alt=alt, height=height, title=title, **marks)
    figure.update_layout(meta={**figure.layout.meta, "threshold": threshold})
    return as_table(figure, columns, rows, dark)


def heat_cells(
    values: NDArray[np.float64],
    ends: tuple[float, float],
    scale: tuple[str, ...],
    *,
    gap: int,
    name: str,
    muted: str,
    bar: dict[str, Any],
) -> go.Heatmap:
    """The coloured cells of ``values`` (rows, columns) between the two ends of a colour scale."""
    look = {"thickness": 12, "outlinewidth": 0, "title_font_size": 13}
    return go.Heatmap(
        z=values,
        x=np.arange(values.shape[1]),
        y=np.arange(values.shape[0]),
        zmin=ends[0],
        zmax=ends[1],
        colorscale=colorscale(scale),
        xgap=gap,
        ygap=gap,
        hoverinfo="skip",
        name=name,
        colorbar={**look, **bar, "tickfont": {"size": 12, "color": muted}},
    )


def click_layer(cells: Sequence[Cell], hovers: Sequence[str]) -> go.Bar:
    """Transparent bars that fill the cells (column, row) of a heat map exactly.

    Charts cannot select cells of a heat map; these can be clicked anywhere and report their cell
    as ``customdata``. ``hovers`` are their hover texts, already escaped.
    """
    return go.Bar(
        x=[column for column, _ in cells],
        y=[1.0] * len(cells),
        width=1.0,
        base=[row - 0.5 for _, row in cells],
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=[list(cell) for cell in cells],
        hovertext=list(hovers),
        hoverinfo="text",
        textposition="none",
        name="cells",
        showlegend=False,
        meta={"overlay": True},
    )


def frame(cell: Cell, color: str, half: float, width: int) -> dict[str, Any]:
    """A box around cell (column, row); ``half`` = 0.5 frames the full cell."""
    x, y = cell
    return {
        "type": "rect",
        "x0": x - half,
        "x1": x + half,
        "y0": y - half,
        "y1": y + half,
        "line": {"color": color, "width": width},
        "fillcolor": "rgba(0,0,0,0)",
    }


def as_table(
    figure: go.Figure, columns: list[str], rows: list[str], dark: bool, *, slanted: bool = False
) -> go.Figure:
    """Turn the axes of a heat map into the edges of a clickable table, first row on top; names of
    columns are ``slanted`` in any case where they are long.
    """
    quiet = {
        "showgrid": False,
        "fixedrange": True,
        "ticks": "",
        "showline": False,
        "tickfont": {"size": 14 if len(columns) <= 30 else 11, "color": theme(dark).text},
    }
    figure.update_layout(
        clickmode="event+select", dragmode=False, hovermode="closest", barmode="overlay"
    )
    # Plotly turns long labels the other way and hides the ones that leave the picture.
    slant = {"tickangle": SLANT} if slanted or _slanted(columns) else {}
    figure.update_xaxes(
        **quiet,
        **slant,
        tickvals=list(range(len(columns))),
        ticktext=columns,
        ticklabeloverflow="allow",
        range=[-0.54, len(columns) - 0.46],
    )
    figure.update_yaxes(
        **quiet, tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.46, -0.54]
    )
    return figure


def _slanted(columns: Sequence[str]) -> bool:
    """Whether the axes have names, which are too long to lie side by side."""
    return any("·" in name for name in columns)


def describe_correlation(
    table: NDArray[np.float64],
    factor_names: Sequence[str],
    axis_names: Sequence[str] | None = None,
    *,
    threshold: float = 0.5,
) -> str:
    """One sentence: the strongest axis of each factor and how many cells are framed."""
    values = np.abs(np.asarray(table, dtype=np.float64))
    names = plain_labels(axis_names, values.shape[0])
    parts = []
    for k, factor in enumerate(factor_names):
        column = values[:, k]
        if np.isfinite(column).any():
            j = int(np.nanargmax(column))
            parts.append(f"{factor} correlates most with {names[j]} ({column[j]:.2f})")
        else:
            parts.append(f"{factor} is undefined")
    count = int((values >= threshold).sum())
    return (
        f"Heat map of |correlation| between {len(factor_names)} factors and {len(names)} "
        f"axes: {join_words(parts)}; {count} of {values.size} cells reach the threshold "
        f"{threshold:g}."
    )


def _checked(table: NDArray[np.float64], factor_names: Sequence[str]) -> NDArray[np.float64]:
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(factor_names):
        raise ValueError(f"table of shape {values.shape} for {len(factor_names)} factor names")
    if np.nanmax(np.abs(values), initial=0.0) > 1 + 1e-6:
        raise ValueError("a correlation lies outside [-1, 1]")
    return values
