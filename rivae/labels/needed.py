"""Which items a run's D/C/I needs labels of: those its stored evaluation retrieved."""

from __future__ import annotations

import numpy as np

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError, RunError
from rivae.replay import measured_queries, replay
from rivae.retrieval import Retriever
from rivae.retrieval.base import Ints
from rivae.runs import Run
from rivae.traversal import Progress, Traversal


def measured_traversal(
    run: Run,
    data: PairedDataset,
    retriever: Retriever | None = None,
    n_queries: int | None = None,
    progress: Progress | None = None,
) -> Traversal:
    """The queries x latent dimensions x points behind the D/C/I of the run's evaluation.

    Args:
        data: the run's data set; it may be without factors.
        retriever: of the run's model over all test rows, made here if left out.
        n_queries: use so many of the measured queries (the paper has about 20), evenly spread;
            all by default.
        progress: called with the share done, in (0, 1].

    Raises:
        ConfigError: n_queries is below 1.
        RunError: the run has no model, or was not evaluated: that fixes queries and points.
        DataError: the evaluation does not fit the model.
    """
    report = run.evaluation
    if report is None:
        raise RunError(
            f"run {run.id} has no evaluation, which fixes the queries and points that are "
            f"labelled: `rivae evaluate {run.id}`"
        )
    if n_queries is not None and n_queries < 1:
        raise ConfigError(f"labels need at least 1 query, got {n_queries}")
    retriever = retriever or Retriever(run.load_method(data), data, data.splits["test"])
    total = len(measured_queries(data, report))
    chosen = None
    if n_queries is not None and n_queries < total:  # the others need not be searched for
        chosen = np.linspace(0, total - 1, n_queries).round().astype(np.int64)
    dims = range(retriever.n_components)
    return replay(retriever, data, report, dims, chosen=chosen, progress=progress)


def needed_items(traversal: Traversal) -> Ints:
    """The unique items retrieved at rank 1 along a traversal, sorted: what D/C/I is made of."""
    return np.unique(traversal.ids[..., 0]).astype(np.int64)
