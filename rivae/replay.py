"""A stored evaluation shown again: the retrieved items behind its tables.

``evaluate`` keeps the tables, not the items that they were made of. Queries, items searched and
values of z follow from what it stores, so the same items are found again, and correlating them
gives the stored numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError, DataError
from rivae.evaluation import evaluated_rows
from rivae.ranges import traversal_values
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.retriever import Retriever
from rivae.traversal import Progress, Traversal, traverse

MAX_POINTS = 10_000


def replay(
    retriever: Retriever,
    data: PairedDataset,
    report: Mapping[str, Any],
    dim: int | Sequence[int],
    *,
    other: bool = False,
    chosen: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Traversal:
    """The traversal of one dimension, or of several, that a table of ``report`` was made of.

    Args:
        retriever: of the same model, over all test rows of ``data``.
        report: what ``rivae.evaluation.evaluate`` returned.
        dim: 0-based, one or several.
        other: the second range, "correlation_other" or "digits_other".
        chosen: positions among the measured queries; all by default.
        progress: called with the share done, in (0, 1].

    Raises:
        DataError: the report does not say how it was made, or does not fit model and data.
    """
    settings, suffix = report.get("settings"), "_other" if other else ""
    dims = [dim] if isinstance(dim, int) else list(dim)
    if not isinstance(settings, Mapping) or any(not 0 <= j < retriever.n_components for j in dims):
        raise _damaged()
    queries, items = _rows(data, report)
    try:
        values = _values(report, settings, suffix)
    except (ConfigError, KeyError, IndexError, TypeError, ValueError):
        raise _damaged() from None
    if values.shape[0] != retriever.n_components or not np.isfinite(values).all():
        raise _damaged()
    if chosen is not None:
        queries = queries[np.asarray(chosen, dtype=np.int64)]
    z_ref, _ = retriever.encode(queries)
    return traverse(retriever.subset(items), z_ref, values, dims, progress=progress)


def measured_queries(data: PairedDataset, report: Mapping[str, Any]) -> Ints:
    """The data rows that were the queries of the tables in ``report``, sorted.

    Raises:
        DataError: the report does not say how it was made.
    """
    return _rows(data, report)[0]


def _rows(data: PairedDataset, report: Mapping[str, Any]) -> tuple[Ints, Ints]:
    """The queries and the items searched."""
    try:
        settings = report["settings"]
        n_queries, seed = int(settings["n_queries"]), int(settings["random_state"])
        queries, items, _ = evaluated_rows(data, n_queries, seed)
    except (KeyError, TypeError, ValueError):
        raise _damaged() from None
    return queries, items


def _damaged() -> DataError:
    return DataError("the evaluation does not fit this model: evaluate the run again")


def _values(report: Mapping[str, Any], settings: Mapping[str, Any], suffix: str) -> Floats:
    """(d, T) values of z: the named range made again, which is exact, or the stored ends."""
    choice, prior = settings[f"traversal{suffix}"]["range"], settings["prior"]
    if choice != "data" or "low" in prior:
        ends = ("low", "high") if choice == "data" else ("mean", "mean")  # others need none
        mean, std, low, high = (
            np.asarray(prior[name], dtype=np.float64) for name in ("mean", "std", *ends)
        )
        known = AggregatedPrior(mean, std, low, high, int(prior["n"]))
        named = choice if isinstance(choice, str) else (float(choice[0]), float(choice[1]))
        return traversal_values(named, known)[0]
    stored = report[f"correlation{suffix}"]["values"]
    low, high = (np.asarray(stored[end], dtype=np.float64) for end in ("low", "high"))
    n_points = int(stored["n_points"])
    if low.ndim != 1 or low.shape != high.shape or not 2 <= n_points <= MAX_POINTS:
        raise ValueError(n_points)
    return np.linspace(low, high, n_points, axis=1)
