"""The contrastive start: fits that forget what is private, whose sheet is unfolded afterwards.

Both embedders get a wide last layer for these stages (``training/unfolding.py`` needs room around
the sheet), and learn to tell the pairs of a batch apart (InfoNCE, van den Oord et al., 2018). What
the sides do not share cannot help with that, so it leaves the embeddings. One fit may curl its
sheet up; so several are made, each from other random weights and of other pairs, and unfolded
together.

While the embedders then learn the unfolded coordinates, they go on telling the pairs apart, weakly:
that alone says where the coordinates, which a few hundred steps gave, are not yet exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from rivae.base.errors import ConfigError
from rivae.models.losses import both_ways, squared_distances
from rivae.models.nets.embedders import IdentityEmbedder, WithHead
from rivae.models.nets.layers import Linear
from rivae.models.settings import BatchSize, LearningRate, Temperature
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of

STAGE = "contrast"
Embedders = tuple[WithHead, WithHead]
# What telling pairs apart weighs beside the coordinates, and the width of its softmax in a sheet of
# radius .8. More of it stretches the sheet.
APART, WIDTH = 0.1, 0.05
# Adam's first steps are as long as the rate allows, whatever the gradient: at the full rate they
# throw away what the last layers begin with.
WARM_UP = 50


@dataclass(frozen=True)
class StepStage(Stage):
    """A stage whose length is a number of steps: few epochs of a large data set, at most a part of
    one.

    Attributes:
        steps: its length.
    """

    steps: int = 1

    def epoch_steps(self, n_rows: int) -> int:
        return max(1, min(super().epoch_steps(n_rows), self.steps))

    def over(self, n_rows: int) -> Stage:
        return replace(self, epochs=-(-self.steps // self.epoch_steps(n_rows)))


@dataclass(frozen=True)
class FitStage(StepStage):
    """One of several contrastive fits; from the second on they start from other random weights.

    Attributes:
        fit: its number, from 1.
        sample: share of the training rows that it sees; each fit draws others.
    """

    fit: int = 1
    sample: float = 1.0

    def n_seen(self, n_rows: int) -> int:
        return max(1, round(self.sample * n_rows))


@dataclass(frozen=True)
class UnfoldStage(StepStage):
    """The embedders learn coordinates, from the last layers that come nearest to them.

    Attributes:
        straightens: the coordinates are what the embedders have learnt before, straightened.
        warm_up: first steps over which the rate rises from 0.
    """

    straightens: bool = False
    warm_up: int = WARM_UP


class ContrastSettings(BaseModel):
    """Settings of the contrastive start."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    fits: int = Field(
        default=3,
        ge=1,
        le=20,
        title="Fits",
        description="contrastive fits, each from other random weights",
    )
    steps: int = Field(
        default=200, ge=0, le=1_000_000, title="Steps", description="steps of each fit"
    )
    unfold_steps: int = Field(
        default=1000,
        ge=1,
        le=1_000_000,
        title="Steps of unfolding",
        description="steps in which the embedders learn what all fits unfold to, and once more as "
        "many after it is bent straight",
    )
    sample: float = Field(
        default=0.8,
        gt=0,
        le=1,
        title="Sample of pairs",
        description="share of the pairs that each of several fits sees",
    )
    dim: int = Field(
        default=64, ge=2, le=4096, title="Size", description="of the embeddings it unfolds"
    )
    temperature: Temperature = 0.1
    learning_rate: LearningRate = 2e-3
    batch_size: BatchSize = 256


class ContrastStart(nn.Module):
    """Wide last layers for two embedders, which stay out of its module tree."""

    def __init__(
        self,
        settings: ContrastSettings,
        embedders: tuple[nn.Module, nn.Module],
        n_models: int | None = None,
    ) -> None:
        super().__init__()
        if any(isinstance(embedder, IdentityEmbedder) for embedder in embedders):
            raise ConfigError(
                "the contrastive start trains both embedders, and an identity has nothing to "
                "train: set its kind to mlp, or init=cos-sim-lvm"
            )
        self.settings, self._embedders = settings, cast(Embedders, embedders)
        self.outs = nn.ModuleList(
            Linear(embedder.head.out.weight.shape[-2], settings.dim, n_models)
            for embedder in self._embedders
        )

    def stages(self) -> list[Stage]:
        """The stages "contrast", "contrast-2" ..., one for each fit."""
        c = self.settings
        return [
            FitStage(
                STAGE if fit == 1 else f"{STAGE}-{fit}",
                1,
                c.learning_rate,
                c.batch_size,
                schedule="cosine",
                validate=False,
                steps=c.steps,
                fit=fit,
                sample=1.0 if c.fits == 1 else c.sample,
            )
            for fit in range(1, c.fits + 1)
        ]

    def unfold_stages(self, learning_rate: float) -> list[Stage]:
        """The stages "unfold" and "straighten".

        Half of the steps go to what the fits have found, half to the same bent straight: two
        networks that have learnt it from one side each agree on less noise than there was.
        """
        c = self.settings
        unfold = UnfoldStage(
            "unfold",
            1,
            learning_rate,
            c.batch_size,
            needs_target=True,
            schedule="cosine",
            validate=False,
            steps=c.unfold_steps,
        )
        return [unfold, replace(unfold, name="straighten", straightens=True)]

    @staticmethod
    def apart(v1: Tensor, v2: Tensor) -> Tensor:
        """The weak contrastive term next to the coordinates of both sides, (..., B, D); (...,)."""
        forward, backward = both_ways(-squared_distances(v1, v2) / (2 * WIDTH**2))
        return APART * 0.5 * (forward + backward)

    def param_groups(self) -> list[ParamGroup]:
        """The embedders but for their own last layers, and the wide ones."""
        last_layer_ids = {id(p) for e in self._embedders for p in parameters_of(e.head.out)}
        parameters = parameters_of(*self._embedders, self.outs)
        return [ParamGroup([p for p in parameters if id(p) not in last_layer_ids])]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """InfoNCE in both directions."""
        assert batch.x1 is not None and batch.x2 is not None
        v1, v2 = (batch.share.whole(v) for v in self.embeddings(batch.x1, batch.x2))
        forward, backward = both_ways(v1 @ v2.transpose(-1, -2) / self.settings.temperature)
        objective = 0.5 * (forward + backward)
        return {"objective": objective, "to target": forward, "to query": backward}

    def embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Unit vectors of both sides, each (..., B, dim)."""
        (e1, e2), (out1, out2) = self._embedders, self.outs
        with e1.head.ending_in(out1), e2.head.ending_in(out2):
            return e1(x1), e2(x2)
