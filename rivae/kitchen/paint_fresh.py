"""Paints leaves, herbs, peas and fruit."""

from __future__ import annotations

import numpy as np

from rivae.kitchen.colours import Colour, darker, lighter
from rivae.kitchen.painting import Painter, ball, painter
from rivae.kitchen.pen import Pen, bumpy, pointed

PAINTERS: dict[str, Painter] = {}

GREEN: tuple[Colour, ...] = ((58, 142, 50), (92, 172, 66), (34, 110, 48))

# Green.


def _blade(pen: Pen, length: float, width: float, colour: Colour) -> None:
    outline = pointed(length, width)
    pen.polygon(outline, darker(colour, 0.18))
    pen.polygon(outline * 0.9, colour)
    half = outline[: len(outline) // 2] * 0.86
    pen.polygon(np.concatenate([half, half[::-1] * [1, 0.08]]), lighter(colour, 0.16))
    pen.line(np.array([[-0.46 * length, 0], [0.4 * length, 0]]), lighter(colour, 0.5), 0.5)


@painter(PAINTERS)
def _leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 18, 9.5, GREEN[0])


@painter(PAINTERS)
def _light_leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 16, 10, GREEN[1])


@painter(PAINTERS)
def _dark_leaf(pen: Pen, still: Pen) -> None:
    _blade(pen, 17, 11, GREEN[2])


@painter(PAINTERS)
def _sprig(pen: Pen, still: Pen) -> None:
    pen.line(np.array([[-8, 0], [7, 0]]), darker(GREEN[1], 0.2), 0.9)
    for x in (-3.5, 1.5):
        for side in (-1, 1):
            leaf = pointed(7.5, 5) @ np.array([[0.6, side * 0.8], [-side * 0.8, 0.6]])
            pen.polygon(leaf + [x, side * 3.4], GREEN[0] if side < 0 else GREEN[1])
    pen.polygon(pointed(7, 5) + [6, 0], GREEN[1])


@painter(PAINTERS)
def _peas(pen: Pen, still: Pen) -> None:
    for x, y in ((-3.4, 1.5), (3.2, 2.4), (0.2, -3.4)):
        pen.dot(x, y, 3.9, darker(GREEN[1], 0.25))
        pen.dot(x, y, 3.4, GREEN[1])
        pen.dot(x - 0.9, y - 1, 1.2, lighter(GREEN[1], 0.5))


# Fruit. Nothing green on it: green is a factor of its own.


@painter(PAINTERS)
def _cherry(pen: Pen, still: Pen) -> None:
    bow = np.array([[0, 0], [4, -3.5], [9, -5.5]], dtype=float)
    pen.line(bow, (120, 70, 40), 0.8)
    ball(still, 6.2, (196, 20, 50))


@painter(PAINTERS)
def _blueberry(pen: Pen, still: Pen) -> None:
    for x, y in ((-3.4, 1.8), (3.6, 1.0), (0.0, -3.6)):
        spot = Pen(still.image, (still.origin[0] + x, still.origin[1] + y), still.scale)
        ball(spot, 4.0, (70, 84, 176))
        pen_star = bumpy(1.2, 5, 0.4, 20)
        spot.polygon(pen_star + [0.6, 0.4], (38, 46, 110))


@painter(PAINTERS)
def _strawberry(pen: Pen, still: Pen) -> None:
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    heart = np.stack([7.6 * np.cos(t), 5.8 * np.sin(t) * (1 - 0.42 * np.cos(t))], 1)
    pen.polygon(heart, (170, 18, 40))
    pen.polygon(heart * 0.9, (228, 38, 58))
    pen.polygon(heart * 0.56 + [-1.2, 0], (250, 120, 110))
    pen.polygon(heart * 0.3 + [-1.6, 0], (255, 226, 210))
    for x, y in ((3.6, 0), (0.6, 4), (0.6, -4), (-4, 3.8), (-4, -3.8), (-6, 0)):
        pen.dot(x, y, 0.6, (255, 222, 130))


@painter(PAINTERS)
def _orange(pen: Pen, still: Pen) -> None:
    still.dot(0, 0, 7.4, (238, 130, 20))
    still.dot(0, 0, 6.5, (255, 238, 205))
    for k in range(8):
        a = 2 * np.pi * k / 8
        wedge = np.array([[0.9, 0], [5.7, -1.85], [6.1, 0], [5.7, 1.85]])
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        pen.polygon(wedge @ turn, (255, 162, 40))


@painter(PAINTERS)
def _raspberry(pen: Pen, still: Pen) -> None:
    for x, y in ((-3, -2), (0, -4), (3, -2), (-3.4, 1.8), (3.4, 1.8), (0, 4.2), (0, 0)):
        pen.dot(x, y, 2.7, (176, 22, 84))
        pen.dot(x, y, 2.2, (222, 48, 112))
    still.dots([(-1.6, -2.6, 0.8, (255, 190, 215)), (1.6, -0.6, 0.6, (255, 190, 215))])
