"""What axes change as the cells of a table: which columns it has, and each cell's number, colour
and words. What chance may reach is blank.

A page draws the table itself (``effect_table``); ``effects.effect_heatmap`` is the same for files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rivae.base.wording import join_words, short
from rivae.exploring.axis_effects import KINDS
from rivae.exploring.words.axis_names import cut
from rivae.figures.palette import Theme, sample, text_on, theme
from rivae.runs.results import Change

N_COLUMNS = 24  # of a heat map
ENOUGH = 8  # columns, so that tags, and then words, are shown only where there are fewer
ROW_HEIGHT = 26
LABELS = 112  # pixels of the names of columns and what the colours mean
LONGEST, LONGEST_COLUMN = 36, 20  # letters of a row's and a column's name
BLANK = "no more than chance"

Column = tuple[str, str]  # kind and name
# By row and column what changes measurably.
Cells = Mapping[tuple[int, int], Change]


def effect_columns(
    changes: Sequence[Sequence[Change]], factors: Sequence[str] = (), most: int = N_COLUMNS
) -> list[Column]:
    """The columns of a heat map of ``changes`` by axis: factors, then tags, then words where there
    are few of the others, the ones that change most; in the order of the axes that change them.

    Args:
        factors: names that are among them even where no axis changes them.
    """
    largest: dict[Column, tuple[int, float]] = {}
    for row, of_axis in enumerate(changes):
        for change in of_axis:
            column, size = (change.kind, change.name), abs(change.change)
            if size > largest.get(column, (0, 0.0))[1]:
                largest[column] = (row, size)
    chosen: list[Column] = [("factor", name) for name in factors][:most]
    for kind in KINDS:
        if kind == "word" and len(chosen) >= ENOUGH:
            break
        others = [column for column in largest if column[0] == kind and column not in chosen]
        others.sort(key=lambda column: -largest[column][1])
        chosen += others[: most - len(chosen)]
    order = list(KINDS)
    last = (len(changes), 0.0)

    def place(column: Column) -> tuple[int, int, float]:
        row, size = largest.get(column, last)
        return order.index(column[0]), row, -size

    return sorted(chosen, key=place)


def effect_height(n_axes: int) -> int:
    """Pixels of a heat map of so many axes."""
    return ROW_HEIGHT * max(n_axes, 1) + LABELS


def signed(value: float) -> str:
    """A change with its sign: "+.82", "−.41"."""
    return short(value) if value < 0 else f"+{short(value)}"


def describe_effects(
    changes: Sequence[Sequence[Change]], axis_names: Sequence[str], columns: Sequence[Column]
) -> str:
    """One sentence: what each axis changes most among the columns."""
    parts = []
    for name, of_axis in zip(axis_names, changes, strict=True):
        told = [change for change in of_axis if (change.kind, change.name) in columns]
        if told:
            top = max(told, key=lambda change: abs(change.change))
            parts.append(f"{name} changes {top.name} most ({signed(top.change)})")
        else:
            parts.append(f"{name} changes none of them measurably")
    return (
        f"Heat map of what {len(axis_names)} axes change of {len(columns)} factors, tags and "
        f"words: {join_words(parts)}."
    )


def cells_of(changes: Sequence[Sequence[Change]], columns: Sequence[Column]) -> Cells:
    """By row and column what changes measurably."""
    at = {column: c for c, column in enumerate(columns)}
    return {
        (row, at[change.kind, change.name]): change
        for row, of_axis in enumerate(changes)
        for change in of_axis
        if (change.kind, change.name) in at
    }


def largest_of(cells: Cells) -> float:
    """The size at the ends of the colour scale: of the largest change, and at least one s.d."""
    return max([1.0, *(abs(change.change) for change in cells.values())])


def cell_colors(change: float, largest: float, colors: Theme) -> tuple[str, str]:
    """The colour of a cell, and of the number in it."""
    fill = sample(colors.diverging, (change + largest) / (2 * largest))
    return fill, text_on(fill)


def said_of(axis_name: str, column: Column, change: Change | None) -> tuple[str, str]:
    """What a cell is about, and what it says; plain text."""
    kind, name = column
    head = f"{axis_name} × {name} ({kind})"
    if change is None:
        return head, BLANK
    return head, f"{signed(change.change)} s.d., chance {short(change.chance)}"


def effect_table(
    changes: Sequence[Sequence[Change]],
    axis_names: Sequence[str],
    columns: Sequence[Column] | None = None,
    *,
    axes: Sequence[int] | None = None,
    selected: tuple[int, Column] | None = None,
    dark: bool = False,
) -> dict[str, Any]:
    """What ``assets/components/heat.js`` draws as a table of coloured cells, as plain text.

    Args:
        changes, axis_names, columns, axes, selected: as for ``effects.effect_heatmap``.

    Returns:
        ``label`` is the sentence for who cannot see the table. A column has its ``name``; a row
        the number of its ``axis``, a ``name`` and ``cells``, each with a ``title``, and with
        ``text``, ``fill`` and ``ink`` where it is more than chance. ``selected`` is the row and
        column of the chosen cell or None. ``scale`` has the colours and both ends, ``colors``
        those of lines and of the frame.

    >>> changes = [[Change(kind="tag", name="cakes", change=-1.5, chance=0.2)], []]
    >>> table = effect_table(changes, ["savory", "z2"], [("tag", "cakes"), ("word", "ice")])
    >>> [cell["text"] for cell in table["rows"][0]["cells"] if "text" in cell]
    ['−1.50']
    """
    numbers = list(range(len(changes))) if axes is None else list(axes)
    shown = effect_columns(changes) if columns is None else list(columns)
    cells, colors = cells_of(changes, shown), theme(dark)
    largest = largest_of(cells)

    def cell(row: int, c: int) -> dict[str, str]:
        change = cells.get((row, c))
        said = {"title": "\n".join(said_of(axis_names[row], shown[c], change))}
        if change is None:
            return said
        fill, ink = cell_colors(change.change, largest, colors)
        return {**said, "text": signed(change.change), "fill": fill, "ink": ink}

    chosen = None
    if selected is not None and selected[0] in numbers and selected[1] in shown:
        chosen = [numbers.index(selected[0]), shown.index(selected[1])]
    return {
        "label": describe_effects(changes, axis_names, shown),
        "columns": [
            {"name": cut(name, LONGEST_COLUMN), "title": f"{name} ({kind})"} for kind, name in shown
        ],
        "rows": [
            {
                "axis": numbers[row],
                "name": cut(name, LONGEST),
                "title": name,
                "cells": [cell(row, c) for c in range(len(shown))],
            }
            for row, name in enumerate(axis_names)
        ],
        "selected": chosen,
        "scale": {
            "colors": list(colors.diverging),
            "ends": [short(-largest), signed(largest)],
            "unit": "s.d.",
            "blank": BLANK,
        },
        "colors": {"line": colors.grid, "selection": colors.selection},
    }
