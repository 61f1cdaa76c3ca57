"""All measurements on a trained model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError, shown
from rivae.base.progress import Progress, silent
from rivae.data.base import PairedDataset
from rivae.exploring.effects import EffectMeasure, latent_effects
from rivae.metrics.base import MIN_ROWS, MetricResult
from rivae.metrics.correlation import numeric_factors
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, require_alpha
from rivae.metrics.measures.digits import N_DIGITS, PAIRS, digit_metrics, transition_table
from rivae.metrics.measures.retrieval import retrieval_metrics, search_sets
from rivae.metrics.suite import (
    NullSettings,
    latent_metrics,
    permutation_null,
    traversal_metrics,
    with_nulls,
)
from rivae.models.base import Method
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.ranges import (
    PAPER,
    Range,
    require_range,
    second_range,
    sigma_grid,
    traversal_values,
)
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal, traverse
from rivae.runs.evaluation_file import Evaluation

N_QUERIES = 100
N_QUERIES_DIGITS = 1000  # the paper's example for the transition table
# Half widths, in s.d. of the aggregated prior, over which the transition metrics are measured.
DIGIT_RANGES = (3.0, 10.0, 30.0, 100.0, 300.0)
N_QUERIES_RANGES = 200
MAX_FACTOR_ROWS = 3000
MAX_CHANGES = 20  # of an axis that are stored
SAMPLES = (1, 20)  # of P(z|v1), as the paper searches and nearly its expectation
PRIOR_ROWS = 10_000
MOST_QUERIES, MOST_SAMPLES, MOST_SHUFFLES = 10**9, 100_000, 1_000_000


def evaluated_rows(
    data: PairedDataset, n_queries: int, random_state: int
) -> tuple[Ints, Ints, Ints, np.random.Generator]:
    """The traversed queries and the items searched, both sorted test rows; the training rows whose
    queries give the ranges of z; and the generator after these draws: what ``evaluate`` measures,
    so that it can be shown again.
    """
    test = data.splits["test"]
    rng = np.random.default_rng(random_state)
    queries = np.sort(rng.permutation(test)[:n_queries])
    search_rows = search_sets(test, data.search_size, 1, random_state)[0]
    train = data.splits["train"] if len(data.splits["train"]) else test
    return queries, search_rows, rng.permutation(train)[:PRIOR_ROWS], rng


def is_digits(data: PairedDataset) -> bool:
    """Whether the only factor is a class of ten, so that the digit-transition metrics apply."""
    specs = data.factor_specs
    return len(specs) == 1 and specs[0].kind == "categorical" and len(specs[0].levels) == N_DIGITS


def require_settings(
    *,
    n_queries: int | None = None,
    alpha: float = DEFAULT_ALPHA,
    random_state: int = 0,
    traversal: Range = PAPER,
    samples: Sequence[int] = SAMPLES,
    shuffles: Sequence[int] = (),
) -> None:
    """Check the numbers of an evaluation before its minutes of work.

    Raises:
        ConfigError: for the first that is out of range.
    """
    for name, value, least, most in (
        ("n_queries", n_queries, 1, MOST_QUERIES),
        ("random_state", random_state, 0, 2**32 - 1),
        *(("a number of samples", n, 1, MOST_SAMPLES) for n in samples),
        *(("a number of shuffles", n, 0, MOST_SHUFFLES) for n in shuffles),
    ):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if value is not None and not (whole and least <= value <= most):
            raise ConfigError(
                f"{name} must be a whole number and at least {least}, at most {most:,}, got "
                f"{shown(value, 40)}"
            )
    require_alpha(alpha)
    require_range(traversal)


def evaluate(
    method: Method,
    data: PairedDataset,
    *,
    n_queries: int | None = None,
    alpha: float = DEFAULT_ALPHA,
    random_state: int = 0,
    traversal: Range = PAPER,
    n_search_sets: int = 10,
    samples: Sequence[int] = SAMPLES,
    null_permutations: int = 100,
    null_permutations_slow: int = 20,
    asks: Asks = "first",
    retrieval: bool = True,
    refits: bool = True,
    effects: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure retrieval, factors and digits of a trained method on the test rows.

    Retrieval is measured from the first view to the second by mu(v1), and by samples of P(z|v1) as
    in the paper (Sec. 3, retrieval); also back by mu(v2) where the method can, and by both views
    where both ask.

    Args:
        n_queries: traversed test queries, at most all; by default 100, and 1,000 for digits.
        alpha: of rho(c) = exp(alpha c) in the paper's D and C.
        random_state: seed of search sets, queries, halves and shuffles.
        traversal: the range of the correlation table, see ``traversal_values``. A second table
            over "prior" ("paper" if "prior" is chosen) is always added.
        n_search_sets: random search sets of ``data.search_size`` test items.
        samples: numbers of z ~ P(z|v1) over which log P(v2|z) is averaged, each measured; all 1 or
            more, none for a method without a latent.
        null_permutations: shuffles of the nulls that need no refit; 0 for none.
        null_permutations_slow: shuffles of those that refit a model; 0 for none.
        asks: the view whose z the factors are measured on: the first, the second, or both.
        retrieval: whether it is measured; what changes nothing but axes does not change it.
        refits: whether the metrics of z that fit a model (trees, forests) are measured.
        effects: whether it is measured what each axis changes, as z grows (``metrics.effects``).
        progress: called with a stage and the share of the work done.

    Raises:
        ConfigError: for a setting out of range, or a view that the method cannot be asked with.
        DataError: if the test split is empty or the model has diverged.
    """
    require_settings(
        n_queries=n_queries,
        alpha=alpha,
        random_state=random_state,
        traversal=traversal,
        samples=samples,
        shuffles=(null_permutations, null_permutations_slow),
    )
    test = data.splits["test"]
    if not len(test):
        raise DataError(f"{data.name} has no test rows: choose split fractions that leave some")
    tell = progress or silent
    null = NullSettings(null_permutations, null_permutations_slow, random_state)

    tell("embedding", 0.0)
    retriever = Retriever(method, data, test, asks=asks)
    most_queries = n_queries or (N_QUERIES_DIGITS if is_digits(data) else N_QUERIES)
    queries, search_rows, prior_rows, rng = evaluated_rows(data, most_queries, random_state)
    search_retriever = retriever.subset(search_rows)
    prior = retriever.prior(prior_rows)

    def retrieval_of(way: Asks, n_samples: int = 0) -> dict[str, Any]:
        return _dicts(
            retrieval_metrics(
                retriever if way == asks else retriever.asking(way),
                test,
                search_size=data.search_size,
                n_sets=n_search_sets,
                n_samples=n_samples,
                random_state=random_state,
            )
        )

    fields: dict[str, Any] = {}
    if retrieval:
        tell("retrieval", 0.05)
        fields["retrieval"] = retrieval_of("first")
        if method.has_latent:
            fields["retrieval_sampled"] = {str(n): retrieval_of("first", n) for n in samples}
        if method.asks_both_ways:
            fields["retrieval_back"] = retrieval_of("second")
        if asks == "both":
            fields["retrieval_both"] = retrieval_of("both")
    along: list[dict[str, Any]] = []
    z_ref = retriever.encode(queries)[0]
    for choice, start in ((traversal, 0.2), (second_range(traversal), 0.4)):
        values, scale = traversal_values(choice, prior)
        part: dict[str, Any] = {"range": choice, "scale": scale}
        if data.factors is not None:
            tell("traversal", start)
            path = traverse(search_retriever, z_ref, values)
            tell("along the traversal", start + 0.15)
            part |= _along(path, search_retriever.ids, data, alpha, null, digit_nulls=not along)
        along.append(part)
    latents = None
    if data.factors is not None and len(test) >= MIN_ROWS:
        tell("factors", 0.6)
        rows = rng.permutation(test)[:MAX_FACTOR_ROWS]
        latents = _dicts(
            latent_metrics(
                retriever.latents(rows),
                data.factors[rows],
                data.factor_specs,
                null=null,
                refits=refits,
                random_state=random_state,
                progress=lambda share: tell("factors", 0.6 + 0.3 * share),
            )
        )
    if effects and method.has_latent:
        tell("effects", 0.9)
        measure = EffectMeasure(retriever, random_state=random_state)
        latent_changes = latent_effects(measure, lambda share: tell("effects", 0.9 + 0.1 * share))
        fields["effects"] = [each.to_dict(MAX_CHANGES) for each in latent_changes]
    if is_digits(data):
        few = z_ref[rng.permutation(len(z_ref))[:N_QUERIES_RANGES]]
        fields["digits_ranges"] = _digit_ranges(search_retriever, data, few, prior)
    settings = {
        "dataset": data.name,
        "data": data.content,
        "dataset_settings": data.settings,
        "split": "test",
        "n_test": len(test),
        "search_size": len(search_rows),
        "n_queries": len(queries),
        "alpha": alpha,
        "random_state": random_state,
        "n_search_sets": n_search_sets,
        "null_permutations": null_permutations,
        "null_permutations_slow": null_permutations_slow,
        "latents": _latents(data, asks),
        "max_factor_rows": MAX_FACTOR_ROWS,
        "prior": {
            "mean": prior.mean,
            "std": prior.std,
            "low": prior.low,
            "high": prior.high,
            "n": prior.n,
        },
    }
    if method.asks_both_ways:
        settings |= {"views": data.view_names, "asks": asks}
    tell("done", 1.0)
    fields["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    return Evaluation.of(fields=fields, latents=latents, along=along, settings=settings)


def _latents(data: PairedDataset, asks: Asks) -> str:
    """Which z the factors are measured on, in words."""
    if asks == "second":
        return "mu(v2)"
    return "mu(v1)" if asks == "first" and data.query_fixes == "factors" else "mean of Q(z|v1,v2)"


def _along(
    traversal: Traversal,
    search_rows: Ints,
    data: PairedDataset,
    alpha: float,
    null: NullSettings,
    digit_nulls: bool,
) -> dict[str, Any]:
    """Measures of one traversal: correlations with numeric factors, transitions of digits."""
    assert data.factors is not None
    out: dict[str, Any] = {}
    if numeric_factors(data.factor_specs):
        results, table = traversal_metrics(
            traversal, search_rows, data.factors, data.factor_specs, alpha=alpha, null=null
        )
        out["factors"] = _dicts(results)
        out["correlation"] = table
    if is_digits(data):
        local = np.searchsorted(search_rows, traversal.ids[..., 0])
        digits = data.factors[search_rows]
        table_of = transition_table(digits[local, 0])
        results = digit_metrics(table_of)
        if null.slow and digit_nulls:
            nulls = permutation_null(
                lambda f: digit_metrics(transition_table(f[local, 0])),
                digits,
                n_permutations=null.slow,
                random_state=null.random_state,
            )
            results = with_nulls(results, nulls)
        out["digits"] = {
            **_dicts(results),
            "transitions": {"table": table_of.tolist(), "pairs": [f"{a}–{b}" for a, b in PAIRS]},
        }
    return out


def _digit_ranges(
    retriever: Retriever, data: PairedDataset, z_ref: Floats, prior: AggregatedPrior
) -> list[dict[str, float]]:
    """Overlap and coverage over mean +- n s.d. for several n: they depend on the range.

    The paper prints them for -10 ... 10 in units of z that it does not give.
    """
    assert data.factors is not None
    out = []
    for n_std in DIGIT_RANGES:
        traversal = traverse(retriever, z_ref, sigma_grid(prior, n_std, 201))
        scores_of_digits = digit_metrics(transition_table(data.factors[traversal.ids[..., 0], 0]))
        scores = {name: scores_of_digits[name].score for name in ("overlap", "coverage")}
        out.append({"n_std": n_std, **scores})
    return out


def _dicts(results: Mapping[str, MetricResult]) -> dict[str, Any]:
    return {name: result.to_dict() for name, result in results.items()}
