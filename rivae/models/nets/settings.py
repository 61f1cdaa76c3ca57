"""Settings of embedders: kind of network, widths, dropout, shared layers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.config import Width, Widths
from rivae.models.settings import NETWORK


class EmbedderConfig(BaseModel):
    """One embedder.

    ``kind`` "mlp" flattens its input; "identity" takes embeddings as they are, of unit length;
    "conv" is the four 4 x 4 convolutions of Sprites,
    "small-resnet" a residual network for a CPU, "resnet50-attention" and "recipe-rnn" are those
    of Recipe1M. ``hidden`` are the widths of the fully connected layers, ``channels`` those of
    the convolutions (stride 2), ``downsample`` averages pictures over squares of that side first
    (1 = the paper's full size; 2 trains four times faster).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["mlp", "identity", "conv", "small-resnet", "resnet50-attention", "recipe-rnn"] = (
        Field(
            default="mlp",
            title="Network",
            description="mlp takes any item, recipe-rnn words in order, the others pictures",
        )
    )
    hidden: Widths = Field(
        default=(25,), title="Hidden layers", description="widths of the fully connected layers"
    )
    activation: Literal["tanh", "relu", "leaky-relu"] = Field(
        default="tanh", title="Activation", description="between the layers"
    )
    channels: Widths = Field(
        default=(32, 32, 64, 64),
        title="Channels",
        description="of the convolutions, which halve a picture each",
    )
    downsample: int = Field(
        default=1,
        ge=1,
        le=8,
        title="Downsampling",
        description="pictures are averaged over squares of this side; 1 = not",
    )
    dropout: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        title="Dropout",
        description="share of hidden units that is left out while training",
    )
    input_dropout: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        title="Input dropout",
        description="share of the inputs of the fully connected layers that is dropped while "
        "training: words of a text, features of a picture",
    )
    augment: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Augmentation",
        description="pictures: strength of random flips, shifts and light while training; 0 = none",
    )
    weights: str | None = Field(
        default=None,
        min_length=1,
        max_length=4096,
        title="Pretrained weights",
        description="resnet50-attention: weights to start from, with torchvision's names: a "
        ".safetensors file, or hf://OWNER/NAME; empty = random",
    )
    n_words: int = Field(
        default=4000,
        ge=1,
        le=60_000,
        title="Words",
        description="recipe-rnn: size of its word table",
    )
    word_dim: int = Field(
        default=300, ge=1, le=4096, title="Word vector size", description="recipe-rnn: word vectors"
    )
    rnn_size: Width = Field(
        default=300, title="Recurrent units", description="recipe-rnn: states of each direction"
    )


class EmbedderPair(BaseModel):
    """The embedders of both sides, as settings of a method."""

    embedder: EmbedderConfig = Field(
        default=EmbedderConfig(hidden=(256, 256), activation="relu", dropout=0.1),
        title="Embedder",
        description="e1, and e2 if alike",
        json_schema_extra=NETWORK,
    )
    embedder2: EmbedderConfig | None = Field(
        default=None,
        title="Second embedder",
        description="e2 of the searched side; empty = like e1",
        json_schema_extra=NETWORK,
    )
    shared: bool = Field(
        default=False,
        title="Shared last layer",
        description="both embedders end in the same layer (paper: Recipe1M)",
        json_schema_extra=NETWORK,
    )
