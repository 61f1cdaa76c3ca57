"""The number format of embedders: bfloat16 while training, float32 for a derivative."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


def low_precision(embedder: nn.Module, x: Tensor) -> torch.autocast:
    """bfloat16 for the products of a training embedder whose ``autocast`` flag is set.

    Only while training: validation and retrieval always see float32.
    """
    enabled = bool(embedder.autocast) and embedder.training
    return torch.autocast(x.device.type, torch.bfloat16, enabled=enabled)


@contextmanager
def steady(embedder: nn.Module) -> Iterator[None]:
    """float32, no dropout and no batch statistics, for a difference or derivative of the embedder.

    bfloat16 would ruin a small difference, and two dropout masks would be most of it.
    """
    autocast, training = getattr(embedder, "autocast", False), embedder.training
    embedder.autocast = False  # type: ignore[assignment]
    embedder.eval()
    try:
        yield
    finally:
        embedder.autocast = autocast  # type: ignore[assignment]
        embedder.train(training)
