"""The labels of a plan as arrays over the items of a run: levels, and who is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rivae.labels.plan import LabelPlan
from rivae.labels.table import check_labels, consensus, rating_cube
from rivae.retrieval.base import Floats, Ints


@dataclass(frozen=True)
class PartialLabels:
    """What is known of the items of a run.

    Attributes:
        levels: (N, K) median over annotators, to the half; NaN where there is none.
        apart: (N, K) True where the factor does not apply or nobody can tell.
        left_out: items with an answer that the plan did not choose: their levels are not used.
    """

    levels: Floats
    apart: np.ndarray
    left_out: int


def partial_labels(
    labels: pd.DataFrame, plan: LabelPlan, items: Ints, factors: Sequence[str]
) -> PartialLabels:
    """The labels of the items that a plan chose.

    Labels that were chosen otherwise do not count: their items may be unlike the others in ways
    that no weight is known for.

    Args:
        labels: see ``rivae.labels.table``.
        items: (N,) sorted data rows, of ``Ground.items``.
        factors: K ids.
    """
    table = check_labels(labels)
    table = table[table["factor"].isin(list(factors))]
    chosen = table["item"].isin(plan.items)
    left_out = int(table.loc[~chosen, "item"].nunique())
    table = table[chosen]
    median = consensus(rating_cube(table, items, factors)[1])
    answered = np.zeros(median.shape, dtype=np.bool_)
    here = table[table["item"].isin(items)]
    answered[
        np.searchsorted(items, here["item"].to_numpy()),
        pd.Index(list(factors)).get_indexer(pd.Index(here["factor"])),
    ] = True
    return PartialLabels(np.round(median * 2) / 2, answered & np.isnan(median), left_out)
