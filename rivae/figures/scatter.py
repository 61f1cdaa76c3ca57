"""Factor values of the retrieved items against the traversed value of z (the paper's plots):
one large plot, and the paper's matrix of small ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.base.wording import short
from rivae.figures.palette import Theme, rgba, series_color, theme
from rivae.figures.theme import (
    axis_label,
    axis_labels,
    axis_style,
    dress,
    escape,
    row_legend,
)

MAX_POINTS = 5000
SIDE = 130  # pixels of one panel of the matrix
GAP = 0.16  # share of a panel left free around it


def traversal_scatter(
    z: Floats,
    factor: Floats,
    *,
    axis_name: str | None = None,
    j: int = 0,
    factor_name: str,
    k: int = 0,
    levels: Sequence[str] = (),
    ordered: bool = True,
    correlation: float | None = None,
    jitter: float = 0.0,
    dark: bool = False,
) -> go.Figure:
    """Factor k of the retrieved items while z_j moves, one row of ``factor`` per query.

    Points are the retrieved items. With several queries a line follows their median and a band
    holds the middle half of them; with one query the line joins its points.

    Args:
        z: (T,) values of z_j along the traversal, ascending.
        factor: (q, T) factor value of the item retrieved at each point; (T,) for one query.
        axis_name: plain text; z_{j+1} when None.
        levels: names of the codes 0, 1, 2 ... of an ordinal or categorical factor.
        ordered: False for a categorical factor, whose codes have no median: points only.
        correlation: the value of the table for this pair, printed in the title.
        jitter: half-width of a random vertical shift in factor units; 0 shows the true values.

    Raises:
        ValueError: ``factor`` does not have one column per value of ``z``.
    """
    z = np.asarray(z, dtype=np.float64)
    rows = np.atleast_2d(np.asarray(factor, dtype=np.float64))
    if rows.shape[1:] != z.shape:
        raise ValueError(f"factor values of shape {rows.shape} for {z.size} values of z")
    color, plain_name = series_color(k, dark), axis_name or f"z{j + 1}"
    title = axis_label(plain_name)
    places = drawn_points(rows.size)
    x, y = np.broadcast_to(z, rows.shape).ravel()[places], rows.ravel()[places]
    y = y + np.random.default_rng(0).uniform(-jitter, jitter, y.shape) if jitter else y

    several = len(rows) > 1
    figure = go.Figure(
        go.Scatter(
            x=x,
            y=y,
            name="retrieved item",
            showlegend=several,
            mode="lines+markers" if ordered and not several else "markers",
            line={"color": rgba(color, 0.45), "width": 1.5, "shape": "hv"},
            marker={"color": rgba(color, 0.25 if several else 0.9), "size": 6},
            customdata=np.repeat(np.arange(len(rows)), len(z))[places],
            hovertemplate=f"{title} = %{{x:.2f}}<br>%{{y}}<extra></extra>",
        )
    )
    if ordered and several:
        add_median(figure, z, rows, theme(dark).text)
    notes = [] if correlation is None else [f"|corr| = {short(abs(correlation))}"]
    if rows.size > len(x):
        notes.append(f"{len(x):,} of {rows.size:,} points drawn")
    alt = describe_scatter(z, rows, plain_name, factor_name, correlation)
    dress(
        figure,
        dark=dark,
        alt=alt,
        height=400,
        title=f"{factor_name} against {plain_name}",
        subtitle=" · ".join(notes),
        hovermode="closest",
        legend=row_legend(-0.2),
    )
    figure.update_xaxes(title_text=title)
    figure.update_yaxes(title_text=escape(factor_name), **level_ticks(levels))
    return figure


def add_median(figure: go.Figure, z: Floats, rows: Floats, color: str) -> None:
    """Add the line of medians over the queries and the band of their middle half."""
    low, middle, high = np.nanquantile(rows, [0.25, 0.5, 0.75], axis=0)
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([z, z[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            fill="toself",
            mode="lines",
            fillcolor=rgba(color, 0.15),
            line={"width": 0},
            hoverinfo="skip",
            name="middle half of queries",
            meta={"overlay": True},
        )
    )
    figure.add_trace(
        go.Scatter(
            x=z,
            y=middle,
            mode="lines",
            line={"color": color, "width": 2.5},
            name="median of queries",
            hovertemplate="median %{y:.3g}<extra></extra>",
        )
    )


def level_ticks(levels: Sequence[str]) -> dict[str, Any]:
    """Axis settings that name the codes 0, 1, 2 ... of a factor with levels."""
    if not levels:
        return {}
    return {
        "tickvals": list(range(len(levels))),
        "ticktext": [escape(level) for level in levels],
        "range": [-0.5, len(levels) - 0.5],
    }


def describe_scatter(
    z: Floats, rows: Floats, axis_name: str, factor_name: str, correlation: float | None = None
) -> str:
    """One sentence: where the factor starts and ends while the axis moves."""
    ends = np.nanmedian(rows[:, [0, -1]], axis=0)
    queries = "1 query" if len(rows) == 1 else f"{len(rows)} queries"
    strength = "" if correlation is None else f", |correlation| {abs(correlation):.2f}"
    return (
        f"{factor_name} of the retrieved items against {axis_name} for {queries}: "
        f"from {ends[0]:.3g} at {z[0]:.3g} to {ends[1]:.3g} at {z[-1]:.3g}{strength}."
    )


def drawn_points(n: int, limit: int = MAX_POINTS) -> NDArray[np.int64]:
    """All ``n`` positions, or ``limit`` of them drawn evenly at random with a fixed seed."""
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, limit, replace=False))


def plot_matrix(
    z: NDArray[np.float64],
    factors: NDArray[np.float64],
    factor_names: Sequence[str],
    axis_names: Sequence[str] | None = None,
    *,
    table: NDArray[np.float64] | None = None,
    threshold: float = 0.5,
    points_per_panel: int = 240,
    dark: bool = False,
) -> go.Figure:
    """Factor k (row) of the retrieved items against axis j (column), K x d panels.

    Pages show ``correlation_heatmap`` and open one ``traversal_scatter``; this is the complete
    figure of the paper. Points are the retrieved items, lines their median over the queries.

    Args:
        z: (d, T) values of each axis along its own traversal.
        factors: (q, d, T, K) factors of the items retrieved while axis j moves, that is
            ``data.factors[traversal.ids[..., 0]]``.
        table: (d, K) correlations; panels with |corr| >= threshold are framed and labelled.
        points_per_panel: more points than this are thinned at random (medians use all of them).

    Raises:
        ValueError: the shapes do not belong together.
    """
    q, d, n_points, n_factors = factors.shape
    if z.shape != (d, n_points) or n_factors != len(factor_names):
        raise ValueError(f"z of shape {z.shape} and factors of shape {factors.shape}")
    columns = axis_labels(axis_names, d)
    places = drawn_points(q * n_points, points_per_panel)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"shapes": [], "annotations": []}
    for k in range(n_factors):
        color, name = series_color(k, dark), escape(factor_names[k])
        low, high = np.nanmin(factors[..., k]), np.nanmax(factors[..., k])
        pad = 0.08 * (high - low or 1.0)
        for j in range(d):
            mark = "" if k == j == 0 else str(k * d + j + 1)
            rows = factors[:, j, :, k]
            common = {
                "type": "scatter",
                "xaxis": f"x{mark}",
                "yaxis": f"y{mark}",
                "showlegend": False,
            }
            data.append(
                {
                    **common,
                    "mode": "markers",
                    "name": f"{name} / {columns[j]}",
                    "x": np.tile(z[j], q)[places],
                    "y": rows.ravel()[places],
                    "marker": {"size": 3, "color": rgba(color, 0.35 if q > 1 else 0.9)},
                }
            )
            data.append(
                {
                    **common,
                    "mode": "lines",
                    "name": f"{name} / {columns[j]}, median",
                    "x": z[j],
                    "y": np.nanmedian(rows, axis=0),
                    "line": {"color": color, "width": 1.5},
                }
            )
            x_axis, y_axis = _axes(j, k, d, n_factors, mark, dark)
            x_axis["title"]["text"] = columns[j] if k == n_factors - 1 else ""
            y_axis["title"]["text"] = name if j == 0 else ""
            y_axis["range"] = [low - pad, high + pad]
            layout[f"xaxis{mark}"], layout[f"yaxis{mark}"] = x_axis, y_axis
            if table is not None and abs(table[j, k]) >= threshold:
                _frame(layout, x_axis["domain"], y_axis["domain"], table[j, k], theme(dark))
    n_framed = len(layout["shapes"])
    alt = (
        f"Matrix of {n_factors} × {d} plots of the retrieved items' factors against the "
        f"axes, {n_framed} framed for |correlation| of at least {threshold:g}."
    )
    size: dict[str, Any] = {"height": SIDE * n_factors + 70, "width": SIDE * d + 110}
    return dress(go.Figure(data), dark=dark, alt=alt, **size, **layout)


def _axes(
    j: int, k: int, d: int, n_factors: int, mark: str, dark: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axes of one panel; only the outer panels carry numbers."""
    style = {**axis_style(dark), "showline": True, "mirror": True, "showgrid": False, "nticks": 4}
    style["tickfont"] = {**style["tickfont"], "size": 11}
    x_axis = {
        **style,
        "domain": [(j + GAP / 2) / d, (j + 1 - GAP / 2) / d],
        "anchor": f"y{mark}",
        "showticklabels": k == n_factors - 1,
        "title": dict(style["title"]),
    }
    y_axis = {
        **style,
        "anchor": f"x{mark}",
        "showticklabels": j == 0,
        "title": dict(style["title"]),
        "domain": [1 - (k + 1 - GAP / 2) / n_factors, 1 - (k + GAP / 2) / n_factors],
    }
    return x_axis, y_axis


def _frame(
    layout: dict[str, Any], x: list[float], y: list[float], corr: float, colors: Theme
) -> None:
    """The paper's red box around one panel, with the correlation in its corner."""
    layout["shapes"].append(
        {
            "type": "rect",
            "xref": "paper",
            "yref": "paper",
            "x0": x[0],
            "x1": x[1],
            "y0": y[0],
            "y1": y[1],
            "fillcolor": "rgba(0,0,0,0)",
            "line": {"color": colors.frame, "width": 2.5},
        }
    )
    layout["annotations"].append(
        {
            "xref": "paper",
            "yref": "paper",
            "x": x[1],
            "y": y[1],
            "xanchor": "right",
            "yanchor": "bottom",
            "showarrow": False,
            "text": f"<b>{short(abs(float(corr)))}</b>",
            "font": {"size": 12, "color": colors.frame},
        }
    )
