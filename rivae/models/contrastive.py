"""The base of the methods without a trained latent: Cos-Sim, InfoNCE, InfoNCE + linear ICA.

z = v1 and f is the identity until axes are chosen, so relevance is cos(v1, v2).
"""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor

from rivae.base.errors import ConfigError
from rivae.models.base import Method, MethodConfig
from rivae.models.losses import cosine_at
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.layers import FixedAffine
from rivae.models.nets.settings import EmbedderPair
from rivae.models.settings import (
    CLOSED_FORM,
    AxisChoice,
    AxisReach,
    BatchSize,
    EmbeddingSize,
    Epochs,
    LearningRate,
    Milestones,
    Schedule,
)
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of
from rivae.models.starts import RidgeStart, require_linear
from rivae.models.word_reader import WordReader, WordTerms


class ContrastiveConfig(WordTerms, EmbedderPair, MethodConfig):
    """Settings that the baselines share."""

    dim_v: EmbeddingSize = 50
    init: Literal["none", "ridge-cca"] = Field(
        default="none",
        title="Start of embedders",
        description="random weights, or the linear maps of ridge CCA, in closed form (ridge-cca)",
    )
    epochs: Epochs = 160
    batch_size: BatchSize = 64
    learning_rate: LearningRate = 1e-3
    schedule: Schedule = "constant"
    milestones: Milestones = ()
    axes: AxisChoice = "scaled"
    axis_reach: AxisReach = 10.0

    @model_validator(mode="after")
    def _closed_form_fits(self) -> ContrastiveConfig:
        if self.init == CLOSED_FORM:
            require_linear(self, self.dim_v)
        return self


class Contrastive(Method):
    """Two embedders; z and f are affine maps of V, the identity until axes are chosen."""

    config: ContrastiveConfig
    trains_in_shares = True
    asks_both_ways = True

    def __init__(
        self,
        config: ContrastiveConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
        n_components: int | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        d = self.n_components = n_components or config.dim_v
        self.dim_v = config.dim_v
        self.embedder1, self.embedder2 = build_embedders(
            shape1, shape2, config.dim_v, config, n_models
        )
        if not any(True for e in (self.embedder1, self.embedder2) for _ in e.parameters()):
            raise ConfigError(
                "with two identities there is nothing to train: set the kind of one embedder to "
                "mlp, or choose a method with a latent"
            )
        if config.init == CLOSED_FORM:
            self.start = RidgeStart((self.embedder1, self.embedder2), config.dim_v)
        self.to_z = FixedAffine(config.dim_v, d, n_models)
        self.from_z = FixedAffine(d, config.dim_v, n_models)
        self.words: WordReader | None = None
        if config.lambda_words:
            self.words = WordReader(config.dim_v, config.lambda_words, n_models)

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        return (
            *self.start.stages(),
            Stage(
                self.name,
                c.epochs,
                c.learning_rate,
                c.batch_size,
                c.milestones,
                schedule=c.schedule,
                needs_words=self.words is not None,
            ),
        )

    def param_groups(self, stage: str) -> list[ParamGroup]:
        if self.start.has(stage):
            return self.start.groups(stage)
        return [ParamGroup(parameters_of(self))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        assert batch.x1 is not None and batch.x2 is not None
        v1 = batch.share.whole(self.embed_query(batch.x1))
        v2 = batch.share.whole(self.embed_target(batch.x2))
        terms = self.alignment(v1, v2, batch)
        if self.words is not None:
            terms["objective"] = terms["objective"] + self.words.term(v2, batch, terms)
        return {**terms, "match": (v1 * v2).sum(-1).mean(-1).detach()}

    def alignment(self, v1: Tensor, v2: Tensor, batch: Batch) -> dict[str, Tensor]:
        """The objective and its parts from unit vectors (..., B, D) of matching rows."""
        raise NotImplementedError

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """z is a function of v1; its variance is reported as e^-12."""
        z = self.to_z(v1)
        return z, torch.full_like(z, -12.0)

    def encode_target(self, x2: Tensor) -> tuple[Tensor, Tensor]:
        """The z whose f(z) is nearest to v2; where z is v itself, both sides ask alike."""
        v2 = self.embed_target(x2)
        z = (v2 - self.from_z.bias.unsqueeze(-2)) @ self.to_z.weight
        return z, torch.full_like(z, -12.0)

    def encode_both(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """Halfway between the z of v1 and that of v2."""
        z = 0.5 * (self.encode(x1)[0] + self.encode_target(x2)[0])
        return z, torch.full_like(z, -12.0)

    def hidden(self, z: Tensor) -> Tensor:
        """z itself: f is affine."""
        return z

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.from_z.weight, self.from_z.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """cos(f(z), v2)."""
        return cosine_at(self.decode(z), squared_distance)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.to_z.change_output(matrix, offset)
        self.from_z.change_input(matrix, offset)
