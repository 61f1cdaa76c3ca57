"""Where the data lie on the axes that were added to a run, and how each moves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from rivae.exploring.axes.adding import alone, effect_along, known_added, named_directions
from rivae.exploring.axes.finder import NamedDirection
from rivae.exploring.words.axis_names import SEPARATOR
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis

MOST_MEASURED = 400  # of one model, whose effects are remembered


@dataclass(frozen=True)
class PlacedAxis:
    """An added axis among the data.

    Attributes:
        axis: the record.
        mean, std: of the places of the training queries, in units of the axis.
        low, high: between them lie the central 99 % of them.
        effect: share of steps of half an s.d. along it that change the best item, in [0, 1].
        moves_alone: (d,) what z changes by when it grows by 1 and the readings of the other named
            axes stay; () where these say all that it says.
    """

    axis: AddedAxis
    mean: float
    std: float
    low: float
    high: float
    effect: float
    moves_alone: tuple[float, ...]

    @property
    def name(self) -> str:
        """How it is called everywhere: "a1 · spicy"."""
        return f"{self.axis.id}{SEPARATOR}{self.axis.name}"


@dataclass
class AxisPlaces:
    """Places the added axes of one model; what it measures it measures once. A page asks for the
    places many times while it is drawn, and they lie among all training items.

    Args:
        retriever: of the model, over the items that are searched.
    """

    retriever: Retriever
    _effects: dict[AddedAxis, float] = field(default_factory=dict)
    _placed: tuple[object, list[PlacedAxis]] = (None, [])
    _lock: Lock = field(default_factory=Lock)

    def of(self, run: Run) -> list[PlacedAxis]:
        """The axes that are added to the run now; [] and a warning where their file is damaged."""
        d = int(self.retriever.n_components)
        axes = known_added(run, d)
        if not axes:
            return []
        others = named_directions(run, d)
        asked, (known, placed) = (axes, others), self._placed
        if known == asked:
            return list(placed)
        placed = self._place(axes, others)
        self._placed = asked, placed  # at once, so that no thread sees one without the other
        return list(placed)

    def _place(
        self, axes: Sequence[AddedAxis], others: Sequence[NamedDirection]
    ) -> list[PlacedAxis]:
        z = self.retriever.reference_latents()[0]
        covariance = np.atleast_2d(np.cov(z.T))
        places_of_axes = []
        for axis in axes:
            places, own_step = axis.at(z), alone(axis, others, covariance)
            low, high = np.percentile(places, [0.5, 99.5])
            places_of_axes.append(
                PlacedAxis(
                    axis,
                    float(places.mean()),
                    max(float(places.std()), 1e-6),
                    float(low),
                    float(high),
                    self._effect(axis, z),
                    () if own_step is None else tuple(own_step.tolist()),
                )
            )
        return places_of_axes

    def _effect(self, axis: AddedAxis, z: np.ndarray) -> float:
        with self._lock:
            if axis not in self._effects:
                if len(self._effects) >= MOST_MEASURED:
                    self._effects.pop(next(iter(self._effects)))
                self._effects[axis] = effect_along(self.retriever, axis, z)
            return self._effects[axis]
