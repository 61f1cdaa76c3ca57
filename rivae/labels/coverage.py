"""How much of what a run's D/C/I needs is labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rivae.labels.table import check_labels
from rivae.retrieval.base import Floats, Ints


@dataclass(frozen=True)
class Coverage:
    """How much of what the run needs is labelled.

    Attributes:
        needed: unique items retrieved.
        labelled: per factor, those with a level.
        cannot_tell: per factor, those with an answer but no level.
        points: per factor, the share of traversal points whose item has a level.
        queries: per factor, how many queries have enough of them to count.
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
    known = ~np.isnan(levels)
    asked = check_labels(labels)
    asked = asked[asked["item"].isin(items)]
    answered = [asked.loc[asked["factor"] == factor, "item"].nunique() for factor in factors]
    return Coverage(
        len(items),
        tuple(int(n) for n in known.sum(axis=0)),
        tuple(int(n - k) for n, k in zip(answered, known.sum(axis=0), strict=True)),
        tuple(float(v) for v in known[local].mean(axis=(0, 1, 2))),
        tuple(int(v) for v in usable[:, 0].sum(axis=0)),
    )
