"""A run that refines another one: offered in its place once it is better, never put there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from rivae.base.config import RunConfig
from rivae.base.errors import RivaeError
from rivae.models.settings import CLOSED_FORM
from rivae.runs.added_axes import AddedAxis, added_axes, lacking_axes
from rivae.runs.run import Run

OF = 100  # queries that the sentence speaks of


@dataclass(frozen=True)
class Refinement:
    """A better run, and why.

    Attributes:
        run: the better one.
        sentence: of the two runs' validation pairs, without a full stop.
        found_axes: names of the axes added to the run that were found again in the better one.
        lacking_axes: names of those that were not, or that were added since.
    """

    run: Run
    sentence: str
    found_axes: tuple[str, ...] = ()
    lacking_axes: tuple[str, ...] = ()


def refinement_of(run: Run, others: Sequence[Run]) -> Refinement | None:
    """The best of the trained ``others`` that refine ``run`` and retrieve better than it, on the
    same features or on richer ones.

    Better is a higher mean reciprocal rank of the validation pairs, the mean of both directions, as
    training chose its weights.
    """
    best: Run | None = None
    with suppress(RivaeError):
        run_scores = best_scores = kept_scores(run)
        for other in others:
            with suppress(RivaeError):
                if other.config.refines == run.id and other.status.state == "finished":
                    scores = kept_scores(other)
                    if scores.get("score", 0.0) > best_scores.get("score", 0.0):
                        best, best_scores = other, scores
    if best is None:
        return None
    before, after = (round(OF * each.get("recall_at_1", 0.0)) for each in (run_scores, best_scores))
    more = f"instead of {before}" if after > before else "and the right one earlier"
    first_hits = f"it finds the right item first for {after} of {OF} {more}"
    lacking, carried_axes = list[AddedAxis](), list[AddedAxis]()
    with suppress(RivaeError):
        lacking = lacking_axes(best, run)
        carried_axes = [axis for axis in added_axes(run) if axis not in lacking]
    return Refinement(
        best,
        f"A better model is ready: {first_hits}",
        tuple(axis.name for axis in carried_axes),
        tuple(axis.name for axis in lacking),
    )


def refinable(config: RunConfig) -> bool:
    """Whether another run may refine one: it ends with its start in closed form."""
    settings = config.method.settings
    return settings.get("init") == CLOSED_FORM and not settings.get("joint_epochs", 1)


def kept_scores(run: Run) -> dict[str, float]:
    """The validation scores of the weights that a trained run kept; {} where none were measured.

    Raises:
        RunError: its metrics cannot be read.
    """
    rows = [row for row in run.metrics() if "score" in row.get("validation", {})]
    if not rows:
        return {}
    if run.config.training.select == "best":
        last = rows[-1]["stage"]
        from_start = run.config.method.settings.get("init") == CLOSED_FORM
        candidates = [row for row in rows if from_start or row["stage"] == last]
        rows = [max(candidates, key=lambda row: row["validation"]["score"])]
    scores: dict[str, float] = rows[-1]["validation"]
    return scores
