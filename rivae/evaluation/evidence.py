"""What says how far the scores and axes of an evaluated run can be trusted, measured once and kept.

``evaluate`` stores of every axis the changes that its sentence needs, and D, C and I without
intervals. Here are all changes, as they can be drawn side by side, and the intervals.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from rivae.base.errors import RivaeError, RunError
from rivae.base.files import write_cache
from rivae.base.installed import cache_folder
from rivae.base.progress import Progress, silent
from rivae.base.reading.documents import read_own_form
from rivae.data.base import PairedDataset
from rivae.evaluation.replay import replay
from rivae.exploring.effects import EffectMeasure, latent_effects
from rivae.metrics.correlation import numeric_factors, path_correlations
from rivae.metrics.intervals import paper_intervals
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, METRICS
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.evaluation_file import AGAIN, Evaluation
from rivae.runs.results import Effects

VERSION = 1  # of what is measured: what another one kept is measured again
MAX_KEPT = 8 * 2**20


class Evidence(BaseModel):
    """The evidence for one evaluation.

    Attributes:
        views: what people call the two views of the data.
        effects: of each of d latents, as z grows; empty where the method has no latent.
        intervals: 95 % of D, C and I over the queries, by the key of the metric.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    views: tuple[str, str]
    effects: tuple[Effects, ...]
    intervals: dict[str, tuple[float, float]]


def kept_evidence(run: Run, report: Evaluation) -> Evidence | None:
    """What ``evidence_of`` found before; None where it has to be measured."""
    try:
        return read_own_form(Evidence, _kept_in(run, report), MAX_KEPT)
    except (RivaeError, OSError):
        return None


def evidence_of(run: Run, report: Evaluation, progress: Progress = silent) -> Evidence:
    """The evidence for an evaluation of ``run``; kept in the run's cache.

    Args:
        progress: takes what is being done, and the share done in [0, 1].

    Raises:
        RivaeError: the run or its data cannot be opened.
    """
    if (evidence := kept_evidence(run, report)) is not None:
        return evidence
    progress("opening the model", 0.0)
    data = run.load_dataset()
    method = run.load_method(data)
    test = data.splits["test"]
    if not len(test):
        raise RunError(f"{data.name} has no test rows to measure by: {AGAIN}")
    retriever = Retriever(
        method, data, test, cache_dir=cache_folder(run.path), asks=report.settings.asks
    )
    progress("measuring the intervals", 0.05)
    intervals = _intervals(retriever, data, report)
    effects: tuple[Effects, ...] = ()
    if method.has_latent:
        stage = "measuring what each axis changes"
        progress(stage, 0.2)
        measured = latent_effects(
            EffectMeasure(retriever), lambda share: progress(stage, 0.2 + 0.8 * share)
        )
        effects = tuple(Effects.model_validate(each.to_dict()) for each in measured)
    evidence = Evidence(views=data.view_names, effects=effects, intervals=intervals)
    document = evidence.model_dump_json().encode()
    write_cache(_kept_in(run, report), lambda stream: stream.write(document))
    return evidence


def _intervals(
    retriever: Retriever, data: PairedDataset, report: Evaluation
) -> dict[str, tuple[float, float]]:
    """Of the scores over the first range; none where the data have no such factor, or the
    evaluation is too old to be repeated."""
    factors = report.along[0].factors
    estimates = {
        metric.key: score
        for metric in METRICS
        if metric.key in factors and (score := factors[metric.key].score) is not None
    }
    if data.factors is None or not estimates:
        return {}
    counted = {name for key in estimates for name in factors[key].constants.factors or ()}
    specs = data.factor_specs
    columns = [k for k in numeric_factors(specs) if specs[k].name in counted]
    if not columns:
        return {}
    try:
        found = replay(retriever, data, report, list(range(retriever.n_components)))
    except RivaeError:
        return {}
    path = data.factors[found.ids[..., 0]][..., columns]
    absolute = np.abs(np.nan_to_num(path_correlations(found.values, path)))
    alpha = report.settings.alpha or DEFAULT_ALPHA
    return paper_intervals(absolute, estimates, alpha=alpha)


def _kept_in(run: Run, report: Evaluation) -> Path:
    """The file of what was measured: another one for other weights, data or evaluation."""
    made_of: Any = (VERSION, run.shown_key, report.settings.asks, report.created)
    digest = hashlib.blake2b(repr(made_of).encode(), digest_size=16).hexdigest()
    return cache_folder(run.path) / f"evidence-{digest}.json"
