"""Axes that were added to a run: their records and the JSON file that keeps them, not trusted.

An added axis is a direction beside the unchanged model: z, links and tours keep their meaning, and
there may be more of them than latents. The file is ``added_axes.json`` in the run's folder or, for
runs whose folder cannot be changed (the demo runs), in ``axes/`` of the folder of runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError, DataError, RunError, some_of
from rivae.base.files import change_json, why_not
from rivae.base.reading.documents import read_form
from rivae.runs.axis_names import MAX_NAME
from rivae.runs.folders import current_file, writable_file
from rivae.runs.run import Run

ADDED_AXES = "added_axes.json"
FOLDER = "axes"  # beside new runs, of runs that are read-only
MAX_BYTES = 8 * 2**20
MAX_ADDED = 200
N_PROPOSED = 8  # axes that propose themselves, unless another number is asked for
MAX_LINE = 300  # characters of a typed line
MAX_ITEMS = 20_000  # named by one axis
MAX_COMPONENTS = 1024

Asked = Literal["words", "tag", "factor", "examples", "labels", "guideline", "proposed"]
_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_Correlation = Annotated[float, Field(ge=-1, le=1)]
_Share = Annotated[float, Field(ge=0, le=1)]
ADDED_ID = re.compile(r"a[1-9][0-9]{0,5}")
AddedId = Annotated[str, Field(pattern=f"^{ADDED_ID.pattern}$", max_length=7)]


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it is one line of text")
    return text


_Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_line)]
_Text = Annotated[str, Field(max_length=MAX_LINE), AfterValidator(_line)]
_Ids = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=MAX_ITEMS)]
_Vector = Annotated[tuple[float, ...], Field(min_length=1, max_length=MAX_COMPONENTS)]


@dataclass(frozen=True)
class AxisSpec:
    """What an axis was asked for with; enough to find it again in another model of the data.

    Attributes:
        kind: which of the following say it.
        high, low: lines of text for the two ends; ``low`` is "" where there is one line only.
        target: the tag or factor, as ``rivae.exploring.words.relations`` writes it.
        items, against: ids of items that have it, and of those that do not (() for the rest).
        levels: an item's id and its level, each.
        guideline: the factor of a guideline, and the guideline's version: "fruit 1f3a…".
    """

    __pydantic_config__ = _STRICT

    kind: Asked
    high: _Text = ""
    low: _Text = ""
    target: _Text = ""
    items: _Ids = ()
    against: _Ids = ()
    levels: Annotated[
        tuple[tuple[Annotated[str, Field(max_length=200)], float], ...],
        Field(max_length=MAX_ITEMS),
    ] = ()
    guideline: _Text = ""


@dataclass(frozen=True)
class AxisScore:
    """How well places on the axis follow what was asked for, on items that it was not fitted on.

    Attributes:
        asks: the view of the items that was the query: "first" (the picture) or "second".
        score: correlation of the reading with the level.
        chance: 95th percentile of its size where levels belong to other items.
        low, high: 95 % interval of the score, from resampled items.
        n: items.
    """

    __pydantic_config__ = _STRICT

    asks: Literal["first", "second"]
    score: _Correlation
    chance: _Share
    low: _Correlation
    high: _Correlation
    n: Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class SharedAxis:
    """An axis that goes with this one: its id and name, and the correlation of their readings."""

    __pydantic_config__ = _STRICT

    id: Annotated[str, Field(max_length=20), AfterValidator(_line)]
    name: _Name
    correlation: _Correlation


@dataclass(frozen=True)
class AddedAxis:
    """A direction of z with two named ends.

    Attributes:
        id: "a1", "a2" …; never given again after the axis was removed.
        name: plain text; that of the high end unless a person gave another.
        poles: what lies at the low and at the high end.
        reads: (d,); an item lies at ``z @ reads + offset`` on the axis, with the central 99 % of
            the training queries between -10 and 10.
        offset: see ``reads``.
        moves: (d,) what z changes by when the axis grows by 1; ``reads @ moves`` is 1.
        spec: what it was asked for with.
        scores: on held-out items, for each view that can ask.
        shares: the named axes that it has most in common with, the most first.
        remark: what the person should know, "" for nothing.
        created: UTC, to the second.
    """

    __pydantic_config__ = _STRICT

    id: AddedId
    name: Annotated[_Name, Field(min_length=1)]
    poles: tuple[_Name, _Name]
    reads: _Vector
    offset: float
    moves: _Vector
    spec: AxisSpec
    scores: Annotated[tuple[AxisScore, ...], Field(max_length=2)] = ()
    shares: Annotated[tuple[SharedAxis, ...], Field(max_length=20)] = ()
    remark: Annotated[str, Field(max_length=400), AfterValidator(_line)] = ""
    created: Annotated[str, Field(max_length=40), AfterValidator(_line)] = ""

    def at(self, z: Floats) -> Floats:
        """Where z (n, d) lies on the axis, (n,)."""
        return np.asarray(z @ np.array(self.reads) + self.offset)

    def moved(self, z: Floats, to: ArrayLike) -> Floats:
        """z (n, d) moved to the place ``to`` of the axis, one or (n,), (n, d)."""
        return np.asarray(z + (np.asarray(to) - self.at(z))[:, None] * np.array(self.moves))

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


class _File(BaseModel):
    model_config = _STRICT

    version: Literal[1]
    model: Annotated[str, Field(max_length=64)]
    next: Annotated[int, Field(ge=1, le=999_999)] = 1
    axes: Annotated[list[AddedAxis], Field(max_length=MAX_ADDED)]


def read_added_axes(
    source: Path | bytes, n_components: int | None = None, model: str = ""
) -> tuple[AddedAxis, ...]:
    """The axes in a file or its content, in the order in which they were added.

    Args:
        n_components: of the model; None for any.
        model: hash of the model; "" for any.

    Raises:
        DataError: the file is missing, larger than ``MAX_BYTES``, no file of added axes, or belongs
            to another model.
    """
    return tuple(_read(source, n_components, model).axes)


def _read(source: Path | bytes, n_components: int | None, model: str) -> _File:
    name = source.name if isinstance(source, Path) else ADDED_AXES
    file = read_form(
        _File,
        source,
        MAX_BYTES,
        unreadable=f"{name} cannot be read: restore it, or delete it to add axes again",
        too_large=f"{name} has more than {MAX_BYTES:,} bytes: restore it, or delete it",
        foreign=f"{name} is damaged ({{problem}}): restore it, or delete it to add axes again",
    )
    if model and file.model != model:
        raise DataError(
            f"the axes in {name} were added to another model: delete it, and add them again"
        )
    ids = [axis.id for axis in file.axes]
    widths = {len(vector) for axis in file.axes for vector in (axis.reads, axis.moves)}
    if len(set(ids)) < len(ids) or any(int(one[1:]) >= file.next for one in ids):
        problem = "two axes have one id"
    elif len(widths) > 1 or (n_components and widths - {n_components}):
        problem = "an axis does not fit the model"
    elif any(
        not 0.99 < float(np.dot(axis.reads, axis.moves)) < 1.01
        for axis in file.axes
        if max(map(abs, (*axis.reads, *axis.moves))) < 1e100
    ):
        problem = "an axis does not move its own reading"
    else:
        return file
    raise DataError(f"{name} is damaged ({problem}): restore it, or delete it to add axes again")


def added_axes(run: Run, n_components: int | None = None) -> tuple[AddedAxis, ...]:
    """The axes that were added to a run; () where none were, or its data were replaced since.

    Args:
        n_components: of its model; where it is known, each axis must fit.

    Raises:
        DataError: the file is damaged or belongs to another model.
        RunError: the run has no model.
    """
    path = current_file(run, ADDED_AXES, FOLDER)
    if path is None or run.data_change:
        return ()
    return read_added_axes(path, n_components, run.model_key)


def lacking_axes(run: Run, base: Run) -> list[AddedAxis]:
    """The axes that were added to ``base`` and not to ``run``, by what they were asked for with.

    Raises:
        DataError, RunError: as ``added_axes``.
    """
    there = [axis.spec for axis in added_axes(run)]
    return [axis for axis in added_axes(base) if axis.spec not in there]


def change_added(
    run: Run,
    change: Callable[[tuple[AddedAxis, ...], Callable[[], str]], Sequence[AddedAxis]],
) -> tuple[AddedAxis, ...]:
    """Replace the added axes of a run by what ``change`` makes of them, one process at a time.

    Args:
        change: takes the axes and a function that gives a new id at each call.

    Returns:
        The axes as they are now.

    Raises:
        ConfigError: there would be more than ``MAX_ADDED``.
        DataError: the present file is damaged or belongs to another model; it stays as it is.
        RunError: it cannot be written, or the data were replaced since the training.
    """
    run.require_same_data()
    model, new_axes = run.model_key, list[AddedAxis]()

    def write() -> dict[str, Any]:
        path = current_file(run, ADDED_AXES, FOLDER)
        file = _File(version=1, model=model, axes=[]) if path is None else _read(path, None, model)
        number = file.next

        def new_id() -> str:
            nonlocal number
            number += 1
            return f"a{number - 1}"

        new_axes[:] = change(tuple(file.axes), new_id)
        if len(new_axes) > MAX_ADDED:
            raise ConfigError(f"a run has at most {MAX_ADDED} added axes: remove some first")
        axes = [axis.document() for axis in new_axes]
        return {"version": 1, "model": model, "next": number, "axes": axes}

    try:
        change_json(writable_file(run, ADDED_AXES, FOLDER), write)
    except OSError as error:
        why = "somebody else is" if isinstance(error, BlockingIOError) else why_not(error)
        raise RunError(f"run {run.id}: added axes cannot be written: {why}") from None
    return tuple(new_axes)


def remove_added(run: Run, axis_id: str) -> AddedAxis:
    """Remove an added axis, and give it back.

    Raises:
        ConfigError: there is none of this id.
        DataError, RunError: as ``change_added``.
    """
    axes_gone: list[AddedAxis] = []

    def without(axes: tuple[AddedAxis, ...], _: Callable[[], str]) -> Sequence[AddedAxis]:
        axes_gone[:] = [find_added(axes, axis_id)]
        return [axis for axis in axes if axis.id != axis_id]

    change_added(run, without)
    return axes_gone[0]


def restore_added(run: Run, axis: AddedAxis) -> None:
    """Put a removed axis back under its id, so that links that name it open as before; nothing
    where there is one of this id.

    Raises:
        ConfigError, DataError, RunError: as ``change_added``.
    """

    def with_it(axes: tuple[AddedAxis, ...], _: Callable[[], str]) -> Sequence[AddedAxis]:
        return axes if any(one.id == axis.id for one in axes) else [*axes, axis]

    change_added(run, with_it)


def find_added(axes: Sequence[AddedAxis], axis_id: str) -> AddedAxis:
    """The axis of this id; ConfigError where there is none."""
    for axis in axes:
        if axis.id == axis_id:
            return axis
    choices = some_of((f"{axis.id} ({axis.name})" for axis in axes), axis_id)
    raise ConfigError(f"there is no added axis '{axis_id[:40]}': choose from {choices}")
