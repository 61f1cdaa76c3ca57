"""Where all searched items lie, as columns of small whole numbers that a browser draws as a map.

A column holds 16 bits for each item, so a million items are two megabytes, and a screen has fewer
pixels than a column has steps. Items come in the order of ``Explorer.search_rows``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.exploring.layouts import can_have, kept_layout
from rivae.retrieval.retriever import Retriever
from rivae.runs.selections import stamp

STEPS = 65_534  # from the lowest to the highest value
UNKNOWN = 65_535
ITEMS = "items"  # the column of their numbers
NO_COLUMN = "the map has no column of that name: ask for items, axis-0 or factor-0"
MAX_CORNERS = 64  # of a lasso
MAX_RANKED = 10_000  # items whose own pairs are ranked for a colour: each asks once

Codes = NDArray[np.uint16]


@dataclass(frozen=True)
class Column:
    """What a column says.

    Attributes:
        key: its name in an address: "axis-0", "axis-a1", "layout-1", "factor-2", "split", "rank",
            "tag-0".
        label: plain text.
        group: what it belongs to.
        kind: "class" for codes of ``levels``, else numbers from ``low`` to ``high``.
        levels: names of the classes, or of an ordinal factor's values, or of both ends.
    """

    key: str
    label: str
    group: Literal["axis", "layout", "factor", "item", "tag"]
    kind: Literal["number", "class"]
    low: float
    high: float
    levels: tuple[str, ...] = ()


def columns(explorer: Explorer) -> list[Column]:
    """All columns of a run: its axes, those that were added too, the factors of its data, and what
    else is known of items.

    Those of the layout are among them where it can be computed, whether or not it is.
    """
    return [column for column, _ in _sources(explorer).values()]


def codes(explorer: Explorer, key: str) -> Codes | NDArray[np.uint32]:
    """A column's values, (N,): 0 to ``STEPS`` for low to high, or class codes; ``UNKNOWN`` for
    what is unknown. The column ``ITEMS`` holds data rows.

    Raises:
        ConfigError: there is no such column, or a layout that is not computed yet.
    """
    if key == ITEMS:
        return explorer.search_rows.astype(np.uint32)
    # An added axis may have been removed since its codes were kept.
    if re.match(r"axis-\D", key) and key not in {
        f"axis-{place.axis.id}" for place in explorer.added_axes
    }:
        raise ConfigError(NO_COLUMN)
    return _codes(explorer, key)


@lru_cache(maxsize=8)  # a lasso asks for the two that are shown
def _codes(explorer: Explorer, key: str) -> Codes:
    if key not in (sources := _sources(explorer)):
        raise ConfigError(NO_COLUMN)
    column, read = sources[key]
    values = read()
    if column.kind == "class":
        codes = np.where(np.isfinite(values), values, UNKNOWN).astype(np.uint16)
    else:
        codes = _steps(values, column.low, column.high)
    codes.setflags(write=False)
    return codes


Read = Callable[[], NDArray[Any]]


def _sources(explorer: Explorer) -> dict[str, tuple[Column, Read]]:
    """All columns, each with what reads its values."""
    n = len(explorer.search_rows)
    out: list[tuple[Column, Read]] = []
    if n:
        low, high = _ends(explorer)
        for j, name in enumerate(explorer.axis_names):
            about = Column(f"axis-{j}", name, "axis", "number", float(low[j]), float(high[j]))
            out.append((about, partial(_position, explorer, j)))
        for placed in explorer.added_axes:
            along = _along(explorer, placed.axis.id)
            span = float(along.min()), float(along.max())
            about = Column(f"axis-{placed.axis.id}", placed.name, "axis", "number", *span)
            out.append((about, partial(_along, explorer, placed.axis.id)))
    for k, label in enumerate(("Layout, to the right", "Layout, upwards")):
        if can_have(explorer):
            about = Column(f"layout-{k}", label, "layout", "number", 0.0, 1.0)
            out.append((about, partial(_place, explorer, k)))
    out += _factors(explorer)
    if explorer.rows == "all":
        parts = tuple(explorer.data.splits)
        about = Column("split", "Split", "item", "class", 0.0, len(parts) - 1.0, parts)
        out.append((about, partial(_split, explorer)))
    if 1 < n <= MAX_RANKED:
        ends = ("first", f"{n:,}th")
        about = Column("rank", "Rank of its own pair", "item", "number", 0.0, math.log(n), ends)
        out.append((about, lambda: np.log(explorer.own_ranks)))
    for t, (tag, has) in enumerate(explorer.common_tags.items()):
        about = Column(f"tag-{t}", tag, "tag", "class", 0.0, 1.0, ("without", tag))
        out.append((about, partial(np.asarray, has, np.float64)))
    return {column.key: (column, read) for column, read in out}


@lru_cache(maxsize=8)
def _ends(explorer: Explorer) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lowest and the highest position on each axis."""
    return explorer.positions.min(axis=0), explorer.positions.max(axis=0)


@lru_cache(maxsize=16)  # an id is never given again
def _along(explorer: Explorer, axis_id: str) -> NDArray[np.float32]:
    """Where every item lies on an added axis."""
    return explorer.shown_positions(axis_id)


def _factors(explorer: Explorer) -> list[tuple[Column, Read]]:
    data = explorer.data
    out: list[tuple[Column, Read]] = []
    for k, spec in enumerate(data.factor_specs if data.factors is not None else ()):
        values = _factor(explorer, k)
        if not np.isfinite(values).any():
            continue
        kind: Literal["number", "class"] = "class" if spec.kind == "categorical" else "number"
        ends = float(np.nanmin(values)), float(np.nanmax(values))
        about = Column(f"factor-{k}", spec.name, "factor", kind, *ends, tuple(spec.levels))
        out.append((about, partial(_factor, explorer, k)))
    return out


def _position(explorer: Explorer, j: int) -> NDArray[np.float32]:
    return explorer.positions[:, j]


def _place(explorer: Explorer, k: int) -> NDArray[np.float32]:
    if (layout := kept_layout(explorer)) is None:
        raise ConfigError("the layout is not computed yet: choose it on the map and wait")
    return layout[:, k]


def _factor(explorer: Explorer, k: int) -> NDArray[np.float64]:
    assert explorer.data.factors is not None
    return np.asarray(explorer.data.factors[explorer.search_rows, k], dtype=np.float64)


def _split(explorer: Explorer) -> NDArray[np.float64]:
    of = np.full(len(explorer.data), np.nan)
    for code, rows in enumerate(explorer.data.splits.values()):
        of[rows] = code
    return of[explorer.search_rows]


def _steps(values: NDArray[np.floating], low: float, high: float) -> Codes:
    span = high - low or 1.0
    share = np.clip((values - low) / span, 0.0, 1.0)
    return np.where(np.isfinite(values), np.rint(share * STEPS), UNKNOWN).astype(np.uint16)


@dataclass(frozen=True)
class Lasso:
    """A polygon on the map of the columns ``x`` and ``y``; corners in shares of each, 0 to 1."""

    x: str
    y: str
    corners: tuple[tuple[float, float], ...]

    def inside(self, explorer: Explorer) -> NDArray[np.int64]:
        """The data rows of the items inside.

        Raises:
            ConfigError: there are no such columns, or it has too few or too many corners.
        """
        if not 3 <= len(self.corners) <= MAX_CORNERS:
            raise ConfigError(f"a lasso has 3 to {MAX_CORNERS} corners")
        places = [(codes(explorer, key) / STEPS).astype(np.float32) for key in (self.x, self.y)]
        corners = np.array(self.corners, dtype=np.float32)
        near = np.flatnonzero(
            np.logical_and.reduce(
                [
                    (place >= of.min()) & (place <= of.max())
                    for place, of in zip(places, corners.T, strict=True)
                ]
            )
        )
        inside = in_polygon(places[0][near], places[1][near], corners)
        return np.asarray(explorer.search_rows[near[inside]], dtype=np.int64)


def in_polygon(
    x: NDArray[np.float32], y: NDArray[np.float32], corners: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Whether each point (n,) lies inside the polygon (m, 2): edges to its right are odd."""
    inside = np.zeros(len(x), dtype=bool)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, 1, axis=0), strict=True):
        if y1 != y2:
            crosses = (y1 > y) != (y2 > y)
            inside ^= crosses & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


def among(explorer: Explorer, lasso: Lasso | None, only: str = "") -> Retriever | None:
    """The search among the items inside ``lasso`` that meet the conditions ``only``; None where
    there is none.

    Raises:
        ConfigError: see ``Lasso.inside`` and ``Catalogue.find``.
    """
    run = explorer.run
    return _among(explorer, lasso, only, stamp(run) if "@" in only and run is not None else None)


@lru_cache(maxsize=4)  # a drag asks for the same one many times
def _among(explorer: Explorer, lasso: Lasso | None, only: str, kept: object) -> Retriever | None:
    """``among``, as long as the selections are those of the stamp ``kept``."""
    if lasso is None:
        rows = explorer.find(only)
    elif only.split():
        rows = np.intersect1d(lasso.inside(explorer), explorer.find(only), assume_unique=True)
    else:
        rows = lasso.inside(explorer)
    return explorer.retriever.subset(rows) if len(rows) else None
