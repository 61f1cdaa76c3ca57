"""Suggest next: the items whose labels would sharpen the axes most.

A factor is a direction w of mu, known by its labels up to a posterior: with w ~ N(0, I) in the
coordinates in which mu of the data is white and labels with noise of variance s², its covariance
after items z_1 ... z_n is (I + sum z z' / s²)^-1, whatever the labels say. The trace of that
covariance is the mean uncertainty of a factor's level over the data (A-optimality); the items are
chosen one by one, each the one that lowers the trace most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivae.errors import ConfigError, DataError
from rivae.retrieval.base import Floats, Ints

NOISE = 1.0  # variance of a level around its direction, beside the variance 1 that w explains
_FLOOR = 1e-8


def suggest_items(
    mu: ArrayLike,
    candidates: ArrayLike,
    labelled: ArrayLike,
    n_items: int,
    *,
    noise: float = NOISE,
    max_radius: float | None = 0.99,
) -> Ints:
    """Positions in ``candidates`` of the items to label next, the best first; deterministic.

    Args:
        mu: (n, d) means that stand for the data.
        candidates: (m, d) latents of the items that may be labelled.
        labelled: (l, d) latents of the items that are labelled; l may be 0.
        n_items: how many, at most m.
        noise: s², positive.
        max_radius: candidates farther from the mean than this share of the data are passed over
            while others are left: oddities teach little about the rest. None takes them.

    Raises:
        ConfigError: a number out of range, or widths that do not fit.
        DataError: the latents are not finite.
    """
    z, x = np.asarray(mu, dtype=np.float64), np.asarray(candidates, dtype=np.float64)
    known = np.asarray(labelled, dtype=np.float64).reshape(-1, z.shape[1])
    if x.ndim != 2 or x.shape[1] != z.shape[1]:
        raise ConfigError(f"latents {z.shape} and candidates {x.shape} do not fit")
    if not (noise > 0 and 1 <= n_items <= len(x)):
        raise ConfigError(f"choose 1 to {len(x)} items and a positive noise")
    if not (np.isfinite(z).all() and np.isfinite(x).all() and np.isfinite(known).all()):
        raise DataError("the run's latents are not finite: choose another run")
    mean = z.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(z.T).reshape(z.shape[1], -1))
    to_white = vectors / np.sqrt(np.maximum(values, max(_FLOOR * values[-1], 1e-300)))
    x, known = (x - mean) @ to_white, (known - mean) @ to_white
    free = np.ones(len(x), dtype=np.bool_)
    if max_radius is not None:
        radius = np.linalg.norm((z - mean) @ to_white, axis=1)
        near = np.linalg.norm(x, axis=1) <= np.quantile(radius, max_radius)
        free = near if near.sum() >= n_items else free
    # The mean level is unknown as well: a column of ones.
    x, known = (np.column_stack([np.ones(len(a)), a]) for a in (x, known))
    covariance: Floats = np.asarray(
        np.linalg.inv(np.eye(x.shape[1]) + known.T @ known / noise), dtype=np.float64
    )
    chosen = np.empty(n_items, dtype=np.int64)
    for i in range(n_items):
        gain = np.where(free, variance_drop(covariance, x, noise), -np.inf)
        chosen[i] = j = int(gain.argmax())
        free[j] = False
        moved = covariance @ x[j]
        covariance -= np.outer(moved, moved) / (noise + float(x[j] @ moved))
    return chosen


def variance_drop(covariance: Floats, x: Floats, noise: float) -> Floats:
    """By how much the trace of the posterior covariance (p, p) falls when x (m, p) is labelled."""
    moved = x @ covariance
    return np.asarray((moved**2).sum(axis=1) / (noise + (moved * x).sum(axis=1)))
