"""The kitchen's ingredients: which stand for each factor, how much of each, and how it is spelled.

A shelf has three parts: what goes with savory dishes, with any, and with sweet ones. No ingredient
stands on two shelves or names two factors (no "rice milk", no "green tea").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivae.data.kitchen.factors import Wording


@dataclass(frozen=True)
class Shelf:
    """Ingredient names of one factor."""

    savory: tuple[str, ...]
    both: tuple[str, ...]
    sweet: tuple[str, ...]

    def fitting(self, dessert: int) -> tuple[str, ...]:
        """The names that suit a dish with this code of "dessert" (0 savory to 4 dessert)."""
        parts = self.both
        if dessert <= 2:
            parts += self.savory
        if dessert >= 2:
            parts += self.sweet
        return parts

    @property
    def all(self) -> tuple[str, ...]:
        """Every name."""
        return self.savory + self.both + self.sweet


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


LIQUIDS = Shelf(
    _words(
        "chicken broth, vegetable broth, beef broth, bone broth, mushroom broth, chicken stock, "
        "vegetable stock, beef stock, fish stock, dashi, bouillon, dry white wine, clam juice, "
        "miso broth, ham stock, whey"
    ),
    _words("water, cold water, hot water, boiling water, warm water, spring water, ice water"),
    _words(
        "milk, skim milk, almond milk, coconut water, sparkling water, club soda, lemonade, "
        "black tea, brewed coffee, mineral water, ginger ale, buttermilk, crushed ice, ice cubes, "
        "tonic water, chamomile tea"
    ),
)

GREENS = Shelf(
    _words(
        "kale, fresh parsley, cilantro, broccoli florets, green beans, chives, scallions, arugula, "
        "romaine lettuce, iceberg lettuce, watercress, collard greens, swiss chard, asparagus, "
        "zucchini, green cabbage, brussels sprouts, leeks, dill, celery, okra, edamame, bok choy, "
        "snow peas, mustard greens, fresh oregano, thyme sprigs"
    ),
    _words("baby spinach, spinach, fresh basil, green peas, cucumber, avocado, sorrel, purslane"),
    _words(
        "fresh mint, mint leaves, spearmint, matcha powder, pandan leaves, verbena leaves, "
        "pistachios, angelica, wheatgrass, peppermint leaves, spirulina, woodruff"
    ),
)

STICKY = Shelf(
    _words(
        "hoisin sauce, teriyaki glaze, barbecue sauce, oyster sauce, balsamic glaze, "
        "chili glaze, soy glaze, tamarind paste, gochujang glaze, onion jam, unagi sauce, "
        "tonkatsu sauce, kecap manis, sesame tahini, melted mozzarella, peanut sauce"
    ),
    _words("honey, maple syrup, molasses, brown sugar, agave nectar, date syrup"),
    _words(
        "caramel, caramel sauce, golden syrup, corn syrup, toffee, butterscotch sauce, "
        "dulce de leche, marshmallows, cajeta, treacle, fudge sauce, marshmallow creme, "
        "nougat, praline paste, sugar syrup"
    ),
)

CRUSTS = Shelf(
    _words(
        "breadcrumbs, panko, pizza dough, biscuit dough, bread dough, croutons, sourdough cubes, "
        "cornbread mix, baguette slices, pie shell, savory crust, toast cubes, focaccia"
    ),
    _words(
        "all-purpose flour, puff pastry, pie crust, phyllo dough, baking powder, bread flour, "
        "shortcrust pastry, self-rising flour, dry yeast, baking soda"
    ),
    _words(
        "cake flour, cake mix, shortbread, graham cracker crust, pastry flour, streusel, "
        "cookie dough, sponge fingers, brioche cubes, tart shell, butter pastry, waffle pieces"
    ),
)

GRAINS = Shelf(
    _words(
        "long-grain rice, wild rice, spaghetti, penne, linguine, macaroni, egg noodles, couscous, "
        "bulgur, orzo, farro, polenta, ramen noodles, udon noodles, soba noodles, fusilli, "
        "arborio rice, fettuccine, lasagna noodles, rigatoni, freekeh"
    ),
    _words("white rice, brown rice, quinoa, pearl barley, millet, buckwheat, rice noodles, pasta"),
    _words(
        "rolled oats, oatmeal, granola, puffed rice, muesli, semolina, cornflakes, tapioca pearls, "
        "sushi rice, vermicelli, amaranth, oat bran, steel-cut oats, rice flakes"
    ),
)

FRUIT = Shelf(
    _words(
        "dried cranberries, apple, red grapes, figs, pears, golden raisins, dried apricots, "
        "grapefruit, plums, red currants, pomegranate seeds, quince"
    ),
    _words(
        "cherries, oranges, mango, pineapple, peaches, grapes, blueberries, clementines, "
        "apricots, raisins, lemon slices"
    ),
    _words(
        "strawberries, raspberries, bananas, blackberries, papaya, passion fruit, nectarines, "
        "cranberries, mandarins, kiwis, melon, dates, cantaloupe, lychees, watermelon, "
        "maraschino cherries, gooseberries"
    ),
)

SAVORY = _words(
    "ground beef, bacon, chicken breasts, eggs, fried eggs, pork sausage, ham, turkey, shrimp, "
    "mushrooms, black pepper, garlic, onion, cheddar cheese, parmesan cheese, meatballs, salami, "
    "chicken thighs, ground pork, salmon fillet, tuna, anchovies, olives, red pepper flakes, "
    "paprika, cumin, feta cheese, beef brisket, prosciutto, chorizo, shallots, capers, lentils, "
    "black beans, tofu, smoked trout, curry powder, worcestershire sauce, lamb, cod, gruyere"
)
DESSERT = _words(
    "whipped cream, dark chocolate, chocolate chips, rainbow sprinkles, white sugar, vanilla "
    "extract, heavy cream, cocoa powder, powdered sugar, gelato, macarons, wafer rolls, "
    "chocolate bars, white chocolate, mascarpone, cream cheese frosting, chocolate shavings, "
    "buttercream, ladyfingers, meringue, candied almonds, marzipan, cinnamon sugar, sugar pearls, "
    "brownie pieces, custard powder, vanilla sugar, hazelnut spread, gumdrops, pudding mix, "
    "chocolate sprinkles, candied violets"
)
# In any dish, and about no factor.
STAPLES = _words(
    "salt, kosher salt, sea salt, butter, unsalted butter, olive oil, vegetable oil, canola oil, "
    "cooking spray, margarine, sunflower oil, nutmeg, cardamom, cornstarch, gelatin, walnuts, "
    "almonds, sunflower seeds"
)

SHELVES: dict[str, Shelf] = {
    "wateriness": LIQUIDS,
    "greenness": GREENS,
    "stickiness": STICKY,
    "baked": CRUSTS,
    "grains": GRAINS,
    "fruit": FRUIT,
}

# Taken by the spoon even where there is much of it.
SPARING = frozenset(
    _words(
        "black pepper, garlic, red pepper flakes, paprika, cumin, capers, curry powder, anchovies, "
        "worcestershire sauce, vanilla extract, cinnamon sugar, vanilla sugar, sugar pearls, "
        "baking powder, baking soda, dry yeast, matcha powder, spirulina, tamarind paste, "
        "thyme sprigs, fresh oregano"
    )
)
# Taken by number.
COUNTED = frozenset(
    _words(
        "eggs, fried eggs, meatballs, shallots, scallions, macarons, wafer rolls, ladyfingers, "
        "oranges, peaches, clementines, apricots, figs, pears, plums, bananas, nectarines, "
        "mandarins, kiwis, croutons, sponge fingers, marshmallows"
    )
)

# By longishness.
VESSELS: tuple[tuple[str, ...], ...] = (
    _words("flat plate, platter, dinner plate, serving plate, dessert plate, tray"),
    _words("bowl, shallow bowl, salad bowl, cereal bowl, pasta bowl, wide bowl"),
    _words("deep bowl, tureen, tall bowl, ramekin, crock, deep stoneware bowl"),
    _words("tall glass, tumbler, parfait glass, goblet, beaker, highball glass"),
    _words("bottle, mason jar, glass bottle, preserving jar, tall jar, swing-top bottle"),
)


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
# By level 2 to 5, of ingredients measured by the spoon or by number.
SPARING_AMOUNTS: tuple[tuple[str, ...], ...] = (
    ("1 pinch", "1/4 teaspoon"),
    ("1/2 teaspoon", "3/4 teaspoon"),
    ("1 1/2 teaspoons", "2 teaspoons"),
    ("1 tablespoon", "2 tablespoons", "1 1/2 tablespoons"),
)
COUNTS: tuple[tuple[str, ...], ...] = (("2",), ("3", "4"), ("5", "6"), ("8", "10", "12"))
STAPLE_AMOUNTS = ("1/2 teaspoon", "1 pinch", "1 tablespoon", "2 tablespoons", "1 teaspoon")


def choose_amount(
    group: str, word: str, level: int, rng: np.random.Generator, counted: bool = False
) -> str:
    """How much of ``word``: ``level`` 1 to 4 is its factor's code, 4 the most.

    Args:
        counted: it is taken by number, as the words in ``COUNTED`` are.
    """
    if word in SPARING:
        options = SPARING_AMOUNTS[level - 1]
    elif counted or word in COUNTED:
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
