"""Digit transitions along axes (Split-MNIST): the (d, 45) table, its coverage, and how overlap
and coverage depend on the range of the traversals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from rivae.base.wording import join_words, short
from rivae.figures.heatmap import Cell, as_table, click_layer, frame, heat_cells
from rivae.figures.palette import series_color, theme
from rivae.figures.theme import axis_labels, dress, plain_labels
from rivae.metrics.measures.digits import MAX_OVERLAP, PAIRS

ROW_HEIGHT = 30
# Vertical positions of the panels of coverage and overlap, as shares of the height.
DOMAINS = ((0.56, 1.0), (0.0, 0.44))


def transition_heatmap(
    table: NDArray[np.float64],
    axis_names: Sequence[str] | None = None,
    *,
    selected: Cell | None = None,
    dark: bool = False,
    title: str = "",
) -> go.Figure:
    """Which digits follow each other while each axis moves.

    A click on a cell selects a point whose ``customdata`` is (pair, axis).

    Args:
        table: (d, 45) share of queries in [0, 1] whose path along axis i steps between the
            two digits of pair k (``rivae.metrics.measures.digits.transition_table``).
        selected: the chosen (pair, axis), framed.

    Raises:
        ValueError: the table does not have 45 columns.
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(PAIRS):
        raise ValueError(f"a transition table has {len(PAIRS)} columns, this one {values.shape}")
    d, colors, rows = len(values), theme(dark), axis_labels(axis_names, len(values))
    figure = go.Figure(
        heat_cells(
            values,
            (0.0, max(float(values.max(initial=0.0)), 1e-9)),
            colors.sequential,
            gap=1,
            name="share of queries",
            muted=colors.muted,
            bar={"title_text": "queries", "tickformat": ".0%", "nticks": 4},
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
        alt=describe_transitions(values, axis_names),
        title=title,
        height=ROW_HEIGHT * d + (118 if title else 90),
        shapes=shapes,
    )
    as_table(figure, [f"{a}<br>{b}" for a, b in PAIRS], rows, dark)
    figure.update_xaxes(tickfont_size=11, title_text="pair of neighbouring digits")
    figure.update_yaxes(tickfont_size=14)
    return figure


def describe_transitions(
    table: NDArray[np.float64], axis_names: Sequence[str] | None = None
) -> str:
    """One sentence: the most frequent pair of digits along each of the busiest axes."""
    names = plain_labels(axis_names, len(table))
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
        hovermode="closest",
    )
    figure.add_hline(y=1 / len(PAIRS), line={"color": colors.reference, "width": 1, "dash": "dash"})
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


def digit_range_lines(
    n_std: ArrayLike, overlap: ArrayLike, coverage: ArrayLike, *, dark: bool = False
) -> go.Figure:
    """Two panels over one axis, each from 0 to the most that its measure can be (dashed).

    Args:
        n_std: (R,) half widths of the traversed range in s.d. of the aggregated prior, > 0.
        overlap: (R,) in [0, 1/45], lower is better; NaN where undefined.
        coverage: (R,) in [0, 1], higher is better; NaN where undefined.

    Raises:
        ValueError: lengths differ, there is no range, or a half width is not positive.
    """
    x, low, high = (np.asarray(v, dtype=np.float64) for v in (n_std, overlap, coverage))
    if x.ndim != 1 or not len(x) or x.shape != low.shape or x.shape != high.shape:
        raise ValueError(f"three lists of one length, not {x.shape}, {low.shape}, {high.shape}")
    if not (x > 0).all():
        raise ValueError("half widths must be positive")
    order = np.argsort(x)
    x, low, high = x[order], low[order], high[order]
    colors, figure = theme(dark), go.Figure()
    panels = (
        ("coverage ↑", high, 1.0, [f"{v:.3f}" for v in high]),
        ("overlap ↓", low, MAX_OVERLAP, [f"{v:.4f}" for v in low]),
    )
    for k, (name, values, most, texts) in enumerate(panels):
        mark = "" if k == 0 else "2"
        figure.add_trace(
            go.Scatter(
                x=x,
                y=values,
                name=name[:-2],
                xaxis="x",
                yaxis=f"y{mark}",
                mode="lines+markers+text",
                text=texts,
                cliponaxis=False,
                # On the side of a point where there is more room.
                textposition=[f"{'bottom' if v > most / 2 else 'top'} center" for v in values],
                textfont={"size": 12, "color": colors.text},
                showlegend=False,
                line={"color": series_color(k, dark), "width": 2.5},
                marker={"size": 8, "symbol": ("circle", "diamond")[k]},
                hovertemplate=f"mean ± %{{x:g}} s.d.<br>{name[:-2]} %{{y:.4f}}<extra></extra>",
            )
        )
        figure.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            yref=f"y{mark}",
            y0=most,
            y1=most,
            line={"color": colors.muted, "width": 1, "dash": "dash"},
        )
    look: dict[str, Any] = {"hovermode": "closest", "showlegend": False}
    dress(figure, dark=dark, alt=describe_digit_ranges(x, low, high), height=300, **look)
    ends = np.log10(x[[0, -1]])
    figure.update_xaxes(
        type="log",
        range=[ends[0] - 0.15, ends[1] + 0.15],
        tickvals=x.tolist(),
        anchor="y2",
        ticktext=[f"{v:g}" for v in x],
        fixedrange=True,
        title_text="range: mean ± s.d. of z",
    )
    for k, (name, _, most, _) in enumerate(panels):
        ticks = [0.0, most / 2, most]
        figure.update_layout(
            {
                f"yaxis{'' if k == 0 else '2'}": {
                    **figure.layout.yaxis.to_plotly_json(),
                    "domain": DOMAINS[k],
                    "anchor": "x",
                    "range": [0, 1.08 * most],
                    "tickvals": ticks,
                    "fixedrange": True,
                    "title_text": name,
                    "ticktext": ["0", *(f"{v:.{4 if k else 1}f}" for v in ticks[1:])],
                }
            }
        )
    return figure


def describe_digit_ranges(
    n_std: NDArray[np.float64], overlap: NDArray[np.float64], coverage: NDArray[np.float64]
) -> str:
    """One sentence: both measures at the narrowest and at the widest range where they exist."""

    def ends(name: str, values: NDArray[np.float64], digits: int) -> str:
        finite = values[np.isfinite(values)]
        if not len(finite):
            return f"{name} undefined"
        return f"{name} from {finite[0]:.{digits}f} to {finite[-1]:.{digits}f}"

    return (
        f"Digit transitions over mean ± {n_std[0]:g} to ± {n_std[-1]:g} s.d. of z: "
        f"{ends('overlap', overlap, 4)}, {ends('coverage', coverage, 3)}."
    )
