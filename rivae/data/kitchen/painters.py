"""Paints the pieces that lie on a dish: leaves, fruit, savory and sweet toppings, toast, grains.

A painter gets two pens: one turned with the piece, one that keeps the light where it is. Both have
(0, 0) in the middle of the piece, which reaches about 9 units from there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivae.data.kitchen.pen import Colour, Pen, bumpy, darker, ellipse, lighter, pointed

Painter = Callable[[Pen, Pen], None]
PAINTERS: dict[str, Painter] = {}

GREEN: tuple[Colour, ...] = ((58, 142, 50), (92, 172, 66), (34, 110, 48))
CREAM: Colour = (255, 252, 246)
GRAIN_EDGE: Colour = (190, 138, 52)


def painter(paint: Painter) -> Painter:
    """Enter the decorated painter into ``PAINTERS``, without its leading underscore."""
    PAINTERS[paint.__name__.removeprefix("_")] = paint
    return paint


def ball(still: Pen, r: float, colour: Colour) -> None:
    """A round thing of radius ``r`` in the middle, lit from above left."""
    still.dot(0, 0, r, darker(colour, 0.3))
    still.dot(-0.06 * r, -0.08 * r, 0.9 * r, colour)
    still.dot(-0.3 * r, -0.34 * r, 0.42 * r, lighter(colour, 0.22))
    still.dot(-0.38 * r, -0.44 * r, 0.17 * r, lighter(colour, 0.85))


# Green.


def _blade(pen: Pen, length: float, width: float, colour: Colour) -> None:
    outline = pointed(length, width)
    pen.polygon(outline, darker(colour, 0.18))
    pen.polygon(outline * 0.9, colour)
    half = outline[: len(outline) // 2] * 0.86
    pen.polygon(np.concatenate([half, half[::-1] * [1, 0.08]]), lighter(colour, 0.16))
    pen.line(np.array([[-0.46 * length, 0], [0.4 * length, 0]]), lighter(colour, 0.5), 0.5)


@painter
def _leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 18, 9.5, GREEN[0])


@painter
def _light_leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 16, 10, GREEN[1])


@painter
def _dark_leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 17, 11, GREEN[2])


@painter
def _sprig(pen: Pen, still: Pen) -> None:
    pen.line(np.array([[-8, 0], [7, 0]]), darker(GREEN[1], 0.2), 0.9)
    for x in (-3.5, 1.5):
        for side in (-1, 1):
            leaf = pointed(7.5, 5) @ np.array([[0.6, side * 0.8], [-side * 0.8, 0.6]])
            pen.polygon(leaf + [x, side * 3.4], GREEN[0] if side < 0 else GREEN[1])
    pen.polygon(pointed(7, 5) + [6, 0], GREEN[1])


@painter
def _peas(pen: Pen, still: Pen) -> None:
    for x, y in ((-3.4, 1.5), (3.2, 2.4), (0.2, -3.4)):
        pen.dot(x, y, 3.9, darker(GREEN[1], 0.25))
        pen.dot(x, y, 3.4, GREEN[1])
        pen.dot(x - 0.9, y - 1, 1.2, lighter(GREEN[1], 0.5))


# Fruit. Nothing green on it: green is a separate factor.


@painter
def _cherry(pen: Pen, still: Pen) -> None:
    bow = np.array([[0, 0], [4, -3.5], [9, -5.5]], dtype=float)
    pen.line(bow, (120, 70, 40), 0.8)
    ball(still, 6.2, (196, 20, 50))


@painter
def _blueberry(pen: Pen, still: Pen) -> None:
    for x, y in ((-3.4, 1.8), (3.6, 1.0), (0.0, -3.6)):
        spot = Pen(still.image, (still.origin[0] + x, still.origin[1] + y), still.scale)
        ball(spot, 4.0, (70, 84, 176))
        pen_star = bumpy(1.2, 5, 0.4, 20)
        spot.polygon(pen_star + [0.6, 0.4], (38, 46, 110))


@painter
def _strawberry(pen: Pen, still: Pen) -> None:
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    heart = np.stack([7.6 * np.cos(t), 5.8 * np.sin(t) * (1 - 0.42 * np.cos(t))], 1)
    pen.polygon(heart, (170, 18, 40))
    pen.polygon(heart * 0.9, (228, 38, 58))
    pen.polygon(heart * 0.56 + [-1.2, 0], (250, 120, 110))
    pen.polygon(heart * 0.3 + [-1.6, 0], (255, 226, 210))
    for x, y in ((3.6, 0), (0.6, 4), (0.6, -4), (-4, 3.8), (-4, -3.8), (-6, 0)):
        pen.dot(x, y, 0.6, (255, 222, 130))


@painter
def _orange(pen: Pen, still: Pen) -> None:
    still.dot(0, 0, 7.4, (238, 130, 20))
    still.dot(0, 0, 6.5, (255, 238, 205))
    for k in range(8):
        a = 2 * np.pi * k / 8
        wedge = np.array([[0.9, 0], [5.7, -1.85], [6.1, 0], [5.7, 1.85]])
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        pen.polygon(wedge @ turn, (255, 162, 40))


@painter
def _raspberry(pen: Pen, still: Pen) -> None:
    for x, y in ((-3, -2), (0, -4), (3, -2), (-3.4, 1.8), (3.4, 1.8), (0, 4.2), (0, 0)):
        pen.dot(x, y, 2.7, (176, 22, 84))
        pen.dot(x, y, 2.2, (222, 48, 112))
    still.dots([(-1.6, -2.6, 0.8, (255, 190, 215)), (1.6, -0.6, 0.6, (255, 190, 215))])


# Savory.


@painter
def _egg(pen: Pen, still: Pen) -> None:
    pen.polygon(bumpy(8.0, 3, 0.09), (222, 214, 204))
    pen.polygon(bumpy(7.5, 3, 0.09), (255, 255, 252))
    still.dot(0, 0, 3.9, (240, 150, 16))
    still.dot(-0.2, -0.3, 3.4, (255, 188, 36))
    still.dot(-1.2, -1.4, 1.0, (255, 240, 190))


@painter
def _meatball(pen: Pen, still: Pen) -> None:
    ball(still, 6.6, (128, 66, 38))
    for x, y in ((2.5, 1.5), (-1.5, 3), (1.0, -2.8), (3.4, -1.6)):
        pen.dot(x, y, 0.8, (86, 42, 26))


@painter
def _bacon(pen: Pen, still: Pen) -> None:
    x = np.linspace(-7.2, 7.2, 14)
    for offset, width, colour in (
        (0, 6.4, (132, 46, 34)),
        (0, 5.4, (186, 74, 56)),
        (-0.9, 1.2, (246, 208, 178)),
        (1.4, 0.9, (240, 190, 160)),
    ):
        pen.line(np.stack([x, 1.3 * np.sin(x * 0.75) + offset], 1), colour, width)


@painter
def _mushroom(pen: Pen, still: Pen) -> None:
    cap = np.concatenate([ellipse(7, 5.6, 20, np.pi, 2 * np.pi), [[5, 1.6], [-5, 1.6]]])
    stem = np.array([[-2.2, 0.5], [2.2, 0.5], [2.6, 6.5], [-2.6, 6.5]])
    pen.polygon(stem * 1.1, (150, 116, 86))
    pen.polygon(cap * 1.08, (150, 108, 76))
    pen.polygon(stem * 0.92, (240, 224, 200))
    pen.polygon(cap * 0.88, (236, 214, 184))
    pen.line(ellipse(4.6, 3.0, 12, np.pi, 2 * np.pi), (168, 126, 96), 1.0)


# Sweet.


@painter
def _cream(pen: Pen, still: Pen) -> None:
    for r, shade in ((8.0, 0.16), (6.2, 0.12), (4.2, 0.08), (2.2, 0.04)):
        lift = (8.0 - r) * 0.35
        swirl = bumpy(r, 7, 0.07) @ np.array([[0.95, 0.3 * shade], [-0.3, 0.95]])
        still.polygon(swirl + [0, -lift], (226, 208, 206))
        still.polygon(swirl * 0.92 + [-0.3, -lift - 0.3], CREAM)
    still.dot(0, -2.6, 1.0, (255, 255, 255))


@painter
def _chocolate(pen: Pen, still: Pen) -> None:
    block = np.array([[-6.6, -5], [6.6, -5], [6.6, 5], [-6.6, 5]], dtype=float)
    pen.polygon(block, (40, 18, 12))
    pen.polygon(block * 0.9, (78, 38, 24))
    for x in (-3, 3):
        for y in (-2.2, 2.2):
            pen.polygon(block * [0.34, 0.32] + [x, y], (104, 56, 36))
            pen.polygon(block * [0.22, 0.18] + [x - 0.3, y - 0.3], (134, 80, 54))


@painter
def _macaron(pen: Pen, still: Pen) -> None:
    still.dot(0, 1.6, 7.0, (206, 92, 140), 0.8)
    still.dot(0, 0.8, 6.8, (255, 240, 240), 0.8)
    still.dot(0, -0.8, 7.0, (240, 134, 178), 0.8)
    still.dot(-2, -2.6, 2.2, (252, 200, 220), 0.7)


@painter
def _wafer(pen: Pen, still: Pen) -> None:
    roll = np.array([[-9, -2.3], [9, -2.3], [9, 2.3], [-9, 2.3]])
    pen.polygon(roll, (96, 50, 26))
    pen.polygon(roll * 0.92, (255, 226, 214))
    for x in range(-7, 9, 4):
        stripe = np.array([[x, -2.1], [x + 1.9, -2.1], [x, 2.1], [x - 1.9, 2.1]], dtype=float)
        pen.polygon(stripe, (104, 56, 32))


# Baked.


@painter
def _toast(pen: Pen, still: Pen) -> None:
    cube = np.array([[-5.2, -4.6], [4.8, -5.2], [5.4, 4.6], [-4.8, 5.2]])
    pen.polygon(cube * 1.08, (142, 78, 26))
    pen.polygon(cube * 0.94, (208, 138, 58))
    pen.polygon(cube * 0.7, (240, 190, 108))
    for x, y in ((-1.5, -1), (1.8, 1.2), (1, -2)):
        pen.dot(x, y, 0.6, (206, 146, 76))


# Grains.


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


@painter
def _rice(pen: Pen, still: Pen) -> None:
    _kernels(pen, 18, 3.0, 1.6, (255, 248, 214))


@painter
def _oats(pen: Pen, still: Pen) -> None:
    for x, y in _scatter(13, 7.5):
        pen.dot(x, y, 2.1, GRAIN_EDGE, 0.8)
        pen.dot(x - 0.15, y - 0.2, 1.65, (250, 226, 166), 0.8)


@painter
def _noodles(pen: Pen, still: Pen) -> None:
    for k, r in enumerate((8.6, 6.9, 5.2, 3.5, 1.8)):
        arc = ellipse(r, r * 0.8, 24, 0.6 * k, 0.6 * k + 5.2)
        pen.line(arc, GRAIN_EDGE, 2.1)
        pen.line(arc, (255, 230, 140), 1.2)


@painter
def _barley(pen: Pen, still: Pen) -> None:
    _kernels(pen, 15, 2.2, 2.2, (246, 222, 150))


@painter
def _ear(pen: Pen, still: Pen) -> None:
    pen.line(np.array([[-10, 0], [5, 0]], dtype=float), (190, 146, 58), 0.9)
    for x in np.arange(-1.5, 8.0, 2.4).tolist():
        for side in (-1, 1):
            kernel = pointed(5.0, 2.9) @ np.array([[0.85, side * 0.53], [-side * 0.53, 0.85]])
            pen.polygon(kernel * 1.14 + [x, side * 1.9], (176, 122, 34))
            pen.polygon(kernel + [x, side * 1.9], (244, 196, 84))
    pen.polygon(pointed(5.0, 3.0) + [9, 0], (244, 196, 84))
