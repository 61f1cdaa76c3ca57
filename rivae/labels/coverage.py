"""Which items a score needs labels of, and how many of them are labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rivae.base.config import Asks
from rivae.base.errors import ConfigError, RunError
from rivae.data.base import PairedDataset
from rivae.evaluation.replay import measured_queries, replay
from rivae.labels.table import check_labels
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Progress, Traversal
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation


def measured_traversal(
    run: Run,
    data: PairedDataset,
    retriever: Retriever | None = None,
    n_queries: int | None = None,
    asks: Asks = "first",
    progress: Progress | None = None,
) -> Traversal:
    """The traversal behind the D/C/I of the run's evaluation: queries x latent dimensions x points.

    Args:
        data: the run's data set; it needs no factors.
        retriever: of the run's model over all test rows; made here if left out.
        n_queries: use this many of the measured queries (the paper has about 20), evenly spread;
            all by default.
        asks: the query view, if the retriever is made here.
        progress: called with the share done, in (0, 1].

    Raises:
        ConfigError: n_queries is below 1, or that view cannot ask.
        RunError: the run has no model, or no evaluation, which fixes queries and points.
        DataError: the evaluation does not fit the model.
    """
    report = evaluation_behind(run, asks)
    if report is None:
        raise RunError(
            f"run {run.id} has no evaluation, which fixes the queries and points to label: "
            f"`rivae evaluate {run.id}`"
        )
    if n_queries is not None and n_queries < 1:
        raise ConfigError(f"a plan needs at least 1 query, not {n_queries}")
    if retriever is None:
        retriever = Retriever(run.load_method(data), data, data.splits["test"], asks=asks)
    total = len(measured_queries(data, report))
    positions = None
    if n_queries is not None and n_queries < total:  # no need to search for the others
        positions = np.linspace(0, total - 1, n_queries).round().astype(np.int64)
    dims = range(retriever.n_components)
    return replay(retriever, data, report, dims, chosen=positions, progress=progress)


def evaluation_behind(run: Run, asks: Asks) -> Evaluation | None:
    """The evaluation with the queries and points for labels: that of the query view ``asks``, or
    else that of the first view.
    """
    return run.evaluation_of(asks) or run.evaluation


def needed_items(traversal: Traversal) -> Ints:
    """The unique items retrieved at rank 1 along a traversal, sorted: D/C/I depends on these."""
    return np.unique(traversal.ids[..., 0]).astype(np.int64)


@dataclass(frozen=True)
class Coverage:
    """How many of the items that a run needs are labelled.

    Attributes:
        needed: unique items retrieved.
        labelled: per factor, those with a level.
        cannot_tell: per factor, those answered only with "cannot tell".
        points: per factor, the share of traversal points whose item has a level.
        queries: per factor, the number of queries with enough labelled points to count.
    """

    needed: int
    labelled: tuple[int, ...]
    cannot_tell: tuple[int, ...]
    points: tuple[float, ...]
    queries: tuple[int, ...]


def coverage_of(
    labels: pd.DataFrame,
    items: Ints,
    factors: Sequence[str],
    levels: Floats,
    local: Ints,
    usable: NDArray[np.bool_],
) -> Coverage:
    """The coverage of a traversal.

    Args:
        items: (N,) the needed items, sorted.
        levels: (N, K) of them, NaN where there is none.
        local: (q, J, T) positions in ``items``.
        usable: (q, J, K) the queries that count.
    """
    has_level = ~np.isnan(levels)
    item_labels = check_labels(labels)
    item_labels = item_labels[item_labels["item"].isin(items)]
    n_answered = [
        item_labels.loc[item_labels["factor"] == factor, "item"].nunique() for factor in factors
    ]
    return Coverage(
        len(items),
        tuple(int(n) for n in has_level.sum(axis=0)),
        tuple(int(n - k) for n, k in zip(n_answered, has_level.sum(axis=0), strict=True)),
        tuple(float(v) for v in has_level[local].mean(axis=(0, 1, 2))),
        tuple(int(v) for v in usable[:, 0].sum(axis=0)),
    )
