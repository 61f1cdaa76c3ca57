"""Principal components of two embeddings together."""

from __future__ import annotations

import torch
from torch import Tensor

from rivae.base.errors import DataError


def shared_components(v1: Tensor, v2: Tensor, d: int) -> Tensor:
    """The ``d`` leading eigenvectors (..., D, d) of S11 + S22 of v1 and v2 (..., n, D).

    Raises:
        DataError: when embeddings are infinite, NaN or all the same.
    """
    centred = (v - v.mean(-2, keepdim=True) for v in (v1, v2))
    covariance = torch.stack([v.transpose(-1, -2) @ v for v in centred]).sum(0)
    traces = covariance.diagonal(dim1=-2, dim2=-1).sum(-1)
    if not bool(covariance.isfinite().all()) or not bool((traces > 0).all()):
        raise DataError("embeddings are infinite, NaN or all the same: lower the learning rate")
    vectors = torch.linalg.eigh(covariance)[1].flip(-1)[..., :d]
    peaks = vectors.gather(-2, vectors.abs().argmax(-2, keepdim=True))
    return vectors * torch.where(peaks < 0, -1.0, 1.0)
