"""Label-free choice among seeds of one configuration: which model do the other seeds agree with?

No label is read: the rank is that of ``rivae.metrics.measures.udr`` over validation rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats, Ints
from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, DataError
from rivae.base.progress import Progress, silent
from rivae.data.base import PairedDataset
from rivae.metrics.base import MetricResult
from rivae.metrics.measures.udr import KL_THRESHOLD, Similarity, axis_information, udr
from rivae.models.base import Method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.runs.data_record import kept_vocabulary
from rivae.training.validation import validation_scores

MAX_ROWS = 2000
MIN_ROWS = 20
UNLABELLED = ("recall_at_1", "median_rank")  # known from validation without labels


@dataclass(frozen=True)
class Candidate:
    """One seed: its agreement with the others and its retrieval on validation pairs."""

    run: Run
    seed: int
    agreement: MetricResult
    validation: dict[str, float]


def rank_runs(
    runs: Sequence[Run],
    *,
    similarity: Similarity = "spearman",
    progress: Progress | None = None,
) -> list[Candidate]:
    """The runs, best agreement first; one without an informative axis comes last.

    Args:
        runs: three or more seeds of one configuration.
        similarity: of axes, see ``rivae.metrics.measures.udr``.
        progress: called with the current step and the share of all work done.

    Raises:
        ConfigError: fewer than three runs, one named twice, different configurations, a run
            derived from another one, or a method without a latent.
        RunError, DataError: a run cannot be opened, its data were replaced since the training, or
            its latents are not finite.
    """
    if len(runs) < 3:
        raise ConfigError(
            f"ranking by agreement needs at least three runs, got {len(runs)}: name more seeds"
        )
    for run in runs:
        if run.config.parent is not None:  # not another seed, and made with labels
            raise ConfigError(
                f"{run.id} is {run.config.parent} in other axes, not another seed: remove "
                "it, or name the original"
            )
    for run in runs[1:]:
        _check_same(runs[0], run)
    twice = next((r.id for i, r in enumerate(runs) if r.id in [o.id for o in runs[:i]]), None)
    if twice is not None:
        raise ConfigError(f"{twice} is named twice: name each run once")
    for run in runs:
        run.require_same_data()
    tell = progress or silent
    data, words = runs[0].load_dataset(), kept_vocabulary(runs[0].path)
    rows = comparison_rows(data)
    z, informative = [], []
    validation: list[dict[str, float]] = []
    for i, run in enumerate(runs):
        tell(f"encoding with {run.id}, {i + 1} of {len(runs)}", 0.7 * i / len(runs))
        # Seeds that read words by different rules were trained on the same items all the same.
        run_data = data if kept_vocabulary(run.path) == words else run.load_dataset()
        method = run.load_method(run_data)
        if not method.has_latent:
            raise ConfigError(f"{run.id} has no latent axes to compare: its method searches with V")
        try:
            mu, mask = run_latents(method, run_data, rows)
        except DataError as error:
            raise DataError(f"run {run.id}: {error}") from error
        if not np.isfinite(mu).all():
            raise DataError(f"{run.id} gives latents that are not finite: remove it")
        z.append(mu)
        informative.append(mask)
        scores = validation_scores(method, run_data)
        validation.append({name: scores[name] for name in UNLABELLED if name in scores})
    tell("comparing the axes", 0.7)
    results = udr(z, informative=informative, names=[r.id for r in runs], similarity=similarity)
    candidates = [
        Candidate(run, run.config.seed, result, scores)
        for run, result, scores in zip(runs, results, validation, strict=True)
    ]
    return sorted(candidates, key=lambda c: -np.nan_to_num(c.agreement.score, nan=-1.0))


def comparison_rows(data: PairedDataset) -> Ints:
    """At most 2,000 rows to compare models on: of validation, or of training where it is small."""
    rows = data.splits["validation"]
    rows = rows if len(rows) >= MIN_ROWS else data.splits["train"]
    return np.sort(np.random.default_rng(0).permutation(rows)[:MAX_ROWS])


def run_latents(
    method: Method, data: PairedDataset, rows: Ints
) -> tuple[Floats, NDArray[np.bool_]]:
    """Latents (n, d) of data rows, and which axes (d,) say more than 0.01 nats about the query.

    As in the factor metrics, mu(v1), or z of the pair where the query fixes only a distribution.
    """
    model = LatentModel(method)
    mu, log_var = model.encode(data.x1, rows)
    mask = axis_information(mu, log_var) > KL_THRESHOLD
    if data.query_fixes == "factors":
        return mu, mask
    return model.encode_pairs(data.x1, data.x2, rows), mask


def configuration(config: RunConfig) -> tuple[str, ...]:
    """The part of a configuration that its seeds share: data set, method and all settings."""
    data, method = config.dataset, config.method
    return (
        data.name,
        repr(sorted(data.settings.items())),
        method.name,
        repr(sorted(method.settings.items())),
    )


def _check_same(first: Run, other: Run) -> None:
    for what, a, b in zip(
        ("data sets", "data settings", "methods", "method settings"),
        configuration(first.config),
        configuration(other.config),
        strict=True,
    ):
        if a != b:
            raise ConfigError(
                f"{first.id} and {other.id} have different {what}: rank seeds of one configuration"
            )
