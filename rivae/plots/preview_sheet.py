"""A glance at a model in training: a few items along each axis, small enough to stand in a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rivae.plots.sheet import Sheet, Text, fitted

PAD, GAP, HEAD, NAME = 8, 4, 18, 30
BETWEEN = 22  # two blocks of axes


def preview_sheet(
    names: Sequence[str],
    ids: NDArray[np.int64],
    picture: Callable[[int], Image.Image],
    *,
    query: Image.Image,
    steps: Sequence[str],
    title: Callable[[int], str] = lambda i: f"item {i}",
    side: int = 44,
) -> Sheet:
    """The best items of one query while each axis moves alone; more than five axes in two blocks.

    Args:
        names: short plain-text names of the J axes.
        ids: (J, T) items, from low to high.
        picture: item number to its picture (called once per item).
        query: its picture, on the left.
        steps: T words over the columns, e.g. "−2 s.d.".
        title: item number to its plain-text name, for the descriptions of the pictures.
        side: pixels of one picture at scale 1.
    """
    picture = lru_cache(maxsize=None)(picture)
    moved = ", ".join(names)
    sheet = Sheet(0, 0, f"Items retrieved for one query while {moved} move one at a time.")
    big = 2 * side
    sheet.marks.append(Text(PAD, PAD + HEAD / 2, "query", 11, tone="muted"))
    sheet.marks.append(fitted(query, PAD, PAD + HEAD, big, big, "Query"))
    n_axes, n_steps = ids.shape
    rows = n_axes if n_axes <= 5 else -(-n_axes // 2)
    block = NAME + n_steps * (side + GAP) + BETWEEN
    left = PAD + big + BETWEEN
    for j in range(n_axes):
        x, y = left + (j // rows) * block, PAD + HEAD + (j % rows) * (side + GAP)
        if j % rows == 0:
            sheet.marks += [
                Text(
                    x + NAME + t * (side + GAP) + side / 2,
                    PAD + HEAD / 2,
                    word,
                    11,
                    "middle",
                    "muted",
                )
                for t, word in enumerate(steps)
            ]
        sheet.marks.append(Text(x, y + side / 2, names[j], 13, bold=True))
        for t in range(n_steps):
            i = int(ids[j, t])
            alt = f"{title(i)} at {names[j]} {steps[t]}"
            at = x + NAME + t * (side + GAP)
            sheet.marks.append(fitted(picture(i), at, y, side, side, alt))
            sheet.rows.append(
                {"dimension": names[j], "step": steps[t], "item": i, "title": title(i)}
            )
    blocks = -(-n_axes // rows) if rows else 0
    sheet.width = left + blocks * block - BETWEEN + PAD
    sheet.height = PAD + HEAD + max(rows * (side + GAP), big) + PAD
    return sheet
