"""Names of ingredients from real lines, and from lines nobody should have written."""

import gzip
import json

import pytest

from rivae.data.base import Recipe
from rivae.data.item_sets import ItemSets
from rivae.exploring.words import ingredients
from rivae.exploring.words.ingredients import (
    MAX_LINE,
    MAX_LINES,
    MAX_NAME,
    common_spelling,
    ingredient_sets,
    parse_line,
    singular,
)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("2 cups white sugar", ("white sugar",)),
        ("1 (15 ounce) can black beans, drained", ("black beans",)),
        ("1/2 cup milk", ("milk",)),
        ("½ cup milk", ("milk",)),
        ("½cup milk", ("milk",)),
        ("1 1/2 cups milk", ("milk",)),
        ("1–2 tbsp honey", ("honey",)),
        ("2 CUPS WHITE SUGAR", ("white sugar",)),
        ("1 CUP BUTTER", ("butter",)),
        ("two 10-ounce packages frozen peas, thawed", ("peas",)),
        ("1 (31/2-lb) cleaned frozen octopus, thawed", ("octopus",)),
        ("3 cloves garlic, minced", ("garlic",)),
        ("2 garlic cloves, roughly chopped", ("garlic",)),
        ("6 cloves", ("cloves",)),
        ("1 teaspoon ground cloves", ("cloves",)),
        ("1 pound lean ground beef", ("ground beef",)),
        ("3 bay leaves", ("bay leaves",)),
        ("12 fresh cilantro sprigs", ("cilantro",)),
        ("2 skinless, boneless chicken breast halves - cubed", ("chicken breast",)),
        ("20 roma (plum) tomatoes", ("roma tomatoes",)),
        ("salt and pepper to taste", ("salt", "pepper")),
        ("Kosher salt and freshly ground black pepper", ("kosher salt", "black pepper")),
        ("2 tablespoons butter or margarine, melted", ("butter",)),
        ("1 tablespoon olive or vegetable oil", ("olive oil",)),
        ("5 cups vegetable, chicken, or beef broth", ("vegetable broth",)),
        ("2 or 3 carrots", ("carrots",)),
        ("Juice of 1/2 a lemon", ("lemon juice",)),
        ("1 (14 ounce) can sweetened condensed milk", ("sweetened condensed milk",)),
        ("1 (10.75 ounce) can condensed cream of celery soup", ("cream of celery soup",)),
        ("1 cup half and half", ("half-and-half",)),
        ("3 tablespoons orange liqueur (such as Grand Marnier®)", ("orange liqueur",)),
        ("LAND O LAKES® Butter with Canola Oil (optional)", ("butter",)),
        ("PAM® Original No-Stick Cooking Spray", ("original no-stick cooking spray",)),
        ("Tabasco™", ("tabasco",)),
        ("1 jalapeño, minced", ("jalapeño",)),
        ("1 cup cooked puréed onion", ("onion",)),
        ("1 (8 ounce) container CRÈME FRAÎCHE", ("crème fraîche",)),
        ("Garnish: lime wedges", ("lime",)),
        ("3 cups chopped leftover honey-baked, spiral-cut ham", ("ham",)),
        ("1/2 cup coarsely chopped roasted, salted pistachios, divided", ("pistachios",)),
        ("4 cups 大根", ("大根",)),
    ],
)
def test_the_name_is_what_remains(line, names):
    assert parse_line(line) == names


@pytest.mark.parametrize(
    "line",
    [
        "Topping:",
        "PASTRY:",
        "For the Dough",
        "Filling",
        "*available at Asian markets",
        "",
        "   ",
        "1 1/2",
        "((((",
        "Special equipment: cheesecloth",
        "8 wooden or bamboo skewers",
        "Reynolds Wrap® 18-inch Wide Heavy Duty Aluminum Foil",
        "( " * 3_000_000,
    ],
)
def test_what_is_no_ingredient(line):
    assert parse_line(line) == ()


def test_ten_megabytes_are_read_up_to_the_limit():
    (name,) = parse_line("2 cups " + "sugar " * 2_000_000)
    assert name == " ".join(["sugar"] * 6)
    assert len(parse_line("x" * 10_000_000)[0]) == MAX_NAME
    assert parse_line("1 cup rice " + " " * MAX_LINE + "sugar") == ("rice",)


def test_markup_stays_text():
    assert parse_line("<script>") == ("script",)
    assert parse_line("1 cup a<b>c") == ("a<b>c",)


def recipe(*lines):
    return Recipe("1", "", lines)


def test_singular_and_plural_are_one_ingredient_in_the_common_spelling():
    recipes = [recipe("1 onion", "2 onions"), recipe("3 onions"), recipe("2 onions, diced")]
    assert [*ingredient_sets(recipes)] == [("onions",)] * 3


def test_a_tie_goes_to_the_first_by_letters():
    assert common_spelling(ItemSets.of([("eggs",), ("egg",)])) == {"eggs": "egg", "egg": "egg"}


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("tomato", "tomatoes"),
        ("berry", "berries"),
        ("bay leaf", "bay leaves"),
        ("olive", "olives"),
        ("radish", "radishes"),
        ("cookie", "cookies"),
        ("egg", "eggs"),
    ],
)
def test_regular_plurals_share_a_key(one, many):
    assert singular(one) == singular(many)


@pytest.mark.parametrize("name", ["asparagus", "hummus", "bass"])
def test_words_that_only_look_plural(name):
    assert singular(name) == name


def test_the_cache_is_filled_and_believed():
    cache = {}
    assert [*ingredient_sets([recipe("2 cups rice")], cache)] == [("rice",)]
    assert cache == {"2 cups rice": ("rice",)}
    assert [*ingredient_sets([recipe("2 cups rice")], {"2 cups rice": ("known",)})] == [("known",)]


def test_lines_that_are_not_kept_any_more_are_parsed_again(monkeypatch):
    monkeypatch.setattr(ingredients, "MOST_KEPT", 2)
    cache, names = {}, ("rice", "salt", "honey", "honey", "salt")
    sets = ingredient_sets([recipe(f"2 cups {name}") for name in names], cache)
    assert [*sets] == [(name,) for name in names] and len(cache) == 2


def test_a_recipe_of_endless_lines_is_bounded():
    lines = [f"1 cup a{'b' * k}" for k in range(MAX_LINES + 5)]
    assert len(ingredient_sets([recipe(*lines)])[0]) <= MAX_LINES


@pytest.mark.shared
def test_real_recipes_mostly_use_common_names(shared_data):
    path = shared_data / "food" / "recipes.jsonl.gz"
    if not path.is_file():
        pytest.skip("no real recipes in the shared data")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line, _ in zip(stream, range(300), strict=False)]
    sets = ingredient_sets(Recipe(r["id"], r["title"], tuple(r["ingredients"])) for r in rows)
    lines = sum(not line.endswith(":") for r in rows for line in r["ingredients"])
    assert sum(map(len, sets)) > 0.9 * lines
    assert {"salt", "butter", "eggs", "white sugar"} <= {name for names in sets for name in names}
