"""Scores from labels as rows of a file, with everything that moved them beside the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivae.labels.scores import NAMES, LabelScores, ScoredDims
from rivae.metrics.registry import metric

if TYPE_CHECKING:
    from rivae.labels.plan import LabelPlan


def score_rows(run_id: str, scores: LabelScores) -> list[dict[str, Any]]:
    """One row per score (D, C, I) and choice of dimensions: value, 95 % interval, settings."""
    coverage, settings = scores.coverage, scores.settings
    shared = {
        "labelled": sum(coverage.labelled),
        "needed": coverage.needed * len(coverage.labelled),
        "queries_that_count": min(coverage.queries),
        "queries": settings["n_queries"],
        "annotators": scores.n_annotators,
        "interval_over": scores.interval_over,
        "factors": " ".join(settings["factors"]),
        **{
            name: settings[name]
            for name in ("alpha", "n_points", "min_share", "levels", "n_bootstrap", "random_state")
        },
    }
    choices: list[tuple[str, ScoredDims]] = [("every dimension", scores.every)]
    if scores.selected is not None:
        choices.append((str(settings["selection"]), scores.selected))
    return [
        {
            "run": run_id,
            "score": metric(name).label,
            "over": over,
            "dimensions": " ".join(str(j + 1) for j in dims.dims),
            "value": dims.results[name].score,
            "low": dims.intervals[name][0],
            "high": dims.intervals[name][1],
            **shared,
        }
        for over, dims in choices
        for name in NAMES
    ]


def correlation_rows(
    run_id: str, scores: LabelScores, axis_names: list[str]
) -> list[dict[str, Any]]:
    """One row per factor and dimension of the correlation table, with the factor's coverage.

    Args:
        axis_names: J names.
    """
    table, coverage = scores.table, scores.coverage
    return [
        {
            "run": run_id,
            "factor": factor,
            "dimension": axis_names[j],
            "abs_corr": float(table.absolute[j, k]),
            "corr": float(table.signed[j, k]),
            "sd_over_queries": float(table.spread[j, k]),
            "constant_queries": float(table.undefined[j, k]),
            "labelled": coverage.labelled[k],
            "needed": coverage.needed,
            "cannot_tell": coverage.cannot_tell[k],
            "queries_that_count": coverage.queries[k],
        }
        for k, factor in enumerate(scores.settings["factors"])
        for j in range(table.absolute.shape[0])
    ]


def score_record(
    run_id: str, plan: LabelPlan | None, every: LabelScores, scores: LabelScores | None
) -> dict[str, Any]:
    """What labels say of a run, as JSON: how far each factor is labelled, and the scores if any.

    Args:
        every: over all factors, for the coverage.
        scores: over the factors that can be scored; None where there is none.
    """
    coverage = every.coverage
    return {
        "run": run_id,
        "plan": plan.id if plan else None,
        "scores": score_rows(run_id, scores) if scores else [],
        "needed": coverage.needed,
        "factors": [
            {
                "factor": factor,
                "labelled": coverage.labelled[k],
                "cannot_tell": coverage.cannot_tell[k],
                "points": coverage.points[k],
                "queries_that_count": coverage.queries[k],
                "scored": scores is not None and factor in scores.settings["factors"],
            }
            for k, factor in enumerate(every.settings["factors"])
        ],
    }
