"""The retrieved items behind the tables of a stored evaluation.

``evaluate`` stores the tables, not the items they were computed from. Queries, items searched and
values of z follow from what it stores, so a second search finds the same items, and their
correlations are the stored numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import PairedDataset
from rivae.evaluation.of_run import evaluated_rows
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.ranges import PAPER, RANGES, traversal_values
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Progress, Traversal, traverse
from rivae.runs.evaluation_file import AGAIN, Along, Evaluation, Prior

MAX_POINTS = 10_000
_OF_QUERIES = frozenset(RANGES) - {PAPER}


def replay(
    retriever: Retriever,
    data: PairedDataset,
    report: Evaluation,
    dim: int | Sequence[int],
    *,
    other: bool = False,
    chosen: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Traversal:
    """The traversal along one axis, or several, that a table of ``report`` was computed from.

    Args:
        retriever: of the same model, over all test rows of ``data``. Where another view asks than
            in ``report``, its queries give the ranges that depend on them.
        report: what ``rivae.evaluation.of_run.evaluate`` returned.
        dim: 0-based, one or several.
        other: along the second range.
        chosen: positions among the measured queries; all by default.
        progress: called with the share done, in (0, 1].

    Raises:
        DataError: the report lacks its settings, or does not fit model and data.
    """
    dims = [dim] if isinstance(dim, int) else list(dim)
    if any(not 0 <= j < retriever.n_components for j in dims):
        raise _damaged()
    queries, items, prior_rows = _rows(data, report)
    along, prior = report.along[other], report.settings.prior
    if retriever.asks != report.settings.asks and along.range in _OF_QUERIES:
        run_prior = retriever.prior(prior_rows)
        ends = (run_prior.mean, run_prior.std, run_prior.low, run_prior.high)
        mean, std, low, high = (end.tolist() for end in ends)
        prior = Prior(mean=mean, std=std, low=low, high=high, n=run_prior.n)
    try:
        values = _values(along, prior)
    except (ConfigError, ValueError):  # arrays of several lengths
        raise _damaged() from None
    if values.shape[0] != retriever.n_components or not np.isfinite(values).all():
        raise _damaged()
    if chosen is not None:
        queries = queries[np.asarray(chosen, dtype=np.int64)]
    z_ref, _ = retriever.encode(queries)
    return traverse(retriever.subset(items), z_ref, values, dims, progress=progress)


def measured_queries(data: PairedDataset, report: Evaluation) -> Ints:
    """The data rows that were the queries of the tables in ``report``, sorted.

    Raises:
        DataError: the report lacks its settings.
    """
    return _rows(data, report)[0]


def _rows(data: PairedDataset, report: Evaluation) -> tuple[Ints, Ints, Ints]:
    """The queries, the items searched, and the rows whose queries give the ranges of z."""
    n_queries, seed = report.settings.n_queries, report.settings.random_state
    if n_queries is None or seed is None:
        raise _damaged()
    return evaluated_rows(data, n_queries, seed)[:3]


def _damaged() -> DataError:
    return DataError(f"the evaluation does not fit this model: {AGAIN}")


def _values(along: Along, prior: Prior | None) -> Floats:
    """(d, T) values of z: the named range computed again, which is exact, or the stored ends."""
    if prior is None or not along.is_named:
        raise _damaged()
    if along.range != "data" or (prior.low is not None and prior.high is not None):
        ends = prior.low or prior.mean, prior.high or prior.mean  # other ranges do not need them
        mean, std, low, high = np.array([prior.mean, prior.std, *ends], dtype=np.float64)
        return traversal_values(along.range, AggregatedPrior(mean, std, low, high, prior.n))[0]
    span = along.correlation and along.correlation.values
    if not span or len(span.low) != len(span.high) or not 2 <= span.n_points <= MAX_POINTS:
        raise _damaged()
    return np.linspace(span.low, span.high, span.n_points, axis=1)
