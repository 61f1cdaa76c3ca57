"""Sentences of the instructions and nouns of the titles, by factor and level.

``{x}`` is the ingredient, as written in the ingredient list.
"""

from __future__ import annotations

Choices = tuple[str, ...]

# By code 0 to 4.
STEPS: dict[str, tuple[Choices, ...]] = {
    "wateriness": (
        ("Pat everything dry.", "Keep the mixture dry and crumbly.", "Mix all dry ingredients."),
        ("Moisten with the {x}.", "Sprinkle the {x} over it.", "Dampen the mixture with {x}."),
        (
            "Stir in the {x} to make a sauce.",
            "Add the {x} and cook to a thick sauce.",
            "Thin the sauce with the {x}.",
        ),
        (
            "Pour in the {x} and simmer gently.",
            "Add the {x}, bring to a boil and simmer like a soup.",
            "Pour the {x} over it and let everything swim.",
        ),
        (
            "Pour in all of the {x} and blend until it can be drunk.",
            "Top up with the {x}; it should be thin and runny like a drink.",
            "Pour in the {x}, stir, strain and pour again.",
        ),
    ),
    "greenness": (
        ("",),
        ("Garnish with {x}.", "Finish with a little {x}."),
        ("Stir in the {x}.", "Chop the {x} and add it.", "Mix in the {x}."),
        ("Fold in the {x} until wilted.", "Chop the {x} coarsely and toss it in."),
        (
            "Heap on the {x}, it should look bright green.",
            "Wash, chop and pile in all of the {x}.",
            "Fold in the leafy {x} by handfuls until all is green.",
        ),
    ),
    "stickiness": (
        ("",),
        ("Add a few drops of {x}.", "Brush lightly with {x}."),
        ("Brush with the {x} for a glaze.", "Glaze with {x}."),
        ("Drizzle with the {x}.", "Drizzle the {x} over it until sticky."),
        (
            "Coat thickly with the {x} and let it drip.",
            "Pour the thick {x} over it; it will pull sticky strings.",
            "Cover with gooey {x} until everything sticks.",
        ),
    ),
    "baked": (
        ("Leave it uncooked.", "No oven is needed.", ""),
        ("Warm through for 5 minutes with the {x}.", "Toast the {x} briefly."),
        (
            "Bake at 325 degrees F for 12 minutes with the {x}.",
            "Add the {x} and bake 10 minutes until set.",
        ),
        (
            "Preheat the oven to 375 degrees F. Top with the {x} and bake 25 minutes until golden.",
            "Cover with the {x}, bake in the oven for 30 minutes until golden brown.",
        ),
        (
            "Preheat the oven to 425 degrees F. Bake under the {x} for 45 minutes until crusty.",
            "Line with the {x}, bake in a hot oven for 50 minutes until deep brown and crisp.",
            "Roll out the {x}, roast in the oven for 1 hour until the crust is dark.",
        ),
    ),
    "grains": (
        ("",),
        ("Sprinkle with the {x}.", "Add the {x} for bite."),
        ("Cook the {x} and add it.", "Stir in the cooked {x}."),
        ("Cook the {x} until tender and drain.", "Boil the {x}, drain and mix in."),
        (
            "Cook all of the {x} in a large pot until tender, drain and use as the bed.",
            "Boil the {x} until fluffy; it makes most of the dish.",
        ),
    ),
    "fruit": (
        ("",),
        ("Decorate with one or two {x}.", "Add the {x} at the end."),
        ("Scatter the {x} on top.", "Add the {x}."),
        ("Slice the {x} and fold in.", "Cut up the {x} and arrange over it."),
        (
            "Peel and slice all of the ripe {x} and pile them on.",
            "Cover completely with the juicy {x}.",
        ),
    ),
}

# By "dessert" 0 to 2, for what is savory.
SAVORY_STEPS: tuple[Choices, ...] = (
    ("Brown the {x} in a skillet and season well.", "Season and saute the {x} until cooked."),
    ("Saute the {x} and add.", "Fry the {x} briefly and season."),
    ("Add the {x}.", "Mix with the {x}."),
)
# By "dessert" 2 to 4, for what is sweet.
SWEET_STEPS: tuple[Choices, ...] = (
    ("Add the {x}.", "Mix with the {x}."),
    ("Whisk the {x} until smooth.", "Beat in the {x}."),
    (
        "Decorate generously with the {x} for dessert.",
        "Whip the {x} until fluffy and spoon on top.",
    ),
)

# Used instead now and then: says nothing about how much.
VAGUE: Choices = (
    "Add the {x}.",
    "Work in the {x}.",
    "Mix with the {x}.",
    "Use the {x} as you like.",
)

SERVE: Choices = (
    "Serve {p} a {v}.",
    "Place {p} a {v} and serve.",
    "Put everything {p} a {v}.",
    "Arrange {p} a {v}.",
    "Dish up {p} a clean {v}.",
)
SET_OUT: Choices = ("Set out a {v}.", "Rinse and wipe a {v}.", "Have a {v} ready.")

OPENERS: Choices = ("Now ", "Next, ", "Then ", "After that, ", "When you are ready, ")
ASIDES: Choices = (
    "It smells wonderful.",
    "Take your time.",
    "My family loves this part.",
    "Taste as you go.",
    "Do not rush.",
)

HEADS: dict[str, Choices] = {
    "wateriness": ("For the liquid:", "Base:"),
    "greenness": ("Greens:", "Garnish:"),
    "stickiness": ("Glaze:", "For the glaze:"),
    "baked": ("Crust:", "For the crust:"),
    "grains": ("For the bed:", "Filling:"),
    "fruit": ("Fruit:", "To finish:"),
    "dessert": ("Topping:", "For the topping:"),
}

# Nouns of titles by wateriness, for savory, in-between and sweet dishes.
NOUNS: tuple[tuple[Choices, Choices, Choices], ...] = (
    (("Hash", "Bites", "Crisp"), ("Mix", "Crumble"), ("Bars", "Clusters", "Crunch")),
    (("Salad", "Medley", "Toss"), ("Medley", "Mix"), ("Cake", "Slice", "Delight")),
    (("Ragout", "Curry", "Skillet"), ("Compote", "Gratin"), ("Pudding", "Trifle", "Parfait")),
    (("Soup", "Stew", "Chowder"), ("Soup", "Potage"), ("Custard", "Float", "Sweet Soup")),
    (("Broth", "Consomme", "Sipping Soup"), ("Elixir", "Tonic"), ("Smoothie", "Shake", "Punch")),
)
OPENING_WORDS: Choices = ("", "", "", "Easy", "Sunday", "Grandma's", "My Favorite", "Simple")
BAKED_WORDS: tuple[Choices, ...] = (
    ("", "", "Raw", "No-Cook"),
    ("", "Warm"),
    ("", "Baked"),
    ("Oven-Baked", "Golden", ""),
    ("Crusty", "Oven-Roasted", "Crusty Baked"),
)
STICKY_WORDS: tuple[Choices, ...] = (
    ("",),
    ("",),
    ("", "Glazed"),
    ("Sticky", ""),
    ("Gooey", "Extra Sticky", "Sticky"),
)
