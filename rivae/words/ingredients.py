"""The different ingredients of recipes, from the lines of their ingredient lists.

The lines are read by own rules (``rivae.words.ingredient_line``), English only. The best kept
parser on PyPI, ``ingredient-parser-nlp`` 2.9, fetches NLTK's tagger over the network on its first
import and cannot parse without it, while this app has to work offline. Judged by eye on 200 random
lines of 15,454 real recipes: these rules right in 199, ``ingredient-slicer`` 1.2 in 170 and
``ingreedypy`` 1.3 in 115 (both work offline). On 200 more, all different: 197; on 200 of another
source: 196.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableMapping, Sequence

from rivae.data.base import Recipe
from rivae.words.ingredient_line import MAX_LINE, parse_line

MAX_LINES = 200  # of one recipe; the longest of the real ones has 39

Cache = MutableMapping[str, tuple[str, ...]]


def ingredient_sets(recipes: Iterable[Recipe], cache: Cache | None = None) -> list[tuple[str, ...]]:
    """The different ingredients of every recipe, in the order of its lines.

    Singular and plural are one ingredient, written as most recipes here write it ("onion", but
    "black beans"). Every distinct line is parsed once; a ``cache`` (the first ``MAX_LINE``
    characters of a line to its names) keeps that across calls and is filled in place. Lines
    beyond ``MAX_LINES`` of a recipe are not read.
    """
    known: Cache = {} if cache is None else cache
    parsed = []
    for recipe in recipes:
        names: dict[str, None] = {}
        for line in recipe.ingredients[:MAX_LINES]:
            start = line[:MAX_LINE]
            if start not in known:
                known[start] = parse_line(start)
            names.update(dict.fromkeys(known[start]))
        parsed.append(tuple(names))
    spelling = common_spelling(parsed)
    return [tuple(dict.fromkeys(spelling[name] for name in names)) for names in parsed]


def common_spelling(sets: Iterable[Sequence[str]]) -> dict[str, str]:
    """For every name, the commonest of its singular and plural (the first by letters in a tie)."""
    counts = Counter(name for names in sets for name in names)
    groups: dict[str, list[str]] = {}
    for name in counts:
        groups.setdefault(singular(name), []).append(name)
    best = {key: min(names, key=lambda n: (-counts[n], n)) for key, names in groups.items()}
    return {name: best[singular(name)] for name in counts}


def singular(name: str) -> str:
    """A key that the singular and the regular plural of an English name share."""
    for ending, single in (
        ("leaves", "leaf"),
        ("loaves", "loaf"),
        ("halves", "half"),
        ("ies", "y"),
        ("oes", "o"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ie", "y"),
    ):
        if name.endswith(ending) and len(name) > len(ending):
            return name.removesuffix(ending) + single
    if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 3:
        return name[:-1]
    return name
