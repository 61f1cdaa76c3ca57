"""All factor metrics of one model at once, each with its level of chance.

Metrics of z itself use the means mu(v1); metrics of retrieval use the items along traversals.
D/C/I, MCC, DCI and InfoMEC score the shared factors: a private factor of view 1 is not needed to
retrieve, and one of view 2 cannot be known. R² is given for every factor by its role. Chance is
measured by a permutation null: shuffle the rows of the factors and measure again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError
from rivae.data.factors import FactorSpec
from rivae.metrics import registry
from rivae.metrics.base import MetricResult, Results, Sample
from rivae.metrics.correlation import CorrelationTable, correlation_table, numeric_factors
from rivae.metrics.measures.dci_paper import PRIVATE, alpha_sensitivity, paper_dci
from rivae.retrieval.traversal import Traversal

CHEAP_ROWS = 1000  # rows of the nulls that refit a model at every shuffle

Specs = tuple[FactorSpec, ...]
Measure = Callable[[Floats], Mapping[str, MetricResult]]
Share = Callable[[float], None]  # called with the share of the work that is done


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
    scores: Measure,
    factors: Floats,
    *,
    n_permutations: int,
    random_state: int = 0,
    progress: Share | None = None,
) -> dict[str, Null]:
    """The null of every score that ``scores(factors)`` returns; undefined ones are omitted.

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
    true_scores = scores(factors)
    chance_values: dict[str, list[float]] = {name: [] for name in true_scores}
    for i in range(n_permutations):
        chance_scores = scores(factors[rng.permutation(len(factors))])
        for name, values in chance_values.items():
            values.append(chance_scores[name].score)
        if progress is not None:
            progress((i + 1) / n_permutations)
    nulls = {}
    for name, result in true_scores.items():
        chance = np.array(chance_values[name])
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


@dataclass(frozen=True)
class NullSettings:
    """How many shuffles: ``fast`` for closed-form metrics, ``slow`` for those that refit."""

    fast: int = 100
    slow: int = 20
    random_state: int = 0


def latent_metrics(
    latents: Floats,
    factors: Floats,
    specs: Specs,
    *,
    null: NullSettings,
    refits: bool = True,
    random_state: int = 0,
    progress: Share | None = None,
) -> Results:
    """The metrics of ``registry.of_latents()`` of means mu(v1) (n, d) and their factors (n, K).

    Without ``refits`` only those that fit no model.

    The nulls of those that refit a model shuffle at most 1,000 rows, and measure cheaply; their
    ``observed`` value is measured in the same cheap way.
    """

    def measured(z: Floats, f: Floats, refits: bool, cheap: bool = False) -> Results:
        results: Results = {}
        for group in registry.of_latents():
            if group.refits == refits:
                results |= group.measure(Sample(z, f, specs, random_state, cheap))
        return results

    results = measured(latents, factors, False)
    if refits:
        results |= measured(latents, factors, True)
    if null.fast:
        nulls = permutation_null(
            lambda f: measured(latents, f, False),
            factors,
            n_permutations=null.fast,
            random_state=null.random_state,
        )
        results = with_nulls(results, nulls)
    if null.slow and refits:
        z, f = latents[:CHEAP_ROWS], factors[:CHEAP_ROWS]
        nulls = permutation_null(
            lambda g: measured(z, g, True, cheap=True),
            f,
            n_permutations=null.slow,
            random_state=null.random_state,
            progress=progress,
        )
        results = with_nulls(results, nulls)
    return results


def _paper_scores(
    table: CorrelationTable, specs: Specs, alpha: float
) -> tuple[Results, dict[str, list[int]]]:
    """D/C/I over the shared factors, and over shared and private ones of view 2."""
    by_name = {spec.name: spec for spec in specs}
    role = [by_name[name].role for name in table.factor_names]
    groups = {
        "": [k for k, r in enumerate(role) if r == "shared"],
        PRIVATE: [k for k, r in enumerate(role) if r in ("shared", "private2")],
    }
    if not groups[""] or groups[""] == groups[PRIVATE]:
        groups = {"": groups[""] or groups[PRIVATE]}
    results = {}
    for suffix, columns in groups.items():
        if not columns:
            continue
        names = [table.factor_names[k] for k in columns]
        for name, result in paper_dci(table.absolute[:, columns], alpha=alpha).items():
            settings = {**result.settings, "factors": names}
            results[name + suffix] = replace(result, name=name + suffix, settings=settings)
    return results, groups


def traversal_metrics(
    traversal: Traversal,
    search_rows: np.ndarray,
    factors: Floats,
    specs: Specs,
    *,
    alpha: float,
    null: NullSettings,
) -> tuple[Results, dict[str, Any]]:
    """The paper's D/C/I with nulls, and the correlation table as a JSON-ready dictionary.

    Args:
        traversal: over the items ``search_rows`` (sorted data rows).
        factors: (N, K) of all data rows with ``specs``, at least one of them numeric.
        alpha: of rho(c) = exp(alpha c).
        null: factors are shuffled among the items searched, the retrieved items stay.
    """
    assert numeric_factors(specs)
    local = replace(traversal, ids=np.searchsorted(search_rows, traversal.ids))
    item_factors = factors[search_rows]
    table = correlation_table(local, item_factors, specs)
    results, groups = _paper_scores(table, specs, alpha)
    if null.fast and results:
        nulls = permutation_null(
            lambda f: _paper_scores(correlation_table(local, f, specs), specs, alpha)[0],
            item_factors,
            n_permutations=null.fast,
            random_state=null.random_state,
        )
        results = with_nulls(results, nulls)
    description: dict[str, Any] = table.to_dict()
    description["values"] = {
        "low": traversal.values[:, 0].tolist(),
        "high": traversal.values[:, -1].tolist(),
        "n_points": int(traversal.values.shape[1]),
    }
    if groups[""]:
        description["alpha_sensitivity"] = alpha_sensitivity(table.absolute[:, groups[""]])
    return results, description
