"""A curve as small as a word."""

from __future__ import annotations

import html
from collections.abc import Sequence
from urllib.parse import quote

import numpy as np

from rivae.figures.palette import theme

WIDTH, HEIGHT, MARGIN = 96, 20, 2  # pixels
MOST = 96  # points


def sparkline(values: Sequence[float], about: str, dark: bool = False) -> str:
    """The values from left to right as an image in HTML.

    Args:
        values: finite or not; those that are not are left out. Fewer than two draw nothing.
        about: what it shows, for who cannot see it.
        dark: whether it stands on a dark page.

    >>> sparkline([0.1], "score")
    ''
    """
    y = np.asarray(values, float)
    y = y[np.isfinite(y)]
    if len(y) < 2:
        return ""
    y = y[np.linspace(0, len(y) - 1, min(len(y), MOST)).round().astype(int)]
    x = np.linspace(MARGIN, WIDTH - MARGIN, len(y))
    span = float(np.ptp(y)) or 1.0
    heights = HEIGHT - MARGIN - (y - y.min()) / span * (HEIGHT - 2 * MARGIN)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, heights, strict=True))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" '
        f'stroke="{theme(dark).series[0]}" stroke-width="1.5"><polyline points="{points}"/></svg>'
    )
    alt = html.escape(about)
    return (
        f'<img src="data:image/svg+xml,{quote(svg)}" width="{WIDTH}" height="{HEIGHT}" '
        f'alt="{alt}" title="{alt}">'
    )
