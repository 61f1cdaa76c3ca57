"""The paper's D and C against alpha, which the paper does not give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.base.wording import join_words, short
from rivae.figures.palette import series_color, theme
from rivae.figures.theme import dress, row_legend
from rivae.metrics.measures.dci_paper import C, D, paper_dci

# 0.1 ... 100 in 61 steps of equal ratio.
ALPHAS: tuple[float, ...] = tuple(np.logspace(-1, 2, 61).round(4).tolist())
# Round numbers for a control, evenly spaced to the eye.
STEPS: tuple[float, ...] = (
    0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0,
    70.0, 100.0,
)  # fmt: skip
NAMES = {metric.key: metric.label for metric in (D, C)}
APART = 1.08  # factor between the marks of the two levels of chance, which would overlap
SHAPES = {"disentanglement": "circle", "completeness": "square"}


def alpha_curve(
    table: NDArray[np.float64],
    alpha: float,
    *,
    chance: Mapping[str, tuple[float, float]] | None = None,
    chance_alpha: float | None = None,
    dark: bool = False,
) -> go.Figure:
    """D and C of a table of |corr| for alpha from 0.1 to 100, with one alpha marked.

    Args:
        table: (d, K) with entries in [0, 1], see ``rivae.metrics.measures.dci_paper.paper_dci``.
        alpha: the one to mark.
        chance: mean and s.d. of shuffled factors by name ("disentanglement", "completeness").
        chance_alpha: the alpha that these were measured at; they are unknown at others.

    Raises:
        DataError: an entry lies outside [0, 1].
        ConfigError: alpha is not positive.
    """
    colors, figure = theme(dark), go.Figure()
    at_alpha, parts = paper_dci(table, alpha=alpha), []
    curves = [paper_dci(table, alpha=a) for a in ALPHAS]
    for k, (name, letter) in enumerate(NAMES.items()):
        score = at_alpha[name].score
        if score != score:  # one factor or one axis only
            continue
        color = series_color(k, dark)
        figure.add_trace(
            go.Scatter(
                x=ALPHAS,
                y=[curve[name].score for curve in curves],
                mode="lines",
                # In the legend: next to its mark the value would cover one of the curves.
                name=f"{letter} = {short(score)}",
                line={"color": color, "width": 2.5, "dash": "solid" if k == 0 else "dash"},
                hovertemplate=f"alpha %{{x:.3g}}<br>{letter} %{{y:.3f}}<extra></extra>",
            )
        )
        figure.add_trace(
            go.Scatter(
                x=[alpha],
                y=[score],
                mode="markers",
                name=f"{letter} at alpha {alpha:g}",
                marker={
                    "color": color,
                    "size": 11,
                    "symbol": SHAPES[name],
                    "line": {"color": colors.surface, "width": 1.5},
                },
                hovertemplate=f"{letter} = %{{y:.3f}}<extra></extra>",
                showlegend=False,
            )
        )
        parts.append(f"{letter} {score:.2f}")
    if chance and chance_alpha:
        _add_chance(figure, chance, chance_alpha, dark)
    figure.add_vline(x=alpha, line={"color": colors.reference, "width": 1, "dash": "dot"})
    alt = f"D and C against alpha from 0.1 to 100; at alpha {alpha:g}: {join_words(parts)}."
    look: dict[str, Any] = {"hovermode": "closest", "legend": row_legend(1.02), "margin_r": 28}
    dress(figure, dark=dark, alt=alt, height=300, **look)
    ticks = [0.1, 0.3, 1, 3, 10, 30, 100]
    figure.update_xaxes(
        type="log",
        range=[-1.02, 2.04],
        tickvals=ticks,
        title_text="alpha",
        ticktext=[f"{tick:g}" for tick in ticks],
        fixedrange=True,
    )
    figure.update_yaxes(range=[-0.03, 1.05], dtick=0.25, fixedrange=True)
    return figure


def _add_chance(
    figure: go.Figure, chance: Mapping[str, tuple[float, float]], alpha: float, dark: bool
) -> None:
    """Hollow marks with whiskers of one s.d. where the level of chance is known."""
    for name, shift in zip(NAMES, (1 / APART, APART), strict=True):
        if name not in chance:
            continue
        mean, std = chance[name]
        figure.add_trace(
            go.Scatter(
                x=[alpha * shift],
                y=[mean],
                mode="markers",
                name=f"{NAMES[name]} by chance",
                marker={
                    "color": series_color(list(NAMES).index(name), dark),
                    "size": 10,
                    "symbol": f"{SHAPES[name]}-open",
                    "line": {"width": 2},
                },
                error_y={
                    "type": "data",
                    "array": [std],
                    "thickness": 1.5,
                    "width": 4,
                    "color": theme(dark).muted,
                },
                hovertemplate=f"chance: {NAMES[name]} = %{{y:.3f}} ± {std:.3f}<extra></extra>",
            )
        )
