"""Gaussian densities with a diagonal or one full covariance, and the lift that searches them.

The lift: log N(v; m, s) = a . phi(v) + constant with phi(v) = [v, v^2] and a = [m/s, -1/(2s)]. A
density whose variance s depends on z is therefore searched exactly by Euclidean distance: items
p = [phi(v), r] with r chosen so that |p|^2 = 2 for every unit vector v, queries q = [a, 0], and
|q - p|^2 = |a|^2 + 2 - 2 a . phi(v).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rivae.models.losses import log_density, sample
from rivae.models.stages import Noise

LIFT_NORM2 = 2.0  # |phi(v)|^2 = 1 + sum v^4 is at most 2 for |v| = 1


@dataclass(frozen=True)
class DiagonalGaussian:
    """N(mean, Diag(exp(log_var))) of each row, both (..., B, d)."""

    mean: Tensor
    log_var: Tensor

    def sample(self, noise: Noise) -> Tensor:
        """One z for each row, (..., B, d), differentiable in the parameters."""
        return sample(self.mean, self.log_var, noise)

    def variance_along(self, matrix: Tensor) -> Tensor:
        """Exact variances (..., B, d) of z @ matrix; ``matrix`` is (..., d, d)."""
        return self.log_var.exp() @ matrix**2


@dataclass(frozen=True)
class FullGaussian:
    """N(mean, covariance): a mean (..., B, d) of each row, one covariance (..., d, d) of all."""

    mean: Tensor
    covariance: Tensor

    def sample(self, noise: Noise) -> Tensor:
        """One z for each row, (..., B, d), differentiable in the parameters."""
        # Unchecked: with NaN weights the loss becomes NaN, which the trainer reports.
        factor = torch.linalg.cholesky_ex(self.covariance).L
        return self.mean + noise.normal_like(self.mean) @ factor.transpose(-1, -2)

    def variance_along(self, matrix: Tensor) -> Tensor:
        """Exact variances (..., B, d) of z @ matrix; ``matrix`` is (..., d, d)."""
        variance = ((self.covariance @ matrix) * matrix).sum(-2)
        return variance.unsqueeze(-2).expand_as(self.mean)


Posterior = DiagonalGaussian | FullGaussian


def natural_parameters(mean: Tensor, log_var: Tensor) -> Tensor:
    """a = [m/s, -1/(2s)] of means (..., B, D) and log variances; (..., B, 2D)."""
    precision = (-log_var).exp().expand_as(mean)
    return torch.cat([mean * precision, -0.5 * precision], -1)


def log_density_constant(mean: Tensor, log_var: Tensor) -> Tensor:
    """log N(v; mean, exp(log_var)) - a . phi(v), which does not depend on v; (..., B)."""
    return log_density(torch.zeros_like(mean), mean, log_var)


def sufficient_statistics(v: Tensor) -> Tensor:
    """phi(v) = [v, v^2] of v (..., B, D); (..., B, 2D)."""
    return torch.cat([v, v**2], -1)


def lifted_items(v: Tensor) -> Tensor:
    """Points p (..., B, 2D + 1) of unit vectors v (..., B, D), in float64.

    The scores a . phi(v) are differences of large numbers, so rounding phi to float32 would
    change their order.
    """
    phi = sufficient_statistics(v.double())
    rest = (LIFT_NORM2 - (phi**2).sum(-1, keepdim=True)).clamp_min(0.0).sqrt()
    return torch.cat([phi, rest], -1)


def lifted_score(a: Tensor, squared_distance: Tensor) -> Tensor:
    """a . phi(v) of queries a (..., B, 2D) from |q - p|^2 (..., B, k)."""
    return 0.5 * ((a**2).sum(-1, keepdim=True) + LIFT_NORM2 - squared_distance)


def all_log_densities(v: Tensor, mean: Tensor, log_var: Tensor) -> Tensor:
    """log N(v_j; mean_i, exp(log_var_i)) of v (..., m, D) and mean (..., n, D); (..., n, m)."""
    a = natural_parameters(mean, log_var)
    inner = a @ sufficient_statistics(v).transpose(-1, -2)
    return inner + log_density_constant(mean, log_var).unsqueeze(-1)


Gaussian = tuple[Tensor, Tensor]


def product_of_experts(experts: Sequence[Gaussian], prior_expert: bool) -> Gaussian:
    """Mean and log variance of prod_i N(mu_i, var_i), times N(0, I) with ``prior_expert``.

    The supplement of the paper omits the prior expert; the work it cites has it.

    Args:
        experts: (mu, log_var) of each, all (..., B, d).
    """
    precision = torch.stack([(-log_var).exp() for _, log_var in experts])
    total = precision.sum(0) + float(prior_expert)
    weighted_mean = (precision * torch.stack([mu for mu, _ in experts])).sum(0)
    return weighted_mean / total, -total.log()
