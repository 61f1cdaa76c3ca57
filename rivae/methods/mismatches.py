"""Which mismatches of a batch enter L_Retr, as settings of a method."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from rivae.methods.base import MethodConfig


class MismatchTerms(MethodConfig):
    """How many mismatches a pair has, and which.

    The supplement names hard-example mining for Recipe1M and gives neither a number nor a
    schedule. Those that score highest are often no mismatches at all while nothing is learned
    yet, so they may take over later.
    """

    n_mismatches: int | None = Field(
        default=None, ge=1, description="per pair; empty = all in the batch"
    )
    mismatches: Literal["random", "hardest"] = Field(
        default="random", description="hardest: those of the batch that score highest"
    )
    hardest_from: float = Field(
        default=0.0, ge=0, le=1, description="share of the stage that has random ones first"
    )

    @model_validator(mode="after")
    def _hardest_are_some(self) -> MismatchTerms:
        if self.mismatches == "hardest" and self.n_mismatches is None:
            raise ValueError(
                "the hardest mismatches are some, not all: set n_mismatches, e.g. to 1"
            )
        return self

    def takes_hardest(self, progress: float) -> bool:
        """Whether a step of the stage, at ``progress`` from 0 to 1, takes the hardest ones."""
        return self.mismatches == "hardest" and progress >= self.hardest_from
