"""From levels of items to a direction of z, and what moving along it changes.

In coordinates in which z of the training rows is white, the direction is the ridge regression w of
the levels on z. Reading and moving are the same vector there: an item reads w · z, and moving along
the axis adds w. Mapped back by the covariance C of z, the axis reads r · z and moves C r, which is
the mean change of z in the data when the reading changes; scaled so that r · moves = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.training.alignment.folding import scaled_axes
from rivae.training.alignment.white import White, ridge_weights, white_coordinates

LEAST_OWN = 0.02  # share of an axis's own variance that others must leave to it


@dataclass(frozen=True)
class Direction:
    """A direction of z: reads (d,), offset, and moves (d,), as in ``AddedAxis``."""

    reads: Floats
    offset: float
    moves: Floats


class DirectionFinder:
    """Finds directions of some z.

    Args:
        z: (n, d) of the training queries, of each view that can ask.
        reach: where the central 99 % of the readings of each view's queries end, on average.

    Raises:
        DataError: there are too few of them, or some are not finite.
    """

    def __init__(self, z: Sequence[Floats], reach: float) -> None:
        self.z, self.reach = np.concatenate(z), reach
        if len(self.z) <= self.z.shape[1] or not np.isfinite(self.z).all():
            raise DataError("the run's latents are not finite or too few: choose another run")
        self.white: White = white_coordinates(self.z)
        self.covariance = np.atleast_2d(np.cov(self.z.T))

    def weights(self, z: Sequence[Floats], levels: Floats) -> Floats:
        """(d,) reading of levels (n,), in the unit of levels.

        Args:
            z: (n, d) of the same n items for each view that can ask; their regression is one.
            levels: at least two different ones.
        """
        x = np.concatenate([(one - self.white.mean) @ self.white.to for one in z])
        y = np.tile(levels, len(z))
        return np.asarray(self.white.to @ ridge_weights(x - x.mean(axis=0), y - y.mean()))

    def corrected(self, weights: Floats, z: Sequence[Floats], levels: Floats) -> Floats:
        """(d,) the best multiple of ``weights`` (d,) and a ridge on what it leaves of the levels.

        Args:
            z, levels: as of ``weights``, of few items.
        """
        readings, y = np.concatenate(z) @ weights, np.tile(levels, len(z))
        readings, y = readings - readings.mean(), y - y.mean()
        slope = max(0.0, float(readings @ y) / max(float(readings @ readings), 1e-300))
        x = np.concatenate([(one - self.white.mean) @ self.white.to for one in z])
        correction = ridge_weights(x - x.mean(axis=0), y - slope * readings)
        return np.asarray(slope * weights + self.white.to @ correction)

    def direction(self, weights: Floats) -> Direction:
        """The direction that reads ``weights`` (d,), in the unit of all axes.

        Raises:
            DataError: no z lies along it.
        """
        scaling = scaled_axes(self.z @ weights[:, None], self.reach)
        scale = float(scaling.matrix[0, 0])
        spread = float(weights @ self.covariance @ weights)
        if not (np.isfinite(scale) and np.isfinite(spread) and spread > 0):
            raise DataError("z says nothing about these levels: ask for another axis")
        moves = self.covariance @ weights / spread / scale
        return Direction(weights * scale, float(scaling.offset[0]), moves)


def moves_alone(reads: Floats, others: Floats, covariance: Floats) -> Floats | None:
    """What z changes by along an axis that leaves the readings of other axes.

    In white coordinates the axis is projected away from the others.

    Args:
        reads: (d,) of the axis.
        others: (K, d) of the others; they may depend on each other.
        covariance: (d, d) of z.

    Returns:
        (d,) with ``reads @ moves`` 1 and ``others @ moves`` 0; None where the others say all that
        the axis says.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    direction = root @ reads
    remainder = direction.copy()
    if len(others):
        u, s, _ = np.linalg.svd(root @ others.T, full_matrices=False)
        basis = u[:, s > 1e-9 * max(float(s[0]), 1e-300)]
        remainder -= basis @ (basis.T @ direction)
    share = float(remainder @ remainder) / max(float(direction @ direction), 1e-300)
    if share < LEAST_OWN:
        return None
    return np.asarray(root @ remainder / float(remainder @ remainder))
