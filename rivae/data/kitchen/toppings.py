"""Draws everything on and around the food: grains, pieces, pepper, sprinkles, syrup and crust."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from rivae.base.arrays import Floats
from rivae.data.kitchen.containers import SIDE, Container
from rivae.data.kitchen.factors import Dish
from rivae.data.kitchen.painters import PAINTERS
from rivae.data.kitchen.pen import (
    CRUSTS,
    SCALE,
    SPRINKLES,
    SYRUP,
    SYRUP_DARK,
    SYRUP_LIGHT,
    Colour,
    Pen,
    Points,
    darker,
    ellipse,
    lighter,
)

# Random streams of the picture; food.py has the others.
_GRAINS, _PLACES, _CHOICE, _EARS = range(4)
_SPECKS, _SYRUP, _DRIPS, _CRUST = range(30, 34)

N_TURNS = 10
SIZES = (0.9, 1.0, 1.12)
_HALF = 11.0  # half the side of a piece's own image, in units
_FINE = 2  # drawn this much larger again

# Corners of the table that every container leaves free, from the middle of the canvas.
_CORNERS = ((-47.0, 48.0), (48.0, 47.0), (-48.0, -46.0), (47.0, -47.0))

GREENS = ("leaf", "light_leaf", "dark_leaf", "sprig", "peas")
FRUIT = ("cherry", "blueberry", "strawberry", "orange", "raspberry")
SAVORY = ("egg", "meatball", "bacon", "mushroom")
SWEET = ("cream", "chocolate", "macaron", "wafer")
GRAINS = ("rice", "oats", "noodles", "barley")

# How many pieces at levels 1 to 5.
N_GREENS = (0, 2, 5, 9, 15)
N_FRUIT = (0, 1, 3, 6, 9)
N_GRAINS = (0, 5, 11, 19, 30)
N_EARS = (0, 1, 2, 3, 4)
N_TOAST = (0, 0, 0, 1, 2)
# Savory falls and sweet rises.
N_SAVORY = (6, 4, 1, 0, 0)
N_SWEET = (0, 0, 1, 4, 6)
_N_SPECKS = (44, 26, 10, 3, 0)
_SYRUP_WIDTH = (0.0, 1.3, 2.1, 3.1, 4.4)
_SYRUP_LOOPS = (0, 2, 3, 3, 4)
_CRUST_WIDTH = (0.0, 3.0, 5.4, 8.0, 10.5)
_N_PLACES = N_GREENS[-1] + N_FRUIT[-1] + N_SAVORY[0] + N_TOAST[-1]


@cache
def piece(kind: str, turn: int, size: int) -> Image.Image:
    """An RGBA image of ``kind``, turned by ``turn`` of N_TURNS, in ``SIZES[size]``."""
    scale = SCALE * _FINE * SIZES[size]
    side = round(2 * _HALF * SCALE * _FINE * SIZES[size] / (2 * _FINE)) * 2 * _FINE
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    origin = (side / 2 / scale, side / 2 / scale)
    angle = 2 * np.pi * turn / N_TURNS
    PAINTERS[kind](Pen(image, origin, scale, angle), Pen(image, origin, scale))
    image = image.convert("RGBa").reduce(_FINE).convert("RGBA")
    # A soft shadow below right lifts the piece off its ground.
    alpha = image.getchannel("A")
    shadow = Image.new("L", alpha.size, 0)
    shadow.paste(alpha.point([round(0.42 * v) for v in range(256)]), (SCALE // 2, SCALE))
    shadow = shadow.filter(ImageFilter.GaussianBlur(1.2))
    out = Image.merge("RGBA", [Image.new("L", alpha.size, v) for v in (50, 24, 10)] + [shadow])
    out.alpha_composite(image)
    return out


def places(c: Container, square: Floats, share: float) -> Floats:
    """(n, 2) points of the canvas on the food for (n, 2) points of the unit square."""
    u, v = square[:, 0], square[:, 1]
    if c.glass:
        x = share * c.food_a * (2 * u - 1)
        y = c.food_b * (1.9 * v - 0.93)
    else:
        r, angle = share * np.sqrt(u), 2 * np.pi * v
        x, y = c.food_a * r * np.cos(angle), c.food_b * r * np.sin(angle)
        y = y - 4.0 * (1 - r**2)
    return np.stack([x + SIDE / 2, y + c.food_y], 1)


def _even(n: int, rng: np.random.Generator) -> Floats:
    """(n, 2) points that fill the unit square evenly (the R2 sequence), shifted at random."""
    steps = np.array([0.7548776662466927, 0.5698402909980532])
    return (rng.uniform(0, 1, 2) + steps * np.arange(1, n + 1)[:, None]) % 1.0


def strew_grains(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """One kind of grain, as most dishes have; they lie below everything else."""
    rng = dish.picture_rng(_GRAINS)
    grain = GRAINS[int(rng.integers(len(GRAINS)))]
    spots = places(c, _even(N_GRAINS[-1], rng), 0.84)
    looks = rng.integers(0, (N_TURNS, len(SIZES)), (N_GRAINS[-1], 2))
    n = N_GRAINS[dish.code("grains")]
    _paste(canvas, spots[:n], [grain] * n, looks[:n])


def lay_ears(canvas: Image.Image, dish: Dish) -> None:
    """Ears of grain on the table, one for every level above the first."""
    rng = dish.picture_rng(_EARS)
    order = rng.permutation(len(_CORNERS))
    looks = np.stack([rng.integers(0, N_TURNS, 4), np.full(4, len(SIZES) - 1)], 1)
    n = N_EARS[dish.code("grains")]
    spots = np.array(_CORNERS)[order] + SIDE / 2 + rng.uniform(-3, 3, (4, 2))
    _paste(canvas, spots[:n], ["ear"] * n, looks[:n])


def strew_pieces(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Leaves, fruit, toppings and toast, from the far side to the near one."""
    rng = dish.picture_rng(_PLACES)
    square = _even(_N_PLACES, rng)
    order = rng.permutation(_N_PLACES)
    if dish.camera.sections:
        order = np.argsort(square[:, 1])
    spots = places(c, square[order], 0.86)
    looks = rng.integers(0, (N_TURNS, len(SIZES)), (_N_PLACES, 2))
    rng = dish.picture_rng(_CHOICE)
    dessert = dish.code("dessert")
    toppings: list[tuple[int, str]] = []
    start = 0
    for room, kinds, n in (
        (N_GREENS[-1], GREENS, N_GREENS[dish.code("greenness")]),
        (N_FRUIT[-1], FRUIT, N_FRUIT[dish.code("fruit")]),
        (N_SAVORY[0], SAVORY, N_SAVORY[dessert]),
        (0, SWEET, N_SWEET[dessert]),
        (N_TOAST[-1], ("toast",), N_TOAST[dish.code("baked")]),
    ):
        # Two kinds of green, of fruit ... in a dish, not all of them.
        pair = rng.permutation(len(kinds))[:2]
        which = rng.integers(0, len(pair), N_GREENS[-1])
        # Savory and sweet toppings share their places, from both ends.
        first = start - 1 if room == 0 else start
        step = -1 if room == 0 else 1
        toppings += [(first + step * k, kinds[int(pair[which[k]])]) for k in range(n)]
        start += room
    toppings.sort(key=lambda item: float(spots[item[0], 1]))
    rows = [index for index, _ in toppings]
    _paste(canvas, spots[rows], [kind for _, kind in toppings], looks[rows])


def _paste(canvas: Image.Image, spots: Floats, kinds: list[str], looks: NDArray[np.int64]) -> None:
    for (x, y), kind, (turn, size) in zip(spots.tolist(), kinds, looks.tolist(), strict=True):
        image = piece(kind, turn, size)
        corner = (round(x * SCALE - image.width / 2), round(y * SCALE - image.height / 2))
        canvas.paste(image, corner, image)


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
