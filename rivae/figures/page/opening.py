"""How an exported page opens: three sentences on what it is, and what was looked at in the app."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rivae.exploring.explorer import Explorer
from rivae.figures.page.model import text

Order = Literal["reliable", "effect", "number"]

OPENED = "opened"  # the query of a page that opens with one which it does not hold as an item
ITEMS = "{n:,} items of the data set {data}, each a pair of {first} and {second}."
AXES = (
    "Each slider is an axis, one way in which the items differ: drag it to see the items that fit, "
    "or click a picture and start from there."
)
MADE = (
    "The model {run} ({method}) learned the axes from such pairs; RIVAE Explorer made this page on "
    "{date:%Y-%m-%d}, and it neither sends nor fetches anything."
)


@dataclass(frozen=True)
class Seen:
    """What somebody looks at in the app.

    Attributes:
        query: a data row; None for the mean of all queries, and for one's own picture or text.
        base: (d,) z of the query, where reset goes.
        z: (d,) where the sliders are; ``base`` by default.
        card: title, text, picture (its address) and ``tiny`` of the query; shown where the page
            does not hold it as an item.
        k: number of results.
        only: conditions that all results meet.
        span: half-width of the sliders in s.d.
        order: of the axes.
        locked: axes from 0 that reset leaves alone.
        added: by how much each added axis was moved, by its id; part of ``z``.
        only_this: moving an added axis leaves the other named ones.
        on_map: whether the map is open.
    """

    query: int | None
    base: tuple[float, ...]
    z: tuple[float, ...] = ()
    card: Mapping[str, Any] = field(default_factory=dict)
    k: int = 10
    only: str = ""
    span: int = 2
    order: Order = "reliable"
    locked: tuple[int, ...] = ()
    added: Mapping[str, float] = field(default_factory=dict)
    only_this: bool = False
    on_map: bool = False


def sentences(explorer: Explorer, name: str) -> list[str]:
    """What the items are, what to do, and what made the page; plain text."""
    first, second = explorer.data.view_names
    n, method = len(explorer.search_rows), explorer.method.title
    return [
        ITEMS.format(n=n, data=explorer.data.name, first=first, second=second),
        AXES,
        MADE.format(run=name, method=method, date=datetime.date.today()),
    ]


def opened_at(explorer: Explorer, seen: Seen | None = None) -> dict[str, Any]:
    """What a page opens with, as JSON values; its first item by default.

    Raises:
        ConfigError: the conditions ``only`` cannot be read.
    """
    if seen is None:
        z = np.round(explorer.encode(explorer.first_item), 4).tolist()
        seen = Seen(explorer.first_item, tuple(z))
    held = seen.query is not None and seen.query in explorer.search_rows
    return {
        "query": seen.query if held else OPENED if seen.card else None,
        "card": None if held else dict(seen.card) or None,
        "base": list(seen.base),
        "z": list(seen.z or seen.base),
        "k": seen.k,
        "only": seen.only,
        "meets": _meeting(explorer, seen.only),
        "span": seen.span,
        "order": seen.order,
        "locked": list(seen.locked),
        "added": dict(seen.added),
        "onlyThis": seen.only_this,
        "onMap": seen.on_map,
    }


def _meeting(explorer: Explorer, only: str) -> str | None:
    """A bit for each item that meets conditions: a page knows words, but neither tags nor factors;
    None without conditions.
    """
    if not only.split():
        return None
    return text(
        np.packbits(np.isin(explorer.search_rows, explorer.find(only)), bitorder="little"), "<u1"
    )
