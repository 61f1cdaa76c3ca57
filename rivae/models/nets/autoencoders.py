"""Encoders and decoders of the data themselves, for methods without embeddings (Bi-VAE).

Both work on flattened items, so an item is one vector wherever it is searched or decoded. Networks
are fully connected or convolutional. Supplement, "Model-Specific Network Architectures":
"transposed-convolutional networks of similar structures as the embedding networks", so a decoder is
the encoder's layers in reverse order.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import torch
from pydantic import BaseModel, Field
from torch import Tensor, nn

from rivae.base.config import Widths
from rivae.base.errors import ConfigError
from rivae.models.nets.layers import MLP
from rivae.models.nets.pictures import strided_convolutions
from rivae.models.settings import NETWORK

_ROWS = 512  # pictures decoded at once outside training: bounds the memory of a traversal


class NetworkSettings(BaseModel):
    """Settings of the encoders and decoders of a method on the data themselves."""

    network: Literal["mlp", "linear", "conv"] = Field(
        default="mlp",
        title="Network",
        description="encoders and decoders; linear has no hidden layer",
        json_schema_extra=NETWORK,
    )
    hidden: Widths = Field(
        default=(256,) * 3,
        title="Hidden layers",
        description="fully connected layers in the encoder's order, not for linear",
    )
    activation: Literal["tanh", "relu", "leaky-relu"] = Field(
        default="leaky-relu",
        title="Activation",
        description="of mlp (conv has ReLU); tanh leaves no exact change points",
        json_schema_extra=NETWORK,
    )
    channels: Widths = Field(
        default=(32, 32, 64, 64),
        min_length=1,
        title="Channels",
        description="of the convolutions",
        json_schema_extra=NETWORK,
    )
    downsample: int = Field(
        default=1,
        ge=1,
        le=8,
        title="Downsampling",
        description="pictures are averaged over squares of this side",
        json_schema_extra=NETWORK,
    )


class ConvEncoder(nn.Module):
    """Convolutions of size 4 and stride 2, then fully connected layers: (..., B, D) to n_out."""

    def __init__(
        self,
        shape: tuple[int, ...],
        channels: tuple[int, ...],
        hidden: tuple[int, ...],
        n_out: int,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.convolutions, sizes = strided_convolutions(shape, channels)
        self.head = MLP(math.prod(sizes[-1]), hidden, n_out, "relu")

    def forward(self, x: Tensor) -> Tensor:
        pictures = x.reshape(-1, *self.shape)
        out: Tensor = self.head(self.convolutions(pictures).flatten(1))
        return out.reshape(*x.shape[:-1], out.shape[-1])


def check_convolutional(shape: tuple[int, ...], n_models: int | None) -> None:
    """Convolutions take pictures, and one seed at a time.

    Raises:
        ConfigError: otherwise.
    """
    if n_models is not None:
        raise ConfigError("convolutional networks train one seed at a time: start one by one")
    if len(shape) != 3:
        raise ConfigError(
            f"convolutional networks need pictures, these items have shape {shape}: "
            "set network to mlp"
        )


def build_encoder(
    config: NetworkSettings, shape: tuple[int, ...], n_out: int, n_models: int | None = None
) -> MLP | ConvEncoder:
    """A network from flattened items of ``shape``, (..., B, prod(shape)), to (..., B, n_out).

    Raises:
        ConfigError: when the shape does not fit, or convolutional models are to be stacked.
    """
    if config.network == "conv":
        check_convolutional(shape, n_models)
        return ConvEncoder(shape, config.channels, config.hidden, n_out)
    layers = config.hidden if config.network == "mlp" else ()
    return MLP(math.prod(shape), layers, n_out, config.activation, n_models)


class SeededConvTranspose(nn.ConvTranspose2d):
    """A transposed 4 x 4 convolution with stride 2 between given picture sizes."""

    def __init__(self, small: tuple[int, int, int], large: tuple[int, int, int]) -> None:
        # An odd side lost its last row on the way down; the padding brings it back.
        padding = (large[1] - 2 * small[1], large[2] - 2 * small[2])
        super().__init__(small[0], large[0], 4, stride=2, padding=1, output_padding=padding)

    def reset(self, generators: list[torch.Generator]) -> None:
        """U(-1/sqrt(fan in), 1/sqrt(fan in)); every output sums 2 x 2 places of every channel.

        PyTorch's own default counts the outputs of a transposed convolution instead, which makes
        the last layer, with one channel, three times too large.
        """
        bound = 1.0 / math.sqrt(4 * self.in_channels)
        with torch.no_grad():
            self.weight.uniform_(-bound, bound, generator=generators[0])
            assert self.bias is not None
            self.bias.uniform_(-bound, bound, generator=generators[0])


class ConvDecoder(nn.Module):
    """z (..., B, d) to flattened pictures (..., B, D), without a last nonlinearity."""

    def __init__(
        self,
        n_components: int,
        hidden: tuple[int, ...],
        channels: tuple[int, ...],
        shape: tuple[int, ...],
    ) -> None:
        super().__init__()
        with torch.device("meta"):  # only the shapes on the way are wanted
            sizes = strided_convolutions(shape, channels)[1][::-1]
        self.smallest = sizes[0]
        self.head = MLP(n_components, hidden, math.prod(sizes[0]), "relu")
        layers: list[nn.Module] = []
        for small, large in pairwise(sizes):
            layers += [nn.ReLU(), SeededConvTranspose(small, large)]
        self.convolutions = nn.Sequential(*layers)

    def forward(self, z: Tensor) -> Tensor:
        if not self.training and z.dim() == 2 and len(z) > _ROWS:
            return torch.cat([self(part) for part in z.split(_ROWS)])
        start = self.head(z.reshape(-1, z.shape[-1])).reshape(-1, *self.smallest)
        # Colours innermost, as in SeededConv: a quarter less time. (vmap knows no formats.)
        start = start.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        flat: Tensor = self.convolutions(start).flatten(1)
        return flat.reshape(*z.shape[:-1], flat.shape[-1])


def build_decoder(
    config: NetworkSettings,
    n_components: int,
    shape: tuple[int, ...],
    n_models: int | None = None,
) -> MLP | ConvDecoder:
    """A network from z (..., B, d) to flattened items of ``shape``.

    Widths and channels are given in the encoder's order and used in reverse.

    Raises:
        ConfigError: as ``build_encoder``.
    """
    hidden = config.hidden[::-1]
    if config.network == "conv":
        check_convolutional(shape, n_models)
        return ConvDecoder(n_components, hidden, config.channels, shape)
    layers = hidden if config.network == "mlp" else ()
    return MLP(n_components, layers, math.prod(shape), config.activation, n_models)
