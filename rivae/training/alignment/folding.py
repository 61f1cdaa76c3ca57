"""Exact changes of the axes of a trained model: z' = z @ matrix + offset, folded into mu and f.

The model does not fix the unit of z: KL(Q||P) and f are unchanged when z is scaled and f takes the
scale back. So the unit is a free choice, and it is made here (``scaled_axes``): the central 99 % of
the training queries end at -+ 10 on every axis, which is what the paper's traversal from -10 to +10
presumes. Directions are fixed as well in two cases:

* For independent, non-Gaussian factors a rotation is identifiable (linear ICA):
  ``independent_axes``.
* Where the query changes the variance of each factor in its own way, P(z|v1) is diagonal in the
  true axes and only there: Theorem 1 of the identifiable VAE. Training finds those axes slowly, as
  a rotation costs little likelihood at first. ``modulated_axes`` finds them in closed form: the
  covariances of z - mu(v1) in groups of similar queries are made diagonal together, by the
  likelihood criterion of Pham and Cardoso (2001), "Blind separation of instantaneous mixtures of
  non-stationary sources".
* Where one side is text, its words say what the pairs are about. They fall into parts, groups of
  words that occur together (``text_parts``), and an axis is what z says about one part:
  ``word_axes``.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from rivae.base.arrays import Floats
from rivae.data.words_view import text_parts
from rivae.training.alignment.base import ONLY_SCALED, AxisChange

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from rivae.models.base import Method

MIN_GROUP = 25  # rows behind one covariance
# Of the largest: z may know next to nothing of some parts, but the change must be invertible.
MIN_SINGULAR_VALUE = 0.02
# What the note of a change says where the step found axes of its own.
SCALED = "axes scaled, not rotated"
INDEPENDENT = "independent components (FastICA)"
MODULATED = "axes of independently modulated variance"
WORDS = "axes that follow the words of the texts"


def scaled_axes(mu: Floats, reach: float) -> AxisChange:
    """Scale and shift each axis of ``mu`` (n, d) so that 0.5 and 99.5 % lie at -+ ``reach``."""
    low, high = np.percentile(mu, [0.5, 99.5], axis=0)
    spread = high - low
    # An axis that collapsed to a point keeps its unit: stretching it would show rounding errors.
    alive = spread > 1e-6 * max(1e-6, float(spread.max()))
    scale = np.where(alive, 2 * reach / np.where(alive, spread, 1.0), 1.0)
    return AxisChange(np.diag(scale), -scale * (low + high) / 2, SCALED)


def independent_axes(mu: Floats, slopes: Floats, reach: float, random_state: int) -> AxisChange:
    """Independent components of ``mu`` (n, d), then ``scaled_axes``.

    Axes are ordered by how much they move f (``slopes`` (m, d, D): df/dz at some z), and point
    where their skewness is positive. FastICA that does not converge, or a ``mu`` that does not
    fill all its dimensions, keeps the directions, and ``note`` says so.
    """
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    if mu.shape[1] < 2:
        return scaled_axes(mu, reach)
    spread = np.linalg.svd(mu - mu.mean(axis=0), compute_uv=False)
    if len(mu) <= mu.shape[1] or spread[-1] <= 1e-6 * spread[0]:
        return _only_scaled(mu, reach, "an axis of z is constant or repeats others")
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
    slopes_by_axis = np.einsum("ij,njk->nik", np.linalg.inv(unmixing), slopes)
    order = np.argsort(-np.linalg.norm(slopes_by_axis, axis=2).mean(axis=0))
    components, unmixing = components[:, order], unmixing[:, order]
    signs = np.where((components**3).mean(axis=0) < 0, -1.0, 1.0)
    unmixing = unmixing * signs
    scaling = scaled_axes((mu - ica.mean_) @ unmixing, reach)
    matrix = unmixing @ scaling.matrix
    offset = scaling.offset - ica.mean_ @ matrix
    return AxisChange(matrix, offset, INDEPENDENT, step="independent")


def _only_scaled(mu: Floats, reach: float, reason: str) -> AxisChange:
    scaling = scaled_axes(mu, reach)
    return AxisChange(scaling.matrix, scaling.offset, f"{reason}: {ONLY_SCALED}")


def word_axes(
    z: Floats,
    mu: Floats,
    texts: csr_matrix,
    vocabulary: Sequence[str],
    reach: float,
    random_state: int,
) -> AxisChange:
    """Axes of ``z`` (n, d) that follow d parts of the ``texts``, then ``scaled_axes`` of ``mu``.

    Each axis is the least-squares fit of one part's weight by z, so it grows with the part's
    words. Axes are ordered by how well z knows their parts.

    Args:
        z: latents of training pairs, from the side that knows most of the texts.
        mu: means of P(z|v1) of the same rows.
        texts: (n, V) non-negative word weights of the same rows.
        vocabulary: the V words.
        reach: where the central 99 % of the changed ``mu`` end.
        random_state: of the factorisation.
    """
    d = z.shape[1]
    centre = z.mean(axis=0)
    left, spread, right = np.linalg.svd(z - centre, full_matrices=False)
    parts = text_parts(texts, vocabulary, d, random_state)
    if parts is None or spread[-1] <= 1e-6 * spread[0]:
        return _only_scaled(mu, reach, "there are fewer words or directions than axes")
    # Correlations of whitened z with the parts: least squares, but for a floor.
    cross_covariance = left.T @ parts.weights / math.sqrt(len(z))
    order = np.argsort(-np.linalg.norm(cross_covariance, axis=0), kind="stable")
    u, s, v = np.linalg.svd(cross_covariance[:, order])
    combination = u * np.maximum(s, MIN_SINGULAR_VALUE * s[0]) @ v
    unmixing = right.T / spread @ combination
    scaling = scaled_axes((mu - centre) @ unmixing, reach)
    matrix = unmixing @ scaling.matrix
    return AxisChange(
        matrix,
        scaling.offset - centre @ matrix,
        WORDS,
        tuple(parts.words[part] for part in order),
        step="words",
    )


def modulated_axes(
    z: Floats, mu: Floats, v1: Floats, reach: float, random_state: int, n_groups: int = 60
) -> AxisChange:
    """The change of axes of ``z`` (n, d), then ``scaled_axes`` of ``mu`` (n, d).

    Args:
        z: latents of training pairs (means of Q(z|v1,v2)).
        mu: means of P(z|v1) of the same rows.
        v1: (n, D) query embeddings, used to group similar queries.
        reach: where the central 99 % of the changed ``mu`` end.
        random_state: of the grouping.
        n_groups: groups of queries by k-means.
    """
    from sklearn.cluster import KMeans

    n, d = z.shape
    groups = min(n_groups, n // (2 * MIN_GROUP))
    if d < 2 or groups < 3:
        return scaled_axes(mu, reach)
    residuals = z - mu
    if (residuals.std(axis=0) <= 1e-6 * np.maximum(z.std(axis=0), 1e-12)).any():
        return _only_scaled(mu, reach, "the pair adds nothing to the query about z")
    labels = KMeans(groups, n_init=2, random_state=random_state).fit_predict(v1)
    members = [residuals[labels == g] for g in range(groups)]
    members = [rows for rows in members if len(rows) >= MIN_GROUP]
    covariances = np.stack([np.cov(rows.T) for rows in members])
    weights = np.array([len(rows) for rows in members], dtype=np.float64)
    unmixing = joint_diagonaliser(covariances, weights / weights.sum()).T
    # The unit of each axis: as wide as z was, so that the folding in stays well conditioned.
    widths: Floats = np.std(z @ unmixing, axis=0)
    unmixing = unmixing / np.maximum(widths, 1e-12)
    scaling = scaled_axes(mu @ unmixing, reach)
    return AxisChange(unmixing @ scaling.matrix, scaling.offset, MODULATED, step="modulated")


def joint_diagonaliser(covariances: Floats, weights: Floats, n_sweeps: int = 100) -> Floats:
    """B (d, d) that makes all B C_k B' as diagonal as possible, C (K, d, d) positive definite.

    Minimises sum_k weights_k log(det diag(B C_k B') / det(B C_k B')), which does not depend on
    the scale of any C_k, by Pham's pairwise updates.
    """
    c = covariances.copy()
    d = c.shape[1]
    b = np.eye(d)
    for _ in range(n_sweeps):
        decrease = 0.0
        for i in range(1, d):
            for j in range(i):
                cii, cjj, cij = c[:, i, i], c[:, j, j], c[:, i, j]
                g12, g21 = float(weights @ (cij / cii)), float(weights @ (cij / cjj))
                omega21, omega12 = float(weights @ (cii / cjj)), float(weights @ (cjj / cii))
                omega = math.sqrt(omega12 * omega21)
                ratio = math.sqrt(omega21 / omega12)
                plus = (ratio * g12 + g21) / (omega + 1)
                minus = (ratio * g12 - g21) / max(omega - 1, 1e-9)
                h12, h21 = plus + minus, (plus - minus) / ratio
                decrease += (g12 * h12 + g21 * h21) / 2
                root = 1 + math.sqrt(max(1 - h12 * h21, 0.0))
                t = np.eye(d)
                t[i, j], t[j, i] = -h12 / root, -h21 / root
                c = t @ c @ t.T
                b = t @ b
        if decrease < 1e-10:
            break
    return b


def decoder_slopes(method: Method, z: Floats) -> Floats:
    """df/dz at z (n, d), shape (n, d, D)."""
    from torch.func import jacfwd, vmap

    def decode_one(point: torch.Tensor) -> torch.Tensor:
        return method.decode(point.unsqueeze(0)).squeeze(0)

    slopes = vmap(jacfwd(decode_one))(torch.from_numpy(z).float())  # (n, D, d)
    out: Floats = slopes.detach().double().numpy().transpose(0, 2, 1)
    return out
