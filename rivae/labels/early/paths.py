"""A traversal as sums over its items, so that tables of many drawn levels cost milliseconds.

The correlation along a path needs the sums of t, t², f, f² and t·f over its points. Each is a
sparse matrix (paths x items) times the levels of the items, whatever these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rivae.labels.scores import MIN_SHARE
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.traversal import Traversal

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_CONSTANT = 1e-9  # variance of levels, which are whole or half numbers


@dataclass(frozen=True)
class PathSums:
    """The paths of a traversal over some items.

    Attributes:
        items: (N,) data rows, sorted; every item of the traversal is among them.
        n_queries, n_axes, n_points: q, J and T.
        counts, places, squares: (q * J, N) how often a path meets an item, and the sums of t and
            of t² there, t being the standardised place on the axis.
    """

    items: Ints
    n_queries: int
    n_axes: int
    n_points: int
    counts: csr_matrix
    places: csr_matrix
    squares: csr_matrix

    @classmethod
    def of(cls, traversal: Traversal, items: ArrayLike) -> PathSums:
        """The sums of a traversal; ``items`` are sorted data rows with all of its items."""
        from scipy.sparse import csr_matrix

        rows = np.asarray(items, dtype=np.int64)
        local = np.searchsorted(rows, traversal.ids[..., 0])
        n_queries, n_axes, n_points = local.shape
        t = traversal.values - traversal.values.mean(axis=1, keepdims=True)
        t = t / np.maximum(t.std(axis=1, keepdims=True), 1e-12)
        path = np.arange(n_queries * n_axes).reshape(n_queries, n_axes, 1)
        place = np.broadcast_to(path, local.shape).ravel(), local.ravel()
        sums = [
            csr_matrix(
                (np.broadcast_to(weights, local.shape).ravel(), place),
                shape=(path.size, len(rows)),
            )
            for weights in (np.ones_like(t), t, t * t)
        ]
        return cls(rows, n_queries, n_axes, n_points, *sums)

    @property
    def step_share(self) -> Floats:
        """(N,) the share of all steps at which each item is retrieved."""
        steps = np.asarray(self.counts.sum(axis=0), dtype=np.float64).ravel()
        return steps / steps.sum()

    def tables(self, levels: Floats, answers: Floats | None = None) -> Floats:
        """|corr| of axis and factor, averaged over the queries, for many draws of the levels.

        Args:
            levels: (S, N, K) of every item.
            answers: (N, K) 1 where an item has a level or could have one, 0 where the factor does
                not apply to it; all by default. Such steps are left out, and so is a query of
                which more than a tenth of the steps are.

        Returns:
            (S, J, K); NaN for a factor that no query can tell of.
        """
        n_draws, n_items, n_factors = levels.shape
        known = np.ones((n_items, n_factors)) if answers is None else answers
        f = (levels * known).transpose(1, 0, 2).reshape(n_items, -1)
        shape = (len(self.counts.indptr) - 1, n_draws, n_factors)
        n, t, tt = ((m @ known)[:, None, :] for m in (self.counts, self.places, self.squares))
        some = np.maximum(n, 1.0)
        sum_f, sum_ff, sum_tf = (
            (m @ x).reshape(shape)
            for m, x in ((self.counts, f), (self.counts, f * f), (self.places, f))
        )
        var_f = sum_ff - sum_f**2 / some
        var_t = tt - t**2 / some
        flat = (var_f <= _CONSTANT * some) | (var_t <= _CONSTANT * some)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.abs(sum_tf - t * sum_f / some) / np.sqrt(var_f * var_t)
        found = np.where(flat, 0.0, np.minimum(found, 1.0))
        by_query = found.reshape(self.n_queries, self.n_axes, n_draws, n_factors)
        told = n.reshape(self.n_queries, self.n_axes, n_factors).mean(axis=1) / self.n_points
        counts = (told >= MIN_SHARE).astype(np.float64)
        total = counts.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.einsum("qjsk,qk->sjk", by_query, counts) / total
        return np.asarray(np.where(total > 0, table, np.nan))
