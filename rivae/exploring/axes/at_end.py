"""Whether axes that propose themselves say more than the named axes of z, when a run ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivae.base.arrays import Floats
from rivae.exploring.axes.concepts import NearLevels
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.axes.proposing import TIE, own_correlations, own_score, propose_axes
from rivae.exploring.axes.scores import MIN_ROWS
from rivae.exploring.words.item_terms import ItemTerms
from rivae.exploring.words.item_words import has_texts
from rivae.runs.added_axes import N_PROPOSED, AddedAxis
from rivae.runs.axis_names import AxisName

# Score of the names of z above which nothing is proposed, which would take seconds: texts of items
# say no factor better.
ENOUGH = 0.8


def better_proposals(
    finder: AxisFinder, names: Sequence[AxisName | None], n: int = N_PROPOSED
) -> list[AddedAxis]:
    """At most ``n`` proposed axes where their names say more of where held-out items lie, each
    beyond what its other names say, than those of the ``n`` best axes of z; else [].

    Args:
        finder: of a trained model.
        names: of the axes of z, None without one.

    Raises:
        DataError: as ``propose_axes``.
    """
    if len(finder.held_rows) < MIN_ROWS or not has_texts(finder.data):
        return []  # names of z are made of factors and tags as well
    now = best_names(finder, names, n)[1]
    if now > ENOUGH:
        return []
    proposals = propose_axes(finder, n)
    if not any(axis.spec.kind == "proposed" for axis in proposals):
        return []
    return proposals if own_score(finder, proposals) > now + TIE else []


def best_names(
    finder: AxisFinder, names: Sequence[AxisName | None], n: int
) -> tuple[list[int], float]:
    """The dimensions of the ``n`` axes of z whose names say most of where held-out items lie, and
    of these what ``own_score`` is of proposed axes; [] and 0 where none has a name.
    """
    columns, levels = [], []
    terms = ItemTerms(finder.data)
    for name in names:
        of_name = None if name is None else _levels(finder, terms, name)
        if name is not None and of_name is not None:
            columns.append(name.dim)
            levels.append(of_name)
    if not columns:
        return [], 0.0
    table = np.stack(levels, axis=1)
    readings = [z[:, columns] for z in finder.held_z]
    alone = np.abs(
        [
            own_correlations(table[:, [k]], [z[:, [k]] for z in readings])
            for k in range(len(columns))
        ]
    )
    best = np.argsort(-alone.ravel(), kind="stable")[:n]
    correlations = own_correlations(table[:, best], [z[:, best] for z in readings])
    return [columns[k] for k in best], float(np.abs(correlations).mean())


def _levels(finder: AxisFinder, terms: ItemTerms, name: AxisName) -> Floats | None:
    """What a name says of ``held_rows``: the factor; or nearness to the texts of the items that
    have its words, minus that to those that have the words of the other pole, as of proposals.
    """
    levels = terms.property_of(name, finder.held_rows)
    if name.name in terms.factor_names:
        is_known = np.isfinite(levels)
        return np.where(is_known, levels, np.nanmean(levels)) if is_known.any() else None
    has = terms.property_of(name, finder.fit_rows)
    groups = [group for group in (has > 0, has < 0) if group.any()]
    if not (has > 0).any():
        return None
    return NearLevels(finder.fit_vectors, groups).of(finder.held_vectors)
