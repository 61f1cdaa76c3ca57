"""Tags as food.com has them, given by factor and level.

Every one of ``HIGH`` and ``LOW`` stands under its factor in ``assets/factors/foodcom_tags.json``.
"""

from __future__ import annotations

from rivae.kitchen.factors import Dish

# By factor: tags of a high level; the higher the level, the more of them.
HIGH: dict[str, tuple[str, ...]] = {
    "wateriness": ("soups-stews", "beverages", "clear-soups", "stews", "smoothies", "punch"),
    "greenness": ("greens", "vegetables", "spinach", "salads", "green-yellow-beans", "asparagus"),
    "stickiness": ("sweet-sauces", "caramel", "candy", "marinades-and-rubs", "jellies", "barbecue"),
    "baked": ("oven", "roast", "baking", "breads", "casseroles", "pies-and-tarts", "savory-pies"),
    "longishness": ("canning", "cocktails", "hot-drinks", "syrups", "iced-tea"),
    "grains": ("pasta-rice-and-grains", "rice", "pasta", "grains", "long-grain-rice", "oatmeal"),
    "dessert": (
        "desserts",
        "sweet",
        "chocolate",
        "cakes",
        "frozen-desserts",
        "cookies-and-brownies",
    ),
    "fruit": ("fruit", "berries", "citrus", "tropical-fruit", "strawberries", "cherries"),
}
# Tags of a low level.
LOW: dict[str, tuple[str, ...]] = {
    "wateriness": ("crackers", "cooking-mixes", "granola-and-porridge"),
    "baked": ("no-cook", "refrigerator"),
    "longishness": ("flat-shapes", "finger-food", "pancakes-and-waffles"),
    "dessert": ("main-dish", "meat", "savory", "spicy", "poultry", "mushrooms"),
    "grains": ("very-low-carbs",),
}
ALWAYS = ("time-to-make", "preparation")
OTHER = (
    "course",
    "main-ingredient",
    "easy",
    "dietary",
    "number-of-servings",
    "occasion",
    "cuisine",
    "equipment",
    "60-minutes-or-less",
    "30-minutes-or-less",
    "15-minutes-or-less",
    "weeknight",
    "inexpensive",
    "beginner-cook",
    "kid-friendly",
    "comfort-food",
    "taste-mood",
    "north-american",
)

_TAGS = 90


def tags_of(dish: Dish) -> tuple[str, ...]:
    """The tags of ``dish``, each once."""
    rng = dish.text_rng(_TAGS)
    found = list(ALWAYS)
    for name, options in HIGH.items():
        share = (0.0, 0.02, 0.15, 0.35, 0.6)[dish.code(name)]
        found += [
            tag for tag, u in zip(options, rng.random(len(options)), strict=True) if u < share
        ]
    for name, options in LOW.items():
        share = (0.55, 0.25, 0.08, 0.0, 0.0)[dish.code(name)]
        found += [
            tag for tag, u in zip(options, rng.random(len(options)), strict=True) if u < share
        ]
    found += [tag for tag, u in zip(OTHER, rng.random(len(OTHER)), strict=True) if u < 0.3]
    return tuple(dict.fromkeys(found))
