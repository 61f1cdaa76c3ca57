"""Exact retrieval by z: index, retriever, ranks, and exact change points along a line."""

from rivae.retrieval.base import Index, Retrieved
from rivae.retrieval.exact_path import ExactPath, exact_change_points, exact_paths
from rivae.retrieval.prior import AggregatedPrior, DensityDistance
from rivae.retrieval.retriever import Retriever

__all__ = [
    "AggregatedPrior",
    "DensityDistance",
    "ExactPath",
    "Index",
    "Retrieved",
    "Retriever",
    "exact_change_points",
    "exact_paths",
]
