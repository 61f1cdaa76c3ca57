"""Where the pieces lie: even places, so that one kind hides little of another."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from rivae.kitchen import paint_cooked, paint_fresh
from rivae.kitchen.containers import SIDE, Container
from rivae.kitchen.factors import Dish
from rivae.kitchen.pen import SCALE, Pen

N_TURNS = 10
SIZES = (0.9, 1.0, 1.12)
_HALF = 11.0  # half the side of a piece's own image, in units
_FINE = 2  # drawn this much larger again

_PAINTERS = {**paint_fresh.PAINTERS, **paint_cooked.PAINTERS}


@cache
def piece(kind: str, turn: int, size: int) -> Image.Image:
    """An RGBA image of ``kind``, turned by ``turn`` of N_TURNS, in ``SIZES[size]``."""
    scale = SCALE * _FINE * SIZES[size]
    side = round(2 * _HALF * SCALE * _FINE * SIZES[size] / (2 * _FINE)) * 2 * _FINE
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    origin = (side / 2 / scale, side / 2 / scale)
    angle = 2 * np.pi * turn / N_TURNS
    _PAINTERS[kind](Pen(image, origin, scale, angle), Pen(image, origin, scale))
    image = image.convert("RGBa").reduce(_FINE).convert("RGBA")
    # A soft shadow below right lifts the piece off what it lies on.
    alpha = image.getchannel("A")
    shadow = Image.new("L", alpha.size, 0)
    shadow.paste(alpha.point([round(0.42 * v) for v in range(256)]), (SCALE // 2, SCALE))
    shadow = shadow.filter(ImageFilter.GaussianBlur(1.2))
    out = Image.merge("RGBA", [Image.new("L", alpha.size, v) for v in (50, 24, 10)] + [shadow])
    out.alpha_composite(image)
    return out


Array = NDArray[np.float64]

_GRAINS, _PLACES, _CHOICE, _EARS = range(4)

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
_N_PLACES = N_GREENS[-1] + N_FRUIT[-1] + N_SAVORY[0] + N_TOAST[-1]


def places(c: Container, square: Array, share: float) -> Array:
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


def _even(n: int, rng: np.random.Generator) -> Array:
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
    chosen: list[tuple[int, str]] = []
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
        chosen += [(first + step * k, kinds[int(pair[which[k]])]) for k in range(n)]
        start += room
    chosen.sort(key=lambda item: float(spots[item[0], 1]))
    rows = [index for index, _ in chosen]
    _paste(canvas, spots[rows], [kind for _, kind in chosen], looks[rows])


def _paste(canvas: Image.Image, spots: Array, kinds: list[str], looks: NDArray[np.int64]) -> None:
    for (x, y), kind, (turn, size) in zip(spots.tolist(), kinds, looks.tolist(), strict=True):
        image = piece(kind, turn, size)
        corner = (round(x * SCALE - image.width / 2), round(y * SCALE - image.height / 2))
        canvas.paste(image, corner, image)
