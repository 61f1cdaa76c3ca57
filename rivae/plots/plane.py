"""Two latent dimensions at once: a grid of the best item at every point of a plane through z."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rivae.plots.fonts import text_width
from rivae.plots.sheet import Sheet, Text, fitted
from rivae.plots.strips import value_texts

PAD, GAP = 14, 4


def plane_sheet(
    ids: NDArray[np.int64],
    values_a: NDArray[np.float64],
    values_b: NDArray[np.float64],
    picture: Callable[[int], Image.Image],
    *,
    names: tuple[str, str],
    reference: tuple[float, float] | None = None,
    title: Callable[[int], str] = lambda i: f"item {i}",
    side: int = 48,
) -> Sheet:
    """Place a grid: the first dimension runs to the right, the second upwards.

    Args:
        ids: (Ta, Tb) or (Ta, Tb, k) items; the best one is shown.
        values_a, values_b: (Ta,) and (Tb,) ascending values of the two dimensions.
        picture: item number to its picture (called once per item).
        names: plain-text names of the two dimensions.
        reference: values of both dimensions at the query; the nearest point is framed.
        title: item number to its plain-text name, for the descriptions of the pictures.

    Raises:
        ValueError: ``ids`` does not fit the values.
    """
    top = ids[..., 0] if ids.ndim == 3 else ids
    if top.shape != (len(values_a), len(values_b)):
        raise ValueError(f"ids of shape {ids.shape} for {len(values_a)} x {len(values_b)} values")
    picture = lru_cache(maxsize=None)(picture)
    labels_a, labels_b = value_texts(values_a), value_texts(values_b)
    n_rows, step = len(labels_b), side + GAP
    step_a = max(step, max(text_width(label, 11) for label in labels_a) + 6)
    left = PAD + max(text_width(t, 11) for t in labels_b) + 10
    # A short name stands beside the pictures, a long one above them.
    left = max(left, PAD + min(text_width(names[1], 14, bold=True), 120) + 8 - side)
    upper = PAD + 24.0
    at = None
    if reference is not None:
        at = (
            int(np.abs(values_a - reference[0]).argmin()),
            int(np.abs(values_b - reference[1]).argmin()),
        )
    sheet = Sheet(
        left + len(labels_a) * step_a + PAD,
        upper + n_rows * step + 48,
        f"Best item at each point of a plane: {names[0]} from {labels_a[0]} to {labels_a[-1]} "
        f"to the right, {names[1]} from {labels_b[0]} to {labels_b[-1]} upwards.",
    )
    sheet.marks.append(Text(PAD, PAD + 8, f"↑ {names[1]}", 14, bold=True))
    for row in range(n_rows):
        b = n_rows - 1 - row
        y = upper + row * step
        sheet.marks.append(Text(left - 8, y + side / 2, labels_b[b], 11, "end", "muted"))
        for a, label in enumerate(labels_a):
            i = int(top[a, b])
            alt = f"{title(i)} at {names[0]} = {label}, {names[1]} = {labels_b[b]}"
            x = left + a * step_a + (step_a - GAP - side) / 2
            sheet.marks.append(fitted(picture(i), x, y, side, side, alt, (a, b) == at))
            sheet.rows.append(
                {
                    names[0]: float(values_a[a]),
                    names[1]: float(values_b[b]),
                    "item": i,
                    "title": title(i),
                }
            )
    below = upper + n_rows * step
    for a, label in enumerate(labels_a):
        middle = left + a * step_a + (step_a - GAP) / 2
        sheet.marks.append(Text(middle, below + 10, label, 11, "middle", "muted"))
    right = left + len(labels_a) * step_a - GAP
    sheet.marks.append(Text(right, below + 32, f"{names[0]} →", 14, "end", bold=True))
    return sheet
