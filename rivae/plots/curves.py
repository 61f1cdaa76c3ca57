"""Training curves: one small panel per loss term, validation scores together, stages as bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.plots.palette import series_color, theme
from rivae.plots.tables import metric_label
from rivae.plots.theme import axis_style, dress, escape, join_words

MAX_POINTS = 1000
ROW_HEIGHT, TITLE_HEIGHT, STAGE_HEIGHT = 200, 36, 16
PANEL_WIDTH, LETTER_WIDTH = 380, 6  # rough pixels, to leave out stage names without room
NOT_TERMS = ("epoch", "step", "stage", "learning_rate", "validation", "seconds")

Array = NDArray[np.float64]


def thin(x: Array, y: Array, max_points: int = MAX_POINTS) -> tuple[Array, Array]:
    """At most ``max_points`` (>= 4) of a curve, keeping the lowest and highest point of every bin.

    No peak is lost and no value is invented: the kept points are points of the curve, in order.
    The first and the last are always kept; a bin without any finite value keeps one gap.
    """
    if len(x) <= max_points:
        return x, y
    keep = {0, len(x) - 1}
    for bin_ in np.array_split(np.arange(len(x)), (max_points - 2) // 2):
        values = y[bin_]
        if np.isfinite(values).any():
            keep |= {int(bin_[np.nanargmin(values)]), int(bin_[np.nanargmax(values)])}
        else:
            keep.add(int(bin_[0]))
    kept = np.array(sorted(keep))
    return x[kept], y[kept]


def stages_of(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float, float]]:
    """(name, first epoch, last epoch) of each stage, in order, from the rows of a run."""
    stages: list[tuple[str, float, float]] = []
    for row in rows:
        name, epoch = str(row.get("stage", "")), float(row["epoch"])
        if stages and stages[-1][0] == name:
            stages[-1] = (name, stages[-1][1], epoch)
        else:
            stages.append((name, epoch, epoch))
    return stages


def training_curves(
    rows: Sequence[Mapping[str, Any]],
    *,
    terms: Sequence[str] | None = None,
    columns: int = 2,
    max_points: int = MAX_POINTS,
    dark: bool = False,
) -> go.Figure:
    """Curves over epochs from the rows of ``metrics.jsonl`` (``Run.metrics()``).

    Each loss term has its own panel and scale; validation scores in [0, 1] share one panel and
    the median rank has another. Curves longer than ``max_points`` are thinned, and the title says
    so.

    Args:
        rows: each with "epoch", "stage", the terms of the loss, and sometimes "validation".
        terms: loss terms to show; all of them when None.
        columns: panels side by side.
    """
    names = list(terms) if terms is not None else loss_terms(rows)
    panels: list[tuple[str, list[tuple[str, Array, Array]]]] = [
        (name, [(name, *_curve(rows, name))]) for name in names
    ]
    scores = list(dict.fromkeys(key for row in rows for key in row.get("validation") or {}))
    shares = [key for key in scores if key != "median_rank"]
    if shares:
        panels.append(("validation", [(key, *_curve(rows, key, True)) for key in shares]))
    if "median_rank" in scores:
        panels.append(
            ("median rank (validation)", [("median_rank", *_curve(rows, "median_rank", True))])
        )
    n_rows = max(1, math.ceil(len(panels) / columns))
    height = ROW_HEIGHT * n_rows + 90
    figure, layout = go.Figure(), _empty_layout()
    stages, thinned = stages_of(rows), False
    for number, (title, curves) in enumerate(panels):
        mark = "" if number == 0 else str(number + 1)
        for k, (name, x, y) in enumerate(curves):
            thinned |= len(x) > max_points
            x, y = thin(x, y, max_points)
            figure.add_trace(
                go.Scatter(
                    x=x,
                    y=y,
                    name=metric_label(name),
                    xaxis=f"x{mark}",
                    yaxis=f"y{mark}",
                    mode="lines" if len(x) > 1 else "markers",
                    showlegend=len(curves) > 1,
                    line={"color": series_color(k, dark), "width": 1.75},
                    hovertemplate=f"epoch %{{x}}<br>{escape(metric_label(name))} %{{y:.4g}}"
                    "<extra></extra>",
                )
            )
        panel_layout(layout, mark, number, n_rows, columns, title, stages, dark)
    note = f"thinned to at most {max_points:,} points: lowest and highest of each bin"
    dress(
        figure,
        dark=dark,
        alt=describe_curves(rows),
        height=height,
        title="Training",
        subtitle=note if thinned else "",
    )
    legend = {"orientation": "h", "x": 0, "y": -0.3 / n_rows, "yanchor": "top"}
    return figure.update_layout(layout, legend=legend)


def loss_terms(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the loss terms of any row, "objective" first."""
    found = dict.fromkeys(
        key
        for row in rows
        for key, value in row.items()
        if key not in NOT_TERMS and isinstance(value, int | float | None)
    )
    return sorted(found, key=lambda name: name != "objective")


def describe_curves(rows: Sequence[Mapping[str, Any]]) -> str:
    """One sentence: epochs, stages, and the last validation scores."""
    if not rows:
        return "Training curves without any epoch yet."
    stages = join_words(
        [f"{name} (epochs {low:g} to {high:g})" for name, low, high in stages_of(rows)]
    )
    sentence = f"Training curves over {len(rows)} rows: {stages}"
    last = next((row["validation"] for row in reversed(rows) if row.get("validation")), None)
    if last:
        scores = [
            f"{metric_label(key)} {value:.3g}"
            for key, value in last.items()
            if isinstance(value, int | float)
        ]
        sentence += f"; last validation {join_words(scores)}"
    return sentence + "."


def _curve(
    rows: Sequence[Mapping[str, Any]], key: str, validation: bool = False
) -> tuple[Array, Array]:
    """Epochs and values of the rows that have ``key``; null is NaN, drawn as a gap."""
    pairs = []
    for row in rows:
        source = (row.get("validation") or {}) if validation else row
        if key in source:
            value = source[key]
            pairs.append((float(row["epoch"]), math.nan if value is None else float(value)))
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    table[~np.isfinite(table[:, 1]), 1] = np.nan
    return table[:, 0], table[:, 1]


def _empty_layout() -> dict[str, Any]:
    return {"shapes": [], "annotations": []}


def panel_layout(
    layout: dict[str, Any],
    mark: str,
    number: int,
    n_rows: int,
    columns: int,
    title: str,
    stages: Sequence[tuple[str, float, float]],
    dark: bool,
) -> None:
    """Add axes, title and stage bands of one panel, counted from the top left, to ``layout``, whose
    "shapes" and "annotations" are lists.
    """
    colors, row, column = theme(dark), number // columns, number % columns
    left, right = column / columns, (column + 1) / columns
    gap = TITLE_HEIGHT / (ROW_HEIGHT * n_rows)
    x_domain = [left + (0.04 if column else 0), right - (0.04 if column < columns - 1 else 0)]
    y_domain = [1 - (row + 1) / n_rows + gap * 0.8, 1 - row / n_rows - gap]
    style = {**axis_style(dark), "nticks": 6}
    label = {**style["title"], "text": "epoch" if row == n_rows - 1 else ""}
    layout[f"xaxis{mark}"] = {
        **style,
        "domain": x_domain,
        "anchor": f"y{mark}",
        "showgrid": False,
        "title": label,
    }
    if mark:
        layout[f"xaxis{mark}"]["matches"] = "x"
    layout[f"yaxis{mark}"] = {
        **style,
        "domain": y_domain,
        "anchor": f"x{mark}",
        "nticks": 5,
        **({"range": [-0.02, 1.02]} if title == "validation" else {}),
    }
    layout["annotations"].append(
        {
            "xref": "paper",
            "yref": "paper",
            "x": x_domain[0],
            "y": y_domain[1],
            "xanchor": "left",
            "yanchor": "bottom",
            "yshift": STAGE_HEIGHT if len(stages) > 1 else 0,
            "showarrow": False,
            "text": f"<b>{escape(metric_label(title))}</b>",
            "font": {"size": 13, "color": colors.text},
        }
    )
    total = stages[-1][2] - stages[0][1] + 1 if stages else 1.0
    for n, (name, low, high) in enumerate(stages):
        layout["shapes"].append(
            {
                "type": "rect",
                "xref": f"x{mark}",
                "yref": f"y{mark} domain",
                "layer": "below",
                "x0": low - 0.5,
                "x1": high + 0.5,
                "y0": 0,
                "y1": 1,
                "line": {"width": 0},
                "fillcolor": colors.bands[n % 2],
            }
        )
        if len(stages) == 1 or (high - low + 1) / total * PANEL_WIDTH < len(name) * LETTER_WIDTH:
            continue
        layout["annotations"].append(
            {
                "xref": f"x{mark}",
                "yref": f"y{mark} domain",
                "x": low - 0.5,
                "y": 1,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "text": escape(name),
                "font": {"size": 11, "color": colors.muted},
            }
        )
