"""What training gives a method and what a method says of it: stages, batches, starts, noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

from rivae.data.base import PairedDataset
from rivae.models.nets.share import Share


class Noise:
    """Random numbers for one model, or for S models trained as one batch.

    Each model has its own generator, so a model sees the same noise whether it trains alone or
    together with others.
    """

    def __init__(self, generators: Sequence[torch.Generator], stacked: bool) -> None:
        self.generators, self.stacked = list(generators), stacked

    def _each(self, draw: list[Tensor]) -> Tensor:
        return torch.stack(draw) if self.stacked else draw[0]

    def normal_like(self, x: Tensor, share: Share | None = None) -> Tensor:
        """Standard normal numbers with the shape, type and device of ``x``.

        With a ``share`` ``x`` holds this process's rows of a batch, whose numbers are those that
        they would have in one process.
        """
        share = share or Share()
        shape = x.shape[1:] if self.stacked else share.whole_shape(x.shape)
        draws = [
            share.own(torch.randn(shape, generator=g, device=g.device)) for g in self.generators
        ]
        return self._each(draws).to(dtype=x.dtype, device=x.device)

    def integers(self, high: int, shape: tuple[int, ...]) -> Tensor:
        """Integers in [0, high) of ``shape`` (with a leading S when stacked)."""
        draws = [torch.randint(high, shape, generator=g, device=g.device) for g in self.generators]
        return self._each(draws)


@dataclass
class Batch:
    """The input of ``Method.loss``.

    ``x1``/``x2`` have shape (..., B, *shape) with a leading S when S models train as one batch.
    In a stage on cached embeddings they are None and ``v1``/``v2`` (..., B, D) are given instead.
    ``target`` (..., B, D) is the smooth starting embedding and ``coordinates`` (..., B, d) are
    the unfolded coordinates of v2, where the stage asks for them. ``words`` (..., B, K) are the
    weights of the parts of the texts, or None where the second side has no weighted words.
    ``progress`` goes from 0 at the first step of the stage to 1 at its last.
    Where several processes train together, ``x1`` and ``x2`` are this one's ``share``, and a loss
    gathers its results with ``share.whole``; everything else is of the full batch.
    """

    stage: str
    progress: float
    noise: Noise
    x1: Tensor | None = None
    x2: Tensor | None = None
    v1: Tensor | None = None
    v2: Tensor | None = None
    target: Tensor | None = None
    coordinates: Tensor | None = None
    words: Tensor | None = None
    share: Share = field(default_factory=Share)


@dataclass(frozen=True)
class Stage:
    """A part of training with its own parameters and rates.

    Attributes:
        name: shown in the log and passed in ``Batch.stage``.
        epochs: its length; 0 skips it.
        learning_rate: rate of the parameter group of scale 1.
        milestones: (epoch within the stage, factor) pairs; the rate is multiplied from there on.
        cached: train on embeddings computed once at the start of the stage (embedders frozen).
        needs_target: the batch carries the smooth starting embedding.
        needs_coordinates: the batch carries the unfolded coordinates of v2; cached stages only.
        needs_words: the batch carries the parts of the texts, where there are any.
        schedule: "constant" or "cosine" decay to zero over the stage.
        validate: measure validation retrieval after its epochs (off where z means nothing yet).
        closed_form: its one epoch is no descent but the solution that ``Start.solve`` finds.
    """

    name: str
    epochs: int
    learning_rate: float
    batch_size: int = 64
    milestones: tuple[tuple[int, float], ...] = ()
    cached: bool = False
    needs_target: bool = False
    needs_coordinates: bool = False
    needs_words: bool = False
    schedule: Literal["constant", "cosine"] = "constant"
    validate: bool = True
    closed_form: bool = False

    def n_seen(self, n_rows: int) -> int:
        """How many of ``n_rows`` rows it sees."""
        return max(1, n_rows)

    def epoch_steps(self, n_rows: int) -> int:
        """Batches in an epoch over ``n_rows`` rows."""
        n_seen = self.n_seen(n_rows)
        return n_seen // min(self.batch_size, n_seen)

    def over(self, n_rows: int) -> Stage:
        """This stage in epochs over ``n_rows`` rows; only a start counts its length otherwise."""
        return self


@dataclass(frozen=True)
class ParamGroup:
    """Parameters that share a learning-rate scale within a stage."""

    parameters: list[nn.Parameter]
    scale: float = 1.0


class Start:
    """Stages that train the embedders before those of a method; this base class has none.

    Attributes:
        unfolds_pairs: whether it unfolds the training pairs as they are, before any training.
        is_model: whether what it ends with retrieves already; training then keeps it where no
            epoch after it is better on validation pairs.
    """

    unfolds_pairs: bool = False
    is_model: bool = False

    def stages(self) -> list[Stage]:
        """Its stages in order."""
        return []

    def has(self, stage: str) -> bool:
        """Whether ``stage`` is one of its own."""
        return any(stage == each.name for each in self.stages())

    def groups(self, stage: str) -> list[ParamGroup]:
        """The parameters that one of its stages updates."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """The loss of one of its stages, as ``Method.loss``."""
        raise NotImplementedError

    def solve(
        self, data: PairedDataset, watch: Callable[[float], None], folder: Path | None = None
    ) -> dict[str, float]:
        """Set the embedders to the solution of a stage in closed form; the numbers to log.

        Args:
            data: views and split of the training pairs.
            watch: called with the share that is done; an exception of it ends the solution.
            folder: keeps how far it is, so that a stopped solution resumes.
        """
        raise NotImplementedError

    def contrast_embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Unit vectors of both sides whose sheet a contrastive start unfolds, each (..., B, .)."""
        raise NotImplementedError

    def refitted(self) -> tuple[nn.Module, ...]:
        """The modules that begin each of several fits from other random weights."""
        return ()


def parameters_of(*modules: nn.Module) -> list[nn.Parameter]:
    """All parameters of ``modules``, each once."""
    return list(dict.fromkeys(p for module in modules for p in module.parameters()))
