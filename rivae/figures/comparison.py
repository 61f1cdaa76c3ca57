"""Sheets of a comparison of runs: what each retrieves while the same factor moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivae.exploring.comparison import Comparison, axis_range, compare, strip_name
from rivae.exploring.explorer import Vector
from rivae.figures.sheet import Sheet
from rivae.figures.traversals import Strip, strips_of, strips_sheet
from rivae.retrieval.traversal import traverse

# ``compare`` too: snippets exported by earlier versions import it from here.
__all__ = ["compare", "factor_sheet", "factor_strip", "factor_strips"]

MAX_COLUMNS = 16  # points of a strip: as many as fit next to the query on a page
POINTS = 201  # as in the paper's range of -10 ... 10 by 0.1


def factor_strip(
    comparison: Comparison, run: int, z: Vector, factor: int, k: int = 3, name: str = ""
) -> Strip | None:
    """The items that ``run`` retrieves while its counterpart of ``factor`` moves over its range, in
    the direction of the reference from low to high, as it is shown; values are shifts from the
    query ``z`` (d,), in ranges.

    Only points where the best item changes are kept. None where there is no counterpart.
    """
    counterpart, step = comparison.counterpart(run, factor), comparison.step(run, factor)
    if counterpart is None or step is None:
        return None
    axis, unit = step
    explorer = comparison.explorers[run]
    low, high = axis_range(explorer, axis)
    turn = int(comparison.explorers[0].signs[factor])
    ends = (low, high) if turn * counterpart.sign > 0 else (high, low)
    traversal = traverse(explorer.retriever, z, {axis: np.linspace(*ends, POINTS)}, k=k)
    (strip,) = strips_of(traversal, max_points=MAX_COLUMNS)
    return Strip(name, turn * (strip.values - z[axis]) / unit, strip.ids, strip.n_points)


def factor_strips(
    comparison: Comparison,
    query: int | str,
    factor: int,
    *,
    k: int = 3,
    titles: Sequence[str] | None = None,
) -> list[Strip | None]:
    """``factor_strip`` of every run, named after ``titles`` (run 1, run 2 ... by default)."""
    if titles is None:
        titles = [f"run {i + 1}" for i in range(len(comparison.explorers))]
    return [
        factor_strip(comparison, i, z, factor, k, strip_name(comparison, i, factor, titles[i]))
        for i, z in enumerate(comparison.query_z(query))
    ]


def factor_sheet(
    comparison: Comparison, query: int | str, strips: Sequence[Strip | None], *, side: int = 2
) -> Sheet:
    """The strips of one factor below each other, the query to their left (the paper's figures).

    ``side`` as in ``data.picture``; runs without a strip are omitted.
    """
    first = comparison.explorers[0]
    mean = query == "mean"
    row = int(first.topk(first.mean, 1).ids[0]) if mean else int(query)
    return strips_sheet(
        [strip for strip in strips if strip is not None],
        lambda i: first.data.picture(i, side),
        query=first.data.picture(row, first.query_side),
        query_title="Average query" if mean else first.title(row),
        title=first.title,
        marked=() if mean else (row,),
    )
