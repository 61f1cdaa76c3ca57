"""Networks: linear layers that hold one model or many, embedders and Gaussian heads."""

from rivae.nets.embedders import EmbedderConfig, EmbedderPair, build_embedder, build_embedders
from rivae.nets.heads import MLP, GaussianHead
from rivae.nets.linear import Linear

__all__ = [
    "MLP",
    "EmbedderConfig",
    "EmbedderPair",
    "GaussianHead",
    "Linear",
    "build_embedder",
    "build_embedders",
]
