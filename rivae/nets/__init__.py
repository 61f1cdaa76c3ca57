"""Networks: linear layers that hold one model or many, embedders and Gaussian heads."""

from rivae.nets.embedders import build_embedder, build_embedders
from rivae.nets.heads import MLP, GaussianHead
from rivae.nets.linear import Linear
from rivae.nets.settings import EmbedderConfig, EmbedderPair

__all__ = [
    "MLP",
    "EmbedderConfig",
    "EmbedderPair",
    "GaussianHead",
    "Linear",
    "build_embedder",
    "build_embedders",
]
