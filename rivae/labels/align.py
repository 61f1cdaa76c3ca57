"""Align to labels: a linear change of the latent coordinates that makes axis k factor k.

In coordinates in which mu(v1) of the data is white, ridge regression of the levels on mu gives one
direction per factor. Cross-validation over the labelled items, without randomness, chooses the
shrinkage of each factor (leave one out) and, for all factors together, whether to shrink to zero or
to the existing axis that fits best (so a run whose axes are near the factors needs few labels), and
how far the directions are made orthogonal. In the white coordinates the other axes are orthogonal
to the factors and to each other, and as near as possible to the remaining existing axes. Finally
every axis is scaled as after training (``scaled_axes``). Levels are used as the numbers 1 to 5:
normal scores of their ranks were not better (measured on the kitchen, 10 to 100 labels).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rivae.base.errors import ConfigError, DataError
from rivae.metrics.matching import assignment
from rivae.retrieval.base import Floats
from rivae.training.alignment.base import AxisChange
from rivae.training.alignment.folding import scaled_axes
from rivae.training.alignment.white import ridge_weights, white_coordinates

Start = Literal["zero", "existing axes"]
STARTS: tuple[Start, ...] = ("existing axes", "zero")
ORTHOGONAL = (1.0, 0.5, 0.0)  # 1: orthogonal, 0: as from the regression
MIN_LABELS = 6  # of one factor
MAX_FOLDS = 5
MAX_CONDITION = 1e4  # of the directions: above it two factors share an axis


@dataclass(frozen=True)
class Alignment:
    """The change of axes, and how it was chosen.

    Attributes:
        change: z' = z @ matrix + offset; factor k on axis k, growing with its levels.
        factors: K ids.
        n_labels: per factor, items with a level.
        start: where the directions were shrunk to.
        orthogonal: how far they were made orthogonal, 0 to 1.
        cv_r2: per factor, cross-validated R² of its axis, at most 1.
    """

    change: AxisChange
    factors: tuple[str, ...]
    n_labels: tuple[int, ...]
    start: Start
    orthogonal: float
    cv_r2: tuple[float, ...]


def align_axes(
    mu: ArrayLike,
    latents: ArrayLike,
    levels: ArrayLike,
    factors: Sequence[str],
    *,
    reach: float = 10.0,
) -> Alignment:
    """The change of axes from few labels; deterministic.

    Args:
        mu: (n, d) means mu(v1) that represent the data; they need no labels.
        latents: (m, d) of the labelled items.
        levels: (m, K) levels of those items, or means over annotators; NaN where there is none.
        factors: K ids, at most d, in the order of the new axes.
        reach: where the central 99 % of the new axes end.

    Raises:
        ConfigError: no factor, more factors than axes, or shapes that do not fit.
        DataError: z is not finite, a factor has fewer than 6 labels or only equal ones, or two
            factors have the same labels.
    """
    z, x = np.asarray(mu, dtype=np.float64), np.asarray(latents, dtype=np.float64)
    y = np.asarray(levels, dtype=np.float64)
    _check(z, x, y, factors)
    white = white_coordinates(z)
    x = (x - white.mean) @ white.to
    errors = {
        (start, share): error
        for start in STARTS
        for share, error in zip(ORTHOGONAL, _held_out_errors(x, y, white.old, start), strict=True)
    }
    start, share = min(errors, key=lambda key: float(errors[key].mean()))
    weights, _ = _directions(x, y, white.old, start)
    directions = _orthogonalised(weights, share)
    if np.linalg.cond(directions) > MAX_CONDITION:
        raise DataError("two factors have the same labels: leave one of them out")
    to_axes = white.to @ np.hstack([directions, other_directions(directions, white.old)])
    scaling = scaled_axes(z @ to_axes, reach)
    note = (
        f"aligned to labels of {len(x)} items; directions shrunk to {start}, "
        f"orthogonal by {share:g}"
    )
    return Alignment(
        AxisChange(to_axes @ scaling.matrix, scaling.offset, note),
        tuple(factors),
        tuple(int(n) for n in (~np.isnan(y)).sum(axis=0)),
        start,
        share,
        tuple(float(v) for v in 1 - errors[start, share]),
    )


def _check(z: Floats, x: Floats, y: Floats, factors: Sequence[str]) -> None:
    d = z.shape[1] if z.ndim == 2 else 0
    if not factors or len(factors) > d:
        raise ConfigError(f"the model has {d} axes: align it to 1 to {d} factors")
    if x.shape != (len(y), d) or y.shape != (len(x), len(factors)):
        raise ConfigError(f"latents {x.shape} and levels {y.shape} do not fit {d} axes")
    if len(z) <= d or not (np.isfinite(z).all() and np.isfinite(x).all()):
        raise DataError("the run's latents are not finite or too few: choose another run")
    for k, factor in enumerate(factors):
        values = y[~np.isnan(y[:, k]), k]
        if len(values) < MIN_LABELS:
            raise DataError(
                f"{factor} has {len(values)} labels: label at least {MIN_LABELS} items, better 30"
            )
        if np.ptp(values) == 0:
            raise DataError(f"all labels of {factor} are equal: label items that differ in it")


def _directions(x: Floats, y: Floats, old: Floats, start: Start) -> tuple[Floats, Floats]:
    """Weights (d, K) of x for each factor, in units of its s.d., and the (2, K) mean and s.d."""
    has_level = ~np.isnan(y)
    weights, scale = np.zeros((x.shape[1], y.shape[1])), np.ones((2, y.shape[1]))
    samples: list[tuple[Floats, Floats]] = []
    fits = np.zeros((x.shape[1], y.shape[1]))
    for k in range(y.shape[1]):
        inputs, target = x[has_level[:, k]], y[has_level[:, k], k]
        scale[:, k] = target.mean(), max(float(target.std()), 1e-9)
        inputs, target = inputs - inputs.mean(axis=0), (target - scale[0, k]) / scale[1, k]
        samples.append((inputs, target))
        along = inputs @ old
        spread = np.maximum(np.linalg.norm(along, axis=0), 1e-9)
        fits[:, k] = (along / spread).T @ target / math.sqrt(len(target))
    partner = np.zeros(y.shape[1], dtype=np.int64)
    axes, columns = assignment(fits)
    partner[columns] = axes
    for k, (inputs, target) in enumerate(samples):
        if start == "existing axes":
            axis = old[:, partner[k]]
            along = inputs @ axis
            slope = float(along @ target) / max(float(along @ along), 1e-9)
            weights[:, k] = slope * axis + ridge_weights(inputs, target - slope * along)
        else:
            weights[:, k] = ridge_weights(inputs, target)
        if not np.linalg.norm(weights[:, k]) > 0:
            weights[:, k] = 1e-9 * old[:, partner[k]]
    return weights, scale


def _orthogonalised(weights: Floats, share: float) -> Floats:
    """Unit directions (d, K), made orthogonal by ``share``, symmetrically in the factors."""
    unit = weights / np.linalg.norm(weights, axis=0)
    u, s, vt = np.linalg.svd(unit, full_matrices=False)
    directions = (u * np.maximum(s, 1e-9) ** (1 - share)) @ vt
    return directions / np.linalg.norm(directions, axis=0)


def _held_out_errors(x: Floats, y: Floats, old: Floats, start: Start) -> list[Floats]:
    """For each of ``ORTHOGONAL``, the (K,) cross-validated 1 - R² of the factors' axes."""
    folds = np.arange(len(x)) % min(MAX_FOLDS, len(x))
    has_level = ~np.isnan(y)
    total = [np.zeros(y.shape[1]) for _ in ORTHOGONAL]
    for fold in np.unique(folds):
        fit = folds != fold
        if not _usable(y[fit]).all():  # a factor does not vary here: predict the mean
            for error in total:
                error += np.nansum((y[~fit] - np.nanmean(y, axis=0)) ** 2, axis=0)
            continue
        weights, (mean, std) = _directions(x[fit], y[fit], old, start)
        for i, share in enumerate(ORTHOGONAL):
            directions = _orthogonalised(weights, share)
            slopes = (weights * directions).sum(axis=0) * std
            centre = np.stack(
                [x[fit][has_level[fit][:, k]].mean(axis=0) for k in range(y.shape[1])]
            )
            guess = mean + (x[~fit] @ directions - (centre * directions.T).sum(axis=1)) * slopes
            total[i] += np.nansum((y[~fit] - guess) ** 2, axis=0)
    spread = has_level.sum(axis=0) * np.nanvar(y, axis=0)
    return [error / spread for error in total]


def _usable(y: Floats) -> NDArray[np.bool_]:
    return np.asarray([len(np.unique(c[~np.isnan(c)])) > 1 for c in y.T], dtype=np.bool_)


def other_directions(directions: Floats, old: Floats) -> Floats:
    """Orthonormal axes (d, d - K) orthogonal to ``directions`` (d, K), near the other columns of
    ``old`` (d, d); all in white coordinates.
    """
    d, n_factors = directions.shape
    if d == n_factors:
        return np.zeros((d, 0))
    basis = np.linalg.svd(directions)[0][:, n_factors:]
    partners = set(assignment(old.T @ directions)[0].tolist())
    others = [j for j in range(d) if j not in partners]
    u, _, vt = np.linalg.svd(basis.T @ old[:, others], full_matrices=False)
    return np.asarray(basis @ (u @ vt))
