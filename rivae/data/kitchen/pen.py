"""The pen that draws the kitchen's pictures, in units of a 128-pixel picture, and its colours."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

# Pixels per unit while drawing; pictures are scaled down from it, which smooths every edge.
SCALE = 3

Points = NDArray[np.float64]
Colour = tuple[int, int, int]

TABLES: dict[str, Colour] = {
    "pine": (226, 196, 156),
    "walnut": (142, 108, 84),
    "linen": (238, 232, 220),
    "slate": (112, 124, 140),
    "peach": (250, 214, 190),
    "lilac": (216, 206, 232),
    "sky": (190, 214, 234),
    "sand": (232, 218, 188),
}

WARES: dict[str, Colour] = {
    "white": (250, 250, 248),
    "cream": (250, 240, 218),
    "blue": (150, 184, 218),
    "rose": (240, 190, 190),
    "mustard": (240, 204, 110),
    "grey": (176, 180, 188),
    "lavender": (198, 186, 226),
    "terracotta": (214, 136, 104),
}

# From savory to dessert: what the dish is made of, and its liquid.
SAVORY_BASE: Colour = (194, 102, 44)
SWEET_BASE: Colour = (250, 226, 196)
SAVORY_LIQUID: Colour = (250, 190, 62)
SWEET_LIQUID: Colour = (250, 160, 196)
WATER: Colour = (122, 190, 236)

# From pale to crusty.
CRUSTS: tuple[Colour, ...] = (
    (244, 216, 160),
    (244, 214, 156),
    (234, 186, 108),
    (214, 148, 68),
    (178, 108, 44),
)

SYRUP: Colour = (212, 112, 18)
SYRUP_DARK: Colour = (146, 64, 10)
SYRUP_LIGHT: Colour = (255, 206, 110)
SPRINKLES: tuple[Colour, ...] = (
    (236, 72, 132),
    (250, 200, 50),
    (70, 150, 230),
    (150, 90, 210),
    (250, 250, 250),
)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """``a`` at share 0, ``b`` at share 1."""
    x, y, z = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return (x, y, z)


def lighter(colour: Colour, share: float) -> Colour:
    """Towards white."""
    return mix(colour, (255, 255, 255), share)


def darker(colour: Colour, share: float) -> Colour:
    """Towards a warm black."""
    return mix(colour, (40, 22, 14), share)


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
        rotated_points = points @ np.array([[cos, sin], [-sin, cos]])
        return [(float(x), float(y)) for x, y in (rotated_points + self.origin) * self.scale]

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
    """(size, size) "L" light on a disc: brightest above left of its middle, none outside."""
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    edge = np.clip((1 - np.hypot(x, y)) * 8, 0, 1)
    value = 110 * edge * np.exp(-1.1 * ((x + 0.3) ** 2 + (y + 0.4) ** 2))
    return Image.fromarray(value.astype(np.uint8))
