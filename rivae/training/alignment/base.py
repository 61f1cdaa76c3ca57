"""A change of the axes of z, and what a step that finds one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset
    from rivae.models.base import Method


ONLY_SCALED = "axes only scaled"  # the end of a note where a step found no axes of its own


@dataclass(frozen=True)
class AxisChange:
    """An invertible affine change of the axes of z: z' = z @ matrix + offset.

    Attributes:
        matrix, offset: (d, d) and (d,).
        note: how it was found.
        words: those that grow along each axis, where it follows words.
        step: the name of the step that was made. One that finds no axes of its own in a z only
            scales it.
    """

    matrix: Floats
    offset: Floats
    note: str
    words: tuple[tuple[str, ...], ...] = ()
    step: str = "scaled"

    def undone(self) -> AxisChange:
        """The change back to the axes as trained."""
        inverse = np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        return AS_TRAINED.change(inverse, -self.offset @ inverse)

    def then(self, change: AxisChange) -> AxisChange:
        """This change and then another one, as one."""
        matrix, offset = self.matrix @ change.matrix, self.offset @ change.matrix + change.offset
        return AxisChange(matrix, offset, change.note, change.words, change.step)


@dataclass(frozen=True)
class TrainedAxes:
    """What a step finds a change of axes in.

    Attributes:
        method: as trained, on the CPU.
        data: what it was trained on.
        rows: training rows to fit on.
        mu: (n, d) finite means of P(z|v1) of these rows.
        reach: where the central 99 % of the changed ``mu`` shall end.
        seed: of the run.
    """

    method: Method
    data: PairedDataset
    rows: NDArray[np.int64]
    mu: Floats
    reach: float
    seed: int


def _any(data: PairedDataset) -> bool:
    return True


@dataclass(frozen=True)
class AxisStep:
    """A step on the axes of a trained model: a part of ``registry.STEPS``.

    Attributes:
        name: in settings (``axes``) and files.
        title, blurb: on screen, and what it does, in a line.
        note: what ``alignment.json`` says where this step was made; no other says the same.
        find: the change of axes; that of ``folding.scaled_axes`` where it finds none of its own.
        needs: what the data must have, in words; "" where any will do.
        suits: whether they have it.
        instead: the step that is made where they have not.
        picks: whether more than the independence of the axes has picked them, which independent
            fits then cannot confirm (``alignment.certainty``).
    """

    name: str
    title: str
    blurb: str
    note: str
    find: Callable[[TrainedAxes], AxisChange]
    needs: str = ""
    suits: Callable[[PairedDataset], bool] = _any
    instead: str = "scaled"
    picks: bool = False

    def change(
        self, matrix: Floats, offset: Floats, words: tuple[tuple[str, ...], ...] = ()
    ) -> AxisChange:
        """A change that this step has found."""
        return AxisChange(matrix, offset, self.note, words, self.name)


def unchanged(d: int) -> AxisChange:
    """The ``d`` axes as trained."""
    return AS_TRAINED.change(np.eye(d), np.zeros(d))


AS_TRAINED = AxisStep(
    "as trained",
    "As trained",
    "the axes and their unit as training left them",
    "axes as trained",
    lambda axes: unchanged(axes.mu.shape[1]),
)
