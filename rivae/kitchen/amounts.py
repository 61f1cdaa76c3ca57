"""How much of an ingredient, and the ways people spell it."""

from __future__ import annotations

import numpy as np

from rivae.kitchen.factors import Wording
from rivae.kitchen.pantry import COUNTED, SPARING

_GLYPHS = {"1/2": "½", "1/4": "¼", "3/4": "¾", "1/3": "⅓", "2/3": "⅔"}
_SHORT = {
    "tablespoon": "tbsp",
    "tablespoons": "tbsp",
    "teaspoon": "tsp",
    "teaspoons": "tsp",
    "ounce": "oz",
    "ounces": "oz",
    "pound": "lb",
    "pounds": "lbs",
    "cups": "c.",
    "cup": "c.",
}

# By factor, then by level 2 to 5: amounts to choose from.
AMOUNTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "wateriness": (
        ("1 tablespoon", "2 tablespoons", "3 tablespoons"),
        ("1/2 cup", "2/3 cup", "3/4 cup"),
        ("2 cups", "2 1/2 cups", "3 cups"),
        ("5 cups", "6 cups", "7 cups", "8 cups"),
    ),
    "greenness": (
        ("1 tablespoon", "2 tablespoons", "3 tablespoons"),
        ("1/2 cup", "1 handful", "3/4 cup"),
        ("2 cups", "2 handfuls", "1 1/2 cups"),
        ("4 cups", "2 bunches", "3 1/2 cups", "3 bunches"),
    ),
    "stickiness": (
        ("1 teaspoon", "1/2 teaspoon", "2 teaspoons"),
        ("1 tablespoon", "2 tablespoons", "1 1/2 tablespoons"),
        ("1/3 cup", "1/4 cup", "1/2 cup"),
        ("1 cup", "1 1/4 cups", "1 1/2 cups"),
    ),
    "baked": (
        ("1 tablespoon", "2 tablespoons", "1 teaspoon"),
        ("1/3 cup", "1/2 cup", "1/4 cup"),
        ("1 cup", "1 1/2 cups", "1 1/4 cups"),
        ("2 1/2 cups", "3 cups", "1 pound"),
    ),
    "grains": (
        ("2 tablespoons", "3 tablespoons", "1 tablespoon"),
        ("1/2 cup", "1/3 cup", "3 ounces"),
        ("1 cup", "1 1/4 cups", "8 ounces"),
        ("2 1/2 cups", "3 cups", "1 pound"),
    ),
    "fruit": (
        ("1 tablespoon", "2 tablespoons", "3 tablespoons"),
        ("1/3 cup", "1/2 cup", "1/4 cup"),
        ("1 cup", "1 1/2 cups", "8 ounces"),
        ("3 cups", "4 cups", "1 1/2 pounds"),
    ),
    # Of what makes a dish savory, or sweet.
    "dessert": (
        ("1 tablespoon", "2 tablespoons", "1 ounce"),
        ("1/2 cup", "3 ounces", "1/3 cup"),
        ("8 ounces", "1 cup", "6 ounces"),
        ("1 pound", "12 ounces", "2 cups", "1 1/2 pounds"),
    ),
}
# By level 2 to 5, of what is taken by the spoon or by number.
SPARING_AMOUNTS: tuple[tuple[str, ...], ...] = (
    ("1 pinch", "1/4 teaspoon"),
    ("1/2 teaspoon", "3/4 teaspoon"),
    ("1 1/2 teaspoons", "2 teaspoons"),
    ("1 tablespoon", "2 tablespoons", "1 1/2 tablespoons"),
)
COUNTS: tuple[tuple[str, ...], ...] = (("2",), ("3", "4"), ("5", "6"), ("8", "10", "12"))
STAPLE_AMOUNTS = ("1/2 teaspoon", "1 pinch", "1 tablespoon", "2 tablespoons", "1 teaspoon")


def choose_amount(group: str, word: str, level: int, rng: np.random.Generator) -> str:
    """How much of ``word``: ``level`` 1 to 4 is its factor's code, 4 the most."""
    if word in SPARING:
        options = SPARING_AMOUNTS[level - 1]
    elif word in COUNTED:
        options = COUNTS[level - 1]
    else:
        options = AMOUNTS[group][level - 1]
    return options[int(rng.integers(len(options)))]


def spell(amount: str, wording: Wording) -> str:
    """ "2 1/2 cups" as this writer would put it: "2½ cups", "2 1/2 c." ..."""
    words = amount.split()
    if wording.units == "short":
        words = [_SHORT.get(word, word) for word in words]
    if wording.fraction == "½":
        words = [_GLYPHS.get(word, word) for word in words]
        if len(words) > 2 and words[0].isdigit() and words[1] in _GLYPHS.values():
            words[:2] = [words[0] + words[1]]
    return " ".join(words)
