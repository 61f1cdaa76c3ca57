"""What painters of pieces share.

A painter gets two pens: one turned with the piece, one that keeps the light where it is. Both have
(0, 0) in the middle of the piece, which reaches about 9 units from there.
"""

from __future__ import annotations

from collections.abc import Callable

from rivae.kitchen.colours import Colour, darker, lighter
from rivae.kitchen.pen import Pen

Painter = Callable[[Pen, Pen], None]


def painter(names: dict[str, Painter]) -> Callable[[Painter], Painter]:
    """Enter the decorated painter into ``names``, without its leading underscore."""

    def enter(paint: Painter) -> Painter:
        names[paint.__name__.removeprefix("_")] = paint
        return paint

    return enter


def ball(still: Pen, r: float, colour: Colour) -> None:
    """A round thing of radius ``r`` in the middle, lit from above left."""
    still.dot(0, 0, r, darker(colour, 0.3))
    still.dot(-0.06 * r, -0.08 * r, 0.9 * r, colour)
    still.dot(-0.3 * r, -0.34 * r, 0.42 * r, lighter(colour, 0.22))
    still.dot(-0.38 * r, -0.44 * r, 0.17 * r, lighter(colour, 0.85))
