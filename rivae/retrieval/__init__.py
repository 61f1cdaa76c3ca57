"""Exact search by z: index, retriever, ranks, ranges of z, traversals and their change points.

It may import ``runs`` and what is below; metrics, training, the explorer and figures import it.
Begin with ``retriever.Retriever``; ``base.Index`` says what an index has to promise, and
``exact.py`` is the one that the others are compared with.
"""

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
