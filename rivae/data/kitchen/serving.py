"""What a dish is served with: the kinds of food in it, and what stands about it on the table.

One description for the picture and the text of a rendered kitchen: the renderer
(``tools/kitchen3d``) shows these kinds and the writer names them, both in amounts by the levels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.kitchen.factors import Dish

# Two of each family at most, so that a factor looks the same in every dish.
LEAVES = {"savory": ("basil", "spinach"), "sweet": ("mint",)}
GRAINS = {"savory": ("rice",), "sweet": ("puffed rice",)}
FRUITS = {
    "savory": (("cherries", "lemon slices"), ("red grapes", "lemon slices")),
    "sweet": (("strawberries", "blueberries"), ("raspberries", "orange slices")),
}
SAVORY = (("egg", "meatballs"), ("egg", "shrimp"))
IN_GLASS = (("shrimp", "pepper"), ("meatballs", "pepper"))  # no eggs in a bottle
MUSHROOMS, MACARONS = "mushrooms", "macarons"  # beside a dish
SYRUPS = {"savory": ("soy glaze", "balsamic glaze"), "sweet": ("fudge sauce", "molasses")}
LIQUIDS = ("tomato broth", "golden broth", "light broth", "milk", "rose milk")
WATER = "water"  # in the tumbler beside the dish
BASES = ("minced beef", "mashed lentils", "hummus", "custard", "rose mousse")
BESIDE = {"savory": "bread", "sweet": "biscuits"}
VESSELS = ("plate", "bowl", "deep bowl", "glass", "bottle")
TABLES = ("oak", "ash", "linen", "marble", "slate")
WARES = ("white", "cream", "blue", "grey")
NAPKINS = ("f1ece2", "c9d3d6", "d9c3a5")

_TASTE, _LEAF, _FRUIT, _TOPPING, _SYRUP, _TABLE = range(60, 66)


@dataclass(frozen=True)
class Serving:
    """The kinds in one dish, also those of which its levels show none.

    Attributes:
        taste: "savory" or "sweet"; level 3 of dessert is either, by chance.
        vessel, base, liquid, leaf, grain, syrup: one kind each.
        fruits: two kinds; the first is two thirds of it.
        savory: the two kinds on a savory dish.
        toppings: all that tells of its level of dessert, on the dish and beside it.
        baked: what is stacked beside the dish, and the crust or the crumbs on it.
        table, ware, napkin: of the photograph alone; an empty napkin means none.
    """

    taste: str
    vessel: str
    base: str
    liquid: str
    leaf: str
    grain: str
    syrup: str
    fruits: tuple[str, str]
    savory: tuple[str, str]
    toppings: tuple[str, ...]
    baked: tuple[str, str]
    table: str
    ware: str
    napkin: str


def serve(dish: Dish) -> Serving:
    """The kinds in ``dish``. A change of its levels changes only kinds of that factor or taste.

    >>> from rivae.data.kitchen.factors import make_dish
    >>> serve(make_dish(0, 0).with_codes(longishness=4)).vessel
    'bottle'
    """

    def pick(stream: int, options: tuple[Any, ...]) -> Any:
        return options[int(dish.picture_rng(stream).integers(len(options)))]

    dessert = dish.code("dessert")
    halves = ("savory", "sweet")
    taste = halves[dessert > 2] if dessert != 2 else pick(_TASTE, halves)
    is_glass = dish.code("longishness") > 2
    savory = pick(_TOPPING, IN_GLASS if is_glass else SAVORY)
    rng = dish.picture_rng(_TABLE)
    napkin = str(rng.choice(NAPKINS)) if rng.random() < 0.4 else ""
    return Serving(
        taste=taste,
        vessel=VESSELS[dish.code("longishness")],
        base=BASES[dessert],
        liquid=LIQUIDS[dessert],
        leaf=pick(_LEAF, LEAVES[taste]),
        grain=GRAINS[taste][0],
        syrup=pick(_SYRUP, SYRUPS[taste]),
        fruits=pick(_FRUIT, FRUITS[taste]),
        savory=savory,
        toppings=_toppings(dish, savory),
        baked=(BESIDE[taste], "crumbs" if is_glass else "pie crust"),
        table=str(rng.choice(TABLES)),
        ware=str(rng.choice(WARES)),
        napkin=napkin,
    )


def _toppings(dish: Dish, savory: tuple[str, str]) -> tuple[str, ...]:
    dessert, longish = dish.code("dessert"), dish.code("longishness")
    if dessert < 2:
        return tuple(dict.fromkeys((*savory, MUSHROOMS, "pepper")))
    if dessert == 2:
        return ()
    in_dish = ("chocolate",) if longish < 3 else ()
    most = (("ice cream",) if longish < 4 else ()) + ("wafer rolls",)
    return ("whipped cream", "sprinkles", MACARONS, *in_dish, *(most if dessert == 4 else ()))


def order_of(dish: Dish, name: str) -> dict[str, Any]:
    """A line for the renderer as a JSON object: levels as codes 0 to 4, kinds, photograph."""
    rng = dish.picture_rng(_TABLE + 1)
    return {
        "name": name,
        "seed": dish.seed,
        "index": dish.index,
        "codes": {factor: dish.code(factor) for factor in FACTOR_NAMES},
        "azimuth": round(float(rng.uniform(-0.14, 0.14)), 3),
        "tilt": round(float(rng.uniform(-3, 3)), 2),
        "zoom": round(float(rng.uniform(0.97, 1.04)), 3),
        "warmth": round(float(rng.uniform()), 3),
        "mirrored": bool(rng.integers(2)),
        **asdict(serve(dish)),
    }
