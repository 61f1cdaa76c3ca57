"""The embedders e1 and e2 of the paper (supplement, "Embedding networks")."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from rivae.config import Widths
from rivae.errors import ConfigError
from rivae.nets.augment import Augment
from rivae.nets.heads import MLP


class EmbedderConfig(BaseModel):
    """One embedder.

    ``kind`` "mlp" flattens its input; "conv" is the four 4 x 4 convolutions of Sprites.
    ``hidden`` are the widths of the fully connected layers, ``channels`` those of the
    convolutions (stride 2), ``downsample`` averages pictures over squares of that side first
    (1 = the paper's full size; 2 trains four times faster).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["mlp", "conv"] = "mlp"
    hidden: Widths = (25,)
    activation: Literal["tanh", "relu", "leaky-relu"] = "tanh"
    channels: Widths = (32, 32, 64, 64)
    downsample: int = Field(default=1, ge=1, le=8)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    augment: float = Field(
        default=0.0, ge=0, le=1,
        description="conv: strength of random flips, shifts and light while training; 0 = none",
    )  # fmt: skip


class EmbedderPair(BaseModel):
    """The embedders of both sides, as settings of a method."""

    embedder: EmbedderConfig = Field(default=EmbedderConfig(), description="e1, and e2 if alike")
    embedder2: EmbedderConfig | None = Field(
        default=None, description="e2 of the searched side; empty = like e1"
    )


def low_precision(embedder: nn.Module, x: Tensor) -> torch.autocast:
    """bfloat16 for the products of a training embedder whose ``autocast`` flag is set.

    Only while training: validation and retrieval always see float32.
    """
    enabled = bool(embedder.autocast) and embedder.training
    return torch.autocast(x.device.type, torch.bfloat16, enabled=enabled)


@contextmanager
def steady(embedder: nn.Module) -> Iterator[None]:
    """float32 and no dropout, for a difference or derivative of the embedder.

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


class MLPEmbedder(nn.Module):
    """Fully connected embedder: (..., B, *shape) to unit vectors (..., B, D)."""

    def __init__(
        self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig, n_models: int | None
    ) -> None:
        super().__init__()
        self.n_axes = len(shape)
        self.autocast = False
        self.net = MLP(
            math.prod(shape), config.hidden, dim_v, config.activation, n_models, config.dropout
        )

    def forward(self, x: Tensor) -> Tensor:
        flat = x.flatten(-self.n_axes) if self.n_axes > 1 else x
        with low_precision(self, x):
            out = self.net(flat)
        return nn.functional.normalize(out.float(), dim=-1)


def averaged_shape(shape: tuple[int, ...], downsample: int) -> tuple[int, ...]:
    """The shape of an item after averaging pictures over squares of side ``downsample``.

    Raises:
        ConfigError: when the item is no picture, or the squares do not fill it.
    """
    if downsample == 1:
        return shape
    if len(shape) != 3:
        raise ConfigError(f"only pictures can be averaged, not shape {shape}: choose downsample=1")
    channels, height, width = shape
    if height % downsample or width % downsample:
        raise ConfigError(
            f"pictures of {height} x {width} cannot be averaged over squares of "
            f"{downsample}: choose downsample=1"
        )
    return channels, height // downsample, width // downsample


def strided_convolutions(
    shape: tuple[int, ...], widths: tuple[int, ...]
) -> tuple[nn.Sequential, list[tuple[int, int, int]]]:
    """Convolutions of size 4 and stride 2, each with a ReLU, and all shapes on the way.

    The first shape is that of the picture, the last one that of the result.

    Raises:
        ConfigError: when the picture is too small for so many.
    """
    channels, height, width = shape
    sizes = [(channels, height, width)]
    layers: list[nn.Module] = []
    for n_out in widths:
        if min(height, width) < 2:
            raise ConfigError(
                f"{len(widths)} convolutions are too many for this picture size: "
                "give fewer channels or a smaller downsample"
            )
        layers += [SeededConv(channels, n_out), nn.ReLU()]
        channels, height, width = n_out, height // 2, width // 2
        sizes.append((channels, height, width))
    return nn.Sequential(*layers), sizes


class ConvEmbedder(nn.Module):
    """Convolutions of size 4 and stride 2, one hidden layer, unit vectors (B, D)."""

    def __init__(self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig) -> None:
        super().__init__()
        shape = averaged_shape(shape, config.downsample)
        self.downsample = config.downsample
        self.augment = Augment(config.augment)
        self.autocast = False
        self.convolutions, sizes = strided_convolutions(shape, config.channels)
        n_in = math.prod(sizes[-1])
        self.head = MLP(n_in, config.hidden, dim_v, "relu", None, config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        lead = x.shape[:-3]
        x = x.reshape(-1, *x.shape[-3:])
        if self.downsample > 1:
            x = nn.functional.avg_pool2d(x, self.downsample)
        x = self.augment(x)
        with low_precision(self, x):
            out = self.head(self.convolutions(x).flatten(1))
        v = nn.functional.normalize(out.float(), dim=-1)
        return v.reshape(*lead, v.shape[-1])


class SeededConv(nn.Conv2d):
    """A 4 x 4 convolution with stride 2 whose initialisation takes an explicit generator."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__(n_in, n_out, kernel_size=4, stride=2, padding=1)

    def reset(self, generators: list[torch.Generator]) -> None:
        """He-uniform as in PyTorch's default: U(-1/sqrt(fan in), 1/sqrt(fan in))."""
        bound = 1.0 / math.sqrt(self.weight[0].numel())
        with torch.no_grad():
            self.weight.uniform_(-bound, bound, generator=generators[0])
            assert self.bias is not None
            self.bias.uniform_(-bound, bound, generator=generators[0])


def build_embedders(
    shape1: tuple[int, ...],
    shape2: tuple[int, ...],
    dim_v: int,
    config: EmbedderPair,
    n_models: int | None = None,
) -> tuple[nn.Module, nn.Module]:
    """e1 and e2 for items of these shapes.

    Raises:
        ConfigError: as ``build_embedder``.
    """
    second = config.embedder2 or config.embedder
    return (
        build_embedder(shape1, dim_v, config.embedder, n_models),
        build_embedder(shape2, dim_v, second, n_models),
    )


def build_embedder(
    shape: tuple[int, ...], dim_v: int, config: EmbedderConfig, n_models: int | None = None
) -> nn.Module:
    """The embedder ``config`` for items of ``shape``.

    Raises:
        ConfigError: when the shape does not fit, or convolutional models are to be stacked.
    """
    if config.kind == "mlp":
        return MLPEmbedder(shape, dim_v, config, n_models)
    if n_models is not None:
        raise ConfigError("convolutional embedders train one seed at a time: start one by one")
    if len(shape) != 3:
        raise ConfigError(
            f"a convolutional embedder needs pictures, these items have shape {shape}: "
            "set embedder.kind to mlp"
        )
    return ConvEmbedder(shape, dim_v, config)
