"""Strips of one query along an axis before and after, side by side, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rivae.app.panels.answers import picture
from rivae.app.shared.item import tile
from rivae.app.shell.text import escape
from rivae.base.wording import short

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer, Vector
    from rivae.labels.axes_given import AxesGiven

PLACES = (0.02, 0.25, 0.5, 0.75, 0.98)  # quantiles of the training queries
AFTER = "from your labels"


def strips(
    explorer: Explorer, axes_given: AxesGiven, some: Sequence[int], query: int, names: Sequence[str]
) -> list[str]:
    """A block for each factor: its poles, its correlations before and after, both strips.

    Args:
        some: positions of the factors, at least one.
        query: data row.
        names: (d,) of the axes of z.
    """
    views = dict(zip(("first", "second"), explorer.data.view_names, strict=True))
    best_items = _best_items(explorer, axes_given, some, query)
    side = 0 if explorer.shows_whole else explorer.found_side
    blocks = []
    for k, rows in zip(some, best_items, strict=True):
        axis = axes_given.axes[k]
        before = f"before: {names[axes_given.before[k]]}"
        pair = "".join(
            _strip(explorer, ids, side, what, axis.poles)
            for ids, what in zip(rows, (before, AFTER), strict=True)
        )
        blocks.append(
            '<section style="margin:0 0 .5rem">'
            '<div style="display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline">'
            f'<h3 style="margin:0;padding:0;font-size:1rem">{escape(axis.name)}</h3>'
            f"<span>{escape(' ↔ '.join(filter(None, axis.poles)))}</span>"
            f"{_numbers(axes_given, k, views)}</div>"
            '<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));'
            f'gap:.25rem 1.5rem">{pair}</div></section>'
        )
    return blocks


def _numbers(axes_given: AxesGiven, k: int, views: Mapping[str, str]) -> str:
    return "".join(
        '<span style="font-variant-numeric:tabular-nums" '
        f'title="correlation with the labels of {one.n:,} items that the axes were not fitted to">'
        f"{escape(views[one.asks])} asks "
        f"{short(one.before[k])} → <b>{short(one.after[k])}</b></span>"
        for one in axes_given.gains
    )


def _best_items(
    explorer: Explorer, axes_given: AxesGiven, some: Sequence[int], query: int
) -> list[list[list[int]]]:
    """(factors, 2, places) data rows: the best item at each place, before and after."""
    z = explorer.encode(query)
    reference = explorer.retriever.reference_latents()[0].astype(np.float64)
    points = []
    for k in some:
        axis = axes_given.axes[k]
        # Both strips run from the low pole to the high one.
        unit = np.eye(len(z))[axes_given.before[k]] * axes_given.signs[k]
        for reads, moves in ((unit, unit), (np.array(axis.reads), np.array(axis.moves))):
            points.append(_along(z, reference @ reads, reads, moves))
    flat = np.concatenate(points)
    best = explorer.retriever.nearest(flat, 1)[0][:, 0]
    ids: list[list[list[int]]] = best.reshape(len(some), 2, len(PLACES)).tolist()
    return ids


def _along(z: Vector, places: Vector, reads: Vector, moves: Vector) -> Vector:
    """z (d,) moved to the places of the strip, (places, d)."""
    to = np.quantile(places, PLACES)
    return np.asarray(z + (to - float(z @ reads))[:, None] * moves)


def _strip(
    explorer: Explorer, ids: Sequence[int], side: int, what: str, poles: tuple[str, str]
) -> str:
    tiles = "".join(tile(*picture(explorer, int(i), side)) for i in ids)
    low, high = (escape(pole) for pole in poles)
    return (
        '<figure style="margin:.25rem 0">'
        f'<div style="display:grid;grid-template-columns:repeat({len(PLACES)},1fr);gap:.25rem">'
        f"{tiles}</div>"
        '<figcaption style="display:flex;justify-content:space-between;gap:.5rem;'
        f'font-size:.8125rem;opacity:.8"><span>{low}</span><span>{escape(what)}</span>'
        f"<span>{high}</span></figcaption></figure>"
    )
