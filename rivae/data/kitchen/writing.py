"""Writes the recipe of a dish: title, ingredient lines, instructions and tags.

Every factor decides how many ingredients of its shelf appear, how much of each, and which
sentences say what to do with them; the words themselves are random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivae.data.base import Recipe
from rivae.data.kitchen import pantry, phrases, seen
from rivae.data.kitchen.factors import Dish, Wording
from rivae.data.kitchen.pantry import SHELVES, VESSELS
from rivae.data.kitchen.serving import Serving

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
    tags = list(ALWAYS)
    for name, options in HIGH.items():
        share = (0.0, 0.02, 0.15, 0.35, 0.6)[dish.code(name)]
        tags += [tag for tag, u in zip(options, rng.random(len(options)), strict=True) if u < share]
    for name, options in LOW.items():
        share = (0.55, 0.25, 0.08, 0.0, 0.0)[dish.code(name)]
        tags += [tag for tag, u in zip(options, rng.random(len(options)), strict=True) if u < share]
    tags += [tag for tag, u in zip(OTHER, rng.random(len(OTHER)), strict=True) if u < 0.3]
    return tuple(dict.fromkeys(tags))


# Streams of the text: one per shelf, then these. Changing one factor leaves the others' words.
_SHELF_STREAM = {name: k for k, name in enumerate(SHELVES)}
_TOPPING, _STAPLE, _VESSEL, _TITLE, _ORDER, _STYLE = range(20, 26)

# Ingredients by code 0 to 4: the smaller number or the larger one, by chance.
N_LINES = ((0, 0), (1, 1), (1, 2), (2, 2), (2, 3))
N_SAVORY = ((3, 4), (2, 3), (1, 1), (0, 1), (0, 0))
MAX_LINES = 20
MAX_STEPS = 20


@dataclass(frozen=True)
class Line:
    """One line of the ingredient list: as written, and the ingredient in it ("" in a head)."""

    text: str
    name: str
    group: str


@dataclass(frozen=True)
class Written:
    """A recipe and, for each of its ingredient lines, the ingredient named there (or "")."""

    recipe: Recipe
    names: tuple[str, ...]


def write(
    dish: Dish, recipe_id: str = "", url: str = "", serving: Serving | None = None
) -> Written:
    """The recipe of ``dish``: 1 to 20 ingredient lines, 1 to 20 steps.

    Args:
        serving: the kinds in a rendered picture, which are then what it names; without it the
            words of every shelf are random, as they are for drawn pictures.
    """
    lines = _served(dish, serving) if serving else _on_shelves(dish)
    lines += _staples(dish, MAX_LINES - len(lines))
    by_group: dict[str, list[str]] = {}
    for line in lines:
        by_group.setdefault(line.group, []).append(line.name)
    vessels = _vessels(dish)
    title = _title(dish, by_group, vessels)
    steps = _instructions(dish, by_group, vessels, serving)
    lines = _arrange(lines, dish)
    recipe = Recipe(
        id=recipe_id,
        title=title,
        ingredients=tuple(line.text for line in lines),
        instructions=steps,
        tags=tags_of(dish),
        url=url,
    )
    return Written(recipe, tuple(line.name for line in lines))


def _pick(options: tuple[str, ...], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _on_shelves(dish: Dish) -> list[Line]:
    lines: list[Line] = []
    for name, shelf in SHELVES.items():
        code = dish.code(name)
        rng = dish.text_rng(_SHELF_STREAM[name])
        order = rng.permutation(len(shelf.all))
        n = int(N_LINES[code][int(rng.integers(2))])
        # The first fitting ones of an order that no factor changes.
        fitting = set(shelf.fitting(dish.code("dessert")))
        words = [shelf.all[k] for k in order if shelf.all[k] in fitting][:n]
        for word in words:
            amount = pantry.choose_amount(name, word, code, rng)
            lines.append(_line(amount, word, name, dish.wording))
    rng = dish.text_rng(_TOPPING)
    code, coin = dish.code("dessert"), int(rng.integers(2))
    for toppings, level in ((pantry.SAVORY, code), (pantry.DESSERT, 4 - code)):
        order = rng.permutation(len(toppings))
        for k in order[: N_SAVORY[level][coin]]:
            word = toppings[int(k)]
            amount = pantry.choose_amount("dessert", word, 4 - level, rng)
            lines.append(_line(amount, word, "dessert", dish.wording))
    return lines


def _served(dish: Dish, serving: Serving) -> list[Line]:
    """The kinds in the picture, as many lines of each factor as on shelves."""
    lines: list[Line] = []

    def add(name: str, word: str, level: int, rng: np.random.Generator) -> None:
        usual = seen.usual_name(word)
        amount = pantry.choose_amount(name, usual, level, rng, usual in seen.BY_NUMBER)
        lines.append(_line(amount, word, name, dish.wording))

    for name in SHELVES:
        code, rng = dish.code(name), dish.text_rng(_SHELF_STREAM[name])
        n = int(N_LINES[code][int(rng.integers(2))])
        for word in seen.named(serving, name, n, rng):
            add(name, word, code, rng)
    rng, level = dish.text_rng(_TOPPING), seen.STRENGTH[dish.code("dessert")]
    for word in seen.named_toppings(dish, serving, rng):
        add("dessert", word, level, rng)
    return lines[:MAX_LINES]


def _staples(dish: Dish, room: int) -> list[Line]:
    lines: list[Line] = []
    rng = dish.text_rng(_STAPLE)
    n_staples = min(int(rng.integers(1, 3)), max(room, 0))
    for k in rng.permutation(len(pantry.STAPLES))[:n_staples]:
        amount = _pick(pantry.STAPLE_AMOUNTS, rng)
        lines.append(_line(amount, pantry.STAPLES[int(k)], "staple", dish.wording))
    return lines


def _line(amount: str, word: str, group: str, wording: Wording) -> Line:
    return Line(f"{pantry.spell(amount, wording)} {word}", word, group)


def _arrange(lines: list[Line], dish: Dish) -> list[Line]:
    """Groups in any order, or all lines shuffled; heads where this writer likes them."""
    rng = dish.text_rng(_ORDER)
    if dish.wording.shuffled and not dish.wording.heads:
        return [lines[int(k)] for k in rng.permutation(len(lines))]
    groups = list(dict.fromkeys(line.group for line in lines))
    out: list[Line] = []
    room = MAX_LINES - len(lines)
    for k in rng.permutation(len(groups)):
        group = groups[int(k)]
        if dish.wording.heads and room > 0 and group in phrases.HEADS and rng.random() < 0.5:
            out.append(Line(_pick(phrases.HEADS[group], rng), "", group))
            room -= 1
        out += [line for line in lines if line.group == group]
    return out


def _vessels(dish: Dish) -> tuple[str, str]:
    """Two words for the container, which may be the same."""
    rng = dish.text_rng(_VESSEL)
    words = VESSELS[dish.code("longishness")]
    return _pick(words, rng), _pick(words, rng)


def _title(dish: Dish, by_group: dict[str, list[str]], vessels: tuple[str, str]) -> str:
    rng = dish.text_rng(_TITLE)
    taste = (0, 0, 1, 2, 2)[dish.code("dessert")]
    noun = _pick(phrases.NOUNS[dish.code("wateriness")][taste], rng)
    # The main ingredient is named first.
    strength = {name: dish.code(name) + rng.random() for name in ("greenness", "grains", "fruit")}
    strength["dessert"] = abs(dish.code("dessert") - 2) + 1 + rng.random()
    groups = sorted((g for g in strength if by_group.get(g)), key=lambda g: -strength[g])
    heroes = [_hero(by_group[group][0]) for group in groups[: int(rng.integers(1, 3))]]
    words = [
        _pick(phrases.OPENING_WORDS, rng),
        _pick(phrases.BAKED_WORDS[dish.code("baked")], rng),
        _pick(phrases.STICKY_WORDS[dish.code("stickiness")], rng),
        " and ".join(heroes),
        noun,
    ]
    sticky = by_group.get("stickiness")
    if sticky and rng.random() < 0.12 * dish.code("stickiness"):
        words.append(f"with {_hero(sticky[0])}")
    if rng.random() < 0.4:
        words.append(f"{_preposition(dish)} a {_hero(vessels[0])}")
    return " ".join(word for word in words if word)


def _preposition(dish: Dish) -> str:
    return "in" if dish.code("longishness") else "on"


def _hero(name: str) -> str:
    return " ".join(word.capitalize() for word in name.split())


def _instructions(
    dish: Dish,
    by_group: dict[str, list[str]],
    vessels: tuple[str, str],
    serving: Serving | None,
) -> tuple[str, ...]:
    rng = dish.text_rng(_STYLE)
    steps: list[str] = []
    middle = ["grains", "greenness", "fruit"]
    if dish.wording.shuffled:
        middle = [middle[int(k)] for k in rng.permutation(3)]
    if rng.random() < 0.6:
        steps.append(_pick(phrases.SET_OUT, rng).format(v=vessels[1]))
    steps += _topping_steps(dish, by_group, serving, rng)
    sentences = phrases.STEPS
    if serving:
        sentences = sentences | seen.STEPS
        if serving.taste == "sweet":
            sentences = sentences | {"grains": seen.SWEET_GRAINS}
    for name in ["wateriness", *middle, "baked", "stickiness"]:
        sentence = _pick(sentences[name][dish.code(name)], rng)
        words = by_group.get(name, [])
        vague = _pick(phrases.VAGUE, rng)
        if rng.random() < 0.3 and words:
            sentence = vague
        if sentence:
            steps.append(sentence.format(x=_join(words)))
    where = _preposition(dish)
    steps.append(_pick(phrases.SERVE, rng).format(v=vessels[0], p=where))
    return tuple(_told(step, dish.wording, rng) for step in steps)[:MAX_STEPS]


def _topping_steps(
    dish: Dish,
    by_group: dict[str, list[str]],
    serving: Serving | None,
    rng: np.random.Generator,
) -> list[str]:
    desserts = by_group.get("dessert", [])
    savory = [word for word in desserts if word in pantry.SAVORY]
    sweet = [word for word in desserts if word in pantry.DESSERT]
    sweet_steps = phrases.SWEET_STEPS
    if serving:
        is_sweet = serving.taste == "sweet"
        savory, sweet = ([], desserts) if is_sweet else (desserts, [])
        sweet_steps = seen.SWEET_STEPS
    code = dish.code("dessert")
    steps: list[str] = []
    if savory:
        steps.append(_pick(phrases.SAVORY_STEPS[min(code, 2)], rng).format(x=_join(savory)))
    if sweet:
        steps.append(_pick(sweet_steps[max(code - 2, 0)], rng).format(x=_join(sweet)))
    return steps


def _join(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _told(step: str, wording: Wording, rng: np.random.Generator) -> str:
    """A sentence as this writer would put it."""
    coin = rng.random(2)
    opener, aside = _pick(phrases.OPENERS, rng), _pick(phrases.ASIDES, rng)
    if wording.style == "terse":
        return step.replace(" the ", " ").rstrip(".")
    if wording.style == "chatty":
        if coin[0] < 0.5:
            step = opener + step[0].lower() + step[1:]
        if coin[1] < 0.3:
            step = f"{step} {aside}"
    return step
