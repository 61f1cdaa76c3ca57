"""One search as a picture sheet: the query on the left, the k best items to its right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PIL import Image

from rivae.figures.fonts import shortened
from rivae.figures.sheet import Sheet, Text, fitted

PAD, GAP, LABEL = 14, 8, 22


def results_sheet(
    ids: Sequence[int],
    picture: Callable[[int], Image.Image],
    *,
    query: Image.Image | None,
    query_title: str = "query",
    title: Callable[[int], str] = lambda i: f"item {i}",
    scores: Sequence[float] = (),
    side: int = 96,
    columns: int = 5,
) -> Sheet:
    """Place the results of one search, best first, from left to right and top to bottom.

    Args:
        ids: (k,) items.
        picture: item number to its picture.
        query: the query's picture, or None without one.
        title: item number to its plain-text name, written under its picture.
        scores: (k,) relevance scores for the CSV; empty for none.
    """
    first = 0.0 if query is None else side + 3 * PAD
    step_x, step_y = side + GAP, side + LABEL + GAP
    n_rows = -(-len(ids) // columns)
    sheet = Sheet(
        2 * PAD + first + min(len(ids), columns) * step_x - GAP,
        2 * PAD + LABEL + max(n_rows, 1) * step_y - GAP,
        f"The {len(ids)} best items for {query_title}: {', '.join(title(i) for i in ids)}.",
    )
    if query is not None:
        sheet.marks.append(Text(PAD, PAD + LABEL / 2, "Query", bold=True))
        sheet.marks.append(fitted(query, PAD, PAD + LABEL, side, side, f"Query: {query_title}"))
        name = shortened(query_title, side, 11)
        sheet.marks.append(Text(PAD, PAD + LABEL + side + LABEL / 2, name, 11, tone="muted"))
    sheet.marks.append(Text(PAD + first, PAD + LABEL / 2, f"Top {len(ids)}", bold=True))
    for rank, i in enumerate(ids):
        x = PAD + first + rank % columns * step_x
        y = PAD + LABEL + rank // columns * step_y
        sheet.marks.append(fitted(picture(i), x, y, side, side, f"{rank + 1}: {title(i)}"))
        name = shortened(f"{rank + 1}  {title(i)}", side, 11)
        sheet.marks.append(Text(x, y + side + LABEL / 2, name, 11, tone="muted"))
        row = {"rank": rank + 1, "item": i, "title": title(i)}
        sheet.rows.append(row | ({"score": scores[rank]} if len(scores) else {}))
    return sheet
