"""Training curves of a run that may still train: a panel per term, or one term of several runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go

from rivae.base.arrays import Floats
from rivae.base.wording import join_words
from rivae.figures.palette import rgba, series_color, theme
from rivae.figures.tables import metric_label
from rivae.figures.theme import axis_style, dress, escape, row_legend

RETRIEVAL = ("score", "recall_at_1", "recall_at_10")
RANK, OBJECTIVE = "median_rank", "objective"
OVERLAY_HEIGHT = 380
ROW_HEIGHT, TITLE_HEIGHT, STAGE_HEIGHT = 200, 36, 16
PANEL_WIDTH, LETTER_WIDTH = 380, 6  # rough pixels, to omit stage names without room


class Points(Protocol):
    """A thinned curve: (n,) epochs x, means y (NaN for a gap), the lowest and highest values behind
    each of them, and the epochs per point.
    """

    @property
    def x(self) -> Floats: ...
    @property
    def y(self) -> Floats: ...
    @property
    def low(self) -> Floats: ...
    @property
    def high(self) -> Floats: ...
    @property
    def per_point(self) -> int: ...


@dataclass(frozen=True)
class CurvePanel:
    """Lines that share a scale: (plain-text name, points). ``shares`` are values in [0, 1]."""

    title: str
    lines: tuple[tuple[str, Points], ...]
    shares: bool = False


def panels_of(terms: Mapping[str, Points], scores: Mapping[str, Points]) -> list[CurvePanel]:
    """The panels that say how a run is doing: its validations (retrieval, factors and the median
    rank), then the objective.
    """
    objective = (
        [CurvePanel(OBJECTIVE, ((OBJECTIVE, terms[OBJECTIVE]),))] if OBJECTIVE in terms else []
    )
    retrieval = tuple((metric_label(name), scores[name]) for name in RETRIEVAL if name in scores)
    factors = tuple(
        (metric_label(name), points)
        for name, points in scores.items()
        if name not in (*RETRIEVAL, RANK)
    )
    score_panels = []
    if retrieval:
        score_panels.append(CurvePanel("validation", retrieval, shares=True))
    if factors:
        score_panels.append(CurvePanel("factors", factors, shares=True))
    if RANK in scores:
        score_panels.append(CurvePanel("median rank", (("median rank", scores[RANK]),)))
    return [*score_panels, *objective]


def term_panels(terms: Mapping[str, Points]) -> list[CurvePanel]:
    """A panel per term of the loss: those of the current stage before those of earlier ones."""
    last = max((points.x[-1] for points in terms.values() if len(points.x)), default=0.0)
    return [
        CurvePanel(metric_label(name), ((metric_label(name), points),))
        for name, points in sorted(terms.items(), key=lambda term: not _reaches(term[1], last))
        if name != OBJECTIVE
    ]


def _reaches(points: Points, last: float) -> bool:
    return bool(len(points.x)) and points.x[-1] >= last


def training_panels(
    panels: Sequence[CurvePanel],
    stages: Sequence[tuple[str, int, int]] = (),
    *,
    log: bool = False,
    columns: int = 3,
    dark: bool = False,
    revision: str = "",
) -> go.Figure:
    """Curves of one run over epochs, its stages as bands.

    Args:
        panels: see ``panels_of`` and ``term_panels``.
        stages: (name, first epoch, last epoch).
        log: logarithmic scales where all values of a panel are positive; titles of other panels
            end with "(linear)".
        columns: panels per row.
        revision: the reader's zoom is kept while this stays the same.
    """
    n_rows = max(1, math.ceil(len(panels) / columns))
    traces: list[go.Scatter] = []
    layout: dict[str, Any] = {"shapes": [], "annotations": []}
    bands = [(name, float(low), float(high)) for name, low, high in stages]
    for number, panel in enumerate(panels):
        mark = "" if number == 0 else str(number + 1)
        is_log = log and not panel.shares and _positive(panel)
        title = panel.title + (" (linear)" if log and not is_log and not panel.shares else "")
        for k, (name, points) in enumerate(panel.lines):
            where = {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}
            color, unit = series_color(k, dark), "epoch %{x:,.6~g}"
            traces += _traces(name, points, points.x, color, where, unit=unit)
        at = len(layout["annotations"])
        _place(layout, mark, number, n_rows, columns, title, bands, dark)
        y_axis = layout[f"yaxis{mark}"]
        if is_log:
            y_axis["type"] = "log"
            y_axis["dtick"] = _log_ticks(panel)
        if panel.shares:
            y_axis["range"] = [-0.02, 1.02]
        if len(panel.lines) > 1:
            layout["annotations"][at]["text"] += _names(panel, dark)
    # Dressed while it is empty and put together at once: every change of a layout with many panels
    # costs as much as making it.
    empty = dress(
        go.Figure(),
        dark=dark,
        alt=_describe(panels, stages),
        height=ROW_HEIGHT * n_rows + 40,
        uirevision=revision or "training",
        hovermode="closest",
        margin={"l": 12, "r": 12, "t": 30, "b": 8},
    )
    return go.Figure(data=traces, layout={**empty.layout.to_plotly_json(), **layout})


def training_overlay(
    lines: Sequence[tuple[str, Points, Floats]],
    *,
    title: str,
    x_title: str,
    log: bool = False,
    dark: bool = False,
    revision: str = "",
) -> go.Figure:
    """One term of several runs in one chart.

    Args:
        lines: (name of the run, its points, x of each point).
        title: the term, plain text.
        x_title: title of the x axis, e.g. "epoch" or "minutes of training".
        log: a logarithmic scale, where all values are positive.
        revision: the reader's zoom is kept while this stays the same.
    """
    figure = go.Figure()
    is_log = (
        log
        and bool(lines)
        and all(_positive(CurvePanel("", ((name, points),))) for name, points, _ in lines)
    )
    for k, (name, points, x) in enumerate(lines):
        figure.add_traces(
            _traces(
                name,
                points,
                x,
                series_color(k, dark),
                {},
                has_legend=True,
                unit=f"{x_title} %{{x:,.4~g}}",
                dash=("solid", "dash", "dot")[(k // 8) % 3],
            )
        )
    names = join_words([name for name, _, _ in lines]) or "no run"
    dress(
        figure,
        dark=dark,
        alt=f"{title} of {names} over {x_title}.",
        height=OVERLAY_HEIGHT,
        uirevision=revision or "overlay",
        hovermode="closest",
        showlegend=True,
        legend={**row_legend(1.02), "traceorder": "normal"},
        margin={"l": 12, "r": 12, "t": 8, "b": 8},
    )
    style = axis_style(dark)
    figure.update_xaxes(title={**style["title"], "text": escape(x_title)}, showgrid=False)
    heading = f"{title} (linear: not all values are positive)" if log and not is_log else title
    figure.update_yaxes(
        title={**style["title"], "text": escape(heading)}, type="log" if is_log else "linear"
    )
    return figure


def thinning_note(per_point: int) -> str:
    """The note under curves with ``per_point`` epochs per point; "" for one."""
    if per_point <= 1:
        return ""
    return (
        f"Each point is the mean of {per_point} epochs; the shade goes from their lowest to "
        "their highest value."
    )


def _place(
    layout: dict[str, Any],
    mark: str,
    number: int,
    n_rows: int,
    columns: int,
    title: str,
    stages: Sequence[tuple[str, float, float]],
    dark: bool,
) -> None:
    """Add axes, title and stage bands of one panel, counted from the top left, to ``layout``."""
    colors, row, column = theme(dark), number // columns, number % columns
    left, right = column / columns, (column + 1) / columns
    gap = TITLE_HEIGHT / (ROW_HEIGHT * n_rows)
    x_domain = [left + (0.04 if column else 0), right - (0.04 if column < columns - 1 else 0)]
    y_domain = [1 - (row + 1) / n_rows + gap * 0.8, 1 - row / n_rows - gap]
    style = axis_style(dark)
    x_title = {**style["title"], "text": "epoch" if row == n_rows - 1 else ""}
    x_axis = {**style, "nticks": 6, "domain": x_domain, "anchor": f"y{mark}", "title": x_title}
    layout[f"xaxis{mark}"] = {**x_axis, "showgrid": False, **({"matches": "x"} if mark else {})}
    layout[f"yaxis{mark}"] = {**style, "nticks": 5, "domain": y_domain, "anchor": f"x{mark}"}
    shift = STAGE_HEIGHT if len(stages) > 1 else 0
    heading = _note(f"<b>{escape(metric_label(title))}</b>", 13, colors.text, x_domain[0], shift)
    layout["annotations"].append({**heading, "xref": "paper", "yref": "paper", "y": y_domain[1]})
    over = {"xref": f"x{mark}", "yref": f"y{mark} domain"}
    total = stages[-1][2] - stages[0][1] + 1 if stages else 1.0
    for n, (name, low, high) in enumerate(stages):
        ends = {"x0": low - 0.5, "x1": high + 0.5, "y0": 0, "y1": 1}
        look = {"layer": "below", "line": {"width": 0}, "fillcolor": colors.bands[n % 2]}
        layout["shapes"].append({"type": "rect", **over, **ends, **look})
        if len(stages) == 1 or (high - low + 1) / total * PANEL_WIDTH < len(name) * LETTER_WIDTH:
            continue
        note = _note(escape(name), 11, colors.muted, low - 0.5)
        layout["annotations"].append({**note, **over, "y": 1})


def _note(text: str, size: int, color: str, x: float, shift: int = 0) -> dict[str, Any]:
    """Text above its y, from x to the right."""
    at = {"x": x, "xanchor": "left", "yanchor": "bottom", "yshift": shift, "showarrow": False}
    return {**at, "text": text, "font": {"size": size, "color": color}}


def _traces(
    name: str,
    points: Points,
    x: Floats,
    color: str,
    where: Mapping[str, str],
    *,
    unit: str,
    has_legend: bool = False,
    dash: str = "solid",
) -> list[go.Scatter]:
    """The line of the means, over a shade from low to high where the curve is thinned."""
    traces = []
    if points.per_point > 1 and len(x):
        edge = {"x": x, "mode": "lines", "line": {"width": 0}, **where}
        edge |= {"hoverinfo": "skip", "showlegend": False}
        shade = {"fill": "tonexty", "fillcolor": rgba(color, 0.2)}
        traces.append(go.Scatter(y=points.low, name=f"{name}, lowest", **edge))
        traces.append(go.Scatter(y=points.high, name=f"{name}, highest", **shade, **edge))
    alone = len(x) == 1
    label = escape(name)
    traces.append(
        go.Scatter(
            x=x,
            y=points.y,
            name=label,
            showlegend=has_legend,
            mode="markers" if alone else "lines",
            line={"color": color, "width": 1.75, "dash": dash},
            marker={"color": color, "size": 6},
            hovertemplate=f"{label} %{{y:.4g}}<br>{unit}<extra></extra>",
            **where,
        )
    )
    return traces


def _positive(panel: CurvePanel) -> bool:
    """Whether every value of a panel is above 0, and there is one."""
    lows = [points.low[np.isfinite(points.low)] for _, points in panel.lines]
    return any(len(low) for low in lows) and all((low > 0).all() for low in lows)


def _log_ticks(panel: CurvePanel) -> str | int:
    """Powers of ten where there are several, else 1, 2 and 5 of each."""
    low = min(float(np.nanmin(points.low)) for _, points in panel.lines if len(points.x))
    high = max(float(np.nanmax(points.high)) for _, points in panel.lines if len(points.x))
    return 1 if math.log10(high / low) > 2 else "D2"


def _names(panel: CurvePanel, dark: bool) -> str:
    """The names of a panel's lines in their colours, after its title."""
    return "".join(
        f'  <span style="color:{series_color(k, dark)}">{escape(name)}</span>'
        for k, (name, _) in enumerate(panel.lines)
    )


def _describe(panels: Sequence[CurvePanel], stages: Sequence[tuple[str, int, int]]) -> str:
    """One sentence: epochs, stages and the last values."""
    if not panels:
        return "Training curves without any epoch yet."
    spans = join_words([f"{name} (epochs {low} to {high})" for name, low, high in stages])
    last = []
    for panel in panels:
        for name, points in panel.lines:
            finite = points.y[np.isfinite(points.y)]
            if len(finite):
                last.append(f"{name} {finite[-1]:.3g}")
    final = f"; final values: {join_words(last)}" if last else ""
    return f"Training curves over epochs{': ' + spans if spans else ''}{final}."
