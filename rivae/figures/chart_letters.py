"""Letters of a chart that the browser of this machine would draw as boxes, taken out of it.

The browser draws with the fonts of the machine. Where none of them has a letter, it is left out of
the picture, which a sentence below the chart says.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from rivae.base.fonts import no_font
from rivae.base.system_fonts import installed_fonts

NOTE = 34  # pixels below a chart for the sentence
# What is not drawn in a picture.
_NOT_DRAWN = {"customdata", "hovertext", "hovertemplate", "ids", "meta", "uid", "family"}
_SAME_LOOK = "\u200b"  # takes no room; keeps texts apart that are the same without their letters


def leave_out_letters(figure: dict[str, Any], ink: str) -> int:
    """Take out of a Plotly figure, in place, what no font here can draw, and say so below it.

    Args:
        ink: colour of the sentence.

    Returns:
        Pixels that the figure is taller now.
    """
    replacements: dict[str, str] = {}
    if not installed_fonts():  # nothing is known of them
        return 0
    for part in ("data", "layout"):
        figure[part] = _without(figure[part], replacements)
    note = no_font("".join(filter(_is_lost, text)) for text in replacements)
    if not note:
        return 0
    layout = figure["layout"]
    margin = layout.setdefault("margin", {})
    margin["b"] = margin.get("b", 80) + NOTE
    layout["annotations"] = [
        *(layout.get("annotations") or ()),
        {
            "text": note.replace(": ", ":<br>", 1),
            "font": {"size": 11, "color": ink},
            "align": "left",
            "showarrow": False,
            **{"xref": "paper", "x": 0, "xanchor": "left"},
            **{"yref": "paper", "y": 0, "yanchor": "bottom", "yshift": -margin["b"] + 2},
        },
    ]
    return NOTE


@lru_cache(maxsize=8192)
def _is_lost(letter: str) -> bool:
    if letter.isascii() or not letter.isprintable():
        return False
    return not any(font.has(letter) for font in installed_fonts())


def _without(value: Any, replacements: dict[str, str]) -> Any:
    if isinstance(value, str):
        if value.isascii() or not any(map(_is_lost, value)):
            return value
        if value not in replacements:
            letters = "".join(letter for letter in value if not _is_lost(letter))
            replacements[value] = letters + _SAME_LOOK * (len(replacements) + 1)
        return replacements[value]
    if isinstance(value, dict):
        return {k: v if k in _NOT_DRAWN else _without(v, replacements) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without(one, replacements) for one in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        return [_without(one, replacements) for one in value.tolist()]
    return value
