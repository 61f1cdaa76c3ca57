"""The axes of a run in Python: those of z, and those that were added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from rivae.api.opened import OpenedRun
from rivae.base.errors import ConfigError
from rivae.exploring.axes.adding import (
    add_axis,
    asked_spec,
    keep_axes,
    rename_axis,
)
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.axes.proposing import propose_axes
from rivae.exploring.words.axis_names import SEPARATOR
from rivae.labels.guideline import FOOD_GUIDELINE, read_guideline
from rivae.labels.guideline_axes import add_guideline_axes
from rivae.runs.added_axes import N_PROPOSED, AddedAxis, remove_added


@dataclass(frozen=True)
class Axis:
    """One axis of z.

    Attributes:
        id: "z1", "z2" ...; "v1" ... of a method without a latent.
        name: given by a person or proposed from words and factors; "" without one.
        label: what pages and charts call it: "z1", or "z1 · dessert".
        poles: what lies where z is low, and where it is high; "" where nothing is known.
        mean, std: of z over the data, in units of z.
        low, high: between them lie the central 99 % of the queries.
        effect: share of steps of half an s.d. along it that change the best item, in [0, 1].
        reads, offset: an item lies at ``z @ reads + offset`` on the axis, (d,) and a number.
        moves: (d,) what z changes by when the axis grows by 1.
        moves_alone: (d,) the same, with the readings of the other named axes left as they are; ()
            for a latent, and where the others say all that this one says.
        added: the record of an added axis, with its scores; None for a latent.
    """

    id: str
    name: str
    label: str
    poles: tuple[str, str]
    mean: float
    std: float
    low: float
    high: float
    effect: float
    reads: tuple[float, ...] = ()
    offset: float = 0.0
    moves: tuple[float, ...] = ()
    moves_alone: tuple[float, ...] = ()
    added: AddedAxis | None = None


class RunAxes(OpenedRun):
    """The axes of a run: the part of ``rivae.Run`` about them."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The d axes of z, with their names as of now, and then those that were added.

        Warns:
            UserWarning: the file of added axes is damaged; they are left out.

        Example:
            >>> import rivae
            >>> axes = rivae.load_run("demo-digits").axes
            >>> axes[0].id, axes[0].low < axes[0].mean < axes[0].high
            ('z1', True)
        """
        explorer, prior = self.explorer, self.explorer.prior
        axis_names, unit = explorer.known_names, np.eye(explorer.n_components).tolist()
        latents = tuple(
            Axis(
                id=explorer.axis_ids[j],
                name=axis_name.name if axis_name else "",
                label=explorer.axis_names[j],
                poles=axis_name.poles if axis_name else ("", ""),
                mean=float(explorer.mean[j]),
                std=float(explorer.std[j]),
                low=float(prior.low[j]),
                high=float(prior.high[j]),
                effect=float(explorer.effects[j]),
                reads=tuple(unit[j]),
                moves=tuple(unit[j]),
            )
            for j, axis_name in enumerate(axis_names)
        )
        return latents + self._added_axes()

    def _added_axes(self) -> tuple[Axis, ...]:
        """The added axes with their places among the data."""
        return tuple(
            Axis(
                id=axis_place.axis.id,
                name=axis_place.axis.name,
                label=f"{axis_place.axis.id}{SEPARATOR}{axis_place.axis.name}",
                poles=axis_place.axis.poles,
                mean=axis_place.mean,
                std=axis_place.std,
                low=axis_place.low,
                high=axis_place.high,
                effect=axis_place.effect,
                reads=axis_place.axis.reads,
                offset=axis_place.axis.offset,
                moves=axis_place.axis.moves,
                moves_alone=axis_place.moves_alone,
                added=axis_place.axis,
            )
            for axis_place in self.explorer.added_axes
        )

    @cached_property
    def axis_finder(self) -> AxisFinder:
        """Finds axes without keeping them: ``draft(spec)``. Unlike this class it may change."""
        return AxisFinder.open(self._folder, self.explorer.retriever.model, self.data)

    def add_axis(
        self,
        high: str = "",
        low: str = "",
        *,
        tag: str = "",
        factor: str = "",
        items: Sequence[int | str] = (),
        against: Sequence[int | str] = (),
        labels: Mapping[int | str, float] | None = None,
        name: str = "",
        poles: tuple[str, str] | None = None,
    ) -> AddedAxis:
        """Add an axis beside those of z: it is scored on held-out items, and kept with the run.

        Exactly one source: a line of text for its high end, or one for each end; a tag; a factor;
        items against others; or labels, which may go with lines.

        Args:
            high, low: what lies at each end, as words of the items' texts.
            tag: one of the items' tags.
            factor: one of the data's factors, by name.
            items, against: rows or ids of items that have it, and of those that do not; the rest
                of the training items where ``against`` is ().
            labels: an item's row or id, and its level. Their texts spread few labels over all
                training items.
            name: of the axis; that of its high end by default.
            poles: names of the low and the high end; by default what they were asked with.

        Raises:
            ConfigError: there is none of these, or more than one; or one cannot be used, as words
                that occur in no text, two equal ends, an unknown tag or item, too few examples.
            DataError: the data have no texts, or z says nothing about it.
            RunError: it cannot be written, or the data were replaced since the training.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> axis = run.add_axis(factor="digit=7", name="seven")
            >>> axis.name, axis.scores[0].score > axis.scores[0].chance
            ('seven', True)
            >>> run.remove_axis(axis.id).name
            'seven'
        """
        spec = asked_spec(
            high,
            low,
            tag=tag,
            factor=factor,
            items=self._ids(items),
            against=self._ids(against),
            levels=tuple(zip(self._ids(labels or ()), (labels or {}).values(), strict=True)),
        )
        axis = add_axis(self._folder, self.axis_finder, spec, name=name, poles=poles)
        self._tell_watchers()
        return axis

    def add_guideline_axes(
        self,
        guideline: str | Path = FOOD_GUIDELINE,
        lines: Mapping[str, tuple[str, str]] | None = None,
    ) -> list[AddedAxis]:
        """Add an axis for each factor of a guideline, found together; no label is needed.

        Args:
            guideline: the file of a guideline; the project's eight food factors by default.
            lines: words of the low and of the high end by factor; those of the project for its food
                factors, else the names of the lowest and highest levels.

        Raises:
            LabelError: it is no guideline.
            ConfigError, DataError, RunError: as ``add_axis``.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-kitchen")
            >>> axes = run.add_guideline_axes()  # doctest: +SKIP
            >>> axes[0].name, axes[0].poles  # doctest: +SKIP
            ('wateriness', ('dry', 'liquid'))
        """
        axes = add_guideline_axes(
            self._folder, self.axis_finder, read_guideline(Path(guideline)), lines
        )
        self._tell_watchers()
        return axes

    def propose_axes(self, n: int = N_PROPOSED) -> list[AddedAxis]:
        """At most ``n`` axes with two poles that read well, the best first; nothing is kept.

        [] where the data have no texts, tags or factors that z says something about. Keep some
        with ``keep_axes``.

        Raises:
            ConfigError: n is no whole number from 1 to 50.

        Example:
            >>> import rivae
            >>> drafts = rivae.load_run("demo-digits").propose_axes(2)
            >>> len(drafts), drafts[0].id
            (2, '')
        """
        return propose_axes(self.axis_finder, n)

    def keep_axes(self, drafts: Sequence[AddedAxis]) -> list[AddedAxis]:
        """Keep proposed axes with the run; each gets an id.

        Raises:
            ConfigError, DataError, RunError: there would be too many, or they cannot be written.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> kept = run.keep_axes(run.propose_axes(1))
            >>> run.axes[-1].id == kept[0].id == run.remove_axis(kept[0].id).id
            True
        """
        axes = keep_axes(self._folder, drafts)
        self._tell_watchers()
        return axes

    def rename_axis(
        self, axis_id: str, name: str, poles: tuple[str, str] | None = None
    ) -> AddedAxis:
        """Give an added axis another name, and return it.

        Args:
            poles: names of its low and its high end; by default they stay, but for a high end that
                had the old name.

        Raises:
            ConfigError: there is none of this id, or the name is no line of text.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> axis = run.add_axis(factor="digit=1")
            >>> run.rename_axis(axis.id, "one").name, run.remove_axis(axis.id).poles
            ('one', ('', 'one'))
        """
        other = rename_axis(self._folder, axis_id, name, poles)
        self._tell_watchers()
        return other

    def remove_axis(self, axis_id: str) -> AddedAxis:
        """Remove an added axis by its id, and return it; ``keep_axes`` takes it back.

        Raises:
            ConfigError: there is none of this id.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> axis = run.add_axis(factor="digit=1")
            >>> run.remove_axis(axis.id) == axis
            True
        """
        axis = remove_added(self._folder, axis_id)
        self._tell_watchers()
        return axis

    def _tell_watchers(self) -> None:
        for watcher in tuple(self._watchers):
            watcher.show_axes()

    def _ids(self, items: Collection[int | str]) -> tuple[str, ...]:
        """The ids of items given by row or by id."""
        names = self.data.item_ids() if any(not isinstance(item, str) for item in items) else []
        out = []
        for item in items:
            if not isinstance(item, str) and not 0 <= int(item) < len(names):
                raise ConfigError(f"there is no item {item}: rows are 0 to {len(names) - 1}")
            out.append(item if isinstance(item, str) else names[int(item)])
        return tuple(out)
