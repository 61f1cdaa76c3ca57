"""English words of ingredient lines by meaning: amounts, containers, preparation, asides.

Collected from the ingredient lines of several recipe sites. Every entry is lower case. A word in a
list may still be an ingredient ("2 whole cloves"): ``rivae.exploring.words.ingredients`` never
removes the last word that is left.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERS = _words(
    "a an one two three four five six seven eight nine ten eleven twelve half quarter third "
    "couple few several some about approximately approx around scant heaping heaped generous "
    "rounded level good additional extra more another dozen x to or plus up least at the"
)

UNITS = _words(
    # volume and weight
    "cup cups c teaspoon teaspoons tsp tsps tablespoon tablespoons tbsp tbsps tbs tb ounce ounces "
    "oz fluid fl pound pounds lb lbs gram grams g gm kilogram kilograms kg milliliter milliliters "
    "millilitre millilitres ml centiliter cl deciliter dl liter liters litre litres l pint pints "
    "pt half-pint quart quarts qt gallon gallons gal inch inches cm mm jigger jiggers pony ponies "
    "shot shots part parts splash splashes dash dashes pinch pinches drop drops drizzle squeeze "
    "sprinkle handful handfuls touch "
    # containers
    "can cans package packages pkg pkgs packet packets pack packs jar jars container containers "
    "bag bags box boxes bottle bottles carton cartons envelope envelopes tub tubs tube tubes pouch "
    "pouches sleeve sleeves tin tins bowl bowls basket baskets case roll rolls recipe recipes "
    "batch batches serving servings scoop scoops "
    # pieces
    "clove cloves slice slices piece pieces bunch bunches stalk stalks sprig sprigs head heads "
    "stick sticks strip strips cube cubes square squares sheet sheets ear ears loaf loaves block "
    "blocks bar bars ball balls wedge wedges link links bulb bulbs rib ribs leaf leaves fillet "
    "fillets filet filets rack racks wheel log knob chunk chunks round rounds pod pods spear "
    "spears dollop dollops pair bundle bundles segment segments kernels percent"
)

# Words of size, state and preparation that do not change what the ingredient is. Dietary marks
# ("low-fat") are dropped as well: in a cloud they only divide one ingredient into several.
DESCRIPTIONS = _words(
    # size and shape
    "large small medium big tiny jumbo mini miniature medium-size medium-sized medium-large "
    "extra-large bite-size bite-sized large-size thick thin long short wide narrow thick-cut "
    "thin-cut center-cut inch-thick inch-long inch-wide inch-diameter individual individually "
    "size sized whole kernel halves "
    # state
    "fresh freshly ripe firm-ripe ripened vine-ripened overripe very firm extra-firm frozen thawed "
    "refrigerated chilled cold cool cooled warm warmed lukewarm tepid boiling softened melted raw "
    "cooked uncooked precooked pre-cooked fully fully-cooked partially partly baked pre-baked "
    "unbaked hard-cooked hard-boiled soft-boiled day-old stale leftover canned prepared "
    "store-bought purchased homemade ready-made ready-to-use condensed live organic good-quality "
    "high-quality best-quality quality premium pure natural all-natural real regular plain "
    "assorted mixed favorite your any optional desired thick-sliced pre-sliced style "
    # preparation
    "chopped minced sliced diced cubed grated shredded crumbled crushed ground mashed pureed "
    "puréed peeled unpeeled pitted unpitted seeded deseeded seedless cored hulled husked shelled "
    "unshelled trimmed rinsed drained undrained washed scrubbed cleaned patted cut halved "
    "quartered split torn broken julienned slivered sifted unsifted beaten whisked toasted "
    "untoasted blanched steamed squeezed strained packed loosely firmly tightly lightly finely "
    "fine coarse coarsely roughly thinly thickly well slightly boneless skinless bone-in skin-on "
    "boned skinned deveined butterflied pounded stemmed zested juiced reserved divided separated "
    "flaked shaved smashed pressed picked soaked sectioned snipped shucked unwrapped precut "
    "pre-cut bottled "
    # fat, salt and sugar
    "lean extra-lean unsalted salted low-sodium reduced-sodium lower-sodium sodium-free low-salt "
    "low-fat reduced-fat lower-fat nonfat non-fat fat-free light-tasting sugar-free unsweetened "
    "sweetened gluten-free reduced-calorie low-calorie low-carb fat sodium salt-free free low "
    "reduced"
)

# Kept when the word after them makes both one ingredient.
KEPT_BEFORE: dict[str, frozenset[str]] = {
    "ground": _words(
        "beef pork turkey chicken lamb veal venison meat sausage bison chuck sirloin round "
        "buffalo elk"
    ),
    "sweetened": frozenset({"condensed"}),
    "condensed": frozenset({"milk"}),
    "fat": frozenset({"back"}),
    "baked": frozenset({"beans", "ham", "potatoes"}),
    "extra": frozenset({"virgin"}),
    "mixed": frozenset({"vegetables", "greens", "nuts", "berries", "herbs", "fruit", "spice"}),
    "split": frozenset({"peas"}),
    "long": frozenset({"grain"}),
    "short": frozenset({"ribs", "grain"}),
    "thin": frozenset({"spaghetti"}),
    "half": frozenset({"and", "&", "n"}),
    "round": frozenset({"steak", "roast"}),
    "rib": frozenset({"roast", "steak", "steaks", "eye"}),
    "leaf": frozenset({"lettuce"}),
    "salted": frozenset({"peanuts", "cod"}),
    "cube": frozenset({"steak", "steaks"}),
    "whole": frozenset({"wheat", "grain", "milk", "chicken", "turkey", "duck"}),
    "baby": frozenset({"carrots", "spinach"}),
    "mini": frozenset({"marshmallows"}),
    "miniature": frozenset({"marshmallows"}),
    "plain": frozenset({"yogurt"}),
    "bottle": frozenset({"gourd"}),
}

# A name ends before the first of these, unless nothing stands before it.
ASIDES = _words(
    "for with without in into on including about from until if per each like plus preferably "
    "to as at by because depending then when removed reserved left"
)

# Pieces named after the ingredient: "chicken breast halves", "garlic cloves", "basil leaves".
ENDINGS = _words(
    "halves half fillet fillets filet filets slice slices strip strips chunk chunks piece "
    "pieces wedge wedges cube cubes floret florets flowerets ring rings leaf leaves clove "
    "cloves sprig sprigs stalk stalks rib ribs kernels round rounds quarters segments spears "
    "bunch bunches ear ears links stems frond fronds threads pod pods head heads bulb bulbs "
    "tips"
)
_LEAVES = frozenset({"leaf", "leaves"})
_RIBS = frozenset({"rib", "ribs"})
ENDINGS_KEPT_AFTER: dict[str, frozenset[str]] = {
    **dict.fromkeys(("bay", "lime", "grape", "curry"), _LEAVES),
    **dict.fromkeys(("back", "short", "spare", "country-style", "pork", "beef", "prime"), _RIBS),
    **dict.fromkeys(("bouillon", "ice"), frozenset({"cube", "cubes"})),
    "and": frozenset({"half"}),
    "onion": frozenset({"rings"}),
    "pineapple": frozenset({"rings"}),
    "sirloin": frozenset({"tips"}),
}

# One word before "or" that needs the noun after it: "olive or vegetable oil" is olive oil.
ADJECTIVES = _words(
    "olive vegetable canola peanut chicken beef red white green yellow black light dark brown "
    "fresh sweet kosher sea dry cider wine cremini sour heavy whipping lemon lime "
    "wooden bamboo metal"
)

# Before a comma these only begin the name: "roasted, salted pistachios".
NEED_A_NOUN = _words(
    "roasted smoked dried grilled dry candied kosher crisp soft tender ripe hot sweet tart"
)

SALTS = frozenset({"salt"})
SEASONINGS = _words(
    "pepper kosher sea table black white ground freshly seasoned garlic coarse cayenne "
    "cracked fine freshly-ground fresh-ground fresh coarsely"
)

# Lines that are not ingredients.
HEADS = _words(
    "topping toppings filling fillings frosting icing glaze dressing marinade crust dough "
    "batter garnish garnishes streusel ingredients optional accompaniment accompaniments "
    "equipment"
)
# "Garnish: lime wedges": what follows is an ingredient, except after the second kind.
LABELS = frozenset({"accompaniment", "accompaniments", "garnish", "garnishes", "optional"})
NOT_FOOD = frozenset({"equipment", "special equipment", "ingredient info", "note", "notes", "tip"})
# Things on an ingredient list that are not food, by the end of their name.
TOOLS = (
    "toothpicks",
    "skewers",
    "foil",
    "parchment paper",
    "wax paper",
    "cheesecloth",
    "twine",
    "kitchen string",
    "popsicle sticks",
    "wooden sticks",
    "lollipop sticks",
    "paper liners",
    "cup liners",
    "baking dish",
    "baking dishes",
    "ramekins",
    "thermometer",
    "canning jars",
)

# Spellings of one ingredient.
SAME = {
    "hot water": "water",
    "ice water": "water",
    "hot milk": "milk",
    "ice cubes": "ice",
    "extra virgin olive oil": "extra-virgin olive oil",
    "all purpose flour": "all-purpose flour",
    "half-and-half cream": "half-and-half",
    "half and half": "half-and-half",
    "light-brown sugar": "light brown sugar",
    "dark-brown sugar": "dark brown sugar",
    "catsup": "ketchup",
    "barbecue sauce": "barbeque sauce",
    "bbq sauce": "barbeque sauce",
    "whole-wheat flour": "whole wheat flour",
    "bicarbonate of soda": "baking soda",
    "icing sugar": "confectioners sugar",
    "powdered sugar": "confectioners sugar",
    "confectioner's sugar": "confectioners sugar",
    "corn starch": "cornstarch",
}
