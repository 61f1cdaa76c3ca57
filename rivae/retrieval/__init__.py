"""Exact retrieval by z: index, retriever, ranks and retrieval metrics."""

from rivae.retrieval.base import Index, Retrieved
from rivae.retrieval.prior import AggregatedPrior, DensityDistance
from rivae.retrieval.retriever import Retriever

__all__ = ["AggregatedPrior", "DensityDistance", "Index", "Retrieved", "Retriever"]
