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
# ``rivae.labels.guideline_axes``: written by one who knew the guideline and saw no recipe and no
# level. Without negations: "no fruit" is near to fruit.
FOOD_LINES: dict[str, tuple[str, str]] = {
    "wateriness": (
        "flour butter baking cookies crackers bread dough crust crisp",
        "broth stock soup juice drink water simmer pour glasses",
    ),
    "greenness": (
        "chocolate flour sugar butter vanilla cream bake brown golden",
        "spinach kale lettuce parsley basil cilantro broccoli peas salad greens",
    ),
    "stickiness": (
        "salad soup broth lettuce cucumber vinegar beans vegetables toss",
        "honey caramel syrup glaze frosting marshmallow melted sticky molasses icing",
    ),
    "baked": (
        "chill refrigerate blend stir raw salad drink smoothie ice",
        "preheat oven bake baking sheet roast golden brown crust crisp",
    ),
    "longishness": (
        "baking sheet plate platter skillet pan flatbread pizza cookies steak",
        "bottle jar tall glass drink cocktail smoothie juice syrup shake",
    ),
    "grains": (
        "chicken beef pork fish salad vegetables sauce eggs cream",
        "pasta rice noodles bread oats flour couscous spaghetti dough tortillas",
    ),
    "dessert": (
        "garlic onion salt pepper chicken beef olive oil broth",
        "sugar chocolate vanilla cake cookies cream sweet dessert frosting pie",
    ),
    "fruit": (
        "chicken beef pork garlic onion cheese potatoes pepper broth",
        "apple berries strawberries banana orange peach mango pineapple fruit juice",
    ),
}
