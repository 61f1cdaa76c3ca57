"""What the writer says of a rendered dish: the kinds of food in its picture, and no others.

``rivae.data.kitchen.serving`` decides which kinds a dish is served with; here are their names, and
the sentences that a recipe has for them instead of those in ``phrases``.
"""

from __future__ import annotations

import numpy as np

from rivae.data.kitchen.factors import Dish
from rivae.data.kitchen.phrases import Choices
from rivae.data.kitchen.serving import WATER, Serving

# By kind; the first name also says whether it is taken by number or by the spoon.
NAMES: dict[str, tuple[str, ...]] = {
    "tomato broth": ("tomato broth", "tomato stock", "red broth"),
    "golden broth": ("golden broth", "chicken broth", "saffron broth"),
    "light broth": ("light broth", "clear broth", "vegetable broth"),
    "milk": ("milk", "whole milk", "almond milk"),
    "rose milk": ("rose milk", "pink milk", "rosewater milk"),
    WATER: ("water", "cold water", "ice water"),
    "basil": ("fresh basil", "basil leaves", "sweet basil"),
    "spinach": ("baby spinach", "spinach leaves", "young spinach"),
    "mint": ("fresh mint", "mint leaves", "spearmint"),
    "soy glaze": ("soy glaze", "dark soy glaze", "teriyaki glaze"),
    "balsamic glaze": ("balsamic glaze", "balsamic syrup", "balsamic reduction"),
    "fudge sauce": ("fudge sauce", "hot fudge", "fudge glaze"),
    "molasses": ("molasses", "dark molasses", "treacle"),
    "bread": ("toasted bread", "bread slices", "flatbreads"),
    "biscuits": ("biscuits", "shortbread rounds", "butter biscuits"),
    "pie crust": ("pie crust", "shortcrust pastry", "pastry dough"),
    "crumbs": ("toasted crumbs", "crumble", "golden crumbs"),
    "rice": ("white rice", "long-grain rice", "steamed rice"),
    "puffed rice": ("puffed rice", "crisped rice", "rice puffs"),
    "cherries": ("cherries", "sweet cherries"),
    "lemon slices": ("lemon slices", "sliced lemons"),
    "red grapes": ("red grapes", "seedless grapes"),
    "strawberries": ("strawberries", "whole strawberries"),
    "blueberries": ("blueberries", "wild blueberries"),
    "raspberries": ("raspberries", "fresh raspberries"),
    "orange slices": ("orange slices", "sliced oranges"),
    "minced beef": ("minced beef", "ground beef"),
    "mashed lentils": ("mashed lentils", "lentils"),
    "hummus": ("hummus", "chickpea mash"),
    "custard": ("custard", "vanilla custard"),
    "rose mousse": ("rose mousse", "pink mousse"),
    "egg": ("eggs", "boiled eggs"),
    "meatballs": ("meatballs", "beef meatballs"),
    "shrimp": ("shrimp", "cooked shrimp"),
    "pepper": ("black pepper", "cracked pepper"),
    "mushrooms": ("mushrooms", "brown mushrooms"),
    "whipped cream": ("whipped cream", "cream swirls"),
    "chocolate": ("chocolate pieces", "dark chocolate"),
    "ice cream": ("ice cream", "gelato"),
    "wafer rolls": ("wafer rolls", "rolled wafers"),
    "sprinkles": ("rainbow sprinkles", "sugar sprinkles"),
    "macarons": ("macarons", "pink macarons"),
}
BY_NUMBER = frozenset({"biscuits", "toasted bread"})  # beside what pantry.COUNTED names
_USUAL = {name: names[0] for names in NAMES.values() for name in names}

# By "dessert": how many of the toppings are named, the smaller number or the larger one.
N_TOPPINGS = ((4, 5), (3, 4), (1, 1), (3, 4), (4, 5))
# By "dessert": how strong its taste is, as an amount's level 1 to 4.
STRENGTH = (4, 3, 2, 3, 4)

# By code 0 to 4, as in ``phrases.STEPS``.
STEPS: dict[str, tuple[Choices, ...]] = {
    "baked": (
        ("Leave it uncooked.", "No oven is needed.", ""),
        ("Warm the {x} for 5 minutes.", "Toast the {x} briefly."),
        (
            "Bake the {x} at 325 degrees F for 12 minutes.",
            "Bake the {x} 10 minutes until set.",
        ),
        (
            "Preheat the oven to 375 degrees F. Bake the {x} 25 minutes until golden.",
            "Bake the {x} in the oven for 30 minutes until golden brown.",
        ),
        (
            "Preheat the oven to 425 degrees F. Bake the {x} for 45 minutes until crusty.",
            "Bake the {x} in a hot oven for 50 minutes until deep brown and crisp.",
        ),
    ),
    "fruit": (
        ("",),
        ("Decorate with a few {x}.", "Add the {x} at the end."),
        ("Scatter the {x} on top.", "Add the {x}."),
        ("Arrange the {x} on one side.", "Add plenty of {x}."),
        ("Pile on all of the {x}.", "Cover one side with all of the juicy {x}."),
    ),
}
SWEET_GRAINS: tuple[Choices, ...] = (
    ("",),
    ("Sprinkle with the {x}.", "Add the {x} for crunch."),
    ("Spoon on the {x}.", "Stir in the {x}."),
    ("Heap the {x} on one side.", "Fold in plenty of {x}."),
    ("Use all of the {x} as the bed.", "Pile on all of the {x}; it makes most of the dish."),
)
SWEET_STEPS: tuple[Choices, ...] = (
    ("Add the {x}.", "Begin with the {x}."),
    ("Top with the {x}.", "Add the {x}, lightly sweetened."),
    ("Decorate generously with the {x} for dessert.", "Spoon and scatter the {x} on top."),
)


def usual_name(name: str) -> str:
    """The first name of the kind that ``name`` is one of; the name itself of any other.

    >>> usual_name("boiled eggs"), usual_name("salt")
    ('eggs', 'salt')
    """
    return _USUAL.get(name, name)


def named(serving: Serving, group: str, n: int, rng: np.random.Generator) -> list[str]:
    """``n`` names of the kinds that show the factor ``group``, each kind's in turn.

    Args:
        n: at most three for each kind.
    """
    kinds = {
        "wateriness": (serving.liquid, WATER),
        "greenness": (serving.leaf,),
        "stickiness": (serving.syrup,),
        "baked": serving.baked,
        "grains": (serving.grain,),
        "fruit": serving.fruits,
    }[group]
    shuffled = [[NAMES[kind][int(k)] for k in rng.permutation(len(NAMES[kind]))] for kind in kinds]
    return [shuffled[k % len(kinds)][k // len(kinds)] for k in range(n)]


def named_toppings(dish: Dish, serving: Serving, rng: np.random.Generator) -> list[str]:
    """Names of what fills the dish, where it stands out of the liquid, and of what lies on it."""
    code, coin = dish.code("dessert"), int(rng.integers(2))
    names = {kind: options[int(rng.integers(len(options)))] for kind, options in NAMES.items()}
    toppings = [names[kind] for kind in serving.toppings]
    rest = [toppings[int(k)] for k in rng.permutation(len(toppings))]
    base = [] if dish.code("wateriness") == 4 else [names[serving.base]]
    return [*base, *rest][: N_TOPPINGS[code][coin]]
