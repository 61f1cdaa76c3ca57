"""Networks: linear layers that hold one model or many, embedders and Gaussian heads."""

from rivae.nets.embedders import build_embedder, build_embedders
from rivae.nets.layers import MLP, GaussianHead, Linear
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
