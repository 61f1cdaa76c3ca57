"""What goes over and around the food: pepper and sprinkles, syrup, crust."""

from __future__ import annotations

import numpy as np
from PIL import Image

from rivae.kitchen.colours import (
    CRUSTS,
    SPRINKLES,
    SYRUP,
    SYRUP_DARK,
    SYRUP_LIGHT,
    Colour,
    darker,
    lighter,
)
from rivae.kitchen.containers import SIDE, Container
from rivae.kitchen.factors import Dish
from rivae.kitchen.pen import Pen, Points, ellipse
from rivae.kitchen.strewing import places

# Streams of the picture; strewing.py and food.py have the others.
_SPECKS, _SYRUP, _DRIPS, _CRUST = range(30, 34)

_N_SPECKS = (44, 26, 10, 3, 0)
_SYRUP_WIDTH = (0.0, 1.3, 2.1, 3.1, 4.4)
_SYRUP_LOOPS = (0, 2, 3, 3, 4)
_CRUST_WIDTH = (0.0, 3.0, 5.4, 8.0, 10.5)


def draw_specks(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Pepper on what is savory, sprinkles on what is sweet."""
    code = dish.code("dessert")
    rng = dish.picture_rng(_SPECKS)
    spots = places(c, rng.uniform(0, 1, (_N_SPECKS[0], 2)), 0.95)
    tones = rng.uniform(0, 1, (_N_SPECKS[0], 2))
    pen = Pen(canvas)
    for (x, y), (_, tone) in list(zip(spots, tones, strict=True))[: _N_SPECKS[code]]:
        pen.dot(x, y, 0.55 + 0.35 * tone, (44, 30, 26))
    for (x, y), (turn, tone) in list(zip(spots, tones, strict=True))[: _N_SPECKS[4 - code]]:
        dx, dy = 1.3 * np.cos(6.3 * turn), 1.3 * np.sin(6.3 * turn)
        bar = np.array([[x - dx, y - dy], [x + dx, y + dy]])
        pen.line(bar, SPRINKLES[int(tone * len(SPRINKLES))], 1.1)


def draw_syrup(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Glossy strings of syrup or glaze, to and fro over the food."""
    code = dish.code("stickiness")
    if not code:
        return
    rng = dish.picture_rng(_SYRUP)
    phase, slant = rng.uniform(0, 2 * np.pi), rng.uniform(-0.4, 0.4)
    loops, width = _SYRUP_LOOPS[code], _SYRUP_WIDTH[code]
    t = np.linspace(0, 1, 22 * loops + 12)
    turn = 2 * np.pi * loops * t + phase
    # No two loops alike: a hand poured it.
    wide = 1 + 0.55 * np.sin(0.37 * turn + 2 * phase)
    high = 1 + 0.45 * np.sin(0.61 * turn + 3 * phase)
    if c.glass:
        x = 0.55 * c.food_a * wide.clip(0, 1.5) * np.cos(turn)
        y = c.food_b * (1.5 * t - 0.8) + 5.0 * high * np.sin(turn)
    else:
        along = 1.36 * t - 0.68
        x = c.food_a * along + 8.0 * wide * np.cos(turn)
        y = c.food_b * (slant * along * 2 + 0.40 * high * np.sin(turn)) - 3.0
        far = np.hypot(x / c.food_a, (y + 3.0) / c.food_b)
        inside = np.minimum(1.0, 0.86 / np.maximum(far, 1e-9))
        x, y = x * inside, (y + 3.0) * inside - 3.0
    path = np.stack([x, y], 1) + [SIDE / 2, c.food_y]
    _glossy(Pen(canvas), path, width)


def _glossy(pen: Pen, path: Points, width: float) -> None:
    pen.line(path + [0.2, 0.5], SYRUP_DARK, width + 1.0)
    pen.line(path, SYRUP, width)
    pen.line(path - [0.22 * width, 0.25 * width], SYRUP_LIGHT, max(0.34, width * 0.26))


def draw_drips(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Syrup that runs over the rim and hangs down in drops."""
    code = dish.code("stickiness")
    if not code:
        return
    rng = dish.picture_rng(_DRIPS)
    n = (0, 1, 2, 4, 6 if c.code < 4 else 5)[code]
    spots = np.linspace(0.12, 0.88, 6)[rng.permutation(6)[:n]] * np.pi
    longest = (7.0, 15.0, 24.0, 26.0, 24.0)[c.code]
    pen = Pen(canvas, (SIDE / 2, c.top))
    width = 0.8 * _SYRUP_WIDTH[code] + 1.0
    for angle, share in zip(spots, rng.uniform(0.5, 1.0, n), strict=True):
        x, y = c.a * np.cos(angle), c.b * np.sin(angle)
        end = longest * share * (0.6 + 0.1 * code)
        lean = -0.12 * x * end / 30 if c.code < 3 else (0.4 * x * end / 30 if c.code == 4 else 0)
        path = np.array([[x, y - 1.5], [x + 0.4 * lean, y + 0.5 * end], [x + lean, y + end]])
        _glossy(pen, path, min(width, 4.2))
        pen.dot(x + lean, y + end, min(width, 4.2) * 0.75, SYRUP)
        pen.dot(x + lean - 0.5, y + end - 0.5, 0.5, SYRUP_LIGHT)


def draw_crust(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """A crimped, browned edge around the opening; on glass and bottle a puffed cap."""
    code = dish.code("baked")
    if not code:
        return
    colour, width = CRUSTS[code], _CRUST_WIDTH[code]
    if c.glass:
        _cap(canvas, c, colour, code)
        return
    n = 30
    angles = 2 * np.pi * (np.arange(n) + dish.picture_rng(_CRUST).uniform()) / n
    a, b = c.food_a - 0.25 * width, c.food_b - 0.25 * width * c.b / c.a
    pen = Pen(canvas, (SIDE / 2, c.food_y - 1.0))
    for angle in sorted(angles.tolist(), key=lambda t: float(np.sin(t))):
        x, y = a * np.cos(angle), b * np.sin(angle)
        r = 0.5 * width + 1.2
        pen.dot(x, y + 0.9, r, darker(colour, 0.45), 0.74)
        pen.dot(x, y, r * 0.94, colour, 0.70)
        pen.dot(x - 0.2 * r, y - 0.26 * r, r * 0.5, lighter(colour, 0.36), 0.6)
        if code >= 3:
            pen.dot(x + 0.3 * r, y + 0.1 * r, r * 0.26, darker(colour, 0.3), 0.7)


def _cap(canvas: Image.Image, c: Container, colour: Colour, code: int) -> None:
    height = (0.0, 3.5, 7.5, 12.0, 17.0)[code]
    reach = c.a + (0.0, 1.0, 2.2, 3.8, 5.6)[code]
    pen = Pen(canvas, (SIDE / 2, c.top))
    dome = ellipse(reach, height + 2, 30, np.pi, 2 * np.pi)
    lip = ellipse(reach, c.b * 0.8 + 0.15 * height, 30, 0, np.pi)
    shape = np.concatenate([dome, lip])
    pen.polygon(shape + [0.4, 1.2], darker(colour, 0.5))
    pen.polygon(shape, colour)
    pen.polygon(shape * [0.8, 0.72] - [0.12 * reach, 0.16 * height], lighter(colour, 0.2))
    pen.polygon(shape * [0.4, 0.36] - [0.26 * reach, 0.42 * height], lighter(colour, 0.45))
    for k in range(-2, 3):
        x = k * reach * 0.32
        cut = np.array([[x, -0.62 * height], [x + 0.1 * reach, 0.1 * height]])
        if code >= 2:
            pen.line(cut, darker(colour, 0.22), 0.5 + 0.2 * code)
