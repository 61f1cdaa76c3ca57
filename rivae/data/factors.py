"""What a factor of the items is: its name, kind, role and levels. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FactorKind = Literal["continuous", "ordinal", "categorical"]
FactorRole = Literal["shared", "private1", "private2"]


@dataclass(frozen=True)
class FactorSpec:
    """The meaning of one column of ``PairedDataset.factors``.

    ``role`` is "shared" when both views depend on the factor and "private1" / "private2" when
    only that view does. ``levels`` names the values of an ordinal or categorical factor in the
    order of their codes 0, 1, 2 ...; it is empty for a continuous one, which may have two
    ``ends`` instead: what there is little or much of it.
    """

    name: str
    kind: FactorKind
    role: FactorRole = "shared"
    levels: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None

    def say(self, value: float) -> str:
        """A value in words: the name of its level where it has one."""
        return self.levels[int(value)] if self.levels else f"{value:.2f}"

    @property
    def poles(self) -> tuple[str, str]:
        """What there is little or much of the factor; "" where only its name says it."""
        if self.kind == "ordinal" and self.levels:
            return self.levels[0], self.levels[-1]
        return self.ends or ("", "")
