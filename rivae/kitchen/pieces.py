"""The pieces a dish is strewn with, drawn once per turn and size and pasted from then on."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageFilter

from rivae.kitchen import paint_cooked, paint_fresh
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
