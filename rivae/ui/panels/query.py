"""What the states of the pages share: the query, its z and its card, and when a panel starts anew.

No streamlit here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from rivae.explorer import Explorer
from rivae.ui.panels.answers import picture
from rivae.ui.panels.links import Query


def rounded(z: Sequence[float] | np.ndarray[Any, Any]) -> tuple[float, ...]:
    """z with the four decimals that the panel and the links carry."""
    return tuple(round(float(v), 4) + 0.0 for v in z)


def next_rev(rev: int) -> int:
    """A number above ``rev`` that another session is not using: the clock in milliseconds."""
    return max(rev + 1, int(time.time() * 1000))


def query_z(explorer: Explorer, query: Query) -> tuple[float, ...]:
    """z of a data row, or the average of all queries."""
    return rounded(explorer.mean if query == "mean" else explorer.encode(query))


def linked_query(explorer: Explorer, query: Query | str | None) -> tuple[Query, list[str]]:
    """The query that a link names, else the first row; a sentence where it names none there is."""
    first = int(explorer.search_rows[0])
    if query == "mean":
        return "mean", []
    if not isinstance(query, int):
        return first, []
    if query < len(explorer.data):
        return query, []
    return first, [f"The data set has no item {query}, so the first one is the query."]


def existing(explorer: Explorer, query: Query) -> Query:
    """``query`` itself.

    Raises:
        ConfigError: there is no such row.
    """
    if query != "mean":
        explorer.title(query)
    return query


def card_of(
    explorer: Explorer, query: Query, base: Sequence[float] | np.ndarray[Any, Any]
) -> dict[str, Any]:
    """Picture and words of a data row, or of the average of all queries with its z ``base``."""
    title: str | bool
    if query == "mean":
        i = int(explorer.topk(np.array(base), 1).ids[0])
        _, address, tiny = picture(explorer, i, 1)
        title, text = "Average query", "the mean of all queries; picture of the nearest item"
    else:
        title, address, tiny = picture(explorer, query, 1)
        text = f"{explorer.data.view_names[0]} · item {query}"
    return {"title": title, "text": text, "picture": address, "tiny": tiny}
