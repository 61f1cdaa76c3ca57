"""All colours in one place: surfaces, text, series and scales, for light and dark pages.

Series colours are the Okabe-Ito set (M. Okabe and K. Ito, "Color universal design", 2008), made
lighter or darker where the original would vanish on its surface; the tests hold every one at a
contrast of at least 3:1 and check that no two merge for red- or green-blind readers. Surfaces and
text are those of the pages (``.streamlit/config.toml``, held equal by a test). Values are read
from a scale of one hue (sequential) or from blue over grey to orange (diverging), never from red
against green.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours (``#rrggbb``) of one page theme.

    Attributes:
        dark: whether this is the dark theme.
        surface: the page behind a figure, used where a file needs an opaque background.
        panel: a surface that stands out a little from the page.
        text, muted: main and secondary text.
        grid: grid lines and thin borders.
        frame: the box around high correlations (red, as in the paper's figures).
        selection: the box around the chosen cell.
        reference: markers of published values.
        series: colours of factors, methods and terms, in this order.
        sequential: low to high, for values from 0 up.
        diverging: low to high around a neutral middle, for signed values.
        bands: alternating backgrounds of training stages.
    """

    dark: bool
    surface: str
    panel: str
    text: str
    muted: str
    grid: str
    frame: str
    selection: str
    reference: str
    series: tuple[str, ...]
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]
    bands: tuple[str, str]


LIGHT = Theme(
    dark=False,
    surface="#fcfcfb",
    panel="#eff3f4",
    text="#10191e",
    muted="#566770",
    grid="#dbe2e5",
    frame="#d4201a",
    selection="#10191e",
    reference="#10191e",
    # blue, orange, green, purple, sky, vermilion, wine, slate
    series=(
        "#0072b2",
        "#c98000",
        "#00805e",
        "#c4659c",
        "#2f9bd8",
        "#b34700",
        "#7d1f4d",
        "#4d5566",
    ),
    sequential=("#eff4f7", "#cfe1f0", "#97c2e4", "#559bcf", "#2272ae", "#0b477d"),
    diverging=("#0b477d", "#559bcf", "#f4f4f4", "#e5a05c", "#934800"),
    bands=("#f1f4f5", "#e4eaed"),
)

DARK = Theme(
    dark=True,
    surface="#12181b",
    panel="#1c2529",
    text="#e3e9eb",
    muted="#9fb0b7",
    grid="#2d3a40",
    frame="#ff6a5c",
    selection="#e3e9eb",
    reference="#e3e9eb",
    series=(
        "#56b4e9",
        "#e69f00",
        "#1fb98c",
        "#de8fbb",
        "#3d86c6",
        "#e8743b",
        "#f0e442",
        "#e3e7ee",
    ),
    sequential=("#1b252b", "#1b3852", "#1d5587", "#2f7cbb", "#62ace2", "#bfe2ff"),
    diverging=("#8ccbff", "#2b6ea6", "#222c31", "#ab5f1f", "#ffbb73"),
    bands=("#171f23", "#1f2a2f"),
)


def theme(dark: bool) -> Theme:
    """The colours of the dark or the light page."""
    return DARK if dark else LIGHT


def series_color(k: int, dark: bool = False) -> str:
    """Colour of the ``k``-th factor, term or query; repeats after the last one."""
    series = theme(dark).series
    return series[k % len(series)]


def rgb(color: str) -> tuple[int, int, int]:
    """``#rrggbb`` as three numbers in 0..255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def rgba(color: str, alpha: float) -> str:
    """``#rrggbb`` as a CSS colour with opacity ``alpha`` in [0, 1]."""
    red, green, blue = rgb(color)
    return f"rgba({red},{green},{blue},{alpha:g})"


def luminance(color: str) -> float:
    """Relative luminance in [0, 1] (WCAG 2.2)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in rgb(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def sample(scale: tuple[str, ...], t: float) -> str:
    """The colour at ``t`` in [0, 1] of a scale of evenly spaced colours (values beyond are cut)."""
    place = min(max(t, 0.0), 1.0) * (len(scale) - 1)
    i = min(int(place), len(scale) - 2)
    low, high = rgb(scale[i]), rgb(scale[i + 1])
    channels = [round(a + (b - a) * (place - i)) for a, b in zip(low, high, strict=True)]
    return "#" + "".join(f"{c:02x}" for c in channels)


def text_on(color: str) -> str:
    """The text colour, dark or light, that reads better on ``color``."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, color))


def colorscale(scale: tuple[str, ...]) -> list[list[float | str]]:
    """A scale in Plotly's form: (position, colour) pairs."""
    return [[i / (len(scale) - 1), color] for i, color in enumerate(scale)]
