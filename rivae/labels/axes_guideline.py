"""A guideline from the names that the axes of a run carry: one question for each named axis."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rivae.base.config import free_name
from rivae.labels.guideline import RESERVED_IDS, Guideline, guideline, label_factor

TITLE = "The named axes"
MAX_NAME, MAX_POLE = 80, 60  # characters of a factor, and of a pole in the name of a level


def guideline_of_axes(axes: Sequence[Mapping[str, Any]]) -> Guideline | None:
    """The named axes of a run as factors to label, from one pole to the other.

    Args:
        axes: as ``exploring.sliders.axes_by_key`` says them; those without a name that somebody
            gave or asked for are left out.

    Returns:
        The guideline; None where no axis has such a name.

    Raises:
        LabelError: a name or a pole cannot be used.

    Example:
        >>> axis = {"given": "dessert", "left": "savory", "right": "dessert", "suggested": False}
        >>> guideline_of_axes([axis]).factors[0].levels[1]
        'rather savory'
    """
    factors: list[Any] = []
    for axis in axes:
        name = _words(axis["given"], MAX_NAME)
        if not name or axis["suggested"]:
            continue
        low, high = (_words(axis[end], MAX_POLE) for end in ("left", "right"))
        high = high or _words(name, MAX_POLE)
        factors.append(
            label_factor(
                id=free_name(_id(name), {*RESERVED_IDS, *(one.id for one in factors)}.__contains__),
                name=name,
                definition=f"Where the item lies from {low or f'no {high}'} to {high}.",
                levels=_levels(low, high),
            )
        )
    return guideline(TITLE, factors) if factors else None


def _words(text: object, most: int) -> str:
    """At most so many characters of a text, in one line."""
    return " ".join(str(text or "").split())[:most].strip()


def _id(name: str) -> str:
    """The short name that labels refer to: small letters, digits, "_" and "-"."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:32].strip("-")
    return plain if plain[:1].isalpha() else f"axis-{plain}".strip("-")


def _levels(low: str, high: str) -> tuple[str, ...]:
    if low and low.casefold() != high.casefold():
        return low, f"rather {low}", "in between", f"rather {high}", high
    return f"no {high}", f"a little {high}", f"some {high}", f"much {high}", f"very {high}"
