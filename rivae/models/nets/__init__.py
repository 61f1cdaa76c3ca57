"""Networks: linear layers that hold one model or many, embedders and Gaussian heads."""

from rivae.models.nets.embedders import build_embedder, build_embedders
from rivae.models.nets.layers import MLP, GaussianHead, Linear
from rivae.models.nets.settings import EmbedderConfig, EmbedderPair

__all__ = [
    "MLP",
    "EmbedderConfig",
    "EmbedderPair",
    "GaussianHead",
    "Linear",
    "build_embedder",
    "build_embedders",
]
