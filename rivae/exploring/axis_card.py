"""Facts about one axis: examples along it, what it follows, and its match in another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.exploring.explorer import Explorer
from rivae.exploring.words.relations import factor_table

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MIN_ITEMS = 10  # behind a correlation


@dataclass(frozen=True)
class Link:
    """How one axis goes with a factor, or with an axis of another run.

    Attributes:
        name: of the factor or axis, plain text.
        r: Pearson correlation over items, in [-1, 1].
        low, high: its 95 % interval (Fisher's z).
        n: items.
    """

    name: str
    r: float
    low: float
    high: float
    n: int


def examples(explorer: Explorer, dim: int, n: int = 4) -> list[list[int]]:
    """For each of ``QUANTILES`` the ``n`` data rows nearest to it on the axis, the nearest first;
    a row appears once.
    """
    places = explorer.shown_positions(dim)
    is_taken = np.zeros(len(places), dtype=bool)
    groups: list[list[int]] = []
    for quantile in np.quantile(places, QUANTILES):
        apart = np.where(is_taken, np.inf, np.abs(places - quantile))
        nearest = np.argsort(apart, kind="stable")[: min(n, int((~is_taken).sum()))]
        is_taken[nearest] = True
        groups.append([int(row) for row in explorer.search_rows[nearest]])
    return groups


def factor_links(explorer: Explorer, dim: int) -> list[Link]:
    """The axis as it is shown with each factor of the data, over the items searched; the strongest
    first.
    """
    factors, names = factor_table(explorer.data, explorer.search_rows)
    if factors is None:
        return []
    places = explorer.shown_positions(dim).astype(np.float64)
    links = [
        link
        for name, values in zip(names, factors.T, strict=True)
        if (link := correlation(name, places, values)) is not None
    ]
    return sorted(links, key=lambda link: -abs(link.r))


def correlation(name: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> Link | None:
    """The correlation of two columns (n,) where both are known; None where it is undefined."""
    finite = np.isfinite(a) & np.isfinite(b)
    a, b, n = a[finite], b[finite], int(finite.sum())
    if n < MIN_ITEMS or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    r = float(np.clip(np.corrcoef(a, b)[0, 1], -1.0, 1.0))
    middle, half = np.arctanh(np.clip(r, -1 + 1e-9, 1 - 1e-9)), 1.96 / np.sqrt(n - 3)
    return Link(name, r, float(np.tanh(middle - half)), float(np.tanh(middle + half)), n)


def likest(explorer: Explorer, dim: int, others: Sequence[Explorer]) -> list[Link | None]:
    """For each other run on the same data, its axis most like this one, over the items that both
    search; None where they share too few.
    """
    out: list[Link | None] = []
    for other in others:
        _, here, there = np.intersect1d(
            explorer.search_rows, other.search_rows, assume_unique=True, return_indices=True
        )
        positions = explorer.shown_positions(dim)[here].astype(np.float64)
        links = [
            correlation(name, positions, other.shown_positions(j)[there].astype(np.float64))
            for j, name in enumerate(other.axis_names)
        ]
        comparable_links = [link for link in links if link is not None]
        out.append(max(comparable_links, key=lambda link: abs(link.r), default=None))
    return out
