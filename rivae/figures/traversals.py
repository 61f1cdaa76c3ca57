"""Traversals as picture sheets: which items are retrieved while z moves.

``strips_sheet`` moves one axis at a time, as in the paper's figures: the query on the left, and a
strip per axis with the points where the best item changes, the top-k items of each point, and the
value of z under them. ``plane_sheet`` moves two axes at once. ``preview_sheet`` is a glance at a
model in training.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rivae.figures.fonts import text_width, wrapped
from rivae.figures.sheet import Picture, Sheet, Text, fitted
from rivae.retrieval.traversal import Traversal

PAD, GAP, COLUMN_GAP = 14, 4, 10
LABEL, VALUE = 24, 20  # heights of a strip's name and of the line of values
# Of a preview: its edge, the line of steps, the width of an axis' name, between two blocks of axes.
EDGE, HEAD, NAME, BETWEEN = 8, 18, 30, 22


@dataclass(frozen=True)
class Strip:
    """One axis: its plain-text name, the kept values (n,) and items (n, k).

    ``n_points`` is the number of points to show before thinning.
    """

    name: str
    values: NDArray[np.float64]
    ids: NDArray[np.int64]
    n_points: int


def strips_of(
    traversal: Traversal,
    query: int = 0,
    names: Sequence[str] | None = None,
    *,
    changes_only: bool = True,
    max_points: int | None = 24,
) -> list[Strip]:
    """The strips of one query of a traversal, one per traversed axis.

    Args:
        names: plain-text names of all d axes; z1 ... zd when None.
        changes_only: keep only points whose top-1 item differs from the point before.
        max_points: of more points than this, evenly spaced ones are kept and the strip says so.
    """
    strips = []
    for position, j in enumerate(traversal.dims):
        n_values = traversal.values.shape[1]
        points = traversal.change_points(query, position) if changes_only else np.arange(n_values)
        n_points = len(points)
        if max_points is not None and n_points > max_points:
            points = points[np.linspace(0, n_points - 1, max_points).round().astype(int)]
        strips.append(
            Strip(
                names[j] if names is not None else f"z{j + 1}",
                traversal.values[position, points],
                traversal.ids[query, position, points],
                n_points,
            )
        )
    return strips


def strips_sheet(
    strips: Sequence[Strip],
    picture: Callable[[int], Image.Image],
    *,
    query: Image.Image | None = None,
    query_title: str = "query",
    title: Callable[[int], str] = lambda i: f"item {i}",
    marked: Collection[int] = (),
    side: int = 56,
    layout: Literal["rows", "columns"] = "rows",
) -> Sheet:
    """Place the strips of one query.

    Args:
        picture: item number to its picture (called once per item).
        query: the query's picture, drawn twice as large on the left; None for no picture.
        title: item number to its plain-text name, for the descriptions of the pictures.
        marked: items to frame, e.g. the query's own partner.
        side: pixels of one picture at scale 1.
        layout: "rows" runs each axis from left to right with the top-k items below each
            other; "columns" runs it downwards with the top-k side by side (the paper's Sprites
            and Split-MNIST figures).
    """
    picture, big = lru_cache(maxsize=None)(picture), 2 * side
    names = ", ".join(strip.name for strip in strips)
    sheet = Sheet(
        0,
        0,
        f"Items retrieved for {query_title} while {names} "
        f"{'moves' if len(strips) == 1 else 'move one at a time'}.",
    )
    x, y = float(PAD), float(PAD)
    if query is not None:
        sheet.marks.append(Text(PAD, PAD + LABEL / 2, "Query", 14, bold=True))
        tall = min(big, big * query.height / query.width)
        sheet.marks.append(fitted(query, PAD, PAD + LABEL, big, tall, f"Query: {query_title}"))
        lines = wrapped(query_title, big, 11)
        top = PAD + LABEL + tall + 12.0
        sheet.marks += [
            Text(PAD, top + 15 * n, line, 11, tone="muted") for n, line in enumerate(lines)
        ]
        x, sheet.height = PAD + big + 3.0 * PAD, top + 15 * len(lines) + PAD
    for strip in strips:
        across = layout == "rows"
        width, height = _place(sheet, strip, x, y, picture, title, marked, side, across)
        sheet.width = max(sheet.width, x + width + PAD)
        sheet.height = max(sheet.height, y + height + PAD)
        x, y = (x, y + height + PAD) if across else (x + width + 2 * PAD, y)
    return sheet


def _place(
    sheet: Sheet,
    strip: Strip,
    x: float,
    y: float,
    picture: Callable[[int], Image.Image],
    title: Callable[[int], str],
    marked: Collection[int],
    side: int,
    across: bool,
) -> tuple[float, float]:
    """Add one strip with its top left corner at (x, y); returns its width and height."""
    labels, k = value_texts(strip.values), strip.ids.shape[1]
    note = ""
    if len(strip.values) < strip.n_points:
        note = f"{len(strip.values)} of {strip.n_points} points shown"
    sheet.marks.append(Text(x, y + LABEL / 2, strip.name, size=14, bold=True))
    widest = max((text_width(label, 11) for label in labels), default=0)
    top = y + LABEL
    if note:
        after = x + text_width(strip.name, 14, bold=True) + 10
        sheet.marks.append(Text(after, y + LABEL / 2, note, 11, tone="muted"))
    step = max(side, widest) + COLUMN_GAP if across else side + COLUMN_GAP
    margin = 0.0 if across else widest + 8
    for n, label in enumerate(labels):
        for rank in range(k):
            i = int(strip.ids[n, rank])
            left = x + n * step if across else x + margin + rank * (side + GAP)
            upper = top + rank * (side + GAP) if across else top + n * step
            alt = f"{title(i)}, rank {rank + 1} at {strip.name} = {label}"
            sheet.marks.append(fitted(picture(i), left, upper, side, side, alt, i in marked))
            sheet.rows.append(
                {
                    "dimension": strip.name,
                    "z": float(strip.values[n]),
                    "rank": rank + 1,
                    "item": i,
                    "title": title(i),
                }
            )
        if across:
            under = top + k * (side + GAP) + VALUE / 2 - 2
            sheet.marks.append(Text(x + n * step + side / 2, under, label, 11, "middle", "muted"))
        else:
            middle = top + n * step + side / 2
            sheet.marks.append(Text(x + widest, middle, label, 11, "end", "muted"))
    head = text_width(strip.name, 14, bold=True) + (10 + text_width(note, 11) if note else 0)
    if across:
        return max(head, len(labels) * step - COLUMN_GAP), LABEL + k * (side + GAP) + VALUE
    return max(head, margin + k * (side + GAP)), LABEL + len(labels) * step


def value_texts(values: NDArray[np.float64]) -> list[str]:
    """Values of z with as few decimals (1 to 3) as keep neighbours distinct."""
    gaps = np.abs(np.diff(values))
    smallest = float(gaps[gaps > 0].min()) if (gaps > 0).any() else 1.0
    decimals = next(
        (n for n in (1, 2) if np.abs(values - values.round(n)).max(initial=0) < 0.18 * smallest), 3
    )
    # Rounded first, or a small negative value would read "−0.00".
    return [f"{round(float(v), decimals) + 0.0:.{decimals}f}".replace("-", "−") for v in values]


def plane_sheet(
    ids: NDArray[np.int64],
    values_a: NDArray[np.float64],
    values_b: NDArray[np.float64],
    picture: Callable[[int], Image.Image],
    *,
    names: tuple[str, str],
    reference: tuple[float, float] | None = None,
    signs: tuple[int, int] = (1, 1),
    title: Callable[[int], str] = lambda i: f"item {i}",
    side: int = 48,
) -> Sheet:
    """Place a grid: the first axis runs to the right, the second upwards.

    Args:
        ids: (Ta, Tb) or (Ta, Tb, k) items; the best one is shown.
        values_a, values_b: (Ta,) and (Tb,) ascending values of the two axes.
        picture: item number to its picture (called once per item).
        names: plain-text names of the two axes.
        reference: values of both axes at the query; the nearest point is framed.
        signs: -1 for an axis that is shown as −z, from its highest value to its lowest.
        title: item number to its plain-text name, for the descriptions of the pictures.

    Raises:
        ValueError: ``ids`` does not fit the values.
    """
    top = ids[..., 0] if ids.ndim == 3 else ids
    if top.shape != (len(values_a), len(values_b)):
        raise ValueError(f"ids of shape {ids.shape} for {len(values_a)} x {len(values_b)} values")
    if signs[0] < 0:
        top, values_a = top[::-1], -values_a[::-1]
    if signs[1] < 0:
        top, values_b = top[:, ::-1], -values_b[::-1]
    picture = lru_cache(maxsize=None)(picture)
    labels_a, labels_b = value_texts(values_a), value_texts(values_b)
    n_rows, step = len(labels_b), side + GAP
    step_a = max(step, max(text_width(label, 11) for label in labels_a) + 6)
    left = PAD + max(text_width(t, 11) for t in labels_b) + 10
    # A short name goes to the left of the pictures, a long one above them.
    left = max(left, PAD + min(text_width(names[1], 14, bold=True), 120) + 8 - side)
    upper = PAD + 24.0
    at = None
    if reference is not None:
        at = (
            int(np.abs(values_a - signs[0] * reference[0]).argmin()),
            int(np.abs(values_b - signs[1] * reference[1]).argmin()),
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
    axis_list = ", ".join(names)
    sheet = Sheet(0, 0, f"Items retrieved for one query while {axis_list} move one at a time.")
    big = 2 * side
    sheet.marks.append(Text(EDGE, EDGE + HEAD / 2, "query", 11, tone="muted"))
    sheet.marks.append(fitted(query, EDGE, EDGE + HEAD, big, big, "Query"))
    n_axes, n_steps = ids.shape
    rows = n_axes if n_axes <= 5 else -(-n_axes // 2)
    block = NAME + n_steps * (side + GAP) + BETWEEN
    left = EDGE + big + BETWEEN
    for j in range(n_axes):
        x, y = left + (j // rows) * block, EDGE + HEAD + (j % rows) * (side + GAP)
        if j % rows == 0:
            sheet.marks += [
                Text(
                    x + NAME + t * (side + GAP) + side / 2,
                    EDGE + HEAD / 2,
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
    sheet.width = left + blocks * block - BETWEEN + EDGE
    sheet.height = EDGE + HEAD + max(rows * (side + GAP), big) + EDGE
    return sheet


def pictures_of(sheet: Sheet) -> list[Picture]:
    """The pictures of a sheet in reading order."""
    return [mark for mark in sheet.marks if isinstance(mark, Picture)]
