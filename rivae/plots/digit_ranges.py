"""Overlap and coverage of digit transitions against how far the traversals go."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from rivae.metrics.digits import MAX_OVERLAP
from rivae.plots.palette import series_color, theme
from rivae.plots.theme import dress

# Where the two panels stand, as shares of the height.
DOMAINS = ((0.56, 1.0), (0.0, 0.44))


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
    dress(figure, dark=dark, alt=describe_digit_ranges(x, low, high), height=300)
    ends = np.log10(x[[0, -1]])
    figure.update_xaxes(
        type="log",
        range=[ends[0] - 0.15, ends[1] + 0.15],
        tickvals=x.tolist(),
        anchor="y2",
        ticktext=[f"{v:g}" for v in x],
        fixedrange=True,
        title_text="mean ± so many s.d.",
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
    return figure.update_layout(hovermode="closest", showlegend=False)


def describe_digit_ranges(
    n_std: NDArray[np.float64], overlap: NDArray[np.float64], coverage: NDArray[np.float64]
) -> str:
    """One sentence: both measures at the narrowest and at the widest range where they exist."""

    def ends(name: str, values: NDArray[np.float64], digits: int) -> str:
        known = values[np.isfinite(values)]
        if not len(known):
            return f"{name} undefined"
        return f"{name} from {known[0]:.{digits}f} to {known[-1]:.{digits}f}"

    return (
        f"Digit transitions over mean ± {n_std[0]:g} to ± {n_std[-1]:g} s.d. of z: "
        f"{ends('overlap', overlap, 4)}, {ends('coverage', coverage, 3)}."
    )
