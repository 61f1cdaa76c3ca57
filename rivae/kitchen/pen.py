"""A small drawing surface in units of a 128-pixel picture, and what every part is drawn with."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from rivae.kitchen.colours import Colour

# Pixels per unit while drawing; pictures are scaled down from it, which smooths every edge.
SCALE = 3

Points = NDArray[np.float64]


class Pen:
    """Draws on an image whose point (0, 0) is at ``origin``, ``scale`` pixels per unit.

    ``angle`` (radians) turns all that follows around (0, 0).
    """

    def __init__(
        self,
        image: Image.Image,
        origin: tuple[float, float] = (0.0, 0.0),
        scale: float = SCALE,
        angle: float = 0.0,
    ) -> None:
        self.image, self.origin, self.scale, self.angle = image, origin, scale, angle
        self._draw = ImageDraw.Draw(image)

    def _pixels(self, points: Points) -> list[tuple[float, float]]:
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        turned = points @ np.array([[cos, sin], [-sin, cos]])
        return [(float(x), float(y)) for x, y in (turned + self.origin) * self.scale]

    def polygon(self, points: Points, fill: Colour | tuple[int, int, int, int] | int) -> None:
        """A filled outline, (n, 2)."""
        self._draw.polygon(self._pixels(points), fill=fill)

    def line(
        self, points: Points, fill: Colour | tuple[int, int, int, int] | int, width: float
    ) -> None:
        """A round-ended line through (n, 2) points, ``width`` units wide."""
        pixels = self._pixels(points)
        thick = max(1, round(width * self.scale))
        self._draw.line(pixels, fill=fill, width=thick, joint="curve")
        r = thick / 2
        if r >= 1.5:
            for x, y in (pixels[0], pixels[-1]):
                self._draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)

    def dot(
        self,
        x: float,
        y: float,
        r: float,
        fill: Colour | tuple[int, int, int, int] | int,
        flat: float = 1.0,
    ) -> None:
        """A disc of radius ``r``, squeezed to ``flat`` times its height (never turned)."""
        ((px, py),) = self._pixels(np.array([[x, y]]))
        a, b = r * self.scale, r * flat * self.scale
        self._draw.ellipse((px - a, py - b, px + a, py + b), fill=fill)

    def dots(self, rows: Iterable[tuple[float, float, float, Colour]]) -> None:
        """Many discs (x, y, r, colour)."""
        for x, y, r, fill in rows:
            self.dot(x, y, r, fill)


def ellipse(a: float, b: float, n: int = 48, start: float = 0.0, end: float = 2 * np.pi) -> Points:
    """(n, 2) points of an ellipse around (0, 0) with half axes a and b."""
    t = np.linspace(start, end, n, endpoint=end - start < 2 * np.pi - 1e-9)
    return np.stack([a * np.cos(t), b * np.sin(t)], 1)


def pointed(length: float, width: float, n: int = 12) -> Points:
    """(2n, 2) outline of a leaf along x, pointed at both ends."""
    t = np.linspace(0, 1, n)
    y = 0.5 * width * np.sin(np.pi * t) ** 0.85 * (1.15 - 0.3 * t)
    x = (t - 0.5) * length
    return np.concatenate([np.stack([x, -y], 1), np.stack([x[::-1], y[::-1]], 1)])


def bumpy(r: float, n_bumps: int, depth: float, n: int = 60) -> Points:
    """(n, 2) outline of a blob with ``n_bumps`` lobes, ``depth`` a share of the radius."""
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    radius = r * (1 + depth * np.cos(n_bumps * t))
    return np.stack([radius * np.cos(t), radius * np.sin(t)], 1)


@cache
def soft_disc(size: int = 96) -> Image.Image:
    """A blurred white disc on black ("L"), for shadows: scale it to what is needed."""
    disc = Image.new("L", (size, size), 0)
    edge = size * 0.22
    ImageDraw.Draw(disc).ellipse((edge, edge, size - edge, size - edge), fill=255)
    return disc.filter(ImageFilter.GaussianBlur(size * 0.09))


@cache
def side_light(width: int = 128) -> Image.Image:
    """(width, 1) "L" light that falls from the left on a round body: bright, then into shade."""
    x = np.linspace(-1, 1, width)
    value = 255 * np.clip(0.92 - 0.55 * (x + 0.35) ** 2 - 0.16 * np.clip(x, 0, 1), 0, 1)
    return Image.fromarray(value.astype(np.uint8)[None, :])


@cache
def top_light(size: int = 96) -> Image.Image:
    """(size, size) "L" light on a disc: brightest above left of its middle, none beside it."""
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    edge = np.clip((1 - np.hypot(x, y)) * 8, 0, 1)
    value = 110 * edge * np.exp(-1.1 * ((x + 0.3) ** 2 + (y + 0.4) ** 2))
    return Image.fromarray(value.astype(np.uint8))
