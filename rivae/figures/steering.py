"""Several axes at once, as in the paper's figure: activation matrix, pictures and cloud per row.

A filled circle is on, an empty one off, a dash stays at the query, a number is s.d. from the mean:
no meaning rests on colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from PIL import Image

from rivae.base.arrays import Ints
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import axis_names
from rivae.exploring.steering import (
    AxisNames,
    Level,
    SteerRow,
    SteerTexts,
    by_key,
    cloud_counts,
    row_relations,
    signed,
    steer_texts,
    word,
)
from rivae.exploring.words.relations import Relation
from rivae.figures.cloud_layout import one_line
from rivae.figures.clouds import SMALLEST, Clouds, make_clouds
from rivae.figures.fonts import shortened, text_width, wrapped
from rivae.figures.sheet import Sheet, Text, Tone, fitted

PAD, GAP, LINE = 14, 4, 15
CELL, MARK = 78, 20  # width of a column of the matrix, size of its circles
ROW_GAP = 16
CLOUD = (340, 150)  # pixels of one cloud
N_WORDS = 16
MARKS = {"on": "●", "off": "○", "query": "–"}
TONES: dict[Relation, Tone] = {"related": "related", "opposite": "opposite", "none": "faint"}


def mark_text(level: Level) -> str:
    """How a level is drawn."""
    return MARKS[level] if isinstance(level, str) else signed(level)


def row_cloud(
    explorer: Explorer,
    texts: SteerTexts,
    row: SteerRow,
    n_sigma: float,
    *,
    n_words: int = N_WORDS,
    width: int = CLOUD[0],
    height: int = CLOUD[1],
) -> Clouds | None:
    """The words of one row, coloured by their relation to where it goes; None without any word.

    Letters are as large as the space allows: sizes compare within a row, not between rows.
    """
    counts = cloud_counts(explorer, texts, [row], n_sigma)
    relation = row_relations(texts, row, n_sigma, explorer)
    title = row.turned(explorer.signs.tolist()).title(axis_names(explorer))
    return make_clouds(
        counts,
        relation,
        factor=title if relation else "",
        n_words=n_words,
        width=width,
        height=height,
    )


def row_clouds(explorer: Explorer, rows: Sequence[SteerRow], n_sigma: float) -> list[Clouds | None]:
    """A cloud for each row; [] where the items have no texts."""
    texts = steer_texts(explorer)
    if texts is None:
        return []
    return [row_cloud(explorer, texts, row, n_sigma) for row in rows]


def steering_sheet(
    rows: Sequence[SteerRow],
    ids: Ints,
    names: AxisNames,
    picture: Callable[[int], Image.Image],
    *,
    clouds: Sequence[Clouds | None] = (),
    query: Image.Image | None = None,
    query_title: str = "query",
    title: Callable[[int], str] = lambda i: f"item {i}",
    n_sigma: float | None = None,
    signs: Sequence[int] | None = None,
    side: int = 84,
) -> Sheet:
    """Place the rows below each other.

    Args:
        rows: R settings of the same axes.
        ids: (R, k) items of each, best first (``rivae.exploring.steering.steer``).
        names: plain-text names of all d axes, or of each axis by its key.
        picture: item number to its picture (called once per item).
        clouds: one per row, or none at all.
        query: the query's picture, above the rows; None for no picture.
        title: item number to its plain-text name.
        n_sigma: how far on and off lie from the mean, for the legend.
        signs: (d,) -1 for axes that are shown as −z, where on means less z; all 1 by default.

    Raises:
        ValueError: the numbers of rows, items and clouds differ, or the rows set different axes.
    """
    if len({row.axes for row in rows}) != 1 or len(ids) != len(rows):
        raise ValueError(f"{len(rows)} rows with {len(ids)} lists of items, or of different axes")
    if len(clouds) not in (0, len(rows)):
        raise ValueError(f"{len(rows)} rows but {len(clouds)} clouds")
    if signs is not None:
        rows = [row.turned(signs) for row in rows]
    picture, axes, k = lru_cache(maxsize=None)(picture), rows[0].axes, ids.shape[1]
    names = by_key(names)
    heads_of = [names[j] for j in axes]
    sheet = Sheet(
        0,
        0,
        f"The {k} best items for {query_title} with {len(rows)} settings of {', '.join(heads_of)}.",
    )
    top = _query(sheet, query, query_title, side) if query is not None else float(PAD)
    heads = [wrapped(name, CELL - 8, 12) for name in heads_of]
    head = LINE * max(map(len, heads)) + 8
    pictures = PAD + CELL * len(axes) + PAD
    words = pictures + k * (side + GAP) + PAD
    for column, lines in enumerate(heads):
        middle = PAD + CELL * (column + 0.5)
        first = top + head - 8 - LINE * len(lines)
        sheet.marks += [
            Text(middle, first + LINE * (n + 0.5), line, 12, "middle", bold=True)
            for n, line in enumerate(lines)
        ]
    height = max(side, CLOUD[1] if clouds else 0)
    for number, row in enumerate(rows):
        upper = top + head + number * (height + ROW_GAP)
        _matrix(sheet, row, upper + height / 2)
        for rank, i in enumerate(map(int, ids[number])):
            left, y = pictures + rank * (side + GAP), upper + (height - side) / 2
            alt = f"{title(i)}, rank {rank + 1} with {row.title(names)}"
            sheet.marks.append(fitted(picture(i), left, y, side, side, alt))
            levels = dict(zip(heads_of, row.levels, strict=True))
            sheet.rows.append(
                {"row": number + 1, **levels, "rank": rank + 1, "item": i, "title": title(i)}
            )
        if clouds:
            _cloud(sheet, clouds[number], words, upper, height)
    sheet.width = words + (CLOUD[0] + PAD if clouds else 0)
    bottom = top + head + len(rows) * (height + ROW_GAP) + LINE / 2
    sheet.height = _legend(sheet, rows, n_sigma, bool(clouds), bottom) + PAD
    return sheet


def _query(sheet: Sheet, image: Image.Image, title: str, side: int) -> float:
    """Draw the query above the rows; returns where it ends."""
    sheet.marks.append(fitted(image, PAD, PAD, side, side, f"Query: {title}"))
    right = PAD + side + 12
    sheet.marks.append(Text(right, PAD + LINE, "Query", 13, bold=True))
    sheet.marks.append(Text(right, PAD + 2.4 * LINE, shortened(title, 420, 13), tone="muted"))
    return PAD + side + PAD


def _matrix(sheet: Sheet, row: SteerRow, y: float) -> None:
    for column, level in enumerate(row.levels):
        size = MARK if isinstance(level, str) else 15
        tone: Tone = "muted" if level == "query" else "text"
        x = PAD + CELL * (column + 0.5)
        is_number = not isinstance(level, str)
        sheet.marks.append(Text(x, y, mark_text(level), size, "middle", tone, bold=is_number))


def _cloud(sheet: Sheet, cloud: Clouds | None, x: float, y: float, height: float) -> None:
    if cloud is None:
        sheet.marks.append(Text(x, y + height / 2, "no words", 12, tone="muted"))
        return
    for w, size in enumerate(np.asarray(cloud.size(0), dtype=float)):
        if size >= SMALLEST:
            name = cloud.counts.words[w]
            relation = cloud.of(name)
            sheet.marks.append(
                Text(
                    x + float(cloud.layout.x[w]),
                    y + float(cloud.layout.y[w]),
                    one_line(name),
                    round(size, 2),
                    "middle",
                    TONES[relation],
                    bold=relation != "none",
                    slanted=relation == "opposite",
                    underlined=relation == "related",
                )
            )


def _legend(
    sheet: Sheet, rows: Sequence[SteerRow], n_sigma: float | None, with_words: bool, y: float
) -> float:
    """Draw the legend of the marks that are used; returns where it ends."""
    marks = {level if isinstance(level, str) else "number" for row in rows for level in row.levels}
    far = "" if n_sigma is None else f" (mean + {n_sigma:g} s.d.)"
    meanings = {
        "on": f"● on{far}",
        "off": f"○ off{far.replace('+', '−')}",
        "query": f"– {word('query')}",
        "number": "number: s.d. from the mean",
    }
    line = "   ".join(text for level, text in meanings.items() if level in marks)
    lines: list[list[tuple[str, Tone, bool, bool]]] = [[(line, "muted", False, False)]]
    if with_words:
        lines.append(
            [
                ("related to the setting", "related", False, True),
                ("opposite to it", "opposite", True, False),
                ("no clear relation", "faint", False, False),
            ]
        )
    for parts in lines:
        x = float(PAD)
        for text, tone, is_slanted, is_underlined in parts:
            bold = is_slanted or is_underlined
            sheet.marks.append(Text(x, y, text, 12, "start", tone, bold, is_slanted, is_underlined))
            x += text_width(text, 12, bold) + 24
        sheet.width = max(sheet.width, x)
        y += 1.4 * LINE
    return y - LINE / 2
