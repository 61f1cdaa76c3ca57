"""The kitchens that come with the project: the rendered one, and the drawn one before it.

Where rendered pictures are bundled, the data set ``kitchen`` is these, and ``kitchen-drawn`` the
dishes that it was before, of which the texts are bundled and pictures drawn when they are asked
for. Without them ``kitchen`` is the drawn one, and ``kitchen-drawn`` another name for it.
"""

from __future__ import annotations

from pathlib import Path

from rivae.base.installed import APP_FILES

KITCHEN, KITCHEN_DRAWN = "kitchen", "kitchen-drawn"
DRAWN, RENDERED = APP_FILES / "assets" / "kitchen", APP_FILES / "assets" / "kitchen-rendered"
# As their manifest has it; runs from before there were rendered dishes say so, or nothing.
DRAWN_CONTENT = "f8af226cf33cf287d48d6f338bc8f985"


def has_rendered() -> bool:
    """Whether rendered dishes come with this installation."""
    return (RENDERED / "store.json").is_file()


def kitchen_folder() -> Path:
    """The files of the data set ``kitchen``."""
    return RENDERED if has_rendered() else DRAWN


def renamed(name: str, content: str | None) -> str:
    """What the data set of a stored run is called now.

    Args:
        name: as the run has it.
        content: the hash of its data that the run has, if any.
    """
    is_drawn = name == KITCHEN and content in (None, DRAWN_CONTENT)
    return KITCHEN_DRAWN if is_drawn and has_rendered() else name
