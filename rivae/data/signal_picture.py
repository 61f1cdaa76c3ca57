"""A vector drawn as a small picture: a filled line above a heat strip. PIL only."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

SIZE = (160, 96)
_PAPER, _INK, _AXIS = (252, 251, 248), (45, 52, 70), (206, 204, 198)
_MARGIN, _LINE_HEIGHT, _STRIP_TOP, _STRIP_HEIGHT = 5, 70, 78, 14
_OVERSAMPLING = 2  # PIL draws hard edges; drawing larger and averaging smooths them

# Blue to white to red, after ColorBrewer's RdBu: it stays readable for colour-blind eyes.
_STOPS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_COLOURS = np.array(
    [[33, 102, 172], [103, 169, 207], [243, 241, 238], [239, 138, 98], [178, 24, 43]], float
)


def diverging(values: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Colours (..., 3) of ``values`` in [-1, 1]: blue below zero, red above."""
    channels = [np.interp(values, _STOPS, _COLOURS[:, c]) for c in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


@cache
def _fill(width: int, height: int) -> Image.Image:
    """The colours under the line: clear from the zero line on, stronger further away."""
    heights = np.linspace(1.0, -1.0, height)
    column = diverging(np.sign(heights) * (0.4 + 0.6 * np.abs(heights)))
    return Image.fromarray(np.ascontiguousarray(np.repeat(column[:, None], width, axis=1)))


def signal_picture(values: NDArray[np.floating], scale: float) -> Image.Image:
    """``values`` (n,) as a 160 x 96 RGB picture; ``scale`` is the value at the upper edge."""
    k = _OVERSAMPLING
    relative = np.clip(np.asarray(values, dtype=float) / scale, -1.0, 1.0)
    width, height = SIZE[0] * k, (_LINE_HEIGHT + _MARGIN) * k
    left, right, middle = _MARGIN * k, width - _MARGIN * k, height / 2
    xs = np.linspace(left, right - 1, len(relative))
    ys = middle - relative * (_LINE_HEIGHT * k / 2 - k)
    line = list(zip(xs.tolist(), ys.tolist(), strict=True))

    mask = Image.new("L", (width, height), 0)
    ImageDraw.Draw(mask).polygon([(left, middle), *line, (right - 1, middle)], fill=255)
    plot = Image.new("RGB", (width, height), _PAPER)
    plot.paste(_fill(width, height), (0, 0), mask)
    pen = ImageDraw.Draw(plot)
    pen.line([(left, middle), (right - 1, middle)], fill=_AXIS, width=k)
    pen.line(line, fill=_INK, width=k + 1, joint="curve")

    picture = Image.new("RGB", SIZE, _PAPER)
    picture.paste(plot.reduce(k), (0, 0))
    strip = Image.fromarray(diverging(relative)[None])
    strip = strip.resize((SIZE[0] - 2 * _MARGIN, _STRIP_HEIGHT), Image.Resampling.NEAREST)
    picture.paste(strip, (_MARGIN, _STRIP_TOP))
    return picture
