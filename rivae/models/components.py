"""Principal components of two embeddings together."""

from __future__ import annotations

import torch
from torch import Tensor

from rivae.base.errors import DataError


def shared_components(v1: Tensor, v2: Tensor, d: int) -> Tensor:
    """The ``d`` leading eigenvectors (..., D, d) of S11 + S22 of v1 and v2 (..., n, D).

    Raises:
        DataError: when embeddings are infinite, NaN or constant.
    """
    centred_views = (v - v.mean(-2, keepdim=True) for v in (v1, v2))
    covariance = torch.stack([v.transpose(-1, -2) @ v for v in centred_views]).sum(0)
    traces = covariance.diagonal(dim1=-2, dim2=-1).sum(-1)
    if not bool(covariance.isfinite().all()) or not bool((traces > 0).all()):
        raise DataError("embeddings are infinite, NaN or all the same: lower the learning rate")
    vectors = torch.linalg.eigh(covariance)[1].flip(-1)[..., :d]
    peaks = vectors.gather(-2, vectors.abs().argmax(-2, keepdim=True))
    return vectors * torch.where(peaks < 0, -1.0, 1.0)


def unit_components(
    v1: Tensor, v2: Tensor, d: int
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor], Tensor]:
    """The leading ``d`` components of v1 and v2 (..., n, D) with unit variance, and back.

    Returns:
        ``to_z`` (..., D, d) and the ``offsets`` (..., d) with z = v_i to_z + offset_i, ``from_z``
        (..., d, D) and ``mean2`` (..., D) with v2 near z from_z + mean2; in the order to_z,
        from_z, offsets, mean2, all float64.

    Raises:
        DataError: as ``shared_components``.
    """
    v1, v2 = v1.double(), v2.double()
    to_z = shared_components(v1, v2, d)
    mean1, mean2 = (v.mean(-2, keepdim=True) for v in (v1, v2))
    variances = torch.stack([((v - m) @ to_z).var(-2) for v, m in ((v1, mean1), (v2, mean2))])
    width = variances.mean(0).sqrt().clamp_min(1e-6).unsqueeze(-2)
    to_z, from_z = to_z / width, (to_z * width).transpose(-1, -2)
    offsets = (-(mean1 @ to_z).squeeze(-2), -(mean2 @ to_z).squeeze(-2))
    return to_z, from_z, offsets, mean2.squeeze(-2)
