"""Exact retrieval by z: index, retriever, ranks, ranges, traversals and exact change points.

Stands on ``models``, ``data`` and ``runs``; the metrics, the explorer and everything above ask it.
Begin with ``retriever.Retriever``. The package itself imports nothing, so that the command line
knows ranges without loading torch.
"""
