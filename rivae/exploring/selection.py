"""What is special about some of the items that are searched: factors, words and tags.

Every share is of the chosen items and, beside it, of all. Factors come by how far the two differ;
words and tags by their log-odds against the items that were not chosen
(``rivae.exploring.words.contrast``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.exploring.explorer import Explorer
from rivae.exploring.words.contrast import WordContrast, contrast

N_BINS = 8  # of a factor without levels
N_TERMS = 8
MAX_COUNTED = 20_000  # items whose words are read; of more an even part
SURE = 3.0  # standard deviations of log-odds from 0; many words are looked at


@dataclass(frozen=True)
class FactorShares:
    """How the chosen items spread over a factor.

    Attributes:
        labels: levels, or the ranges of bins; B of them.
        chosen, everything: (B,) shares of the chosen items and of all whose value is known.
        apart: total variation distance of the two, 0 to 1.
    """

    name: str
    labels: tuple[str, ...]
    chosen: tuple[float, ...]
    everything: tuple[float, ...]
    apart: float


@dataclass(frozen=True)
class Term:
    """A word or tag that the chosen items have more or less often: counts of both, log-odds z, and
    the ends ``low`` and ``high`` of the 95 % interval of the log-odds.
    """

    word: str
    chosen: int
    rest: int
    z: float
    low: float
    high: float


@dataclass(frozen=True)
class Selection:
    """Some of the items searched.

    Attributes:
        n, of: numbers of chosen and of all items.
        factors: those that differ most first.
        more, less: words that the chosen items have more and less often than the others.
        more_tags, less_tags: tags, in the same way.
    """

    n: int
    of: int
    factors: tuple[FactorShares, ...]
    more: tuple[Term, ...]
    less: tuple[Term, ...]
    more_tags: tuple[Term, ...] = ()
    less_tags: tuple[Term, ...] = ()


def describe(
    explorer: Explorer,
    rows: ArrayLike,
    sets: Sequence[Collection[str]] | None = None,
    tags: Sequence[Collection[str]] | None = None,
) -> Selection:
    """What tells the items ``rows`` (n,) from the others that ``explorer`` searches.

    Args:
        sets, tags: words and tags of every data row; None where items have none.
    """
    everything = explorer.search_rows
    is_chosen = np.isin(everything, np.asarray(rows, dtype=np.int64))
    factors = sorted(_factors(explorer, is_chosen), key=lambda f: -f.apart)
    more, less = _terms(everything, is_chosen, sets) if sets is not None else ((), ())
    of_tags = _terms(everything, is_chosen, tags) if tags is not None else ((), ())
    n = int(is_chosen.sum())
    return Selection(n, len(everything), tuple(factors), more, less, *of_tags)


def for_map(explorer: Explorer) -> list[dict[str, Any]]:
    """The selections that are kept with the run, as JSON values for the map in a browser."""
    return [
        {"id": one.id, "name": one.name, "mark": one.mark, "n": len(one.rows)}
        for one in explorer.selections
    ]


def _factors(explorer: Explorer, is_chosen: NDArray[np.bool_]) -> list[FactorShares]:
    data, out = explorer.data, []
    for k, spec in enumerate(data.factor_specs if data.factors is not None else ()):
        assert data.factors is not None
        values = np.asarray(data.factors[explorer.search_rows, k], dtype=np.float64)
        finite = np.isfinite(values)
        if not (finite & is_chosen).any():
            continue
        if spec.levels:
            labels, edges = tuple(spec.levels), np.arange(len(spec.levels) + 1) - 0.5
        else:
            edges = np.histogram_bin_edges(values[finite], N_BINS)
            ends = [f"{edge:.3g}" for edge in edges]
            labels = tuple(f"{a} to {b}" for a, b in pairwise(ends))
        inside, whole = (
            np.histogram(values[finite & some], edges)[0] for some in (is_chosen, finite)
        )
        shares, everything = inside / max(inside.sum(), 1), whole / max(whole.sum(), 1)
        apart = float(np.abs(shares - everything).sum() / 2)
        first, second = (tuple(np.round(each, 4).tolist()) for each in (shares, everything))
        out.append(FactorShares(spec.name, labels, first, second, round(apart, 4)))
    return out


def _terms(
    everything: NDArray[np.int64], is_chosen: NDArray[np.bool_], sets: Sequence[Collection[str]]
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    step = -(-len(everything) // MAX_COUNTED)
    part, in_selection = everything[::step], is_chosen[::step]
    part_sets = [sets[int(i)] for i in part]
    if not any(part_sets[i] for i in np.flatnonzero(in_selection)):
        return (), ()
    if not any(part_sets[i] for i in np.flatnonzero(~in_selection)):
        return (), ()
    words = contrast(np.flatnonzero(~in_selection), np.flatnonzero(in_selection), part_sets)

    def terms(some: Sequence[WordContrast]) -> tuple[Term, ...]:
        return tuple(
            Term(c.word, c.high, c.low, round(c.z, 2), *(round(v, 2) for v in c.interval()))
            for c in some[:N_TERMS]
        )

    more = [c for c in words if c.z > SURE]
    less = [c for c in reversed(words) if c.z < -SURE]
    return terms(more), terms(less)
