"""Exact search by z: index, retriever, ranks, ranges of z, traversals and their change points.

Stands on ``models``, ``data`` and ``runs``; metrics, training, the explorer and figures ask it.
Begin with ``retriever.Retriever``; ``base.Index`` says what an index has to promise. The package
itself imports nothing, so that the command line knows ranges without loading torch.
"""

from typing import TYPE_CHECKING

from rivae.base.deprecation import moved_names

if not TYPE_CHECKING:  # a checker would believe every name
    __getattr__ = moved_names(
        __name__,
        {
            "AggregatedPrior": "rivae.retrieval.prior",
            "DensityDistance": "rivae.retrieval.prior",
            "ExactPath": "rivae.retrieval.exact_path",
            "Index": "rivae.retrieval.base",
            "Retrieved": "rivae.retrieval.base",
            "Retriever": "rivae.retrieval.retriever",
            "exact_change_points": "rivae.retrieval.exact_path",
            "exact_paths": "rivae.retrieval.exact_path",
        },
    )
