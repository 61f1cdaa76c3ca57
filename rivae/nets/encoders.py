"""Encoders of the data themselves, for methods without the paper's embedders (Bi-VAE).

They take flattened items, so that an item is one vector wherever it is searched or decoded.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, Field
from torch import Tensor, nn

from rivae.config import Widths
from rivae.errors import ConfigError
from rivae.nets.heads import MLP
from rivae.nets.pictures import strided_convolutions


class NetworkSettings(BaseModel):
    """Settings of the encoders and decoders of a method on the data themselves."""

    network: Literal["mlp", "linear", "conv"] = Field(
        default="mlp", description="encoders and decoders; linear has no hidden layer"
    )
    hidden: Widths = Field(
        default=(50,), description="fully connected layers in the encoder's order, not for linear"
    )
    activation: Literal["tanh", "relu", "leaky-relu"] = Field(
        default="leaky-relu",
        description="of mlp (conv has ReLU); tanh leaves no exact change points",
    )
    channels: Widths = Field(
        default=(32, 32, 64, 64), min_length=1, description="of the convolutions"
    )
    downsample: int = Field(
        default=1, ge=1, le=8, description="pictures are averaged over squares of this side"
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
