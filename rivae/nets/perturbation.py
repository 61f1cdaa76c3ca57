"""Where L_Reg perturbs an item: in its numbers, or, where these count words, in word vectors.

Sec. 2, footnote of eq. emb_reg: pixel-wise for pictures, on the word vectors for text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from rivae.nets.recipe_rnn import RecipeRNN


@dataclass(frozen=True)
class Perturbable:
    """A point of a continuous space, and the embedder as a function on it.

    Attributes:
        embed: (..., B, *space) to unit vectors (..., B, D).
        point: (..., B, *space); ``n_axes`` axes belong to an item.
        mask: 1 where the point may be moved, broadcast to its shape; None is everywhere.
    """

    embed: Callable[[Tensor], Tensor]
    point: Tensor
    n_axes: int
    mask: Tensor | None = None


def perturbable(embedder: nn.Module, x: Tensor, n_axes: int) -> Perturbable:
    """What L_Reg perturbs of items ``x`` (..., B, *shape) with ``n_axes`` axes in ``shape``."""
    if not isinstance(embedder, RecipeRNN):
        return Perturbable(embedder, x, n_axes)
    return Perturbable(
        lambda vectors: embedder.from_vectors(vectors, x),
        embedder.word_vectors(x),
        n_axes=2,
        mask=(x != 0).unsqueeze(-1),
    )
