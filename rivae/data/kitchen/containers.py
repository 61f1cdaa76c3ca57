"""Containers, from flat plate to bottle, and where on them food can lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from rivae.data.kitchen.pen import (
    SCALE,
    Colour,
    Pen,
    Points,
    darker,
    ellipse,
    lighter,
    mix,
    side_light,
    soft_disc,
)

SIDE = 160  # units of the canvas; the outer ones are only there for the camera to turn in


@dataclass(frozen=True)
class Container:
    """One container on the canvas, lengths in units (128 to a picture's side).

    Attributes:
        code: longishness, 0 to 4.
        a, b: half axes of the opening.
        top, foot_y: heights of the middle of the opening and of the foot on the canvas.
        body: half width of the widest place.
        foot: half width of the foot.
        food_a, food_b: half axes of the food's surface; of glass: half width and half height.
        food_y: the middle of the food on the canvas.
    """

    code: int
    a: float
    b: float
    top: float
    foot_y: float
    body: float
    foot: float
    food_a: float
    food_b: float
    food_y: float

    @property
    def glass(self) -> bool:
        """Whether the food is seen through the side."""
        return self.code >= 3


# a, b, height, body, foot
_SHAPES = (
    (56.0, 38.0, 5.0, 56.0, 34.0),
    (50.0, 30.5, 31.0, 50.0, 22.0),
    (42.0, 26.5, 52.0, 42.0, 24.0),
    (31.0, 8.0, 80.0, 31.0, 24.0),
    (14.0, 3.8, 97.0, 24.0, 21.0),
)
NECK = 24.0  # how far below its mouth a bottle is as wide as its body


def container(code: int, tilt: float) -> Container:
    """The container of longishness ``code`` seen from higher (``tilt`` > 1) or lower."""
    a, b, height, body, foot = _SHAPES[code]
    b, height = b * tilt, height * (2 - tilt) if code < 3 else height
    middle = SIDE / 2 + (2.0 if code < 3 else 1.5)
    top = middle - (height + 0.35 * b) / 2
    foot_y = top + height
    if code < 3:
        share = (0.80, 0.93, 0.93)[code]
        food = (a * share, b * share, top + (1.0, 2.0, 2.0)[code])
    else:
        first = top + (5.0 if code == 3 else NECK - 9)
        last = foot_y - (3.0 if code == 3 else 2.0)
        food = ((26.5 if code == 3 else 22.0), (last - first) / 2, (first + last) / 2)
    return Container(code, a, b, top, foot_y, body, foot, *food)


def outline(c: Container, inset: float = 0.0) -> Points:
    """Outline of the body below the opening, as points around the canvas's origin."""
    if c.code < 3:
        t = np.linspace(0, np.pi, 40)
        power = (0.9, 0.72, 0.55)[c.code]
        x = np.sign(np.cos(t)) * np.abs(np.cos(t)) ** power * c.a
        y = np.sin(t) ** 1.1 * (c.foot_y - c.top) + 0.30 * c.b * np.sin(t)
        points = np.stack([x, y], 1) + [0, c.top]
    elif c.code == 3:
        foot = ellipse(c.foot, 5.0, 20, 0, np.pi) + [0, c.foot_y]
        points = np.concatenate([[[c.a, c.top]], foot, [[-c.a, c.top]]])
    else:
        t = np.linspace(0, 1, 16)
        bend = 3 * t**2 - 2 * t**3
        x = c.a + (c.body - c.a) * bend
        y = c.top + 5 + (NECK - 5) * t
        right = np.concatenate([[[c.a, c.top]], np.stack([x, y], 1)])
        foot = ellipse(c.foot + 2, 4.5, 20, 0, np.pi) + [0, c.foot_y]
        points = np.concatenate([right, foot, (right * [-1, 1])[::-1]])
    if inset:
        centre = points.mean(0)
        points = points + (centre - points) * np.minimum(
            1, inset / np.maximum(np.abs(centre - points).max(0), 1)
        )
    return points + [SIDE / 2, 0]


def mask_of(points: Points, size: int) -> Image.Image:
    """ "L" image (size, size), white inside the outline."""
    mask = Image.new("L", (size, size), 0)
    ImageDraw.Draw(mask).polygon([(x * SCALE, y * SCALE) for x, y in points.tolist()], fill=255)
    return mask


def cast_shadow(canvas: Image.Image, c: Container) -> None:
    """A soft shadow on the table, to the right of the container."""
    width = c.foot * 2.3 if c.code else c.a * 2.35
    depth = (c.b * 2.3, 30, 26, 22, 22)[c.code]
    size = (round(width * SCALE * 1.5), round(depth * SCALE * 1.5))
    shadow = soft_disc().resize(size).point([round(0.55 * v) for v in range(256)])
    x = round((SIDE / 2 + (5 if c.code else 3)) * SCALE - size[0] / 2)
    y = round((c.foot_y + (2 if c.code else 3)) * SCALE - size[1] / 2)
    if c.code == 0:
        y = round((c.top + 7) * SCALE - size[1] / 2)
    canvas.paste((62, 42, 34), (x, y, x + size[0], y + size[1]), shadow)


def _shade_body(canvas: Image.Image, c: Container, colour: Colour) -> None:
    """The body, round and lit from the left."""
    mask = mask_of(outline(c), canvas.width)
    box = mask.getbbox()
    assert box is not None
    mask = mask.crop(box)
    light = side_light().resize(mask.size)
    body = Image.new("RGB", mask.size, darker(colour, 0.34))
    body.paste(lighter(colour, 0.12), (0, 0), light)
    canvas.paste(body, box, mask)


def draw_ware(canvas: Image.Image, c: Container, colour: Colour) -> None:
    """Plate or bowl, empty: body, rim and inside."""
    pen = Pen(canvas, (SIDE / 2, c.top))
    _shade_body(canvas, c, colour)
    pen.polygon(ellipse(c.a, c.b), lighter(colour, 0.45))
    inner = 0.955 if c.code else 0.97
    pen.polygon(ellipse(c.a * inner, c.b * inner) + [0, 0.5], mix(colour, (120, 100, 92), 0.10))
    if c.code == 0:
        pen.polygon(ellipse(c.a * 0.80, c.b * 0.80) + [0, 0.8], darker(colour, 0.10))
        pen.polygon(ellipse(c.a * 0.78, c.b * 0.77) + [0, 1.8], lighter(colour, 0.30))
    else:
        pen.polygon(ellipse(c.a * 0.93, c.b * 0.93) + [0, 1.2], darker(colour, 0.22))
    gleam = ellipse(c.a * 0.985, c.b * 0.985, 20, 2.6, 4.0)
    pen.line(gleam, (255, 255, 255), 0.9)


def glass_back(canvas: Image.Image, c: Container, colour: Colour) -> Image.Image:
    """The empty glass; returns the mask of its body."""
    mask = mask_of(outline(c), canvas.width)
    tint = mix(lighter(colour, 0.55), (226, 240, 246), 0.6)
    box = mask.getbbox()
    canvas.paste(tint, box, mask.crop(box).point([round(0.62 * v) for v in range(256)]))
    pen = Pen(canvas, (SIDE / 2, c.top))
    pen.polygon(ellipse(c.a, c.b), lighter(tint, 0.5))
    pen.polygon(ellipse(c.a * 0.9, c.b * 0.86), mix(tint, (150, 170, 180), 0.35))
    return mask


def glass_front(canvas: Image.Image, c: Container, colour: Colour) -> None:
    """Rim, gleams and a painted band in the ware's colour in front of the food."""
    shape = outline(c)
    veil = Image.new("RGBA", canvas.size, (255, 255, 255, 0))
    pen = Pen(veil)
    pen.line(shape, (255, 255, 255, 150), 1.6)
    high = c.top + (8 if c.code == 3 else NECK + 3)
    gleam = np.array([[SIDE / 2 - c.body * 0.74, high], [SIDE / 2 - c.body * 0.64, c.foot_y - 8]])
    if c.code == 4:
        gleam[:, 0] = SIDE / 2 - c.body * 0.78
    pen.line(gleam, (255, 255, 255, 165), 2.6)
    thin = gleam * [-1, 1] + [SIDE - 1.0, 0]
    pen.line(thin + [0.5, 4], (255, 255, 255, 90), 1.2)
    front = Pen(veil, (SIDE / 2, c.top))
    front.line(ellipse(c.a, c.b, 40), (255, 255, 255, 220), 1.1)
    ring = c.foot + (2 if c.code == 4 else 0)
    base = Pen(veil, (SIDE / 2, c.foot_y))
    rest = ellipse(ring, 4.8, 24, 0, np.pi)
    base.line(rest, (*darker(colour, 0.1), 255), 2.6)
    if c.code == 4:
        for y in (2.5, 5.0):
            front.line(
                ellipse(c.a + 0.4, c.b, 24, 0, np.pi) + [0, y], (*darker(colour, 0.1), 255), 1.6
            )
    box = veil.getbbox()
    veil = veil.crop(box)
    canvas.paste(veil, box, veil)
