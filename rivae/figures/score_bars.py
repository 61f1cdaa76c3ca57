"""Scores as short bars beside their interval and their level of chance, as HTML for a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from rivae.base.wording import short


@dataclass(frozen=True)
class ScoreBar:
    """One score in [0, 1]; texts are plain.

    Attributes:
        label: what is measured.
        value: the score.
        text: the score as it is printed; by default its two decimals.
        chance: its level of chance, drawn as a band from 0; None where there is none.
        interval: low and high of the score.
        source: where it comes from, shown on hover and read aloud.
    """

    label: str
    value: float
    text: str = ""
    chance: float | None = None
    interval: tuple[float, float] | None = None
    source: str = ""


def score_bars(bars: Sequence[ScoreBar], title: str) -> str:
    """A ``<figure>`` of class ``score-bars`` with a line per score (``score_bars.css``)."""
    rows = "".join(map(_row, bars))
    return f'<figure class="score-bars" aria-label="{html.escape(title)}">{rows}</figure>'


def _row(bar: ScoreBar) -> str:
    said = bar.source and f' title="{html.escape(bar.source)}"'
    text = bar.text or short(bar.value)
    about = []
    if bar.interval is not None:
        about.append(f"{short(bar.interval[0])} to {short(bar.interval[1])}")
    if bar.chance is not None:
        about.append(f"chance {_small(bar.chance)}")
    more = f"<small>{html.escape(', '.join(about))}</small>" if about else ""
    marks = f'<i class="bar" style="width:{_share(bar.value)}"></i>'
    if bar.chance is not None:
        marks += f'<i class="chance" style="width:max(3px,{_share(bar.chance)})"></i>'
    if bar.interval is not None:
        low, high = bar.interval
        place = f"left:{_share(low)};width:{_share(high - low)}"
        marks += f'<i class="interval" style="{place}"></i>'
    return (
        f"<div{said}><span>{html.escape(bar.label)}</span>{more}<b>{html.escape(text)}</b>"
        f'<span class="track" aria-hidden="true">{marks}</span></div>'
    )


def _share(value: float) -> str:
    return f"{100 * min(max(value, 0.0), 1.0):.1f}%"


def _small(value: float) -> str:
    return short(value) if value >= 0.01 or value <= 0 else f"{value:.1g}".replace("0.", ".", 1)
