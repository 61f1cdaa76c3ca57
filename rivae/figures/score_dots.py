"""A result table as a dot plot: one panel per metric, intervals, the paper's numbers and chance."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rivae.base.wording import join_words
from rivae.figures.palette import Theme, theme
from rivae.figures.tables import Score, interval, ours, pivot, published, runs
from rivae.figures.theme import dress, escape
from rivae.metrics.registry import metric

ROW, HEADING = 22, 64  # pixels of a row, and of a panel's heading and scale
PER_LINE = 5  # panels in a row
OURS, PAPER, CHANCE = "ours", "paper", "chance"


def score_dots(
    scores: Sequence[Score],
    *,
    chance: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """Draw every mean as a dot with its interval, metrics side by side, rows below each other.

    A published value is an open diamond in the same row, a level of chance a dotted line through
    all rows. Where a method failed or was not run, its row says so. Ranks (MedR) have a
    logarithmic scale, all others the range of the metric.

    Args:
        scores: one per row and column, as for the tables.
        chance: the rows that are levels of chance.
        names: row to what stands in front of it, plain text; the row itself where it is missing.
        title: plain text above the chart.
    """
    rows, columns, cells = pivot(scores)
    levels = [row for row in rows if row in chance]
    rows = [row for row in rows if row not in chance]
    headings = {score.column: escape(score.heading) for score in scores}
    row_titles = {row: (names or {}).get(row, row) for row in [*rows, *levels]}
    across = max(1, min(PER_LINE, len(columns)))
    lines = max(1, math.ceil(len(columns) / across))
    height = ROW * max(len(rows), 1) + HEADING
    figure = make_subplots(
        rows=lines,
        cols=across,
        shared_yaxes=True,
        horizontal_spacing=0.025,
        vertical_spacing=HEADING / (height * lines) if lines > 1 else 0,
        subplot_titles=[headings[column] for column in columns],
    )
    panels = _Panels(figure, rows, row_titles, theme(dark))
    for i, column in enumerate(columns):
        panel = {row: score for (row, name), score in cells.items() if name == column}
        panels.draw(column, panel, levels, (i // across + 1, i % across + 1))
    dress(
        figure,
        dark=dark,
        alt=describe_scores(scores, chance, row_titles),
        height=height * lines + 30 + (30 if title else 0),
        title=title,
        legend={
            "orientation": "h",
            "x": 1,
            "xanchor": "right",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "traceorder": "reversed",
        },
        margin={"t": 36 + (34 if title else 0), "b": 44},
        hovermode="closest",
    )
    figure.update_annotations(font={"size": 13}, yshift=2)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[escape(row_titles[row]) for row in rows],
        range=[len(rows) - 0.4, -0.6],
    )
    return figure.update_xaxes(tickfont={"size": 11}, nticks=4)


def describe_scores(
    scores: Sequence[Score], chance: Collection[str], names: Mapping[str, str]
) -> str:
    """One sentence with the best row of each metric, plain text."""
    _, columns, cells = pivot(scores)
    parts = []
    for column in columns:
        scores_of_row = {
            row: score
            for (row, name), score in cells.items()
            if name == column and row not in chance and _drawn(score.value)
        }
        if scores_of_row:
            sign = 1 if next(iter(scores_of_row.values())).higher_is_better else -1
            best = max(scores_of_row, key=lambda row: sign * float(scores_of_row[row].value or 0))
            decimals = metric(column).decimals
            value = ours(scores_of_row[best], decimals)
            parts.append(f"{scores_of_row[best].heading} best {names.get(best, best)} {value}")
    best_rows = join_words(parts) if parts else "nothing measured"
    return f"Means with 95 % intervals of each method: {best_rows}."


def _rank_ticks(values: Sequence[float]) -> list[float]:
    """Powers of ten around positive values, with 2 and 5 between them where one alone fits."""
    if not values:
        return []
    low, high = math.log10(min(values)), math.log10(max(values))
    steps = (1.0,) if high - low > 1.5 else (1.0, 2.0, 5.0)
    return [s * 10**k for k in range(math.floor(low), math.ceil(high) + 1) for s in steps]


class _Panels:
    """Draws the panels of one figure; a legend entry appears once for all of them."""

    def __init__(
        self, figure: go.Figure, rows: Sequence[str], names: Mapping[str, str], colors: Theme
    ) -> None:
        self.figure, self.rows, self.names, self.colors = figure, rows, names, colors
        self._legend_names: set[str] = set()

    def draw(
        self, column: str, scores: Mapping[str, Score], levels: Sequence[str], at: tuple[int, int]
    ) -> None:
        """One metric at (line, column) of the figure."""
        for row in levels:
            if row in scores and _drawn(scores[row].value):
                self._level(scores[row], at)
        mine = [(y, scores[row]) for y, row in enumerate(self.rows) if row in scores]
        self._intervals([(y, s) for y, s in mine if _drawn(s.low) and _drawn(s.high)], at)
        self._dots(OURS, [(y, s, s.value) for y, s in mine if _drawn(s.value)], at)
        # Larger and last, so that it shows around a dot of the same value.
        self._dots(PAPER, [(y, s, s.paper) for y, s in mine if _drawn(s.paper)], at)
        self._missing([(y, s) for y, s in mine if s.state], at)
        description = metric(column)
        if not math.isfinite(description.high):
            ranks = [s.value for s in scores.values() if s.value and _drawn(s.value)]
            self.figure.update_xaxes(type="log", tickvals=_rank_ticks(ranks), row=at[0], col=at[1])
        else:
            low = description.low if math.isfinite(description.low) else 0.0
            # R² may lie far below 0: the dots decide where the scale begins.
            values = [s.value for _, s in mine if _drawn(s.value)]
            low = min([low, *(float(v) for v in values if v is not None)])
            pad = 0.04 * (description.high - low)
            self.figure.update_xaxes(
                range=[low - pad, description.high + pad], row=at[0], col=at[1]
            )

    def _add(self, trace: dict[str, Any], at: tuple[int, int]) -> None:
        name = trace.get("name", "")
        trace["showlegend"] = bool(name) and name not in self._legend_names
        self._legend_names.add(name)
        self.figure.add_trace(
            go.Scatter(legendgroup=name or None, hoverinfo="text", **trace), row=at[0], col=at[1]
        )

    def _level(self, score: Score, at: tuple[int, int]) -> None:
        decimals = metric(score.column).decimals
        text = f"{escape(self.names[score.row])}: {ours(score, decimals)}"
        self._add(
            {
                "x": [score.value] * 2,
                "y": [-0.6, len(self.rows) - 0.4],
                "mode": "lines",
                "name": CHANCE,
                "hovertext": [text] * 2,
                "line": {"color": self.colors.muted, "width": 1.5, "dash": "dot"},
            },
            at,
        )

    def _intervals(self, mine: Sequence[tuple[int, Score]], at: tuple[int, int]) -> None:
        x: list[float | None] = []
        y: list[float | None] = []
        for row, score in mine:
            x += [score.low, score.high, None]
            y += [row, row, None]
        self._add(
            {
                "x": x,
                "y": y,
                "mode": "lines",
                "hovertext": "",
                "meta": {"overlay": True},
                "line": {"color": self.colors.series[0], "width": 3},
                "opacity": 0.5,
            },
            at,
        )

    def _dots(
        self, name: str, mine: Sequence[tuple[int, Score, float | None]], at: tuple[int, int]
    ) -> None:
        is_ours = name == OURS
        color = self.colors.series[0] if is_ours else self.colors.reference
        self._add(
            {
                "x": [value for _, _, value in mine],
                "y": [y for y, _, _ in mine],
                "mode": "markers",
                "name": name,
                "hovertext": [self._hover(score) for _, score, _ in mine],
                "marker": {
                    "symbol": "circle" if is_ours else "diamond-open",
                    "size": 9 if is_ours else 11,
                    "color": color,
                    "line": {"width": 1.5, "color": color},
                },
            },
            at,
        )

    def _missing(self, mine: Sequence[tuple[int, Score]], at: tuple[int, int]) -> None:
        if not mine:
            return
        start = 0.0 if math.isfinite(metric(mine[0][1].column).high) else 1.0
        self._add(
            {
                "x": [start] * len(mine),
                "y": [y for y, _ in mine],
                "mode": "text",
                "text": [score.state for _, score in mine],
                "textposition": "middle right",
                "textfont": {"size": 11, "color": self.colors.muted},
                "hovertext": [escape(score.reason) for _, score in mine],
                "meta": {"overlay": True},
            },
            at,
        )

    def _hover(self, score: Score) -> str:
        decimals = metric(score.column).decimals
        parts = [f"<b>{escape(self.names[score.row])}</b>", f"{escape(score.heading)}"]
        parts.append(f"ours {ours(score, decimals)} {interval(score, decimals)}".rstrip())
        if paper := published(score, decimals):
            parts.append(f"paper {paper}")
        if n := runs(score):
            parts.append(f"n {n}")
        return "<br>".join(parts)


def _drawn(value: float | None) -> bool:
    """Whether a number can stand on a scale."""
    return value is not None and math.isfinite(value)
