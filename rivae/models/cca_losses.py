"""The losses of deep CCA on the features of a batch: canonical correlations, and Eckart-Young."""

from __future__ import annotations

import torch
from torch import Tensor

# Features that are all constant have correlations of 0 and not 0 / 0.
MIN_VARIANCE = 1e-24


def covariance(a: Tensor, b: Tensor) -> Tensor:
    """Unbiased cross-covariance of rows a (..., B, p) and b (..., B, q); (..., p, q)."""
    a = a - a.mean(-2, keepdim=True)
    b = b - b.mean(-2, keepdim=True)
    return a.transpose(-1, -2) @ b / (a.shape[-2] - 1)


def canonical_correlations(phi1: Tensor, phi2: Tensor, regulariser: float) -> Tensor:
    """Canonical correlations of a batch, descending, (..., min(p, q)) float64 in [0, 1).

    The singular values of L1^-1 S12 L2^-T with S_ii + r v_i I = L_i L_i' (Andrew et al. 2013, with
    Cholesky factors for the symmetric square roots: the singular values are the same, and neither
    a Cholesky factor nor a singular *value* divides by differences of eigenvalues, so equal ones do
    no harm to the gradient). Float64 inside.

    A model whose features are infinite or NaN gets NaN and does not affect other models of the
    batch.

    Args:
        regulariser: r >= 1e-12, in units of v_i, the mean variance of the features of view i. With
            a fixed r instead the loss would change with the unit of the features: those of fresh
            networks have variances of 1e-4, and training would begin by inflating them.
    """
    phi1, phi2 = phi1.double(), phi2.double()
    s12, s11, s22 = covariance(phi1, phi2), covariance(phi1, phi1), covariance(phi2, phi2)
    finite = torch.stack([s.isfinite().all(-1).all(-1) for s in (s12, s11, s22)]).all(0)
    ok = finite[..., None, None]
    l1, l2 = (torch.linalg.cholesky(_regularised(s, regulariser, ok)) for s in (s11, s22))
    half = torch.linalg.solve_triangular(l1, torch.where(ok, s12, 0.0), upper=False)
    coherence = torch.linalg.solve_triangular(l2, half.transpose(-1, -2), upper=False)
    correlations = torch.linalg.svdvals(coherence)
    return torch.where(finite[..., None], correlations, torch.nan)


def _regularised(s: Tensor, regulariser: float, ok: Tensor) -> Tensor:
    """S + r v I with the mean variance v; where ``ok`` (..., 1, 1) is False, the identity."""
    eye = torch.eye(s.shape[-1], dtype=s.dtype, device=s.device)
    variance = s.diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None]
    # LAPACK refuses NaN.
    return torch.where(ok, s + (regulariser * variance + MIN_VARIANCE) * eye, eye)


def eckart_young_terms(phi1: Tensor, phi2: Tensor) -> tuple[Tensor, Tensor]:
    """Reward and penalty of the Eckart-Young form of CCA, each (...,), unbiased.

    Chapman, Wells and Aguila, "Unconstrained stochastic CCA" (ICLR 2024): the generalised
    eigenproblem A u = rho B u with A = [[0, S12], [S21, 0]] / 2 and B = blkdiag(S11, S22) / 2 has
    the canonical correlations as its positive eigenvalues. With Y = B^(1/2) U and
    M = B^(-1/2) A B^(-1/2),

        |M - Y Y'|^2 = |M|^2 - 2 tr(U'AU) + |U'BU|^2,

    so by Eckart and Young -2 tr(U'AU) + |U'BU|^2 is least, minus the sum of rho^2, where U spans
    the top d directions and U'BU = diag(rho). In features: tr(U'AU) = tr S12 and
    U'BU = (S11 + S22) / 2. The loss is penalty - 2 reward; the square is unbiased because its two
    factors come from two halves of the batch, which are independent.

    Args:
        phi1, phi2: of equal width d.

    Returns:
        tr S12 of the full batch, and <(S11 + S22) / 2 of one half, that of the other>. B >= 4.
    """
    reward = covariance(phi1, phi2).diagonal(dim1=-2, dim2=-1).sum(-1)
    half = phi1.shape[-2] // 2
    parts = (slice(None, half), slice(half, None))
    means = [
        0.5 * (covariance(a, a) + covariance(b, b))
        for a, b in ((phi1[..., part, :], phi2[..., part, :]) for part in parts)
    ]
    return reward, (means[0] * means[1]).sum((-1, -2))
