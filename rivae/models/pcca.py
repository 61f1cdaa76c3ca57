"""Probabilistic CCA by maximum likelihood, in closed form (Bach and Jordan 2005).

P(z) = N(0, I), P(phi_i|z) = N(W_i z + m_i, Psi_i). With U_i the canonical directions,
U_i' S_ii U_i = I, and P the diagonal matrix of canonical correlations rho, the likelihood is
greatest at (their theorem 2)

    W_i = S_ii U_i M_i,  Psi_i = S_ii - W_i W_i',  m_i = mean of phi_i,  M_1 M_2' = P,

where M_1 = M_2 = P^(1/2) treats both views alike. Rows are items; float64 throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from rivae.base.errors import DataError

# Psi_i is singular where a correlation is 1. Features are float32 networks, exact to about 1e-7 of
# their s.d.; at this ceiling the noise left has an s.d. of sqrt(1 - rho) = 1e-3, four orders above
# that rounding, so distances in units of the noise are still numbers and not rounding errors.
MAX_CORRELATION = 1.0 - 1e-6
# Of the largest eigenvalue of a covariance: a direction with less (an s.d. below 1e-6 of the
# largest) is rounding error of float32 features, and CCA would divide by it.
MIN_EIGENVALUE = 1e-12


@dataclass(frozen=True)
class PCCA:
    """The fit, of features with p1 and p2 columns and d latent dimensions.

    Attributes:
        mean1, mean2: (p_i,).
        correlations: (d,) canonical, descending, in [0, MAX_CORRELATION].
        directions1, directions2: (p_i, p_i) all canonical directions of a view, the first d of
            which correlate; ``directions.T @ S_ii @ directions`` is the identity.
        covariance1, covariance2: (p_i, p_i) S_ii, divided by n.
    """

    mean1: Tensor
    mean2: Tensor
    correlations: Tensor
    directions1: Tensor
    directions2: Tensor
    covariance1: Tensor
    covariance2: Tensor

    def _view(self, view: int) -> tuple[Tensor, Tensor, Tensor]:
        if view == 1:
            return self.mean1, self.directions1, self.covariance1
        return self.mean2, self.directions2, self.covariance2

    def loading(self, view: int) -> Tensor:
        """W_i of view 1 or 2, (p_i, d)."""
        _, directions, covariance = self._view(view)
        d = len(self.correlations)
        return covariance @ directions[:, :d] * self.correlations.sqrt()

    def noise(self, view: int) -> Tensor:
        """Psi_i of view 1 or 2, (p_i, p_i), positive definite."""
        loading = self.loading(view)
        return self._view(view)[2] - loading @ loading.T

    def posterior(self, view: int) -> tuple[Tensor, Tensor, Tensor]:
        """P(z|phi_i): (weight (p_i, d), bias (d,), covariance (d, d)), mean phi @ weight + bias.

        The mean is M' U_i' (phi_i - m_i), the covariance I - M M' = I - P.
        """
        mean, directions, _ = self._view(view)
        weight = directions[:, : len(self.correlations)] * self.correlations.sqrt()
        return weight, -mean @ weight, torch.diag(1.0 - self.correlations)

    def posterior_of_pair(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """P(z|phi_1, phi_2): (weight1, weight2, bias, covariance), mean linear in both.

        In canonical coordinates u_i = U_i' (phi_i - m_i) the precision is I + 2 P (I - P)^-1, so
        the mean is P^(1/2) (I + P)^-1 (u_1 + u_2) and the covariance (I - P) (I + P)^-1.
        """
        d, rho = len(self.correlations), self.correlations
        gain = rho.sqrt() / (1.0 + rho)
        weight1, weight2 = self.directions1[:, :d] * gain, self.directions2[:, :d] * gain
        bias = -self.mean1 @ weight1 - self.mean2 @ weight2
        return weight1, weight2, bias, torch.diag((1.0 - rho) / (1.0 + rho))

    def whitening(self, view: int) -> Tensor:
        """K (p_i, p_i) with K K' = Psi_i^-1: |(a - b) @ K| is Mahalanobis under the noise.

        A square root of Psi_i^-1 in canonical coordinates: as S_ii^-1 = U U', Psi_i^-1 is
        U (I - P)^-1 U' with P = 0 beyond d, so nothing has to be inverted.
        """
        _, directions, _ = self._view(view)
        scale = torch.ones(len(directions), dtype=directions.dtype)
        scale[: len(self.correlations)] = (1.0 - self.correlations).rsqrt()
        return directions * scale


def fit_pcca(phi1: Tensor, phi2: Tensor, n_components: int) -> PCCA:
    """The maximum-likelihood fit to rows phi1 (n, p1) and phi2 (n, p2).

    Directions are signed so that the largest entry of each of view 1 is positive.

    Args:
        n_components: d, at most min(p1, p2).

    Raises:
        DataError: when features are not finite, constant, or linear combinations of others.
    """
    phi1, phi2 = phi1.double(), phi2.double()
    mean1, mean2 = phi1.mean(0), phi2.mean(0)
    a, b = phi1 - mean1, phi2 - mean2
    s11, s22, s12 = a.T @ a / len(a), b.T @ b / len(b), a.T @ b / len(a)
    l1, l2 = _factor(s11, 1), _factor(s22, 2)
    half = torch.linalg.solve_triangular(l1, s12, upper=False)
    coherence = torch.linalg.solve_triangular(l2, half.T, upper=False).T
    left_axes, rho, right_axes = torch.linalg.svd(coherence, full_matrices=True)
    # L_i^-T turns orthonormal columns into canonical directions.
    directions1 = torch.linalg.solve_triangular(l1.T, left_axes, upper=True)
    directions2 = torch.linalg.solve_triangular(l2.T, right_axes.T, upper=True)
    peaks = directions1.gather(0, directions1.abs().argmax(0, keepdim=True))[0]
    signs = torch.where(peaks < 0, -1.0, 1.0)
    n_shared = len(rho)
    directions1 = directions1 * signs
    directions2[:, :n_shared] = directions2[:, :n_shared] * signs[:n_shared]
    return PCCA(
        mean1,
        mean2,
        rho[:n_components].clamp(0.0, MAX_CORRELATION),
        directions1,
        directions2,
        s11,
        s22,
    )


def _factor(covariance: Tensor, view: int) -> Tensor:
    """The Cholesky factor of a covariance that is safely positive definite, or DataError."""
    if not bool(covariance.isfinite().all()):
        raise DataError(f"features of view {view} are infinite or NaN: lower the learning rate")
    eigenvalues = torch.linalg.eigvalsh(covariance)
    if not float(eigenvalues[0]) > MIN_EIGENVALUE * float(eigenvalues[-1]):
        raise DataError(
            f"a feature of view {view} is constant or repeats others, so CCA has no solution: "
            "lower n_components, or train on more pairs"
        )
    return torch.linalg.cholesky(covariance)
