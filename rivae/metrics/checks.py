"""Checks and small helpers that the factor metrics share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rivae.errors import DataError

if TYPE_CHECKING:  # torch would be imported with either, and names of metrics wait for it
    from rivae.data.base import FactorSpec
    from rivae.retrieval.base import Floats, Ints

MIN_ROWS = 8  # below this a held-out half says nothing


def check_pair(latents: ArrayLike, factors: ArrayLike) -> tuple[Floats, Floats]:
    """Latents (n, d) and factors (n, K) as finite float64 matrices of equal length.

    Raises:
        DataError: for other shapes, fewer than 8 rows, NaN or infinite values.
    """
    z = np.asarray(latents, dtype=np.float64)
    f = np.asarray(factors, dtype=np.float64)
    if z.ndim != 2 or f.ndim != 2 or len(z) != len(f) or not z.shape[1] or not f.shape[1]:
        raise DataError(f"latents {z.shape} and factors {f.shape} must be (n, d) and (n, K)")
    if len(z) < MIN_ROWS:
        raise DataError(f"factor metrics need at least {MIN_ROWS} rows, got {len(z)}")
    if not (np.isfinite(z).all() and np.isfinite(f).all()):
        raise DataError("latents or factors hold NaN or infinite values")
    return z, f


def check_specs(factors: Floats, specs: tuple[FactorSpec, ...]) -> None:
    """Raises DataError unless there is one specification per column."""
    if factors.shape[1] != len(specs):
        raise DataError(f"{factors.shape[1]} factor columns but {len(specs)} specifications")


def halves(n: int, random_state: int) -> tuple[Ints, Ints]:
    """Two disjoint random halves of range(n): one to fit on, one to score on."""
    order = np.random.default_rng(random_state).permutation(n)
    return order[: n // 2], order[n // 2 :]


def standardised(x: Floats) -> Floats:
    """Columns with mean 0 and s.d. 1; a constant column becomes zeros."""
    spread = x.std(axis=0)
    constant = np.ptp(x, axis=0) == 0  # the s.d. of equal numbers may round to above zero
    return np.where(constant, 0.0, (x - x.mean(axis=0)) / np.where(constant, 1.0, spread))


def one_minus_entropy(weights: Floats) -> Floats:
    """1 - normalised entropy of each row of ``weights`` >= 0 (..., r, c), c >= 2, in [0, 1].

    A row of zeros carries no preference and counts as uniform: 0.
    """
    n_columns = weights.shape[-1]
    total = weights.sum(axis=-1, keepdims=True)
    share = np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / n_columns)
    logs = np.log(np.where(share > 0, share, 1.0))  # 0 log 0 = 0
    entropy = -(share * logs).sum(axis=-1) / np.log(n_columns)
    return np.clip(1.0 - entropy, 0.0, 1.0)
