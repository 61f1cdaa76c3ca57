"""The baselines without a trained latent: Cos-Sim, InfoNCE, and InfoNCE with linear ICA on top.

In Cos-Sim and InfoNCE z = v1 and f is the identity, so relevance is cos(v1, v2). Cos-Sim appears in
the commented-out rows of the paper's tables; InfoNCE (van den Oord et al. 2018, both directions as
in CLIP) does not appear in the paper. InfoNCE + linear ICA is the shortest way from aligned
embeddings to named axes: principal components of V in closed form, then the independent components
that every method may choose for its axes (``axes = "independent"``), folded exactly into z and f.
"""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.base.config import BatchSize, Epochs
from rivae.base.errors import ConfigError, DataError
from rivae.models.methods.base import (
    Axes,
    Batch,
    Method,
    MethodConfig,
    ParamGroup,
    Stage,
    parameters_of,
)
from rivae.models.methods.cos_sim_lvm import (
    AlignmentTerms,
    Milestones,
    WordReader,
    WordTerms,
    alignment_loss,
)
from rivae.models.methods.losses import both_ways
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.layers import FixedAffine
from rivae.models.nets.settings import EmbedderPair

# As in CLIP: a learned temperature below 1/100 only sharpens what is already right.
MIN_TEMPERATURE = 0.01
_ROWS = 512  # pictures embedded at once


class ContrastiveConfig(WordTerms, EmbedderPair, MethodConfig):
    """Settings that the baselines share."""

    dim_v: int = Field(default=3, ge=2, le=4096, description="dim(V)")
    epochs: Epochs = 300
    batch_size: BatchSize = 64
    learning_rate: float = Field(default=5e-3, gt=0)
    schedule: Literal["constant", "cosine"] = "constant"
    milestones: Milestones = ()
    axes: Axes = "scaled"
    axis_reach: float = Field(default=10.0, gt=0)


class Contrastive(Method):
    """Two embedders; z and f are affine maps of V, the identity until axes are chosen."""

    config: ContrastiveConfig
    score_name = "cos(f(z), v2)"
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
        self.to_z = FixedAffine(config.dim_v, d, n_models)
        self.from_z = FixedAffine(d, config.dim_v, n_models)
        self.words: WordReader | None = None
        if config.lambda_words:
            self.words = WordReader(config.dim_v, config.lambda_words, n_models)

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        return (
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

    def embed_query(self, x1: Tensor) -> Tensor:
        v: Tensor = self.embedder1(x1)
        return v

    def embed_target(self, x2: Tensor) -> Tensor:
        v: Tensor = self.embedder2(x2)
        return v

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
        """cos(f(z), v2); |v2| = 1, so it follows from the distance and |f(z)|."""
        norm = self.decode(z).norm(dim=-1, keepdim=True).clamp_min(1e-12)
        return (norm**2 + 1.0 - squared_distance) / (2 * norm)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.to_z.change_output(matrix, offset)
        self.from_z.change_input(matrix, offset)


class CosSimConfig(AlignmentTerms, ContrastiveConfig):
    """Settings of plain Cos-Sim."""


class CosSim(Contrastive):
    """Embeddings aligned by cosine, with a hinge (the paper's L_Retr) or a softmax."""

    name = "cos-sim"
    title = "Cos-Sim"
    config_class = CosSimConfig
    config: CosSimConfig
    has_latent = False

    def alignment(self, v1: Tensor, v2: Tensor, batch: Batch) -> dict[str, Tensor]:
        loss = alignment_loss(v1, v2, self.config, batch)
        # Mean cosine of all pairs of the batch: 1 would mean that all items share one embedding.
        alike = (v1.mean(-2) * v2.mean(-2)).sum(-1).detach()
        return {"objective": loss, "alike": alike}


class InfoNCEConfig(ContrastiveConfig):
    """Settings of InfoNCE."""

    temperature: float = Field(default=0.1, gt=0, description="of the softmax over the batch")
    temperature_form: Literal["fixed", "learned"] = Field(
        default="fixed", description="learned: training starts from the one given"
    )


class InfoNCE(Contrastive):
    """Cross entropy of the match among all items of the batch, queries to targets and back."""

    name = "info-nce"
    title = "InfoNCE"
    config_class = InfoNCEConfig
    config: InfoNCEConfig
    has_latent = False

    def __init__(
        self,
        config: InfoNCEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
        n_components: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models, n_components)
        self.log_temperature: nn.Parameter | None = None
        if config.temperature_form == "learned":
            lead = () if n_models is None else (n_models,)
            self.log_temperature = nn.Parameter(torch.full(lead, config.temperature).log())

    def temperature(self) -> Tensor:
        """The temperature of each model, (...,)."""
        if self.log_temperature is None:
            return torch.tensor(self.config.temperature)
        return self.log_temperature.exp().clamp_min(MIN_TEMPERATURE)

    def alignment(self, v1: Tensor, v2: Tensor, batch: Batch) -> dict[str, Tensor]:
        temperature = self.temperature().to(v1.device)
        scores = v1 @ v2.transpose(-1, -2) / temperature[..., None, None]
        forward, backward = both_ways(scores)
        objective = 0.5 * (forward + backward)
        terms = {"objective": objective, "to target": forward, "to query": backward}
        if self.log_temperature is not None:
            terms["temperature"] = temperature.detach()
        return terms


def shared_components(v1: Tensor, v2: Tensor, d: int) -> Tensor:
    """The ``d`` leading eigenvectors (..., D, d) of S11 + S22 of v1 and v2 (..., n, D).

    Raises:
        DataError: when embeddings are infinite, NaN or all the same.
    """
    centred = (v - v.mean(-2, keepdim=True) for v in (v1, v2))
    covariance = torch.stack([v.transpose(-1, -2) @ v for v in centred]).sum(0)
    traces = covariance.diagonal(dim1=-2, dim2=-1).sum(-1)
    if not bool(covariance.isfinite().all()) or not bool((traces > 0).all()):
        raise DataError("embeddings are infinite, NaN or all the same: lower the learning rate")
    vectors = torch.linalg.eigh(covariance)[1].flip(-1)[..., :d]
    peaks = vectors.gather(-2, vectors.abs().argmax(-2, keepdim=True))
    return vectors * torch.where(peaks < 0, -1.0, 1.0)


class InfoNCEICAConfig(InfoNCEConfig):
    """Settings of InfoNCE + linear ICA."""

    n_components: int = Field(default=2, ge=1, le=512, description="principal components of V")
    axes: Axes = "independent"

    @model_validator(mode="after")
    def _fits_into_v(self) -> InfoNCEICAConfig:
        if self.n_components > self.dim_v:
            raise ValueError(
                f"{self.dim_v} dimensions have no {self.n_components} components: raise dim_v"
            )
        return self


class InfoNCEICA(InfoNCE):
    """z = (v1 - mean of v1) U, f(z) = mean of v2 + z U', relevance cos(f(z), v2).

    U (D, d) are the leading eigenvectors of S11 + S22, the covariances of both embeddings around
    their own means: f has to reach the targets, which v1 alone does not see, and a constant offset
    between the two clouds (the "modality gap" of contrastive embeddings) is not a factor.
    """

    name = "info-nce-ica"
    title = "InfoNCE + linear ICA"
    config_class = InfoNCEICAConfig
    config: InfoNCEICAConfig
    has_latent = True
    has_closed_form = True

    def __init__(
        self,
        config: InfoNCEICAConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models, config.n_components)

    @torch.no_grad()
    def finish(self, x1: Tensor, x2: Tensor, random_state: int) -> None:
        """Principal components of the training pairs; ``random_state`` is not used.

        Raises:
            DataError: when embeddings are infinite, NaN or all the same.
        """
        v1 = torch.cat([self.embed_query(part) for part in x1.split(_ROWS)]).double()
        v2 = torch.cat([self.embed_target(part) for part in x2.split(_ROWS)]).double()
        mean1, mean2 = v1.mean(0), v2.mean(0)
        vectors = shared_components(v1, v2, self.n_components)
        self.to_z.assign(vectors, -mean1 @ vectors)
        self.from_z.assign(vectors.T, mean2)
