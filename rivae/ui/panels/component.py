"""Reads component sources. Several files become one module, since inline modules cannot import."""

from __future__ import annotations

from functools import cache

from rivae.installed import APP_FILES

# What the Explore and the Compare panel are both made of.
SHARED = (
    "dom.js",
    "wire.js",
    "tiles.js",
    "rows.js",
    "layout.js",
    "sliders.js",
    "panel.js",
)
FOLDER = APP_FILES / "assets" / "components"


@cache
def source(*names: str) -> str:
    """The files ``names`` in this order, as one text."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
