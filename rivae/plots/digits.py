"""Digit transitions along latent dimensions (Split-MNIST): the (d, 45) table and its coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from rivae.metrics.digits import PAIRS
from rivae.plots.heatmap import Cell, as_table, click_layer, frame
from rivae.plots.palette import colorscale, series_color, theme
from rivae.plots.theme import dress, join_words, latent_labels, plain_labels, short

ROW_HEIGHT = 30


def transition_heatmap(
    table: NDArray[np.float64],
    latent_names: Sequence[str] | None = None,
    *,
    selected: Cell | None = None,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """Which digits are neighbours while each latent dimension moves.

    A click on a cell selects a point whose ``customdata`` is (pair, dimension).

    Args:
        table: (d, 45) share of queries in [0, 1] whose path along dimension i steps between the
            two digits of pair k (``rivae.metrics.digits.transition_table``).
        selected: the chosen (pair, dimension), framed.

    Raises:
        ValueError: the table does not have 45 columns.
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(PAIRS):
        raise ValueError(f"a transition table has {len(PAIRS)} columns, this one {values.shape}")
    d, colors, rows = len(values), theme(dark), latent_labels(latent_names, len(values))
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=np.arange(len(PAIRS)),
            y=np.arange(d),
            zmin=0.0,
            zmax=max(float(values.max(initial=0.0)), 1e-9),
            xgap=1,
            ygap=1,
            hoverinfo="skip",
            colorscale=colorscale(colors.sequential),
            name="share of queries",
            colorbar={
                "title": {"text": "queries", "font": {"size": 13}},
                "tickformat": ".0%",
                "nticks": 4,
                "thickness": 12,
                "outlinewidth": 0,
                "tickfont": {"size": 12, "color": colors.muted},
            },
        )
    )
    cells = [(k, i) for i in range(d) for k in range(len(PAIRS))]
    figure.add_trace(
        click_layer(
            cells,
            [
                f"{PAIRS[k][0]} ↔ {PAIRS[k][1]} along {rows[i]}<br>{values[i, k]:.0%} of the "
                "queries"
                for k, i in cells
            ],
        )
    )
    # Lines between the groups of pairs with the same smaller digit.
    starts = [k for k in range(1, len(PAIRS)) if PAIRS[k][0] != PAIRS[k - 1][0]]
    lines = [
        {
            "type": "line",
            "x0": k - 0.5,
            "x1": k - 0.5,
            "y0": -0.5,
            "y1": d - 0.5,
            "line": {"color": colors.muted, "width": 1},
        }
        for k in starts
    ]
    shapes = lines + ([frame(selected, colors.frame, 0.5, 3)] if selected is not None else [])
    dress(
        figure,
        dark=dark,
        alt=describe_transitions(values, latent_names),
        title=title,
        height=ROW_HEIGHT * d + (118 if title else 90),
    )
    figure.update_layout(shapes=shapes)
    as_table(figure, [f"{a}<br>{b}" for a, b in PAIRS], rows, dark)
    figure.update_xaxes(tickfont_size=11, title_text="pair of neighbouring digits")
    figure.update_yaxes(tickfont_size=14)
    return figure


def describe_transitions(
    table: NDArray[np.float64], latent_names: Sequence[str] | None = None
) -> str:
    """One sentence: the most frequent pair of digits along each of the busiest dimensions."""
    names = plain_labels(latent_names, len(table))
    busiest = sorted(range(len(table)), key=lambda i: -float(table[i].sum()))[:3]
    parts = []
    for i in busiest:
        a, b = PAIRS[int(table[i].argmax())]
        parts.append(f"{names[i]} ({a}–{b} for {table[i].max():.0%} of the queries)")
    return (
        f"Heat map of digit transitions along {len(table)} axes, most of them along "
        f"{join_words(parts)}."
    )


def coverage_bars(
    union: NDArray[np.float64], coverage: float, *, overlap: float | None = None, dark: bool = False
) -> go.Figure:
    """The mean row of the normalised table, whose entropy is the coverage.

    Args:
        union: (45,) shares that sum to 1 (``coverage.parts["union"]``).
        coverage: entropy of ``union`` / log 45, in [0, 1]; 1 when all bars reach the line.
        overlap: shown in the title when given; at most 1/45.
    """
    shares, colors = np.asarray(union, dtype=np.float64), theme(dark)
    labels = [f"{a}<br>{b}" for a, b in PAIRS]
    figure = go.Figure(
        go.Bar(
            x=np.arange(len(PAIRS)),
            y=shares,
            marker={"color": series_color(0, dark)},
            name="share of transitions",
            width=0.8,
            hovertext=[
                f"{a} ↔ {b}: {share:.1%}" for (a, b), share in zip(PAIRS, shares, strict=True)
            ],
            hoverinfo="text",
        )
    )
    note = f"coverage {short(coverage)}"
    if overlap is not None:
        note += f" · overlap {overlap:.4f} of at most {1 / len(PAIRS):.4f}"
    note += " · dashed: even share"
    missing = int((shares == 0).sum())
    alt = (
        f"Bars of the share of transitions of each of 45 digit pairs, coverage {coverage:.2f}; "
        f"{missing} pairs never occur."
    )
    dress(
        figure,
        dark=dark,
        alt=alt,
        height=260,
        title="Digit pairs over all axes",
        subtitle=note,
    )
    figure.add_hline(y=1 / len(PAIRS), line={"color": colors.reference, "width": 1, "dash": "dash"})
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(
        tickvals=list(range(len(PAIRS))),
        ticktext=labels,
        tickfont_size=11,
        tickangle=0,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", fixedrange=True)
    return figure
