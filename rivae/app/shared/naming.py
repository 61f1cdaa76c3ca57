"""Names of axes that visitors give, on whichever page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rivae.app.shared import trash
from rivae.app.shell import access, cache

if TYPE_CHECKING:
    from rivae.runs.axis_names import AxisName


def typed(before: AxisName, text: str, low: str, high: str) -> AxisName:
    """The name that a person wrote in the place of another; a score was that of the other name."""
    score = before.held_out if text == before.name else None
    return replace(
        before, name=text, low=low, high=high, held_out=score, edited=True, proposed=False
    )


def change(run_id: str, d: int, changes: Mapping[int, AxisName | None]) -> dict[int, AxisName]:
    """Change names of a run's ``d`` axes, by axis from 0; what is lost can be brought back.

    Names that are there change only after a login, where one is set up; anybody may name an axis
    that has no name.

    Returns:
        The names that were there.

    Raises:
        RivaeError: the names cannot be read or written, or the visitor may not change them.
    """
    from rivae.exploring.words.axis_names import change_names, known_names

    run = cache.run(run_id)
    names = known_names(run, d)
    if any(0 <= j < d and (name := names[j]) and not name.proposed for j in changes):
        access.require()
    return change_names(run, d, changes, on_delete=trash.remember)
