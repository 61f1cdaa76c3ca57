"""White coordinates of z, and ridge regression in them: what aligned and added axes rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rivae.base.arrays import Floats

SHRINKAGE = np.logspace(-2, 4, 25)
_FLOOR = 1e-8  # share of the largest variance below which a latent dimension is empty


@dataclass(frozen=True)
class White:
    """Coordinates in which some z are white: mean 0, every direction of variance 1.

    Attributes:
        mean: (d,) of these z; (z - mean) @ to is white.
        to: (d, d).
        old: (d, d), its columns are the existing axes in white coordinates, of unit norm.
    """

    mean: Floats
    to: Floats
    old: Floats


def white_coordinates(mu: Floats) -> White:
    """The white coordinates of ``mu`` (n, d); a direction without variance is left as it is."""
    mean = mu.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(mu.T).reshape(mu.shape[1], -1))
    values = np.maximum(values, max(_FLOOR * values[-1], 1e-300))
    old = (vectors * np.sqrt(values)).T
    norms = np.maximum(np.linalg.norm(old, axis=0), 1e-300)
    return White(mean, vectors / np.sqrt(values), old / norms)


def ridge_weights(x: Floats, y: Floats) -> Floats:
    """Ridge weights (d,) of centred x (n, d) and y (n,).

    The shrinkage is that of ``SHRINKAGE`` with the least leave-one-out error, in closed form.
    """
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    projection = u.T @ y
    best, coefficients = math.inf, np.zeros(len(s))
    for alpha in SHRINKAGE:
        filters = s**2 / (s**2 + alpha)
        leverage = (u**2 @ filters) + 1 / len(y)
        error = float(
            (((y - u @ (filters * projection)) / np.maximum(1 - leverage, 1e-9)) ** 2).mean()
        )
        if error < best:
            best, coefficients = error, s / (s**2 + alpha) * projection
    return np.asarray(vt.T @ coefficients)
