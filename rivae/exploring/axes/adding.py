"""Axes beside the latents of a run: kept, compared, moved without moving the others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.exploring.axes.directions import moves_alone
from rivae.exploring.axes.finder import AxisFinder, NamedDirection
from rivae.exploring.axes.text_space import checked_line
from rivae.exploring.words.axis_names import checked_name, given_names
from rivae.models.base import Method
from rivae.models.registry import METHODS
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.added_axes import (
    AddedAxis,
    AxisSpec,
    added_axes,
    change_added,
    find_added,
    lacking_axes,
)
from rivae.runs.records import now

N_EFFECT_QUERIES = 16


def known_added(run: Run, n_components: int) -> tuple[AddedAxis, ...]:
    """The axes that were added to a run; () and a warning where their file is damaged, for a run
    opens without them.
    """
    try:
        return added_axes(run, n_components)
    except DataError as error:
        warnings.warn(f"{run.id}: {error}", stacklevel=2)
        return ()


def named_directions(run: Run, n_components: int) -> list[NamedDirection]:
    """The axes of a run that mean something to somebody: latents that were given a name (proposed
    names are not), then all added axes.
    """
    try:
        ids = METHODS[run.config.method.name].axis_names(n_components)
    except RivaeError:
        ids = Method.axis_names(n_components)
    unit = np.eye(n_components)
    latents = [
        NamedDirection(ids[j], name, unit[j].tolist())
        for j, name in enumerate(given_names(run, n_components))
        if name
    ]
    added_axes = [NamedDirection(a.id, a.name, a.reads) for a in known_added(run, n_components)]
    return latents + added_axes


def add_axis(
    run: Run,
    finder: AxisFinder,
    spec: AxisSpec,
    *,
    name: str = "",
    poles: tuple[str, str] | None = None,
) -> AddedAxis:
    """Find the axis that ``spec`` asks for, and keep it with the run.

    Args:
        finder: of the run's model.
        name: of the axis; that of its high end by default.
        poles: names of its low and its high end; by default what they were asked for with.

    Raises:
        ConfigError, DataError, RunError: with one sentence, see ``AxisFinder.draft``,
            ``checked_name`` and ``rivae.runs.added_axes.change_added``.
    """
    d = finder.model.n_components
    run.require_same_data()
    draft = finder.draft(spec, name and checked_name(name), named_directions(run, d))
    if poles is not None:
        draft = renamed(draft, draft.name, poles)
    return keep_axes(run, [draft])[0]


def asked_spec(
    high: str = "",
    low: str = "",
    *,
    tag: str = "",
    factor: str = "",
    items: Sequence[str] = (),
    against: Sequence[str] = (),
    levels: Sequence[tuple[str, float]] = (),
) -> AxisSpec:
    """What was asked for, from one source; labels may go with lines.

    Raises:
        ConfigError: there is no source, or more than one.
    """
    lines = (high or low) and not levels
    if sum(map(bool, (lines, tag, factor, items, levels))) != 1:
        raise ConfigError(
            "an axis is asked for with one of words, a tag, a factor, items or labels: name one"
        )
    if low and not high:
        raise ConfigError("say what lies at the high end of the axis as well")
    if against and not items:
        raise ConfigError("name the items that the others are compared with")
    if tag or factor:
        return (
            AxisSpec("tag", target=f"tag:{tag}")
            if tag
            else AxisSpec("factor", target=f"factor:{factor}")
        )
    if items:
        return AxisSpec("examples", items=tuple(items), against=tuple(against))
    if levels:
        pairs = tuple((name, float(level)) for name, level in levels)
        return AxisSpec("labels", high, low, levels=pairs)
    return AxisSpec("words", high, low)


def typed_spec(high: str, low: str = "") -> AxisSpec:
    """A line for the high end, or one for each end, as somebody typed them.

    Raises:
        ConfigError: there is none for the high end, or one is longer than a line may be.
    """
    return AxisSpec("words", checked_line(high), checked_line(low) if low.strip() else "")


def keep_axes(run: Run, drafts: Sequence[AddedAxis]) -> list[AddedAxis]:
    """Keep drafts with a run, in their order; each gets an id of its own.

    Raises:
        ConfigError, DataError, RunError: as ``change_added``.
    """
    new_axes: list[AddedAxis] = []

    def change(axes: tuple[AddedAxis, ...], new_id: Callable[[], str]) -> list[AddedAxis]:
        new_axes[:] = [replace(draft, id=new_id(), created=now()) for draft in drafts]
        return [*axes, *new_axes]

    change_added(run, change)
    return new_axes


def renamed(axis: AddedAxis, name: str, poles: tuple[str, str] | None = None) -> AddedAxis:
    """The axis under another name, which its high end has as well where it had the old one.

    Args:
        poles: names of its low and its high end.

    Raises:
        ConfigError: see ``checked_name``.
    """
    name = checked_name(name)
    low, high = axis.poles
    if poles is None:
        return replace(axis, name=name, poles=(low, name if high == axis.name else high))
    low, high = (pole and checked_name(pole) for pole in poles)
    return replace(axis, name=name, poles=(low, high or name))


def rename_axis(
    run: Run, axis_id: str, name: str, poles: tuple[str, str] | None = None
) -> AddedAxis:
    """Give an added axis another name, and other names of its ends; see ``renamed``.

    Raises:
        ConfigError: there is none of this id, or see ``renamed``.
        DataError, RunError: as ``change_added``.
    """

    def change(axes: tuple[AddedAxis, ...], _: Callable[[], str]) -> list[AddedAxis]:
        other = renamed(find_added(axes, axis_id), name, poles)
        return [other if axis.id == axis_id else axis for axis in axes]

    return find_added(change_added(run, change), axis_id)


def refit_axes(
    run: Run, finder: AxisFinder, axes: Sequence[AddedAxis]
) -> tuple[list[AddedAxis], list[str]]:
    """Ask another model of the same data for axes that were added to one, and keep them with it:
    what they were asked with, their names and poles stay.

    Args:
        run, finder: of the other model.

    Returns:
        The axes of ``run``, and a sentence for each that could not be found there.

    Raises:
        ConfigError, DataError, RunError: as ``keep_axes``.
    """
    others = named_directions(run, finder.model.n_components)
    drafts, problems = [], []
    for axis in axes:
        try:
            draft = finder.draft(axis.spec, axis.name, others)
        except (ConfigError, DataError) as error:
            problems.append(f"{axis.name}: {error}")
        else:
            drafts.append(replace(draft, poles=axis.poles))
    return keep_axes(run, drafts) if drafts else [], problems


def refit_lacking(run: Run, base: Run) -> tuple[list[AddedAxis], list[str]]:
    """``refit_axes`` for the axes that were added to ``base`` and that ``run`` lacks.

    Raises:
        ConfigError, DataError, RunError: as ``refit_axes``, or one of the runs cannot be read.
    """
    lacking = lacking_axes(run, base)
    return refit_axes(run, AxisFinder.open(run), lacking) if lacking else ([], [])


def alone(axis: AddedAxis, others: Sequence[NamedDirection], covariance: Floats) -> Floats | None:
    """(d,) what z changes by along an axis that leaves the readings of the other named axes; None
    where they say all that it says. See ``directions.moves_alone``.
    """
    reads = [one.reads for one in others if one.id != axis.id]
    return moves_alone(
        np.array(axis.reads), np.array(reads).reshape(len(reads), len(axis.reads)), covariance
    )


def effect_along(retriever: Retriever, axis: AddedAxis, z: Floats) -> float:
    """Share of steps of half an s.d. along an axis that change the best item, in [0, 1], as
    ``Explorer.effects`` has it of the latents.

    Args:
        z: (n, d) of training queries, over which the s.d. is taken.
    """
    places = axis.at(z)
    ids = retriever.ids
    pick = np.linspace(0, len(ids) - 1, min(N_EFFECT_QUERIES, len(ids))).astype(np.int64)
    queries = retriever.encode(ids[pick])[0]
    steps = places.mean() + np.linspace(-2, 2, 9) * places.std()
    points = np.stack([axis.moved(queries, float(to)) for to in steps], axis=1)
    best, _ = retriever.nearest(points.reshape(-1, z.shape[1]), 1)
    return float((np.diff(best.reshape(len(pick), len(steps)), axis=1) != 0).mean())
