"""The text of one item, and the names of the parts of a split. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Plain text as its author wrote it: not escaped, not normalised.

    Attributes:
        id: the item's own name in its source, unique there.
        ingredients: lines with their amounts.
        instructions: steps, in order.
        tags: words that its source sorts it under.
        url: where it came from, or "".
    """

    id: str
    title: str
    ingredients: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    url: str = ""


SPLITS = ("train", "validation", "test")
