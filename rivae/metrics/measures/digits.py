"""Digit transitions along traversals: overlap and coverage (paper, quantitative Split-MNIST).

Per query and axis, which of the 45 unordered pairs of digits are neighbours on the path
(0 or 1 each); averaged over queries this is the (d, 45) table. Rows are then normalised.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.metrics.base import Metric, MetricGroup, MetricResult

N_DIGITS = 10
PAIRS = tuple(combinations(range(N_DIGITS), 2))  # the 45 columns: (0, 1), (0, 2) ... (8, 9)
MAX_OVERLAP = 1 / len(PAIRS)  # when all rows are alike

OVERLAP = Metric(
    "overlap",
    "overlap",
    "transitions that axes share",
    "digits",
    high=MAX_OVERLAP,
    higher_is_better=False,
    decimals=4,
)
COVERAGE = Metric("coverage", "coverage", "transitions that some axis makes", "digits")
DIFFERENCE = Metric(
    "coverage_minus_overlap", "C−O", "coverage − overlap", "digits", low=-MAX_OVERLAP
)
METRICS = (OVERLAP, COVERAGE, DIFFERENCE)
DIGITS = MetricGroup("digits", METRICS)

_COLUMN = np.zeros((N_DIGITS, N_DIGITS), dtype=np.int64)
for _column, (_a, _b) in enumerate(PAIRS):
    _COLUMN[_a, _b] = _COLUMN[_b, _a] = _column


def transition_table(digits: ArrayLike) -> Floats:
    """The averaged table (d, 45) of digit classes (q, d, T) along traversals, entries in [0, 1].

    Raises:
        DataError: for another shape, or a class outside 0 ... 9.
    """
    path = np.asarray(digits)
    if path.ndim != 3 or not path.size:
        raise DataError(f"digit classes must be (queries, axes, points), got {path.shape}")
    if (path != np.round(path)).any() or path.min() < 0 or path.max() >= N_DIGITS:
        raise DataError("digit classes must be whole numbers from 0 to 9")
    path = path.astype(np.int64)
    before, after = path[..., :-1], path[..., 1:]
    query, dim, point = np.nonzero(before != after)
    column = _COLUMN[before[query, dim, point], after[query, dim, point]]
    occurs = np.zeros((*path.shape[:2], len(PAIRS)), dtype=bool)
    occurs[query, dim, column] = True
    return np.asarray(occurs.mean(axis=0))


def digit_metrics(table: ArrayLike) -> dict[str, MetricResult]:
    """overlap, coverage and their difference of a transition table (d, 45).

    Rows are normalised to sum 1. overlap = mean over i != j of (1/45) sum_k min(row_i, row_j),
    at most 1/45; coverage = entropy of the mean row / log 45. A row without any transition stays
    zero: it overlaps with nothing and adds nothing to the union. With d = 1 overlap is undefined.
    """
    raw = np.asarray(table, dtype=np.float64)
    if raw.ndim != 2 or raw.shape[1] != len(PAIRS) or not (raw >= 0).all():
        raise DataError(f"a transition table must be (d, {len(PAIRS)}) with entries >= 0")
    total = raw.sum(axis=1, keepdims=True)
    rows = raw / np.where(total > 0, total, 1.0)
    d = len(rows)
    settings = {"empty_rows": np.flatnonzero(total[:, 0] == 0).tolist()}
    union = rows.sum(axis=0)
    if union.sum() == 0:
        reason = "no traversal changes the digit"
        return {metric.key: metric.undefined(reason, settings=settings) for metric in METRICS}
    union = union / union.sum()
    present = union[union > 0]
    entropy = float(-(present * np.log(present)).sum() / np.log(len(PAIRS)))
    coverage = COVERAGE.result(entropy, n=d, settings=settings, parts={"union": union.tolist()})
    if d < 2:
        missing = {
            metric.key: metric.undefined("one axis only", settings=settings)
            for metric in (OVERLAP, DIFFERENCE)
        }
        return {**missing, COVERAGE.key: coverage}
    pairs = [
        float(np.minimum(rows[i], rows[j]).sum()) / len(PAIRS) for i, j in combinations(range(d), 2)
    ]
    overlap = OVERLAP.result(
        float(np.mean(pairs)),
        n=len(pairs),
        settings=settings,
        parts={"histogram_intersection": float(np.mean(pairs)) * len(PAIRS)},
    )
    difference = DIFFERENCE.result(entropy - overlap.score, n=d, settings=settings)
    return {OVERLAP.key: overlap, COVERAGE.key: coverage, DIFFERENCE.key: difference}
