"""What is retrieved at the ends and in the middle of an axis, and the word counts behind clouds.

The paper (Sec. 4, supplement) shows the ingredients of the top-10 recipes of 20 queries at
mu - 10 sigma, mu and mu + 10 sigma of one latent, sized by relative frequency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Direction, traverse

N_QUERIES = 20
TOP = 10
N_SIGMA = (1, 2, 3, 5, 10)  # offered widths; the paper's is 10


@dataclass(frozen=True)
class AxisStates:
    """Three states of one axis; the other dimensions keep each query's values.

    Attributes:
        dim: 0-based latent dimension; from d the directions.
        names: "μ − 3σ", "μ", "μ + 3σ".
        values: (3,) of the axis as it is shown; mean and s.d. are those of the aggregated prior.
        ids: (q, 3, k) data rows, best first.
    """

    dim: int
    names: tuple[str, str, str]
    values: Floats
    ids: Ints

    def items(self, state: int) -> list[int]:
        """The distinct items of a state: those found by most queries first, then by best rank."""
        table = self.ids[:, state]
        often = Counter(table.ravel().tolist())
        rank: dict[int, int] = {}
        for k in range(table.shape[1]):
            for i in table[:, k].tolist():
                rank.setdefault(i, k)
        return sorted(often, key=lambda i: (-often[i], rank[i], i))

    def by_name(self) -> dict[str, list[int]]:
        """``items`` of every state, as ``rivae.exploring.words.clouds.count_words`` takes them."""
        return {name: self.items(s) for s, name in enumerate(self.names)}


def axis_states(
    retriever: Retriever,
    prior: AggregatedPrior,
    dim: int,
    n_sigma: float,
    rows: ArrayLike,
    k: int = TOP,
    sign: int = 1,
    directions: Sequence[Direction] = (),
    anchors: Floats | None = None,
) -> AxisStates:
    """The top ``k`` of the queries ``rows`` at mean − n s.d., mean and mean + n s.d. of an axis, or
    with ``sign`` -1 of −z (see ``Explorer.signs``). ``directions`` are axes that move all of z:
    they count on from d, and ``prior`` says where the data lie on them. ``anchors`` (n, d) are the
    z of the queries, where they are known already.

    Raises:
        ConfigError: there is no such axis, or ``n_sigma`` is not above 0.
    """
    if not n_sigma > 0:
        raise ConfigError(f"the width in s.d. must be above 0, got {n_sigma}")
    if not 0 <= dim < len(prior.mean):
        raise ConfigError(f"there is no axis {dim + 1}: choose 1 to {len(prior.mean)}")
    values = prior.mean[dim] + sign * prior.std[dim] * n_sigma * np.array([-1.0, 0.0, 1.0])
    anchors = retriever.encode(rows)[0] if anchors is None else anchors
    traversal = traverse(retriever, anchors, {dim: values}, k=k, directions=directions)
    names = (f"μ − {n_sigma:g}σ", "μ", f"μ + {n_sigma:g}σ")
    return AxisStates(dim, names, sign * traversal.values[0], traversal.ids[:, 0])


@dataclass(frozen=True)
class CloudCounts:
    """Words of the retrieved items of S states.

    Attributes:
        states: S names, as "mu + 3 sigma".
        words: W words, the one with the highest frequency in any state first.
        counts: (S, W) items of the state that have the word; every item counts once.
        n_items: (S,) distinct items of the state.
    """

    states: tuple[str, ...]
    words: tuple[str, ...]
    counts: np.ndarray[Any, np.dtype[np.int64]]
    n_items: np.ndarray[Any, np.dtype[np.int64]]

    @property
    def frequency(self) -> Floats:
        """(S, W) share of the state's items that have the word, in [0, 1]."""
        return self.counts / np.maximum(self.n_items, 1)[:, None]

    def top(self, n_words: int) -> CloudCounts:
        """The first ``n_words`` words only."""
        return CloudCounts(
            self.states, self.words[:n_words], self.counts[:, :n_words], self.n_items
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per word with its count in every state, for a table or a CSV file."""
        return [
            {"word": word, **dict(zip(self.states, map(int, self.counts[:, w]), strict=True))}
            for w, word in enumerate(self.words)
        ]


def count_words(
    states: Mapping[str, Iterable[int]],
    sets: Sequence[Collection[str]],
    *,
    leave_out: Collection[str] = (),
) -> CloudCounts:
    """Count the words of the items that each state retrieved.

    Args:
        states: name to ids of retrieved items; an id that came up for several queries counts once.
        sets: the words of every item, by id
        (``rivae.exploring.words.ingredients.ingredient_sets``). leave_out: words not to count,
        such as salt and water.

    Raises:
        DataError: there is no state, or an id is not an item.
    """
    if not states:
        raise DataError("a word cloud needs at least one state: give a list of items for it")
    items = [sorted({int(i) for i in ids}) for ids in states.values()]
    if any(ids and not 0 <= ids[0] <= ids[-1] < len(sets) for ids in items):
        raise DataError(f"a retrieved item is not among the {len(sets)} items that have words")
    table: dict[str, list[int]] = {}
    for s, ids in enumerate(items):
        for i in ids:
            for word in set(sets[i]).difference(leave_out):
                table.setdefault(word, [0] * len(items))[s] += 1
    n_items = np.array([len(ids) for ids in items], dtype=np.int64)
    counts = np.array(list(table.values()), dtype=np.int64).reshape(len(table), len(items)).T
    highest = (counts / np.maximum(n_items, 1)[:, None]).max(axis=0) if table else np.zeros(0)
    names = list(table)
    order = sorted(range(len(names)), key=lambda w: (-highest[w], names[w]))
    return CloudCounts(tuple(states), tuple(names[w] for w in order), counts[:, order], n_items)
