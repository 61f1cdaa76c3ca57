"""Scores as bars with their s.d., the paper's value as a mark beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rivae.plots.palette import series_color, text_on, theme
from rivae.plots.tables import Score, metric_label, pivot
from rivae.plots.theme import axis_style, dress, escape, join_words, short

MAX_PRINTED = 18  # more bars than this carry no numbers: they would overlap
GROUP = 0.82  # width of a group of bars


def metric_bars(
    scores: Sequence[Score],
    *,
    colors: Mapping[str, str] | Callable[[str], str] | None = None,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """One group of bars per ``Score.column`` (metric), one bar per ``Score.row`` (method or run).

    Metrics within [0, 1] share an axis; every other metric (a median rank) has a panel of its
    own. Whiskers are +- 1 s.d.; a diamond is the paper's value; an undefined score says so.

    Args:
        colors: the colour of each row (a mapping or a function); series colours when None.
    """
    rows, columns, cells = pivot(scores)
    lookup = colors.__getitem__ if isinstance(colors, Mapping) else colors
    fills = {row: lookup(row) if lookup else series_color(k, dark) for k, row in enumerate(rows)}
    unit = [c for c in columns if all(_in_unit(s) for s in scores if s.column == c)]
    panels = ([unit] if unit else []) + [[c] for c in columns if c not in unit]
    total, left = sum(len(p) for p in panels) or 1, 0
    figure = go.Figure()
    layout: dict[str, Any] = {"annotations": []}
    width = GROUP / max(len(rows), 1)
    for number, panel in enumerate(panels):
        mark = "" if number == 0 else str(number + 1)
        place = {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}
        for k, row in enumerate(rows):
            shift = (k - (len(rows) - 1) / 2) * width
            found = [(i + shift, cells[row, c]) for i, c in enumerate(panel) if (row, c) in cells]
            _add_bars(figure, found, row, fills[row], width, place, number == 0, len(scores), dark)
            layout["annotations"] += [_undefined(x, mark, dark) for x, s in found if _is_nan(s)]
        gap = 0.07 if number else 0.0
        layout[f"xaxis{mark}"] = {
            **axis_style(dark),
            "domain": [left / total + gap, (left + len(panel)) / total],
            "anchor": f"y{mark}",
            "showgrid": False,
            "fixedrange": True,
            "tickvals": list(range(len(panel))),
            "range": [-0.5, len(panel) - 0.5],
            "ticktext": [escape(f"{metric_label(c)} {_arrow(scores, c)}") for c in panel],
            "tickfont": {"size": 14, "color": theme(dark).text},
        }
        layout[f"yaxis{mark}"] = {
            **axis_style(dark),
            "anchor": f"x{mark}",
            "fixedrange": True,
            **({"range": [0, 1.08], "dtick": 0.25} if panel is unit else {"rangemode": "tozero"}),
        }
        left += len(panel)
    _add_paper_mark(figure, scores, rows, panels, width, dark)
    dress(figure, dark=dark, alt=describe_bars(scores), height=340, title=title)
    legend = {"orientation": "h", "x": 0, "y": -0.14, "yanchor": "top"}
    return figure.update_layout(layout, legend=legend, barmode="overlay", hovermode="closest")


def describe_bars(scores: Sequence[Score]) -> str:
    """One sentence with every score, or with the range of each metric when there are many."""
    rows, columns, _ = pivot(scores)
    parts = []
    for column in columns:
        mine = [s for s in scores if s.column == column and s.value is not None]
        values = [s.value for s in mine if s.value is not None and not math.isnan(s.value)]
        if not values:
            parts.append(f"{metric_label(column)} undefined")
        elif len(rows) == 1:
            paper = mine[0].paper
            parts.append(
                f"{metric_label(column)} {values[0]:.2f}"
                + (f" (paper {paper:.2f})" if paper is not None else "")
            )
        else:
            best = max if mine[0].higher_is_better else min
            top = best((s for s in mine if not _is_nan(s)), key=lambda s: s.value or 0.0)
            parts.append(f"{metric_label(column)} best for {top.row} ({top.value:.2f})")
    return f"Bars of {len(columns)} scores for {join_words(rows)}: {join_words(parts)}."


def _add_bars(
    figure: go.Figure,
    found: Sequence[tuple[float, Score]],
    row: str,
    color: str,
    width: float,
    place: Mapping[str, str],
    legend: bool,
    n_bars: int,
    dark: bool,
) -> None:
    values = [0.0 if s.value is None or _is_nan(s) else s.value for _, s in found]
    figure.add_trace(
        go.Bar(
            x=[x for x, _ in found],
            y=values,
            width=width * 0.92,
            name=escape(row),
            **place,
            legendgroup=row,
            showlegend=legend,
            marker={"color": color, "line": {"width": 0}},
            error_y={
                "type": "data",
                "array": [s.std or 0.0 for _, s in found],
                "thickness": 1.5,
                "width": 4,
                "color": theme(dark).text,
                "visible": any(s.std for _, s in found),
            },
            hovertext=[_hover(s) for _, s in found],
            hoverinfo="text",
        )
    )
    if n_bars <= MAX_PRINTED:
        # At the foot of the bar, where neither whisker nor diamond covers it; above a short one.
        highest = max([1.0 if all(_in_unit(s) for _, s in found) else 0.0, *values])
        short_bar = [value < 0.08 * highest for value in values]
        tops = [
            v + (s.std or 0.0) if low else 0.0
            for v, (_, s), low in zip(values, found, short_bar, strict=True)
        ]
        figure.add_trace(
            go.Scatter(
                x=[x for x, _ in found],
                y=tops,
                mode="text",
                **place,
                text=["" if s.value is None or _is_nan(s) else _printed(s) for _, s in found],
                textposition="top center",
                textfont={
                    "size": 12,
                    "color": [theme(dark).text if low else text_on(color) for low in short_bar],
                },
                hoverinfo="skip",
                showlegend=False,
                legendgroup=row,
                cliponaxis=False,
                meta={"overlay": True},
            )
        )


def _add_paper_mark(
    figure: go.Figure,
    scores: Sequence[Score],
    rows: Sequence[str],
    panels: Sequence[Sequence[str]],
    width: float,
    dark: bool,
) -> None:
    colors, first = theme(dark), True
    for number, panel in enumerate(panels):
        mark = "" if number == 0 else str(number + 1)
        published = [s for s in scores if s.column in panel and s.paper is not None]
        if not published:
            continue
        figure.add_trace(
            go.Scatter(
                # A little to the right, beside the whisker of ours.
                x=[
                    panel.index(s.column) + (rows.index(s.row) - (len(rows) - 1) / 2 + 0.27) * width
                    for s in published
                ],
                y=[s.paper for s in published],
                mode="markers",
                name="paper",
                showlegend=first,
                xaxis=f"x{mark}",
                yaxis=f"y{mark}",
                cliponaxis=False,
                marker={
                    "symbol": "diamond",
                    "size": 11,
                    "color": colors.surface,
                    "line": {"color": colors.reference, "width": 2},
                },
                hovertext=[_hover(s) for s in published],
                hoverinfo="text",
            )
        )
        first = False


def _undefined(x: float, mark: str, dark: bool) -> dict[str, Any]:
    return {
        "xref": f"x{mark}",
        "yref": f"y{mark}",
        "x": x,
        "y": 0,
        "text": "undefined",
        "textangle": -90,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": theme(dark).muted},
    }


def _hover(score: Score) -> str:
    text = f"{escape(score.row)}, {escape(metric_label(score.column))}: "
    text += "undefined" if score.value is None or _is_nan(score) else f"{score.value:.3f}"
    text += "" if score.std is None else f" ± {score.std:.3f}"
    return text + ("" if score.paper is None else f"<br>paper {score.paper:.3f}")


def _printed(score: Score) -> str:
    assert score.value is not None
    return short(score.value) if _in_unit(score) else f"{score.value:.1f}"


def _is_nan(score: Score) -> bool:
    return score.value is not None and math.isnan(score.value)


def _in_unit(score: Score) -> bool:
    return all(v is None or math.isnan(v) or 0 <= v <= 1 for v in (score.value, score.paper)) and (
        score.higher_is_better
    )


def _arrow(scores: Sequence[Score], column: str) -> str:
    return "↑" if next(s for s in scores if s.column == column).higher_is_better else "↓"
