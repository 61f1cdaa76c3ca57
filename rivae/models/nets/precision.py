"""The number format of embedders: bfloat16 while training, float32 for a derivative."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


def number_format(precision: str, device: torch.device) -> str:
    """What ``precision`` means on ``device``: "auto" is "bf16" where hardware is faster with it.

    That takes a card or a processor with AMX. One without imitates bfloat16 and is far slower, and
    AVX-512's own instructions alone gain nothing: conversions cost more than they save.
    """
    if precision != "auto":
        return precision
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    return "bf16" if torch.cpu.get_capabilities().get("amx_bf16") else "float32"


def low_precision(embedder: nn.Module, x: Tensor) -> torch.autocast:
    """bfloat16 for the products of a training embedder whose ``autocast`` flag is set.

    Only while training: validation and retrieval always see float32.
    """
    is_enabled = bool(embedder.autocast) and embedder.training
    return torch.autocast(x.device.type, torch.bfloat16, enabled=is_enabled)


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
