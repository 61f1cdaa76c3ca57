"""The words of the kitchen: what stands for each factor in an ingredient list.

A shelf has three parts: what goes with savory dishes, with any, and with sweet ones. No ingredient
stands on two shelves or names two factors (no "rice milk", no "green tea").
"""

from __future__ import annotations

from dataclasses import dataclass


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
