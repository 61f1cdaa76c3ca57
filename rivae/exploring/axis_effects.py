"""The result of measuring one axis (``rivae.exploring.effects``): numbers, a table, a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rivae.metrics.effects import measurable
from rivae.retrieval.base import Floats, Ints
from rivae.runs.results import Change

if TYPE_CHECKING:
    import pandas as pd

USUAL_LENGTH = 2.563  # s.d. between the ends of a normal axis that goes with no other
FAR = 2.0  # times that length: the axis moves away from the data
N_SAID = 4  # names of a direction in a sentence
KINDS = {"factor": "factors", "tag": "tags", "word": "words"}


@dataclass(frozen=True)
class AxisEffects:
    """What moving one axis over the middle 80 % of the data changes among the retrieved items.

    Attributes:
        axis: its name, plain text.
        kinds, names: "factor", "tag" or "word", and the name, of each of C columns.
        change: (C,) in s.d. of the column over the items searched, see ``rivae.metrics.effects``.
        chance: (C,) sizes that shuffled columns, reversed queries or turned axes reach.
        low, high: the ends of the movement, in units of the axis.
        length: of the movement, in s.d. of the data in its direction; 2.6 where the axis goes with
            no other.
        new: of the ``k`` items at the high end, how many are not found at the low end, a mean over
            ``n_queries`` queries.
        missing: what the data have none of: "factors", "tags", "words".
    """

    axis: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    change: Floats
    chance: Floats
    low: float
    high: float
    length: float
    new: float
    k: int
    n_queries: int
    missing: tuple[str, ...]

    @property
    def is_measurable(self) -> NDArray[np.bool_]:
        """(C,) whether the column changes by more than chance."""
        return measurable(self.change, self.chance)

    @cached_property
    def order(self) -> Ints:
        """The columns, those that change measurably first, then by the size of the change."""
        return np.lexsort((-np.abs(self.change), ~self.is_measurable))

    def table(self) -> pd.DataFrame:
        """One row per column in ``order``: kind, name, change, chance, measurable."""
        import pandas as pd

        return pd.DataFrame(
            {
                "kind": np.array(self.kinds, dtype=object)[self.order],
                "name": np.array(self.names, dtype=object)[self.order],
                "change": self.change[self.order],
                "chance": self.chance[self.order],
                "measurable": self.is_measurable[self.order],
            }
        )

    @property
    def changes(self) -> list[Change]:
        """What changes measurably, the largest change first; rounded to 4 decimals."""
        return [
            Change(
                kind=self.kinds[c],
                name=self.names[c],
                change=round(float(self.change[c]), 4),
                chance=round(float(self.chance[c]), 4),
            )
            for c in self.order[: int(self.is_measurable.sum())]
        ]

    @property
    def sentence(self) -> str:
        """``More dessert: 9 of 10 items new; gelato, frosting up; feta down; nothing else changes
        measurably.``
        """
        return self.told(N_SAID)

    def told(self, most: int) -> str:
        """``sentence`` with at most ``most`` names of each direction."""
        sure = [c for c in self.order if self.is_measurable[c]]
        parts = [f"{round(self.new)} of {self.k} items new"]
        for sign, way in ((1, "up"), (-1, "down")):
            names = [self.names[c] for c in sure if sign * self.change[c] > 0]
            names = list(dict.fromkeys(names))  # a factor and a tag may have one name
            if names:
                more = f" and {len(names) - most} more" if len(names) > most else ""
                parts.append(f"{', '.join(names[:most])}{more} {way}")
        if self.names:
            other = "nothing else" if self.is_measurable.any() else "nothing"
            parts.append(f"{other} changes measurably")
        if self.missing:
            parts.append(f"these data have no {' and no '.join(self.missing)}")
        if self.length > FAR * USUAL_LENGTH:
            times = self.length / USUAL_LENGTH
            parts.append(f"it goes {times:.0f} times as far as the data do in its direction")
        return f"More {self.axis}: {'; '.join(parts)}."

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """What changes measurably, at most ``most``, and how it was measured, as JSON values."""
        return {
            "axis": self.axis,
            "sentence": self.sentence,
            "changes": [change.model_dump() for change in self.changes[:most]],
            "n_columns": len(self.names),
            "new": self.new,
            "k": self.k,
            "n_queries": self.n_queries,
            "low": self.low,
            "high": self.high,
            "length": self.length,
            "missing": list(self.missing),
        }
