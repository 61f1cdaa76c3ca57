"""All factor metrics of one model at once, each with its permutation null.

Metrics of z itself use the means mu(v1); metrics of retrieval use the items along traversals.
D/C/I, MCC, DCI and InfoMEC score the shared factors: a private factor of view 1 is not needed to
retrieve, and one of view 2 cannot be known. R² is given for every factor by its role.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rivae.data.base import FactorSpec
from rivae.metrics.base import MetricResult
from rivae.metrics.correlation import CorrelationTable, correlation_table, numeric_factors
from rivae.metrics.dci_paper import alpha_sensitivity, paper_dci
from rivae.metrics.dci_standard import dci_standard
from rivae.metrics.infomec import infomec
from rivae.metrics.mcc import mcc
from rivae.metrics.null import permutation_null, with_nulls
from rivae.metrics.r2 import Model, r2
from rivae.retrieval.base import Floats
from rivae.traversal import Traversal

CHEAP_ROWS = 1000  # rows of the nulls that refit a model at every shuffle
CHEAP_TREES = 10

Specs = tuple[FactorSpec, ...]
Results = dict[str, MetricResult]
Progress = Callable[[float], None]


@dataclass(frozen=True)
class NullSettings:
    """How many shuffles: ``fast`` for closed-form metrics, ``slow`` for those that refit."""

    fast: int = 100
    slow: int = 20
    random_state: int = 0


def columns_of_role(specs: Specs, *roles: str) -> list[int]:
    """Columns whose factor has one of the roles."""
    return [k for k, spec in enumerate(specs) if spec.role in roles]


def latent_metrics(
    latents: Floats,
    factors: Floats,
    specs: Specs,
    *,
    null: NullSettings,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Results:
    """MCC, R², standard DCI and InfoMEC of means mu(v1) (n, d) and their factors (n, K).

    The nulls of DCI, InfoMEC and non-linear R² shuffle at most 1,000 rows and use 10 trees and
    nearest neighbours; their ``observed`` value is measured in the same cheap way.
    """
    shared = columns_of_role(specs, "shared")
    shared_specs = tuple(specs[k] for k in shared)
    numeric = [k for k in shared if specs[k].kind != "categorical"]
    state = random_state

    def quick(z: Floats, f: Floats) -> Results:
        results: Results = {}
        if numeric_factors(specs):
            results["r2"] = r2(z, f, specs, random_state=state)
        if numeric:
            results["mcc"] = mcc(z, f[:, numeric], random_state=state)
            results["mcc_spearman"] = mcc(z, f[:, numeric], kind="spearman", random_state=state)
        return results

    def thorough(z: Floats, f: Floats, cheap: bool) -> Results:
        results: Results = {}
        if numeric_factors(specs):
            model: Model = "neighbours" if cheap else "boosting"
            results["r2_nonlinear"] = r2(z, f, specs, model=model, random_state=state)
        if shared:
            trees = CHEAP_TREES if cheap else 50
            g = f[:, shared]
            results |= dci_standard(z, g, shared_specs, n_trees=trees, random_state=state)
            results |= infomec(z, g, shared_specs, random_state=state)
        return results

    results = {**quick(latents, factors), **thorough(latents, factors, cheap=False)}
    if null.fast:
        nulls = permutation_null(
            lambda f: quick(latents, f),
            factors,
            n_permutations=null.fast,
            random_state=null.random_state,
        )
        results = with_nulls(results, nulls)
    if null.slow:
        z, f = latents[:CHEAP_ROWS], factors[:CHEAP_ROWS]
        nulls = permutation_null(
            lambda g: thorough(z, g, cheap=True),
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
    """D/C/I over the shared factors, and over shared and private ones of view 2 beside it."""
    by_name = {spec.name: spec for spec in specs}
    role = [by_name[name].role for name in table.factor_names]
    groups = {
        "": [k for k, r in enumerate(role) if r == "shared"],
        "_with_private": [k for k, r in enumerate(role) if r in ("shared", "private2")],
    }
    if not groups[""] or groups[""] == groups["_with_private"]:
        groups = {"": groups[""] or groups["_with_private"]}
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
    own = factors[search_rows]
    table = correlation_table(local, own, specs)
    results, groups = _paper_scores(table, specs, alpha)
    if null.fast and results:
        nulls = permutation_null(
            lambda f: _paper_scores(correlation_table(local, f, specs), specs, alpha)[0],
            own,
            n_permutations=null.fast,
            random_state=null.random_state,
        )
        results = with_nulls(results, nulls)
    described: dict[str, Any] = table.to_dict()
    described["values"] = {
        "low": traversal.values[:, 0].tolist(),
        "high": traversal.values[:, -1].tolist(),
        "n_points": int(traversal.values.shape[1]),
    }
    if groups[""]:
        described["alpha_sensitivity"] = alpha_sensitivity(table.absolute[:, groups[""]])
    return results, described
