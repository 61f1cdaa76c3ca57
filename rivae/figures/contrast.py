"""Words of one end of an axis against the other, as dots with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from rivae.base.wording import join_words
from rivae.exploring.words.axis_names import cut
from rivae.exploring.words.contrast import INTERVAL, WordContrast, strongest
from rivae.figures.palette import theme
from rivae.figures.theme import dress, escape, row_legend

ROW = 24  # pixels of a word


def contrast_dots(
    contrasts: Sequence[WordContrast],
    *,
    low: str = "low end",
    high: str = "high end",
    n_words: int = 10,
    dark: bool = False,
    title: str = "",
    more: str = "more at {}",
) -> go.Figure:
    """The strongest words of both sides with their 95 % intervals, a vertical line at no
    difference.

    Words of the high end are full circles to the right, those of the low end open ones to the
    left. An interval that crosses the line is drawn dotted. ``customdata`` holds the word.

    Args:
        low, high: names of the two ends, plain text.
        n_words: words of each side.
        more: what the legend says of an end.
    """
    words, colors = strongest(contrasts, n_words), theme(dark)
    figure = go.Figure()
    for c in words:
        start, end = c.interval()
        sure = start > 0 or end < 0
        figure.add_trace(
            go.Scatter(
                x=[start, end],
                y=[c.word, c.word],
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
                line={"color": _color(c, dark), "width": 2, "dash": "solid" if sure else "dot"},
            )
        )
    for side, name in ((1, high), (-1, low)):
        mine = [c for c in words if c.z * side > 0]
        figure.add_trace(
            go.Scatter(
                x=[c.log_odds for c in mine],
                y=[c.word for c in mine],
                mode="markers",
                name=more.format(escape(name)),
                customdata=[c.word for c in mine],
                hovertext=[_hover(c, low, high) for c in mine],
                hoverinfo="text",
                marker={
                    "symbol": "circle" if side > 0 else "circle-open",
                    "size": 11,
                    "color": [_color(c, dark) for c in mine],
                    "line": {"width": 2, "color": [_color(c, dark) for c in mine]},
                },
            )
        )
    figure.add_vline(x=0, line={"color": colors.muted, "width": 1})
    dress(
        figure,
        dark=dark,
        alt=describe_contrast(words, low, high),
        height=110 + ROW * max(len(words), 1) + (30 if title else 0),
        title=title,
        legend=row_legend(1.0),
        hovermode="closest",
    )
    figure.update_xaxes(
        title_text=f"log-odds, {escape(high)} against {escape(low)} ({INTERVAL:.0%} interval)"
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=[c.word for c in reversed(words)],
        tickvals=[c.word for c in words],
        ticktext=[escape(cut(c.word, 28)) for c in words],
        showgrid=False,
    )
    return figure


def describe_contrast(contrasts: Sequence[WordContrast], low: str, high: str) -> str:
    """One sentence with the strongest words of both ends, plain text."""
    if not contrasts:
        return f"No word differs between {low} and {high}."
    parts = []
    for name, words in (
        (high, [c for c in contrasts if c.z > 0][:4]),
        (low, [c for c in reversed(contrasts) if c.z < 0][:4]),
    ):
        if words:
            parts.append(
                f"more at {name}: "
                + join_words([f"{c.word} (log-odds {c.log_odds:.1f}, z {c.z:.1f})" for c in words])
            )
    return f"Log-odds of words with 95 % intervals; {'; '.join(parts)}."


def _color(c: WordContrast, dark: bool) -> str:
    # The colours of "related" and "opposite" in the clouds.
    return theme(dark).series[5 if c.z > 0 else 0]


def _hover(c: WordContrast, low: str, high: str) -> str:
    start, end = c.interval()
    return (
        f"<b>{escape(c.word)}</b><br>{escape(high)}: {c.high} items<br>{escape(low)}: {c.low} items"
        f"<br>log-odds {c.log_odds:.2f} [{start:.2f}, {end:.2f}], z {c.z:.1f}"
    )
