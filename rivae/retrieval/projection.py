"""The searched space: V itself, or its exact projection onto the last hidden layer.

f(z) = h(z) W + b with h in R^m and V of dimension D. With the thin QR W' = Q R, item v becomes
p = [Q'(v - b), r] with r = |(I - QQ')(v - b)| and a query becomes q = [R h, 0]; then
|q - p| = |f(z) - v| exactly, in m + 1 instead of D dimensions.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rivae.retrieval.base import Floats
from rivae.retrieval.exact import distinct_rows

_CHUNK = 8192  # items per block: bounds the memory of the residual at 8192 * D numbers
_LITTLE = 1e-3  # of a squared length


class Space(Protocol):
    """Maps items and queries to points whose distance is |f(z) - v|."""

    @property
    def n_features(self) -> int: ...

    def items(self, v: Floats) -> Floats:
        """Points (N, n_features) of the embeddings ``v`` (N, D)."""
        ...

    def queries(self, hidden: Floats) -> Floats:
        """Points (n, n_features) of the hidden layers ``hidden`` (n, m)."""
        ...


class FullSpace:
    """V itself; for a hidden layer that is not smaller than V."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        self.weight, self.bias = weight, bias
        m, dim_v = weight.shape
        # A decoder of pictures outputs pictures: no product of thousands by thousands.
        self.whole = m == dim_v == np.count_nonzero(weight) and bool((weight.diagonal() == 1).all())

    @property
    def n_features(self) -> int:
        return int(self.weight.shape[1])

    def items(self, v: Floats) -> Floats:
        return np.ascontiguousarray(v, dtype=np.float64)

    def queries(self, hidden: Floats) -> Floats:
        return hidden + self.bias if self.whole else hidden @ self.weight + self.bias


class ProjectedSpace:
    """The m + 1 coordinates of the module docstring."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        self.q, self.r = np.linalg.qr(weight.T)
        self.bias = bias

    @property
    def n_features(self) -> int:
        return int(self.r.shape[0]) + 1

    def items(self, v: Floats) -> Floats:
        distinct = distinct_rows(v)  # equal embeddings must become equal points
        points = np.empty((len(distinct.first), self.n_features))
        for start in range(0, len(points), _CHUNK):
            centred = v[distinct.first[start : start + _CHUNK]] - self.bias
            inside = centred @ self.q
            points[start : start + _CHUNK, :-1] = inside
            points[start : start + _CHUNK, -1] = self._residual(centred, inside)
        return points if distinct.group is None else points[distinct.group]

    def _residual(self, centred: Floats, inside: Floats) -> Floats:
        """|c - QQ'c| of rows c (n, D)."""
        whole = np.einsum("nd,nd->n", centred, centred)
        squared = whole - np.einsum("nm,nm->n", inside, inside)
        # The difference of squares has lost digits where little is left: there from the vectors.
        little = squared < _LITTLE * whole
        residual = np.sqrt(np.maximum(squared, 0.0))
        left = centred[little] - inside[little] @ self.q.T
        residual[little] = np.linalg.norm(left, axis=1)
        return np.asarray(residual)

    def queries(self, hidden: Floats) -> Floats:
        points = np.zeros((len(hidden), self.n_features))
        np.matmul(hidden, self.r.T, out=points[:, :-1])
        return points


def make_space(weight: Floats, bias: Floats) -> Space:
    """Project when that makes the points smaller (m + 1 < D), else keep V.

    Args:
        weight: (m, D) of the output layer.
        bias: (D,) of the output layer.
    """
    m, dim_v = weight.shape
    return ProjectedSpace(weight, bias) if m + 1 < dim_v else FullSpace(weight, bias)
