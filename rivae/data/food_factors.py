"""The eight ordinal factors of food: the one place that names them and their levels.

Source: the paper's quantitative analysis on Recipe1M (levels 1 to 5, "wateriness 1 means very dry
food, wateriness 5 containing lots of water") and its supplement. Codes in ``factors`` arrays are
0 to 4, as for every ordinal factor of ``FactorSpec``; a person reads levels 1 to 5.
"""

from __future__ import annotations

from rivae.data.factors import FactorSpec

N_LEVELS = 5

FOOD_FACTORS: tuple[FactorSpec, ...] = tuple(
    FactorSpec(name, "ordinal", "shared", levels)
    for name, levels in (
        ("wateriness", ("dry", "moist", "saucy", "soupy", "liquid")),
        ("greenness", ("no green", "a little green", "some green", "quite green", "very green")),
        ("stickiness", ("not sticky", "faintly sticky", "glazed", "sticky", "very sticky")),
        ("baked", ("not baked", "warmed through", "lightly baked", "baked golden", "crusty")),
        ("longishness", ("flat plate", "bowl", "deep bowl", "glass", "bottle or jar")),
        ("grains", ("no grains", "few grains", "some grains", "many grains", "mostly grains")),
        ("dessert", ("savory", "mostly savory", "in between", "mostly sweet", "dessert")),
        ("fruit", ("no fruit", "a hint of fruit", "some fruit", "much fruit", "full of fruit")),
    )
)

FACTOR_NAMES: tuple[str, ...] = tuple(spec.name for spec in FOOD_FACTORS)

# The paper's words, for a heading or a caption.
FACTOR_LABELS: dict[str, str] = {
    "wateriness": "wateriness",
    "greenness": "greenness",
    "stickiness": "stickiness",
    "baked": "oven-baked or not",
    "longishness": "container longishness",
    "grains": "grains",
    "dessert": "savory or dessert",
    "fruit": "fruit or no fruit",
}

# What somebody would type for the low and the high end of each factor, see
# ``rivae.labels.guideline_axes``. Without negations: "no fruit" is near to fruit.
FOOD_LINES: dict[str, tuple[str, str]] = {
    "wateriness": (
        "dry crackers, cookies, biscuits, toast, bars",
        "soup, drink, broth, smoothie, juice, punch",
    ),
    "greenness": (
        "cake, bread, meat, cheese, cookies",
        "green vegetables, spinach, lettuce, parsley, peas, broccoli",
    ),
    "stickiness": ("salad, soup, crisp, dry", "sticky glaze, honey, syrup, caramel"),
    "baked": ("salad, raw, chilled, drink, boiled", "baked in the oven until golden brown crust"),
    "longishness": (
        "plate, platter, tray, baking sheet",
        "tall glass, bottle, jar, cocktail, drink",
    ),
    "grains": ("meat, vegetables, fruit, fish", "rice, pasta, noodles, bread, oats, flour"),
    "dessert": ("savory dinner, meat, garlic, onion", "sweet dessert, cake, chocolate, sugar"),
    "fruit": (
        "meat, cheese, vegetables, chocolate",
        "fruit, berries, apple, banana, orange, peach",
    ),
}
