"""Colours of the kitchen's pictures, and mixing them."""

from __future__ import annotations

Colour = tuple[int, int, int]

TABLES: dict[str, Colour] = {
    "pine": (226, 196, 156),
    "walnut": (142, 108, 84),
    "linen": (238, 232, 220),
    "slate": (112, 124, 140),
    "peach": (250, 214, 190),
    "lilac": (216, 206, 232),
    "sky": (190, 214, 234),
    "sand": (232, 218, 188),
}

WARES: dict[str, Colour] = {
    "white": (250, 250, 248),
    "cream": (250, 240, 218),
    "blue": (150, 184, 218),
    "rose": (240, 190, 190),
    "mustard": (240, 204, 110),
    "grey": (176, 180, 188),
    "lavender": (198, 186, 226),
    "terracotta": (214, 136, 104),
}

# From savory to dessert: what the dish is made of, and its liquid.
SAVORY_BASE: Colour = (194, 102, 44)
SWEET_BASE: Colour = (250, 226, 196)
SAVORY_LIQUID: Colour = (250, 190, 62)
SWEET_LIQUID: Colour = (250, 160, 196)
WATER: Colour = (122, 190, 236)

# From pale to crusty.
CRUSTS: tuple[Colour, ...] = (
    (244, 216, 160),
    (244, 214, 156),
    (234, 186, 108),
    (214, 148, 68),
    (178, 108, 44),
)

SYRUP: Colour = (212, 112, 18)
SYRUP_DARK: Colour = (146, 64, 10)
SYRUP_LIGHT: Colour = (255, 206, 110)
SPRINKLES: tuple[Colour, ...] = (
    (236, 72, 132),
    (250, 200, 50),
    (70, 150, 230),
    (150, 90, 210),
    (250, 250, 250),
)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """``a`` at share 0, ``b`` at share 1."""
    x, y, z = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return (x, y, z)


def lighter(colour: Colour, share: float) -> Colour:
    """Towards white."""
    return mix(colour, (255, 255, 255), share)


def darker(colour: Colour, share: float) -> Colour:
    """Towards a warm black."""
    return mix(colour, (40, 22, 14), share)
