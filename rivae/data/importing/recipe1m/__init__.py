"""Recipe1M in its published layout, read as a stream: a million recipes are never in memory.

``layer1.json`` holds the texts, ``layer2.json`` the pictures of some recipes, ``det_ingrs.json``
the detected ingredients; pictures are at ``[images/]PARTITION/a/b/c/d/abcd….jpg``. The paper keeps
recipes with at least one picture, 1-20 ingredients and 1-20 instructions.
"""

from rivae.data.importing.recipe1m.layout import is_recipe1m
from rivae.data.importing.recipe1m.source import Recipe1MImport

__all__ = ["Recipe1MImport", "is_recipe1m"]
