"""The scores of one run: retrieval, and those of its axes as trained and after every step.

Every method's axes are measured alike: as trained and after each step that applies to its z
(``rivae.training.alignment.steps``). One rule, ``chosen_step``, says which of them the tables show.
Retrieval does not depend on the step and is measured once. The scores after the steps are kept in
``steps.json`` of the run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from rivae.base.errors import DataError, RunError
from rivae.base.files import why_not, write_json
from rivae.base.reading.documents import read_json
from rivae.benchmark.tables import by_samples, digit_range
from rivae.data.base import PairedDataset
from rivae.evaluation.of_run import evaluate
from rivae.metrics.measures.dci_paper import alpha_scores
from rivae.metrics.measures.digits import COVERAGE, OVERLAP
from rivae.metrics.registry import metric
from rivae.models.base import Method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Results
from rivae.training.alignment.registry import STEPS
from rivae.training.alignment.steps import applicable_changes, carried_change, turned
from rivae.training.validation import MAX_ROWS, axis_scores

STEPS_FILE = "steps.json"
LEAST = "scaled"
EQUAL = 3  # digits in which two steps have to differ
RULE = (
    "Chosen for every method alike is, of the steps that set the unit of z, the one with the "
    "highest MCC on validation rows; where three digits are equal, or the data have no numeric "
    "factors, the one that changes the axes least (scaled)."
)


def chosen_step(validation: Mapping[str, float | None]) -> str:
    """The step whose axes the tables show, see ``RULE``.

    MCC does not see the unit of z and traversals from -10 to 10 need one, so the least change is
    "scaled", which leaves the directions as trained.

    Args:
        validation: the MCC on validation rows after each step, None where there is none.
    """
    mcc = {
        step: round(value, EQUAL)
        for step in islice(STEPS, list(STEPS).index(LEAST), None)
        if (value := validation.get(step)) is not None and math.isfinite(value)
    }
    return max(mcc, key=lambda step: mcc[step], default=LEAST)


@dataclass(frozen=True)
class StepScores:
    """A run after every step that applies to it.

    Attributes:
        model: key of the model that was measured.
        carried: the step that training folded in; ``evaluation.json`` has its scores.
        validation: the MCC on validation rows after each step.
        scores: those after every other step, as ``scores_of_axes``; metrics that fit a model only
            after the chosen one.
    """

    model: str
    carried: str
    validation: dict[str, float | None]
    scores: dict[str, list[dict[str, Any]]]


def measure_steps(
    run: Run, method: Method, data: PairedDataset, n_queries: int | None = None
) -> StepScores:
    """The scores of the axes of a run as trained and after each step; the run does not change.

    Args:
        method: the model of the run, with the step that it carries.
        n_queries: as in ``evaluate``.

    Raises:
        ConfigError, DataError: as ``evaluate``.
        RunError: ``alignment.json`` is damaged.
    """
    of_run = carried_change(run, method.n_components)
    if data.factors is None:
        return StepScores(run.content_hash, of_run.step, {}, {})
    undo = of_run.undone()
    as_trained = turned(method, undo)
    all_changes = applicable_changes(as_trained, data, run.config.seed) | {of_run.step: of_run}
    changes = {s: all_changes[s] for s in [*STEPS, of_run.step] if s in all_changes}
    rows = data.splits["validation"][:MAX_ROWS]
    z = LatentModel(as_trained).latents(data, rows)
    validation = {
        step: axis_scores(z @ change.matrix + change.offset, data, rows).get("mcc")
        for step, change in changes.items()
    }
    best_step = chosen_step(validation)
    scores = {
        step: scores_of_axes(
            evaluate(
                turned(method, undo.then(change)),
                data,
                n_queries=n_queries,
                null_permutations=0,
                null_permutations_slow=0,
                retrieval=False,
                refits=step == best_step,  # half of the time; no table has them of the others
                effects=False,
            )
        )
        for step, change in changes.items()
        if step != of_run.step
    }
    return StepScores(run.content_hash, of_run.step, validation, scores)


def kept_steps(run: Run) -> StepScores | None:
    """The scores that ``keep_steps`` wrote for the run's model; None without valid ones."""
    path = run.path / STEPS_FILE
    if not path.exists():
        return None
    try:
        steps = StepScores(**read_json(path))
        fits = not run.ready or steps.model == run.content_hash
        fits = fits and {*steps.validation, *steps.scores} <= {*STEPS, steps.carried}
        fits = fits and all(isinstance(each, dict) for each in (steps.validation, steps.scores))
        for each in (row for rows in steps.scores.values() for row in rows):
            fits = fits and each.keys() <= {"metric", "range", "n", "score"}
    except (DataError, TypeError, AttributeError):
        return None
    return steps if fits else None


def keep_steps(run: Run, steps: StepScores) -> None:
    """Write ``steps.json``.

    Raises:
        RunError: the folder cannot be written.
    """
    try:
        write_json(run.path / STEPS_FILE, asdict(steps))
    except OSError as error:
        raise RunError(f"the scores of run {run.id} cannot be saved: {why_not(error)}") from None


def scores(
    evaluation: Evaluation,
    latent: bool = True,
    steps: StepScores | None = None,
    configured: str = "",
) -> list[dict[str, Any]]:
    """The scores of a run: metric, range, n and score of each; of axes also step and choice.

    Args:
        latent: False for a method without a latent, of which only retrieval is measured.
        steps: of the run, where they are measured.
        configured: the step that the settings name, the only one measured where ``steps`` are not.
    """
    rows = _score_rows(evaluation.retrieval, "")
    if not latent:
        return rows
    for n, results in evaluation.retrieval_sampled.items():
        rows += [{**row, "range": by_samples(n)} for row in _score_rows(results, "")]
    final_scores = scores_of_axes(evaluation)
    if steps is None:
        return rows + [{**row, "axes": configured} for row in final_scores]
    best = chosen_step(steps.validation)
    for step, step_scores in {**steps.scores, steps.carried: final_scores}.items():
        about = {"axes": step, "chosen": step == best, "validation": steps.validation.get(step)}
        rows += [{**row, **about} for row in step_scores]
    return rows


def scores_of_axes(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The scores that depend on the axes: metric, range, n and score of each."""
    rows: list[dict[str, Any]] = []
    for along in evaluation.along:
        rows += _score_rows(along.factors, along.name)
        rows += _score_rows(along.digits.results if along.digits else {}, along.name)
    of_digits = (OVERLAP, COVERAGE)
    for at in evaluation.digits_ranges:
        where = digit_range(at.n_std)
        rows += [{"metric": m.key, "range": where, "score": getattr(at, m.key)} for m in of_digits]
    for along in evaluation.along:
        table = along.correlation.alpha_sensitivity if along.correlation else []
        by_alpha = alpha_scores([at.model_dump() for at in table])
        rows += [{"metric": m, "range": along.name, "score": v} for m, v in by_alpha.items()]
    return rows


def _score_rows(results: Results, where: str) -> list[dict[str, Any]]:
    return [
        {
            "metric": name,
            "range": where if metric(name).along_z else "",
            "n": result.n,
            "score": result.score,
        }
        for name, result in results.items()
    ]
