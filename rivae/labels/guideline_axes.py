"""Axes for all factors of a guideline at once, from a line of text for each end of each factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rivae.base.errors import ConfigError, some_of
from rivae.data.food_factors import FACTOR_LABELS, FOOD_LINES
from rivae.exploring.axes.adding import keep_axes, named_directions
from rivae.exploring.axes.finder import AxisFinder
from rivae.labels.align import align_axes
from rivae.labels.guideline import Guideline, LabelFactor, read_guideline
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis, AxisSpec
from rivae.runs.axis_names import MAX_NAME

Lines = Mapping[str, tuple[str, str]]
# Joint directions of so many rows say the same as those of all, and are found in seconds.
MAX_ROWS = 4_000


def factor_lines(guideline: Guideline, lines: Lines | None = None) -> dict[str, tuple[str, str]]:
    """The lines for the low and the high end of each factor.

    Those that are given; those of ``FOOD_LINES`` for the project's food factors; else the names of
    the two lowest and the two highest levels.

    Raises:
        ConfigError: lines are given for a factor that the guideline has not.
    """
    own_lines = dict(lines or {})
    for factor_id in own_lines:
        if factor_id not in guideline.ids:
            raise ConfigError(
                f"the guideline '{guideline.title}' has no factor '{factor_id[:40]}': choose from "
                f"{some_of(guideline.ids, factor_id)}"
            )
    food = FOOD_LINES if guideline.version == read_guideline().version else {}
    return {
        factor.id: own_lines.get(factor.id) or food.get(factor.id) or _of_levels(factor)
        for factor in guideline.factors
    }


def _of_levels(factor: LabelFactor) -> tuple[str, str]:
    return ", ".join(factor.levels[:2]), ", ".join(factor.levels[-2:])


def draft_guideline_axes(
    finder: AxisFinder, guideline: Guideline, lines: Lines | None = None
) -> list[AddedAxis]:
    """An axis for each factor of a guideline, found together (``align_axes``): how far they are
    made orthogonal is chosen by cross-validation over all of them. Nothing is kept.

    Args:
        lines: low and high line by factor; see ``factor_lines``.

    Raises:
        ConfigError, DataError: a line has no word of the texts, or see ``AxisFinder.draft``.
    """
    specs = [
        AxisSpec("guideline", high, low, guideline=f"{factor} {guideline.version}")
        for factor, (low, high) in factor_lines(guideline, lines).items()
    ]
    levels = [finder.levels_of(spec) for spec in specs]
    fit = np.stack([fit_levels for fit_levels, _ in levels], axis=1)
    weights = joint_weights(finder, fit, guideline.ids)
    drafts = []
    for k, (spec, factor) in enumerate(zip(specs, guideline.factors, strict=True)):
        axis = finder.drafted(spec, weights[:, k], levels[k][1])
        title = FACTOR_LABELS.get(factor.id, factor.name)
        drafts.append(replace(axis, name=title[:MAX_NAME], poles=factor.poles))
    return drafts


def joint_weights(finder: AxisFinder, levels: np.ndarray, factors: tuple[str, ...]) -> np.ndarray:
    """(d, K) readings of K levels (n, K) of ``fit_rows``; one by one where z has fewer axes."""
    if len(factors) > finder.model.n_components:
        return np.stack([finder.fit_weights(column) for column in levels.T], axis=1)
    some = np.linspace(0, len(levels) - 1, min(len(levels), MAX_ROWS)).astype(np.int64)
    z = np.concatenate([one[some] for one in finder.fit_z])
    y = np.concatenate([levels[some]] * len(finder.fit_z))
    return align_axes(finder.finder.z, z, y, factors).change.matrix[:, : len(factors)]


def add_guideline_axes(
    run: Run, finder: AxisFinder, guideline: Guideline, lines: Lines | None = None
) -> list[AddedAxis]:
    """``draft_guideline_axes``, kept with the run.

    Raises:
        ConfigError, DataError, RunError: as these, and as ``change_added``.
    """
    others = named_directions(run, finder.model.n_components)
    drafts = draft_guideline_axes(finder, guideline, lines)
    return keep_axes(run, [finder.completed(one, one.name, others) for one in drafts])
