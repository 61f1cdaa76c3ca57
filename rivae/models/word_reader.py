"""What the words of the texts teach the embeddings: a reader of the parts of a text."""

from __future__ import annotations

import math

from pydantic import Field
from torch import Tensor, nn

from rivae.models.base import MethodConfig
from rivae.models.nets.layers import Linear
from rivae.models.stages import Batch

N_PARTS = 30  # into which the texts are split
MAX_PART = 4.0  # s.d.: few texts are all about one part


class WordTerms(MethodConfig):
    """What the words of the texts teach the embeddings."""

    lambda_words: float = Field(
        default=0.0,
        ge=0,
        title="Weight of words",
        description="weight of the term by which v2 tells the parts of its text, groups of words "
        "that occur together; no such term where the second side has no weighted words",
    )


class WordReader(nn.Module):
    """One linear layer that reads the parts of a text off its embedding v2.

    A contrast keeps what tells the pairs apart; what a text is about may not be needed for that.
    """

    def __init__(self, dim_v: int, weight: float, n_models: int | None) -> None:
        super().__init__()
        self.weight, self.scale = weight, math.sqrt(dim_v)
        self.read = Linear(dim_v, N_PARTS, n_models)

    def term(self, v2: Tensor, batch: Batch, terms: dict[str, Tensor]) -> Tensor | float:
        """Its part of the objective, (...,); the mean squared error is added to ``terms``."""
        if batch.words is None:
            return 0.0
        error = self.read(v2 * self.scale) - batch.words.clamp(-MAX_PART, MAX_PART)
        terms["words"] = (error**2).mean((-1, -2))
        return self.weight * terms["words"]
