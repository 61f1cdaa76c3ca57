"""The published files: their names, and what a record of theirs holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rivae.data.recipes import Recipe
from rivae.importing.limits import MAX_TITLE
from rivae.importing.report import UnusableError
from rivae.importing.texts import lines, one_line

TEXTS, PICTURES, DETECTED = "layer1.json", "layer2.json", "det_ingrs.json"
TAGS = "RAW_recipes.csv"
FACTORS, FACTOR_NAMES = "factors.csv", "factors.json"


def is_recipe1m(folder: Path) -> bool:
    """Whether ``folder`` looks like Recipe1M."""
    return (folder / TEXTS).is_file() and (folder / PICTURES).is_file()


def field(record: object, key: str) -> Any:
    """What stands under ``key``; None in a record of another form."""
    return record.get(key) if isinstance(record, dict) else None


def entries(record: object, key: str) -> list[Any]:
    """The list under ``key``; an empty one for anything else."""
    value = field(record, key)
    return value if isinstance(value, list) else []


def recipe_of(record: object) -> Recipe:
    """The texts of a record of ``layer1.json``.

    Raises:
        UnusableError: it has no id or no text, or a text is too long.
    """
    recipe = Recipe(
        id=one_line(field(record, "id"), MAX_TITLE),
        title=one_line(field(record, "title"), MAX_TITLE),
        ingredients=lines(entries(record, "ingredients")),
        instructions=lines(entries(record, "instructions")),
        url=one_line(field(record, "url"), 2000),
    )
    if not recipe.id:
        raise UnusableError("recipe without an id")
    if not (recipe.title or recipe.ingredients or recipe.instructions):
        raise UnusableError("text is empty")
    return recipe


def detected_names(record: object) -> list[str]:
    """The detected ingredients that are marked as valid; all when nothing is marked."""
    names, valid = entries(record, "ingredients"), entries(record, "valid")
    kept = [n for n, ok in zip(names, valid, strict=False) if ok] if valid else names
    try:
        return list(lines(kept))
    except UnusableError:
        return []
