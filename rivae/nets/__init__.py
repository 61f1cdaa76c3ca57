"""Networks: linear layers that hold one model or many, embedders and Gaussian heads."""

from rivae.nets.embedders import EmbedderConfig, build_embedder
from rivae.nets.heads import MLP, GaussianHead
from rivae.nets.linear import Linear

__all__ = ["MLP", "EmbedderConfig", "GaussianHead", "Linear", "build_embedder"]
