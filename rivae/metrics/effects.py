"""What moving along an axis changes among the items that are retrieved, beside what chance changes.

From each of Q held-out queries the axis is moved over T even steps, from where 10 % of the data
lie below to where 90 % do; the others stay where the query has them. With u_t = 0 ... 1 for the
steps, R_qt the k items retrieved there, and y_ic a column (a factor, a tag, a word) of item i,
standardised over all items that are searched, the change of column c is the mean slope

    change_c = 1/Q sum_q sum_t (u_t - mean u) (1/k sum_{i in R_qt} y_ic) / sum_t (u_t - mean u)^2,

in standard deviations of the column over the middle 80 % of the axis. It is linear in the items:
change = weights @ y, where item i has the weight that its places in all R_qt give it.

Chance is the largest of three, for each column:

* *shuffled columns*: the columns of the items are given to other items, all together, so that
  what is retrieved says nothing. A rare word then jumps more than a common one, so each column is
  measured by its largest change in a first half of the shuffles, and the bound is on the largest
  such ratio over all columns in the second half;
* *reversed queries*: the axis runs the other way for a random half of the queries, so that no
  change is common to them; the largest change over all columns, each in its own standard error;
* *turned axes*: the mean size of the change along random directions of the same length.

The first two hold the chance that any column of any of the d axes passes below 5 %: the level of
one axis is 0.05 / d, by the exact ranks of a permutation test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.retrieval.base import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


LEVEL = 0.05
N_SHUFFLES = 1000  # at least; more where there are more axes
_AT_ONCE = 100  # shuffles


@dataclass(frozen=True)
class Columns:
    """C columns that N items have values of.

    Attributes:
        kinds: "factor", "tag" or "word", C of them.
        names: C, plain text.
        values: (N, C); where unknown, the mean of the column.
        unknown: (N, C) 1 where the value is unknown.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    values: csr_array
    unknown: csr_array

    @classmethod
    def of(
        cls, kind: str, names: Sequence[str], values: ArrayLike | csr_array, least: int = 1
    ) -> Columns:
        """Columns of one kind.

        Args:
            values: (N, C), NaN where unknown. Constant columns are left out.
            least: so do columns of two values, one of which fewer items have.
        """
        from scipy.sparse import csr_array, issparse

        table = values.tocsr() if issparse(values) else np.asarray(values, dtype=np.float64)  # type: ignore[union-attr]
        if issparse(values):
            n_ones = np.asarray((table != 0).sum(axis=0)).ravel()
            columns = np.flatnonzero(np.minimum(n_ones, table.shape[0] - n_ones) >= least)
            table, unknown = table[:, columns], csr_array((table.shape[0], len(columns)))
        else:
            columns = np.array(
                [k for k, column in enumerate(table.T) if _varies(column, least)], dtype=np.int64
            )
            table = table[:, columns]
            is_missing = np.isnan(table)
            table = np.where(is_missing, np.nanmean(table, axis=0) if len(columns) else 0.0, table)
            table, unknown = csr_array(table), csr_array(is_missing.astype(np.float64))
        return cls((kind,) * len(columns), tuple(names[int(k)] for k in columns), table, unknown)

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """The columns of all ``parts``, of the same items."""
        from scipy.sparse import hstack

        return cls(
            tuple(kind for part in parts for kind in part.kinds),
            tuple(name for part in parts for name in part.names),
            *(hstack([getattr(part, of) for part in parts], format="csr") for of in _MATRICES),
        )

    @cached_property
    def std(self) -> Floats:
        """(C,) over the items whose value is known."""
        n = self.values.shape[0]
        mean = np.asarray(self.values.sum(axis=0)).ravel() / n
        squares = np.asarray((self.values * self.values).sum(axis=0)).ravel() / n - mean**2
        known_share = 1 - np.asarray(self.unknown.sum(axis=0)).ravel() / n
        return np.sqrt(np.maximum(squares, 0.0) / known_share)


_MATRICES = ("values", "unknown")


def _varies(column: Floats, least: int) -> bool:
    levels, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return len(levels) > 2 or (len(levels) == 2 and int(counts.min()) >= least)


def slope_weights(positions: Ints, n_items: int) -> csr_array:
    """(Q, N) the weight of each of N items in the slope of each query along T even steps.

    Args:
        positions: (Q, T, k) of the items retrieved, among N.
    """
    from scipy.sparse import csr_array

    n_queries, n_steps, k = positions.shape
    u = np.linspace(0, 1, n_steps)
    u -= u.mean()
    each = np.repeat(u / (k * (u @ u)), k)
    rows = np.repeat(np.arange(n_queries), n_steps * k)
    return csr_array((np.tile(each, n_queries), (rows, positions.ravel())), (n_queries, n_items))


def shuffles_for(n_axes: int) -> int:
    """How many shuffles the level of one of so many axes needs."""
    return max(N_SHUFFLES, int(np.ceil(n_axes / LEVEL)))


def shuffled_chance(weights: Floats, columns: Columns, n_axes: int, random_state: int) -> Floats:
    """(C,) the change that passes for chance where columns are given to other items.

    Args:
        weights: (N,) of the items, the mean over queries.
        n_axes: axes that share the level.
    """
    n, rng = shuffles_for(n_axes), np.random.default_rng(random_state)
    across = columns.values.T.tocsr()
    changes = np.empty((2 * n, len(columns.names)))
    for start in range(0, 2 * n, _AT_ONCE):
        size = min(_AT_ONCE, 2 * n - start)
        shuffled_weights = rng.permuted(np.tile(weights, (size, 1)), axis=1)
        changes[start : start + size] = np.abs(across @ shuffled_weights.T).T
    unit = changes[:n].max(axis=0, initial=0.0)
    return _bound(changes[n:], unit, n_axes) / columns.std


def reversed_chance(slopes: Floats, n_axes: int, random_state: int) -> Floats:
    """(C,) the change that passes for chance where the axis is reversed for half of the queries.

    Args:
        slopes: (Q, C) of each query.
    """
    n, rng = shuffles_for(n_axes), np.random.default_rng(random_state)
    signs = rng.choice([-1.0, 1.0], (n, len(slopes)))
    unit = np.linalg.norm(slopes, axis=0) / len(slopes)
    return _bound(np.abs(signs @ slopes) / len(slopes), unit, n_axes)


def _bound(changes: Floats, unit: Floats, n_axes: int) -> Floats:
    """``unit`` (C,) times what its largest multiple in ``changes`` (n, C) exceeds at the level."""
    moves = unit > 0
    if not moves.any():
        return np.zeros(len(unit))
    largest = np.sort((changes[:, moves] / unit[moves]).max(axis=1))
    rank = int((len(changes) + 1) * LEVEL / n_axes + 1e-9)
    return unit * largest[-rank]


def measurable(change: Floats, *chances: Floats) -> NDArray[np.bool_]:
    """(C,) which changes are larger than by each kind of chance."""
    return np.asarray(np.abs(change) > np.max(chances, axis=0))
