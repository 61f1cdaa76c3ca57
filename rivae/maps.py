"""Where all searched items lie, as columns of small whole numbers that a browser draws as a map.

A column holds 16 bits for each item, so a million items are two megabytes, and a screen has fewer
pixels than a column has steps. Items come in the order of ``Explorer.search_rows``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rivae.errors import ConfigError
from rivae.explorer import Explorer
from rivae.retrieval.retriever import Retriever

STEPS = 65_534  # from the lowest to the highest value
UNKNOWN = 65_535
ITEMS = "items"  # the column of their numbers
MAX_CORNERS = 64  # of a lasso

Codes = NDArray[np.uint16]


@dataclass(frozen=True)
class Column:
    """What a column says.

    Attributes:
        key: its name in an address: "axis-0", "factor-2".
        label: plain text.
        kind: "class" for codes of ``levels``, else numbers from ``low`` to ``high``.
        levels: names of the classes, or of an ordinal factor's values.
    """

    key: str
    label: str
    kind: Literal["axis", "factor", "class"]
    low: float
    high: float
    levels: tuple[str, ...] = ()


def columns(explorer: Explorer) -> list[Column]:
    """All columns of a run: its axes, then the factors of its data."""
    data, out = explorer.data, []
    if len(explorer.search_rows):
        low, high = explorer.positions.min(axis=0), explorer.positions.max(axis=0)
        out = [
            Column(f"axis-{j}", name, "axis", float(low[j]), float(high[j]))
            for j, name in enumerate(explorer.axis_names)
        ]
    for k, spec in enumerate(data.factor_specs if data.factors is not None else ()):
        values = _factor(explorer, k)
        if not np.isfinite(values).any():
            continue
        kind: Literal["factor", "class"] = "class" if spec.kind == "categorical" else "factor"
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        out.append(Column(f"factor-{k}", spec.name, kind, low, high, tuple(spec.levels)))
    return out


def codes(explorer: Explorer, key: str) -> Codes | NDArray[np.uint32]:
    """A column's values, (N,): 0 to ``STEPS`` for low to high, or class codes; ``UNKNOWN`` for
    what is unknown. The column ``ITEMS`` holds data rows.

    Raises:
        ConfigError: there is no such column.
    """
    if key == ITEMS:
        return explorer.search_rows.astype(np.uint32)
    column = next((c for c in columns(explorer) if c.key == key), None)
    if column is None:
        raise ConfigError("the map has no column of that name: ask for items, axis-0 or factor-0")
    j = int(key.rpartition("-")[2])
    values = explorer.positions[:, j] if column.kind == "axis" else _factor(explorer, j)
    if column.kind == "class":
        return np.where(np.isfinite(values), values, UNKNOWN).astype(np.uint16)
    return _steps(values, column.low, column.high)


def _factor(explorer: Explorer, k: int) -> NDArray[np.float64]:
    assert explorer.data.factors is not None
    return np.asarray(explorer.data.factors[explorer.search_rows, k], dtype=np.float64)


def _steps(values: NDArray[np.floating], low: float, high: float) -> Codes:
    span = high - low or 1.0
    share = np.clip((values - low) / span, 0.0, 1.0)
    return np.where(np.isfinite(values), np.rint(share * STEPS), UNKNOWN).astype(np.uint16)


@dataclass(frozen=True)
class Lasso:
    """A polygon on the map of axes ``x`` and ``y``; corners in shares of each axis, 0 to 1."""

    x: int
    y: int
    corners: tuple[tuple[float, float], ...]

    def inside(self, explorer: Explorer) -> NDArray[np.int64]:
        """The data rows of the items inside.

        Raises:
            ConfigError: there are no such axes, or it has too few or too many corners.
        """
        if not 3 <= len(self.corners) <= MAX_CORNERS:
            raise ConfigError(f"a lasso has 3 to {MAX_CORNERS} corners")
        places = [
            (codes(explorer, f"axis-{j}") / STEPS).astype(np.float32) for j in (self.x, self.y)
        ]
        corners = np.array(self.corners, dtype=np.float32)
        near = np.flatnonzero(
            np.logical_and.reduce(
                [
                    (place >= of.min()) & (place <= of.max())
                    for place, of in zip(places, corners.T, strict=True)
                ]
            )
        )
        found = in_polygon(places[0][near], places[1][near], corners)
        return np.asarray(explorer.search_rows[near[found]], dtype=np.int64)


def in_polygon(
    x: NDArray[np.float32], y: NDArray[np.float32], corners: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Whether each point (n,) lies inside the polygon (m, 2): edges to its right are odd."""
    inside = np.zeros(len(x), dtype=bool)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, 1, axis=0), strict=True):
        if y1 != y2:
            crossed = (y1 > y) != (y2 > y)
            inside ^= crossed & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


@lru_cache(maxsize=4)  # a drag asks for the same one many times
def among(explorer: Explorer, lasso: Lasso | None, only: str = "") -> Retriever | None:
    """The search among the items inside ``lasso`` that have all words of ``only``; None where there
    is none.

    Raises:
        ConfigError: see ``Lasso.inside``.
    """
    rows = explorer.find(only)
    if lasso is not None:
        rows = np.intersect1d(lasso.inside(explorer), rows)
    return explorer.retriever.subset(rows) if len(rows) else None
