"""The food itself: a dry heap and the liquid around it."""

from __future__ import annotations

import numpy as np
from PIL import Image

from rivae.data.kitchen.containers import SIDE, Container
from rivae.data.kitchen.factors import Dish
from rivae.data.kitchen.pen import (
    SAVORY_BASE,
    SAVORY_LIQUID,
    SCALE,
    SWEET_BASE,
    SWEET_LIQUID,
    WATER,
    Colour,
    Pen,
    Points,
    darker,
    ellipse,
    lighter,
    mix,
    top_light,
)

# Random streams of the picture; toppings.py has the others.
_LUMPS, _LIQUID, _DROPS = range(20, 23)

# By wateriness: share of the container's opening that the dry heap still covers (0: sunk).
_HEAP = (0.94, 0.78, 0.58, 0.36, 0.0)
# The same for glass: how high the liquid stands, share of the food's height.
_LEVEL = (0.0, 0.24, 0.48, 0.74, 1.0)
_N_RINGS = (0, 1, 2, 3, 5)
_N_DROPS = (0, 2, 5, 9, 14)
_FILM = (0.0, 0.0, 0.12, 0.26, 0.4)


def base_colour(dish: Dish) -> Colour:
    """From savory brown to sweet cream."""
    return mix(SAVORY_BASE, SWEET_BASE, dish.code("dessert") / 4)


def liquid_colour(dish: Dish) -> Colour:
    """From golden broth to strawberry milk; a little clearer the more of it there is."""
    colour = mix(SAVORY_LIQUID, SWEET_LIQUID, dish.code("dessert") / 4)
    return lighter(colour, 0.04 * dish.code("wateriness"))


def draw_base(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """The dry heap and the liquid around or below it."""
    if c.glass:
        _fill_glass(canvas, c, dish)
        return
    pen = Pen(canvas, (SIDE / 2, c.food_y))
    wet = dish.code("wateriness")
    if wet:
        colour = liquid_colour(dish)
        outer = ellipse(c.food_a, c.food_b)
        pen.polygon(outer, darker(colour, 0.25))
        pen.polygon(outer * 0.975 + [0, 0.5], colour)
        _gloss(canvas, c, 0.97, lighter(colour, 0.6))
        for reach, start, width in ((0.90, 0.5, 1.5), (0.80, 0.7, 0.9)):
            gleam = ellipse(c.food_a * reach, c.food_b * reach, 24, start, start + 0.9)
            pen.line(gleam, lighter(colour, 0.75), width)
    if _HEAP[wet]:
        heap = _HEAP[wet]
        height = 4.5 * heap
        colour = base_colour(dish)
        # A smaller heap is further back: the liquid shows in front.
        back = Pen(canvas, (SIDE / 2, c.food_y - 0.9 * (1 - heap) * c.food_b))
        _lumpy(back, c.food_a * heap, c.food_b * heap, height, colour, dish)


def _lumpy(pen: Pen, a: float, b: float, height: float, colour: Colour, dish: Dish) -> None:
    """A heap with an uneven edge and lumps on it."""
    rng = dish.picture_rng(_LUMPS)
    t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    waves = rng.uniform(0, 2 * np.pi, 3)
    edge = 1 - 0.05 * (1 + np.sin(5 * t + waves[0])) / 2 - 0.04 * (1 + np.sin(9 * t + waves[1])) / 2
    rim = np.stack([a * edge * np.cos(t), b * edge * np.sin(t)], 1)
    pen.polygon(rim + [0.6, 1.4], darker(colour, 0.5))
    pen.polygon(rim, darker(colour, 0.18))
    pen.polygon(rim * 0.94 - [0, 0.5 * height], colour)
    for u, v, size, tone in zip(*rng.uniform(0, 1, (4, 26)), strict=True):
        r, angle = 0.86 * np.sqrt(u), 2 * np.pi * v
        x, y = a * r * np.cos(angle), b * r * np.sin(angle) - 0.6 * height
        lump = 2.2 + 3.0 * size
        pen.dot(x + 0.4, y + 0.7, lump, darker(colour, 0.11), 0.7)
        pen.dot(x, y, lump * 0.9, mix(colour, lighter(colour, 0.22), tone), 0.66)


def _gloss(canvas: Image.Image, c: Container, share: float, colour: Colour) -> None:
    """Light from above left on an elliptic surface."""
    size = (round(2 * c.food_a * share * SCALE), round(2 * c.food_b * share * SCALE))
    x = round(SIDE / 2 * SCALE - size[0] / 2)
    y = round(c.food_y * SCALE - size[1] / 2)
    light = top_light().resize(size)
    canvas.paste(colour, (x, y), light)


def draw_ripples(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Rings on the liquid of a plate or bowl."""
    wet = dish.code("wateriness")
    colour = liquid_colour(dish)
    spots = dish.picture_rng(_LIQUID).uniform(0, 1, (_N_RINGS[-1], 3))
    pen = Pen(canvas, (SIDE / 2, c.food_y))
    for u, v, size in spots[: 0 if c.glass else _N_RINGS[wet]]:
        r, angle = 0.55 + 0.3 * u, np.pi * (0.05 + 0.9 * v)
        x, y = c.food_a * r * np.cos(angle), c.food_b * r * np.sin(angle)
        for k in (1.0, 0.5):
            ring = ellipse((3 + 3 * size) * k, (1.7 + 1.7 * size) * k, 20)
            pen.line(np.concatenate([ring, ring[:1]]) + [x, y], lighter(colour, 0.8), 0.8)


def draw_drops(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Water spilled next to the container: visible even where food hides the liquid."""
    wet = dish.code("wateriness")
    drops = dish.picture_rng(_DROPS).uniform(0, 1, (_N_DROPS[-1], 3))
    table = Pen(canvas, (SIDE / 2, c.foot_y if c.code else c.top))
    reach, depth = (c.foot, 4.0) if c.code else (c.a * 0.98, c.b)
    for k, (u, v, size) in enumerate(drops[: _N_DROPS[wet]]):
        angle = np.pi * (0.04 + 0.92 * ((k * 0.618 + u * 0.2) % 1.0))
        x, y = (reach + 4 + 9 * v) * np.cos(angle), (depth + 4 + 6 * v) * np.sin(angle)
        _drop(table, float(x), float(y), 1.9 + 1.5 * size)


def _drop(pen: Pen, x: float, y: float, r: float) -> None:
    pen.dot(x + 0.3, y + 0.5, r, darker(WATER, 0.45), 0.66)
    pen.dot(x, y, r, WATER, 0.66)
    pen.dot(x + 0.15 * r, y + 0.12 * r, 0.6 * r, lighter(WATER, 0.4), 0.5)
    pen.dot(x - 0.35 * r, y - 0.22 * r, 0.32 * r, (255, 255, 255), 0.7)


def draw_film(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Liquid over what has sunk: the more of it, the more it veils."""
    wet = dish.code("wateriness")
    if not _FILM[wet]:
        return
    if c.glass:
        surface = c.food_y + c.food_b - 2 * c.food_b * _LEVEL[wet]
        shape = _slab(SIDE / 2 - c.body, SIDE / 2 + c.body, surface, c.foot_y + 6)
    else:
        shape = ellipse(c.food_a, c.food_b) + [SIDE / 2, c.food_y]
    corner = shape.min(0)
    width, height = np.ceil((shape.max(0) - corner) * SCALE).astype(int).tolist()
    veil = Image.new("L", (width, height), 0)
    Pen(veil).polygon(shape - corner, round(255 * _FILM[wet]))
    x, y = np.round(corner * SCALE).astype(int).tolist()
    canvas.paste(liquid_colour(dish), (x, y), veil)


def _fill_glass(canvas: Image.Image, c: Container, dish: Dish) -> None:
    """Liquid below, the dry heap above it up to the brim."""
    wet = dish.code("wateriness")
    left, right = SIDE / 2 - c.body, SIDE / 2 + c.body
    first, last = c.food_y - c.food_b, c.foot_y + 6
    surface = c.food_y + c.food_b - 2 * c.food_b * _LEVEL[wet]
    pen = Pen(canvas)
    width = c.body * (0.92 if c.code == 3 else 0.9)
    if wet < 4:
        colour = base_colour(dish)
        pen.polygon(_slab(left, right, first, last), colour)
        rng = dish.picture_rng(_LUMPS)
        for u, v, size, tone in rng.uniform(0, 1, (34, 4)):
            x, y = left + (right - left) * u, first + (last - first) * v
            lump = 2.4 + 2.6 * size
            pen.dot(x + 0.4, y + 0.6, lump, darker(colour, 0.12), 0.85)
            pen.dot(x, y, lump * 0.9, mix(colour, lighter(colour, 0.25), tone), 0.85)
        crown = Pen(canvas, (SIDE / 2, first))
        crown.polygon(ellipse(width, 3.4), lighter(colour, 0.12))
    if wet:
        colour = liquid_colour(dish)
        pen.polygon(_slab(left, right, surface, last), colour)
        pen.polygon(_slab(left + 2, left + 0.8 * c.body, surface, last), lighter(colour, 0.16))
        skin = Pen(canvas, (SIDE / 2, surface))
        skin.polygon(ellipse(width, 3.4), lighter(colour, 0.5))
        skin.line(ellipse(width * 0.9, 2.8, 24, 0.3, 2.8), lighter(colour, 0.8), 0.8)
        rng = dish.picture_rng(_LIQUID)
        light = lighter(colour, 0.7)
        for u, v, size in rng.uniform(0, 1, (24, 3))[: 6 * wet]:
            x, y = left + 4 + (right - left - 8) * u, surface + 5 + (last - surface - 9) * v
            ring = ellipse(0.9 + 1.1 * size, 0.9 + 1.1 * size, 12)
            pen.line(np.concatenate([ring, ring[:1]]) + [x, y], light, 0.6)


def _slab(left: float, right: float, first: float, last: float) -> Points:
    return np.array([[left, first], [right, first], [right, last], [left, last]])
