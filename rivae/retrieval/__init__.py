"""Exact search by z: index, retriever, ranks, ranges of z, traversals and their change points.

Stands on ``models``, ``data`` and ``runs``; metrics, training, the explorer and figures ask it.
Begin with ``retriever.Retriever``; ``base.Index`` says what an index has to promise. The package
itself imports nothing, so that the command line knows ranges without loading torch.
"""
