"""The score that chance reaches: shuffle the rows of the factors and measure again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np

from rivae.errors import ConfigError
from rivae.metrics.base import MetricResult
from rivae.retrieval.base import Floats

Scores = Callable[[Floats], Mapping[str, MetricResult]]
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Null:
    """The distribution of a score under shuffled factors.

    Attributes:
        observed: the score with the true factors, measured by the same (perhaps cheaper) settings.
        mean, std: of the shuffled scores.
        p_value: share of shuffled scores at least as good, (1 + count) / (1 + n), in (0, 1].
        n: shuffles.
    """

    observed: float
    mean: float
    std: float
    p_value: float
    n: int


def permutation_null(
    scores: Scores,
    factors: Floats,
    *,
    n_permutations: int,
    random_state: int = 0,
    progress: Progress | None = None,
) -> dict[str, Null]:
    """The null of every score that ``scores(factors)`` returns; undefined ones are left out.

    Whole rows are shuffled, so the dependence between factors stays as it is.

    Args:
        scores: maps factors (n, K) to named results.
        factors: (n, K) true factors.
        n_permutations: shuffles, at least 1.
        random_state: seed of the shuffles.
        progress: called with the share done.
    """
    if n_permutations < 1:
        raise ConfigError(f"a permutation null needs at least 1 shuffle, got {n_permutations}")
    rng = np.random.default_rng(random_state)
    observed = scores(factors)
    shuffled: dict[str, list[float]] = {name: [] for name in observed}
    for i in range(n_permutations):
        found = scores(factors[rng.permutation(len(factors))])
        for name, values in shuffled.items():
            values.append(found[name].score)
        if progress is not None:
            progress((i + 1) / n_permutations)
    nulls = {}
    for name, result in observed.items():
        chance = np.array(shuffled[name])
        if np.isnan(result.score) or np.isnan(chance).any():
            continue
        sign = 1.0 if result.higher_is_better else -1.0
        as_good = int((sign * chance >= sign * result.score).sum())
        nulls[name] = Null(
            observed=result.score,
            mean=float(chance.mean()),
            std=float(chance.std(ddof=1)) if len(chance) > 1 else 0.0,
            p_value=(1 + as_good) / (1 + len(chance)),
            n=len(chance),
        )
    return nulls


def with_nulls(
    results: Mapping[str, MetricResult], nulls: Mapping[str, Null]
) -> dict[str, MetricResult]:
    """The results with their null under ``parts["null"]`` where there is one."""
    return {
        name: replace(result, parts={**result.parts, "null": asdict(nulls[name])})
        if name in nulls
        else result
        for name, result in results.items()
    }
