"""Paints savory and sweet toppings, toast and grains."""

from __future__ import annotations

import numpy as np

from rivae.kitchen.colours import Colour
from rivae.kitchen.painting import Painter, ball, painter
from rivae.kitchen.pen import Pen, bumpy, ellipse, pointed

PAINTERS: dict[str, Painter] = {}

CREAM: Colour = (255, 252, 246)

# Savory.


@painter(PAINTERS)
def _egg(pen: Pen, still: Pen) -> None:
    pen.polygon(bumpy(8.0, 3, 0.09), (222, 214, 204))
    pen.polygon(bumpy(7.5, 3, 0.09), (255, 255, 252))
    still.dot(0, 0, 3.9, (240, 150, 16))
    still.dot(-0.2, -0.3, 3.4, (255, 188, 36))
    still.dot(-1.2, -1.4, 1.0, (255, 240, 190))


@painter(PAINTERS)
def _meatball(pen: Pen, still: Pen) -> None:
    ball(still, 6.6, (128, 66, 38))
    for x, y in ((2.5, 1.5), (-1.5, 3), (1.0, -2.8), (3.4, -1.6)):
        pen.dot(x, y, 0.8, (86, 42, 26))


@painter(PAINTERS)
def _bacon(pen: Pen, still: Pen) -> None:
    x = np.linspace(-7.2, 7.2, 14)
    for offset, width, colour in (
        (0, 6.4, (132, 46, 34)),
        (0, 5.4, (186, 74, 56)),
        (-0.9, 1.2, (246, 208, 178)),
        (1.4, 0.9, (240, 190, 160)),
    ):
        pen.line(np.stack([x, 1.3 * np.sin(x * 0.75) + offset], 1), colour, width)


@painter(PAINTERS)
def _mushroom(pen: Pen, still: Pen) -> None:
    cap = np.concatenate([ellipse(7, 5.6, 20, np.pi, 2 * np.pi), [[5, 1.6], [-5, 1.6]]])
    stem = np.array([[-2.2, 0.5], [2.2, 0.5], [2.6, 6.5], [-2.6, 6.5]])
    pen.polygon(stem * 1.1, (150, 116, 86))
    pen.polygon(cap * 1.08, (150, 108, 76))
    pen.polygon(stem * 0.92, (240, 224, 200))
    pen.polygon(cap * 0.88, (236, 214, 184))
    pen.line(ellipse(4.6, 3.0, 12, np.pi, 2 * np.pi), (168, 126, 96), 1.0)


# Sweet.


@painter(PAINTERS)
def _cream(pen: Pen, still: Pen) -> None:
    for r, shade in ((8.0, 0.16), (6.2, 0.12), (4.2, 0.08), (2.2, 0.04)):
        lift = (8.0 - r) * 0.35
        swirl = bumpy(r, 7, 0.07) @ np.array([[0.95, 0.3 * shade], [-0.3, 0.95]])
        still.polygon(swirl + [0, -lift], (226, 208, 206))
        still.polygon(swirl * 0.92 + [-0.3, -lift - 0.3], CREAM)
    still.dot(0, -2.6, 1.0, (255, 255, 255))


@painter(PAINTERS)
def _chocolate(pen: Pen, still: Pen) -> None:
    block = np.array([[-6.6, -5], [6.6, -5], [6.6, 5], [-6.6, 5]], dtype=float)
    pen.polygon(block, (40, 18, 12))
    pen.polygon(block * 0.9, (78, 38, 24))
    for x in (-3, 3):
        for y in (-2.2, 2.2):
            pen.polygon(block * [0.34, 0.32] + [x, y], (104, 56, 36))
            pen.polygon(block * [0.22, 0.18] + [x - 0.3, y - 0.3], (134, 80, 54))


@painter(PAINTERS)
def _macaron(pen: Pen, still: Pen) -> None:
    still.dot(0, 1.6, 7.0, (206, 92, 140), 0.8)
    still.dot(0, 0.8, 6.8, (255, 240, 240), 0.8)
    still.dot(0, -0.8, 7.0, (240, 134, 178), 0.8)
    still.dot(-2, -2.6, 2.2, (252, 200, 220), 0.7)


@painter(PAINTERS)
def _wafer(pen: Pen, still: Pen) -> None:
    roll = np.array([[-9, -2.3], [9, -2.3], [9, 2.3], [-9, 2.3]])
    pen.polygon(roll, (96, 50, 26))
    pen.polygon(roll * 0.92, (255, 226, 214))
    for x in range(-7, 9, 4):
        stripe = np.array([[x, -2.1], [x + 1.9, -2.1], [x, 2.1], [x - 1.9, 2.1]], dtype=float)
        pen.polygon(stripe, (104, 56, 32))


# Baked.


@painter(PAINTERS)
def _toast(pen: Pen, still: Pen) -> None:
    cube = np.array([[-5.2, -4.6], [4.8, -5.2], [5.4, 4.6], [-4.8, 5.2]])
    pen.polygon(cube * 1.08, (142, 78, 26))
    pen.polygon(cube * 0.94, (208, 138, 58))
    pen.polygon(cube * 0.7, (240, 190, 108))
    for x, y in ((-1.5, -1), (1.8, 1.2), (1, -2)):
        pen.dot(x, y, 0.6, (206, 146, 76))


# Grains.

GRAIN_EDGE: Colour = (190, 138, 52)


def _scatter(n: int, spread: float) -> list[tuple[float, float]]:
    """``n`` evenly strewn points of a disc."""
    k = np.arange(n)
    r, t = spread * np.sqrt((k + 0.5) / n), k * 2.399963
    return list(zip((r * np.cos(t)).tolist(), (r * np.sin(t)).tolist(), strict=True))


def _kernels(pen: Pen, n: int, length: float, width: float, colour: Colour) -> None:
    for k, (x, y) in enumerate(_scatter(n, 8.0)):
        a = 1.9 * k
        bar = np.array([[-length / 2, 0], [length / 2, 0]])
        bar = bar @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + [x, y]
        pen.line(bar, GRAIN_EDGE, width + 0.8)
        pen.line(bar, colour, width)


@painter(PAINTERS)
def _rice(pen: Pen, still: Pen) -> None:
    _kernels(pen, 18, 3.0, 1.6, (255, 248, 214))


@painter(PAINTERS)
def _oats(pen: Pen, still: Pen) -> None:
    for x, y in _scatter(13, 7.5):
        pen.dot(x, y, 2.1, GRAIN_EDGE, 0.8)
        pen.dot(x - 0.15, y - 0.2, 1.65, (250, 226, 166), 0.8)


@painter(PAINTERS)
def _noodles(pen: Pen, still: Pen) -> None:
    for k, r in enumerate((8.6, 6.9, 5.2, 3.5, 1.8)):
        arc = ellipse(r, r * 0.8, 24, 0.6 * k, 0.6 * k + 5.2)
        pen.line(arc, GRAIN_EDGE, 2.1)
        pen.line(arc, (255, 230, 140), 1.2)


@painter(PAINTERS)
def _barley(pen: Pen, still: Pen) -> None:
    _kernels(pen, 15, 2.2, 2.2, (246, 222, 150))


@painter(PAINTERS)
def _ear(pen: Pen, still: Pen) -> None:
    pen.line(np.array([[-10, 0], [5, 0]], dtype=float), (190, 146, 58), 0.9)
    for x in np.arange(-1.5, 8.0, 2.4).tolist():
        for side in (-1, 1):
            kernel = pointed(5.0, 2.9) @ np.array([[0.85, side * 0.53], [-side * 0.53, 0.85]])
            pen.polygon(kernel * 1.14 + [x, side * 1.9], (176, 122, 34))
            pen.polygon(kernel + [x, side * 1.9], (244, 196, 84))
    pen.polygon(pointed(5.0, 3.0) + [9, 0], (244, 196, 84))
