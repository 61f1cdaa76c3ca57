"""The embedders e1 and e2 of the paper (supplement, "Embedding networks")."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from rivae.base.errors import ConfigError
from rivae.models.nets.layers import MLP
from rivae.models.nets.pictures import ConvEmbedder, PictureEmbedder
from rivae.models.nets.precision import low_precision
from rivae.models.nets.recipe_rnn import RecipeRNN
from rivae.models.nets.resnets import ResNet50Attention, SmallResNet
from rivae.models.nets.settings import EmbedderConfig, EmbedderPair

# Embedders of pictures by name.
PICTURES: dict[str, Callable[[tuple[int, ...], int, EmbedderConfig], PictureEmbedder]] = {
    "conv": ConvEmbedder,
    "small-resnet": SmallResNet,
    "resnet50-attention": ResNet50Attention,
}


class MLPEmbedder(nn.Module):
    """Fully connected embedder: (..., B, *shape) to unit vectors (..., B, D)."""

    def __init__(
        self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig, n_models: int | None
    ) -> None:
        super().__init__()
        self.n_axes = len(shape)
        self.autocast = False
        self.net = MLP(
            math.prod(shape),
            config.hidden,
            dim_v,
            config.activation,
            n_models,
            config.dropout,
            config.input_dropout,
        )

    @property
    def head(self) -> MLP:
        """All its layers; named as in the other embedders."""
        return self.net

    def forward(self, x: Tensor) -> Tensor:
        flat = x.flatten(-self.n_axes) if self.n_axes > 1 else x
        with low_precision(self, x):
            out = self.net(flat)
        # float32 whatever the layers computed in, unless the weights were made float64.
        return nn.functional.normalize(out if out.dtype == torch.float64 else out.float(), dim=-1)


# Embedders that end in fully connected layers, ``head``.
WithHead = MLPEmbedder | PictureEmbedder | RecipeRNN


class IdentityEmbedder(nn.Module):
    """Embeddings that came from elsewhere, (..., B, D), scaled to unit length; nothing to train."""

    def __init__(self, shape: tuple[int, ...], dim_v: int) -> None:
        super().__init__()
        if shape != (dim_v,):
            raise ConfigError(
                f"identity takes vectors of dim_v numbers, these items have shape {shape}: set "
                f"dim_v to {math.prod(shape)}, or the embedder's kind to mlp"
            )
        self.autocast = False

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(x, dim=-1)


def build_embedders(
    shape1: tuple[int, ...],
    shape2: tuple[int, ...],
    dim_v: int,
    config: EmbedderPair,
    n_models: int | None = None,
) -> tuple[nn.Module, nn.Module]:
    """e1 and e2 for items of these shapes.

    Raises:
        ConfigError: as ``build_embedder``, or when they cannot share their last layer.
    """
    second = config.embedder2 or config.embedder
    e1 = build_embedder(shape1, dim_v, config.embedder, n_models)
    e2 = build_embedder(shape2, dim_v, second, n_models)
    if config.shared:
        if isinstance(e1, IdentityEmbedder) or isinstance(e2, IdentityEmbedder):
            raise ConfigError("an identity has no last layer to share: set shared=false")
        out, other = e1.head.out, e2.head.out
        if out.weight.shape != other.weight.shape:
            raise ConfigError(
                f"embedders that share their last layer need equal widths before it, not "
                f"{out.weight.shape[-2]} and {other.weight.shape[-2]}: let hidden of both end alike"
            )
        e2.head.borrow_output(out)
    return e1, e2


def build_embedder(
    shape: tuple[int, ...], dim_v: int, config: EmbedderConfig, n_models: int | None = None
) -> MLPEmbedder | IdentityEmbedder | PictureEmbedder | RecipeRNN:
    """The embedder ``config`` for items of ``shape``.

    Raises:
        ConfigError: when the shape does not fit, or other models than fully connected ones are to
            be stacked.
    """
    if config.kind == "mlp":
        return MLPEmbedder(shape, dim_v, config, n_models)
    if config.kind == "identity":
        return IdentityEmbedder(shape, dim_v)
    if n_models is not None:
        raise ConfigError(
            f"embedders of kind {config.kind} train one seed at a time: start one by one"
        )
    if config.kind == "recipe-rnn":
        return RecipeRNN(shape, dim_v, config)
    if len(shape) != 3:
        raise ConfigError(
            f"an embedder of kind {config.kind} needs pictures, these items have shape {shape}: "
            "set its kind to mlp"
        )
    return PICTURES[config.kind](shape, dim_v, config)
