"""An item's own z beside the current z, drawn as one line per dimension. SVG, no streamlit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivae.ui.text import escape
from rivae.words.axis_names import cut

ROW, TOP, WIDTH, LABEL, VALUE = 22, 26, 420, 44, 104
NAMED = 148  # pixels of the labels once an axis has a name
LONGEST = 20  # characters of a label
SPAN = 4.0


def z_compare_svg(
    now: Sequence[float],
    item: Sequence[float],
    mean: Sequence[float],
    std: Sequence[float],
    *,
    names: Sequence[str],
    ink: str,
    accent: str,
) -> str:
    """A drawing of two points of z, each of shape (d,), on scales of mean ± 4 s.d. or wider.

    ``names`` are the d names of the axes.
    A ring of colour ``ink`` is z now, a disc of colour ``accent`` the item; the numbers are
    now → item.
    """
    wide = any(len(name) > 4 for name in names)
    d, (left, right) = len(now), (NAMED if wide else LABEL, WIDTH - VALUE)
    height = TOP + d * ROW
    parts = [
        f'<circle cx="{left + 6}" cy="10" r="5" fill="none" stroke="currentColor" '
        'stroke-width="2"/>'
        f'<text x="{left + 18}" y="14">now</text>'
        f'<circle cx="{left + 66}" cy="10" r="5" fill="{accent}"/>'
        f'<text x="{left + 78}" y="14">this item</text>'
    ]
    table = np.array([now, item, mean, std], dtype=float)
    for j in range(d):
        a, b, centre, sd = table[:, j]
        reach = max(SPAN * sd, 1.05 * max(abs(a - centre), abs(b - centre)))
        y = TOP + j * ROW + ROW / 2

        def x(value: float, centre: float = centre, reach: float = reach) -> float:
            return (left + right) / 2 + (value - centre) / reach * (right - left) / 2

        parts.append(
            f'<text x="0" y="{y + 4:.1f}" font-weight="600">'
            f"<title>{escape(names[j])}</title>{escape(cut(names[j], LONGEST))}</text>"
            f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            'stroke-opacity=".18" stroke-width="2"/>'
            f'<line x1="{x(a):.1f}" x2="{x(b):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{accent}" '
            'stroke-opacity=".6" stroke-width="3"/>'
            f'<circle cx="{x(b):.1f}" cy="{y:.1f}" r="5" fill="{accent}"/>'
            f'<circle cx="{x(a):.1f}" cy="{y:.1f}" r="5" fill="none" stroke="currentColor" '
            'stroke-width="2"/>'
            f'<text x="{WIDTH}" y="{y + 4:.1f}" text-anchor="end">{number(a)} → {number(b)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12.5" fill="{ink}" '
        f'color="{ink}">{"".join(parts)}</svg>'
    )


def number(value: float) -> str:
    """Two decimals and a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def describe(
    now: Sequence[float], item: Sequence[float], std: Sequence[float], names: Sequence[str]
) -> str:
    """The drawing in one sentence."""
    gaps = np.abs(np.array(item) - np.array(now)) / np.array(std)
    j = int(gaps.argmax())
    if gaps[j] < 0.005:
        return f"The item's {names[0][:1]} is the current {names[0][:1]}."
    return (
        f"The item's {names[0][:1]} differs from the current one most in {names[j]}, "
        f"by {gaps[j]:.1f} s.d."
    )
