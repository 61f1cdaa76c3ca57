"""Does a label-free criterion pick better models? Numbers for groups of seeds on one data draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

Group = tuple[np.ndarray, np.ndarray]  # criterion and true score of each seed
MIN_FOR_INTERVAL = 5


@dataclass(frozen=True)
class Verdict:
    """One criterion against one true score.

    Attributes:
        n_groups, n_runs: draws of the data with at least three seeds, and their runs.
        rho: mean over groups of the rank correlation within the group, in [-1, 1].
        rho_low, rho_high: 95 % bootstrap interval over groups; NaN below five groups.
        rho_p: share of shufflings of the true scores within groups with a rho at least as large.
        picked, mean, best: mean over groups of the true score of the run picked, of all, of the
            best one.
        gain: picked - mean; 0 is what picking at random gains.
        gain_low, gain_high, gain_p: as for rho.
    """

    n_groups: int
    n_runs: int
    rho: float
    rho_low: float
    rho_high: float
    rho_p: float
    picked: float
    mean: float
    best: float
    gain: float
    gain_low: float
    gain_high: float
    gain_p: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def _unit_ranks(x: np.ndarray) -> np.ndarray:
    """Centred average ranks of length 1; zeros for a constant."""
    ranks = rankdata(x) - (len(x) + 1) / 2
    norm = np.linalg.norm(ranks)
    return ranks / norm if norm > 0 else ranks


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman correlation with average ranks; 0 where one of the two is constant."""
    return float(_unit_ranks(a) @ _unit_ranks(b))


def picked(criterion: np.ndarray, truth: np.ndarray) -> float:
    """True score of the run with the largest criterion; the mean of those that tie."""
    return float(truth[criterion == criterion.max()].mean())


def interval(values: np.ndarray, rng: np.random.Generator, n: int = 4000) -> tuple[float, float]:
    """95 % bootstrap interval of the mean; NaN where there are too few values to tell."""
    if len(values) < MIN_FOR_INTERVAL:
        return np.nan, np.nan
    means = values[rng.integers(len(values), size=(n, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _p_value(observed: float, null: np.ndarray) -> float:
    return float((1 + (null >= observed - 1e-12).sum()) / (1 + len(null)))


def verdict(
    groups: Sequence[Group], *, n_permutations: int = 4000, random_state: int = 0
) -> Verdict:
    """Judge a criterion over several groups.

    The p-values are one-sided (picks better ones) and count the observed order as one shuffling.
    """
    rng = np.random.default_rng(random_state)
    rhos = np.array([rank_correlation(c, t) for c, t in groups])
    gains = np.array([picked(c, t) - t.mean() for c, t in groups])
    rho_null, gain_null = np.zeros(n_permutations), np.zeros(n_permutations)
    for criterion, truth in groups:
        order = rng.random((n_permutations, len(truth))).argsort(axis=1)
        rho_null += _unit_ranks(truth)[order] @ _unit_ranks(criterion) / len(groups)
        best = truth[order][:, criterion == criterion.max()].mean(axis=1)
        gain_null += (best - truth.mean()) / len(groups)
    (rho_low, rho_high), (gain_low, gain_high) = interval(rhos, rng), interval(gains, rng)
    return Verdict(
        n_groups=len(groups),
        n_runs=sum(len(t) for _, t in groups),
        rho=float(rhos.mean()),
        rho_low=rho_low,
        rho_high=rho_high,
        rho_p=_p_value(rhos.mean(), rho_null),
        picked=float(np.mean([picked(c, t) for c, t in groups])),
        mean=float(np.mean([t.mean() for _, t in groups])),
        best=float(np.mean([t.max() for _, t in groups])),
        gain=float(gains.mean()),
        gain_low=gain_low,
        gain_high=gain_high,
        gain_p=_p_value(gains.mean(), gain_null),
    )
