"""Units and directions of z: z' = z @ matrix + offset, folded exactly into mu and f.

The model does not fix the unit of z: KL(Q||P) and f are unchanged when z is scaled and f takes
the scale back. So the unit is a free choice, and it is made here: 10 on every axis is where the
central 99 % of the training queries end, which is what the paper's traversal from -10 to +10
presumes. For independent, non-Gaussian factors a rotation is identifiable as well (linear ICA).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AxisChange:
    """An invertible affine change of the latent coordinates; ``note`` says how it was found."""

    matrix: Floats
    offset: Floats
    note: str


def scaled_axes(mu: Floats, reach: float) -> AxisChange:
    """Scale and shift each axis of ``mu`` (n, d) so that 0.5 and 99.5 % lie at -+ ``reach``."""
    low, high = np.percentile(mu, [0.5, 99.5], axis=0)
    spread = high - low
    # An axis that collapsed to a point keeps its unit: stretching it would show rounding errors.
    alive = spread > 1e-6 * max(1e-6, float(spread.max()))
    scale = np.where(alive, 2 * reach / np.where(alive, spread, 1.0), 1.0)
    return AxisChange(np.diag(scale), -scale * (low + high) / 2, "axes scaled, not rotated")


def independent_axes(mu: Floats, slopes: Floats, reach: float, random_state: int) -> AxisChange:
    """Independent components of ``mu`` (n, d), then ``scaled_axes``.

    Axes are ordered by how much they move f (``slopes`` (m, d, D): df/dz at some z), and point
    where their skewness is positive. FastICA that does not converge, or a ``mu`` that does not
    fill all its dimensions, leaves the directions as they are and says so.
    """
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    spread = np.linalg.svd(mu - mu.mean(axis=0), compute_uv=False)
    if len(mu) <= mu.shape[1] or spread[-1] <= 1e-6 * spread[0]:
        return _only_scaled(mu, reach, "a dimension of z is constant or repeats others")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        # "cube" maximises kurtosis: the right contrast for flat (uniform) factors.
        ica = FastICA(
            mu.shape[1],
            whiten="unit-variance",
            fun="cube",
            max_iter=1000,
            tol=1e-6,
            random_state=random_state,
        )
        try:
            components = ica.fit_transform(mu)
        except ConvergenceWarning:
            return _only_scaled(mu, reach, "independent components did not converge")
    unmixing = ica.components_.T  # (d, d): (mu - mean) @ unmixing
    # df/dz' = inv(unmixing) applied to df/dz
    moved = np.einsum("ij,njk->nik", np.linalg.inv(unmixing), slopes)
    order = np.argsort(-np.linalg.norm(moved, axis=2).mean(axis=0))
    components, unmixing = components[:, order], unmixing[:, order]
    signs = np.where((components**3).mean(axis=0) < 0, -1.0, 1.0)
    unmixing = unmixing * signs
    scaled = scaled_axes((mu - ica.mean_) @ unmixing, reach)
    matrix = unmixing @ scaled.matrix
    offset = scaled.offset - ica.mean_ @ matrix
    return AxisChange(matrix, offset, "independent components (FastICA)")


def _only_scaled(mu: Floats, reach: float, reason: str) -> AxisChange:
    scaled = scaled_axes(mu, reach)
    return AxisChange(scaled.matrix, scaled.offset, f"{reason}: axes only scaled")
