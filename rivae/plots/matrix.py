"""The paper's matrix of small plots, factor against latent dimension, for export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.plots.palette import Theme, rgba, series_color, theme
from rivae.plots.scatter import drawn_points
from rivae.plots.theme import axis_style, dress, escape, latent_labels, short

SIDE = 130  # pixels of one panel
GAP = 0.16  # share of a panel left free around it


def plot_matrix(
    z: NDArray[np.float64],
    factors: NDArray[np.float64],
    factor_names: Sequence[str],
    latent_names: Sequence[str] | None = None,
    *,
    table: NDArray[np.float64] | None = None,
    threshold: float = 0.5,
    points_per_panel: int = 240,
    dark: bool = False,
) -> go.Figure:
    """Factor k (row) of the retrieved items against latent dimension j (column), K x d panels.

    Pages show ``correlation_heatmap`` and open one ``traversal_scatter``; this is the figure of
    the paper as a whole. Points are the retrieved items, lines their median over the queries.

    Args:
        z: (d, T) values of each latent dimension along its own traversal.
        factors: (q, d, T, K) factors of the items retrieved while dimension j moves, that is
            ``data.factors[traversal.ids[..., 0]]``.
        table: (d, K) correlations; panels with |corr| >= threshold are framed and labelled.
        points_per_panel: more points than this are thinned at random (medians use all of them).

    Raises:
        ValueError: the shapes do not belong together.
    """
    q, d, n_points, n_factors = factors.shape
    if z.shape != (d, n_points) or n_factors != len(factor_names):
        raise ValueError(f"z of shape {z.shape} and factors of shape {factors.shape}")
    columns = latent_labels(latent_names, d)
    shown = drawn_points(q * n_points, points_per_panel)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"shapes": [], "annotations": []}
    for k in range(n_factors):
        color, name = series_color(k, dark), escape(factor_names[k])
        low, high = np.nanmin(factors[..., k]), np.nanmax(factors[..., k])
        pad = 0.08 * (high - low or 1.0)
        for j in range(d):
            mark = "" if k == j == 0 else str(k * d + j + 1)
            rows = factors[:, j, :, k]
            shared = {
                "type": "scatter",
                "xaxis": f"x{mark}",
                "yaxis": f"y{mark}",
                "showlegend": False,
            }
            data.append(
                {
                    **shared,
                    "mode": "markers",
                    "name": f"{name} / {columns[j]}",
                    "x": np.tile(z[j], q)[shown],
                    "y": rows.ravel()[shown],
                    "marker": {"size": 3, "color": rgba(color, 0.35 if q > 1 else 0.9)},
                }
            )
            data.append(
                {
                    **shared,
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
    figure = dress(go.Figure(data), dark=dark, alt=alt, height=SIDE * n_factors + 70)
    return figure.update_layout(layout, width=SIDE * d + 110)


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
