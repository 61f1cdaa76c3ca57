"""Draws a dish: a friendly flat picture, 128 x 128, in which every factor can be seen.

From back to front: table, shadow, container, what the dish is made of, liquid, grains, pieces
(leaves, fruit, savory and sweet toppings, toast), syrup, crust, the front of a glass. Then a camera
turns, zooms and lights it, and the picture is scaled down.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image

from rivae.data.kitchen.containers import (
    SIDE,
    Container,
    cast_shadow,
    container,
    draw_ware,
    glass_back,
    glass_front,
)
from rivae.data.kitchen.factors import Camera, Dish
from rivae.data.kitchen.food import draw_base, draw_drops, draw_film, draw_ripples
from rivae.data.kitchen.pen import SCALE, TABLES, WARES, Colour, Pen, darker, lighter
from rivae.data.kitchen.toppings import (
    draw_crust,
    draw_drips,
    draw_specks,
    draw_syrup,
    lay_ears,
    strew_grains,
    strew_pieces,
)

PICTURE_SIDE = 128


def draw(dish: Dish) -> Image.Image:
    """The picture of ``dish``: RGB, 128 x 128. The same dish gives the same pixels."""
    camera = dish.camera
    ware = WARES[camera.ware]
    canvas = _table(camera.table, camera.cloth).copy()
    c = container(dish.code("longishness"), camera.tilt)
    cast_shadow(canvas, c)
    lay_ears(canvas, dish)
    if c.glass:
        mask = glass_back(canvas, c, ware)
        inside = canvas.copy()
        _fill(inside, c, dish)
        box = mask.getbbox()
        canvas.paste(inside.crop(box), box, mask.crop(box))
        glass_front(canvas, c, ware)
    else:
        draw_ware(canvas, c, ware)
        _fill(canvas, c, dish)
    draw_crust(canvas, c, dish)
    draw_drops(canvas, c, dish)
    draw_drips(canvas, c, dish)
    return _photograph(canvas, camera)


def _fill(canvas: Image.Image, c: Container, dish: Dish) -> None:
    draw_base(canvas, c, dish)
    strew_grains(canvas, c, dish)
    draw_film(canvas, c, dish)
    draw_ripples(canvas, c, dish)
    strew_pieces(canvas, c, dish)
    draw_specks(canvas, c, dish)
    draw_syrup(canvas, c, dish)


@cache
def _table(name: str, cloth: str) -> Image.Image:
    """A table top seen from the front, or the cloth on it; the far edge a little darker."""
    colour = TABLES[name]
    side = SIDE * SCALE
    image = Image.new("RGB", (side, side), colour)
    pen = Pen(image)
    if cloth == "planks":
        for k in range(-1, 8):
            y = 20.0 * k + 6
            pen.line(np.array([[0, y], [SIDE, y]]), darker(colour, 0.14), 0.8)
            pen.line(np.array([[0, y + 0.9], [SIDE, y + 0.9]]), lighter(colour, 0.18), 0.6)
    if cloth in ("stripes", "checks"):
        _bands(image, lighter(colour, 0.22), False)
    if cloth == "checks":
        _bands(image, lighter(colour, 0.36), True)
    shade = np.linspace(90, 0, side).clip(0, 255).astype(np.uint8)[:, None].repeat(side, 1)
    image.paste(darker(colour, 0.45), (0, 0), Image.fromarray(shade))
    return image


def _bands(image: Image.Image, colour: Colour, across: bool) -> None:
    soft = Image.new("L", image.size, 0)
    pen = Pen(soft)
    for k in range(0, SIDE, 16):
        ends = np.array([[k, 0], [k, SIDE]], dtype=float)
        pen.line(ends[:, ::-1] if across else ends, 150, 7)
    image.paste(colour, (0, 0), soft)


def _photograph(canvas: Image.Image, camera: Camera) -> Image.Image:
    """Turn, zoom, move and light the scene, and scale it down."""
    side = PICTURE_SIDE * 2
    step = SCALE / 2 / camera.zoom  # canvas pixels per pixel of the picture before the reduction
    roll = np.deg2rad(camera.roll)
    cos, sin = float(np.cos(roll)) * step, float(np.sin(roll)) * step
    middle = SIDE * SCALE / 2
    x0 = middle - camera.shift[0] * SCALE - (cos + sin) * side / 2
    y0 = middle - camera.shift[1] * SCALE - (cos - sin) * side / 2
    matrix = (cos, sin, x0, -sin, cos, y0)
    image = canvas.transform(
        (side, side),
        Image.Transform.AFFINE,
        matrix,
        Image.Resampling.BILINEAR,
        fillcolor=TABLES[camera.table],
    ).reduce(2)
    if camera.mirrored:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    warm = 0.035 * camera.warmth
    table: list[int] = []
    for gain in (1 + warm, 1.0, 1 - warm):
        table += [min(255, round(v * gain * camera.light)) for v in range(256)]
    return image.point(table)
