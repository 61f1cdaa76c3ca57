"""Coordinates of a sheet, bent so that they are independent and cross at right angles.

Distances along a sheet of embeddings give its directions, but not its corners: where there are few
pairs on one side, at an edge, a contrastive fit draws the sheet together, and a straight line of
the truth comes out bent. Two things are known of the truth that a bend spoils. Its factors are
independent, and where one of them changes the embedding moves in another direction than where
another one does (independent mechanism analysis; Gresele et al., 2021). So cubic terms are added to
the coordinates, as few and as small as these two ask for. Independence alone does not say which
bend is right, right angles alone do not say how long a step is.
"""

from __future__ import annotations

from math import comb

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rivae.base.arrays import Floats

DEGREE = 3  # of the terms: squares alone bend straight axes as well
ROWS_PER_TERM = 30
MAX_ROWS = 5000  # that the terms are fitted to
LOCAL_ROWS = 40  # that say in which direction the embedding moves
RIGHT_ANGLES = 0.5  # their weight relative to independence
SMALL = 0.1  # weight of the squared size of the terms
STEPS = 100
_CLOSE = 1e-3  # values nearer than that, in s.d., count as apart: many may be equal


@torch.inference_mode(False)  # it takes gradients, wherever it is called
def bent(axes: Floats, rows: NDArray[np.floating], random_state: int = 0) -> Floats:
    """``axes`` (n, d) of ``rows`` (n, D), bent; mean 0 and variance 1.

    They stay as they are where there is one axis, too few rows, or no bend that is better without
    a fold.
    """
    axes = (axes - axes.mean(axis=0)) / axes.std(axis=0)
    n, d = axes.shape
    sample = np.arange(n)
    if n > MAX_ROWS:
        sample = np.sort(np.random.default_rng(random_state).choice(n, MAX_ROWS, replace=False))
    powers = _powers(d, len(sample))
    if d == 1 or not len(powers):
        return axes
    some = axes[sample]
    size = _terms(some, powers).std(axis=0)
    slopes = torch.from_numpy(_slopes(some, powers) / size[:, None])
    metric = torch.from_numpy(_metric(some, rows[sample].astype(np.float64)))
    terms = torch.from_numpy(_terms(some, powers) / size)
    weights = _fitted(torch.from_numpy(some), terms, slopes, metric)
    if not (torch.linalg.det(_change(slopes, weights)) > 0).all():
        return axes
    out = axes + _terms(axes, powers) / size @ weights.numpy()
    return np.asarray((out - out.mean(axis=0)) / out.std(axis=0))


def _powers(d: int, n: int) -> NDArray[np.int64]:
    """Powers (M, d) of the products of axes; none where ``n`` rows are too few for them."""
    from sklearn.preprocessing import PolynomialFeatures

    if (comb(d + DEGREE, DEGREE) - 1 - d) * ROWS_PER_TERM > n:
        return np.zeros((0, d), np.int64)
    powers = PolynomialFeatures(DEGREE).fit(np.zeros((1, d))).powers_
    return np.asarray(powers[powers.sum(axis=1) > 1])


def _terms(axes: Floats, powers: NDArray[np.int64]) -> Floats:
    """The products (n, M) of ``axes`` (n, d)."""
    return np.asarray(np.prod(axes[:, None] ** powers, axis=2))


def _slopes(axes: Floats, powers: NDArray[np.int64]) -> Floats:
    """Derivatives (n, M, d) of the products by each axis."""
    parts = []
    for j in range(axes.shape[1]):
        lower = powers.copy()
        lower[:, j] = np.maximum(lower[:, j] - 1, 0)
        parts.append(powers[:, j] * _terms(axes, lower))
    return np.stack(parts, axis=2)


def _metric(axes: Floats, rows: Floats) -> Floats:
    """How the rows (n, D) move with the axes near each of them: J^T J, (n, d, d)."""
    from sklearn.neighbors import NearestNeighbors

    n, d = axes.shape
    k = min(max(LOCAL_ROWS, 3 * (d + 1)), n)
    near = NearestNeighbors(n_neighbors=k).fit(axes).kneighbors(axes, return_distance=False)
    out = np.empty((n, d, d))
    for start in range(0, n, 256):  # memory for some rows only
        index = near[start : start + 256]
        steps = axes[index] - axes[index].mean(axis=1, keepdims=True)
        moves = rows[index] - rows[index].mean(axis=1, keepdims=True)
        normal = steps.transpose(0, 2, 1) @ steps + 1e-6 * np.eye(d)
        jacobian = np.linalg.solve(normal, steps.transpose(0, 2, 1) @ moves)  # (., d, D)
        out[start : start + 256] = jacobian @ jacobian.transpose(0, 2, 1)
    # Where rows do not move at all, no direction is better than another one.
    return out + 1e-6 * np.trace(out, axis1=1, axis2=2).mean() * np.eye(d)


def _change(slopes: Tensor, weights: Tensor) -> Tensor:
    """How the bent axes change with the axes, (n, d, d)."""
    return torch.eye(slopes.shape[2], dtype=slopes.dtype) + (
        slopes.transpose(1, 2) @ weights
    ).transpose(1, 2)


def _fitted(axes: Tensor, terms: Tensor, slopes: Tensor, metric: Tensor) -> Tensor:
    """Weights (M, d) of the terms, by L-BFGS from 0."""
    weights = torch.zeros(terms.shape[1], axes.shape[1], dtype=axes.dtype, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        change = _change(slopes, weights)
        dependence = _entropies(axes + terms @ weights) - torch.linalg.slogdet(change)[1].mean()
        back = torch.linalg.inv(change)
        metric_after = back.transpose(1, 2) @ metric @ back
        lengths = torch.diagonal(metric_after, dim1=1, dim2=2).log().sum(1)
        skew = 0.5 * (lengths - torch.linalg.slogdet(metric_after)[1]).mean()
        value = dependence + RIGHT_ANGLES * skew + SMALL * (weights**2).sum()
        value.backward()
        return value

    optimiser.step(loss)
    return weights.detach()


def _entropies(axes: Tensor) -> Tensor:
    """Sum of the entropies of the axes (n, d), from spacings (Vasicek, 1976), up to a constant."""
    ascending = axes.sort(dim=0).values
    spacing = max(1, int(len(axes) ** 0.5))
    apart = ascending[spacing:] - ascending[:-spacing]
    return 0.5 * (apart**2 + _CLOSE**2).log().mean(dim=0).sum()
