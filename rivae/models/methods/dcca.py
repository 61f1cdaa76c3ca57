"""DCCA: deep canonical correlation analysis on the embeddings, read as probabilistic CCA.

The losses take features phi1 (..., B, p) and phi2 (..., B, q); leading dimensions (S models) pass
through. S12 is their cross-covariance, S11 and S22 are their covariances, all unbiased (divided by
B - 1).
"""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor

from rivae.base.config import BatchSize, Epochs, Widths
from rivae.models.cca_losses import canonical_correlations, eckart_young_terms
from rivae.models.components import unit_components
from rivae.models.embedded import EmbeddedConfig, EmbeddedMethod
from rivae.models.nets.layers import MLP, FixedAffine, identity
from rivae.models.pcca import fit_pcca
from rivae.models.settings import (
    WEIGHT,
    EmbedderRate,
    JointMilestones,
    JointRate,
    LearningRate,
    Schedule,
)
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of

_ROWS = 512  # pictures embedded at once


class DCCAConfig(EmbeddedConfig):
    """Settings of DCCA; n_components is also the width of phi."""

    g_hidden: Widths = Field(
        default=(10, 10, 10),
        min_length=1,
        title="Hidden layers of g",
        description="hidden layers of g",
    )
    loss_form: Literal["canonical", "eckart-young"] = Field(
        default="canonical",
        title="Loss",
        description="minus the canonical correlations of the batch, or the unconstrained form that "
        "small batches leave unbiased",
    )
    regulariser: float = Field(
        default=1e-3,
        ge=1e-12,
        title="Regulariser",
        description="canonical form: r in S_ii + r v_i I, v_i the mean variance of a feature",
        json_schema_extra=WEIGHT,
    )
    g_epochs: Epochs = Field(default=30, title="Epochs of stage 1", description="stage 1: g alone")
    joint_epochs: Epochs = Field(
        default=100, title="Epochs of stage 2", description="stage 2: g and the embedders"
    )
    joint_batch_size: BatchSize | None = Field(
        default=None,
        title="Batch size of stage 2",
        description="of both stages; empty: batch_size (paper: 64)",
    )
    learning_rate: LearningRate = 1e-3
    joint_learning_rate: JointRate = None
    embedder_rate: EmbedderRate = 1.0
    schedule: Schedule = "constant"
    milestones: JointMilestones = ()

    @model_validator(mode="after")
    def _batch_is_large_enough(self) -> DCCAConfig:
        size = self.joint_batch_size or self.batch_size
        # B pairs correlate perfectly by chance in B - 1 dimensions.
        least = 2 * (self.n_components + 1) if self.loss_form == "canonical" else 4
        if size < least:
            raise ValueError(
                f"a batch of {size} pairs says nothing about {self.n_components} correlations: "
                f"raise joint_batch_size to at least {least}"
            )
        return self


class DCCA(EmbeddedMethod):
    r"""Features of maximal correlation, read as a latent variable model.

    Model, with features \phi_i = g_i(e_i(x_i)) and probabilistic CCA fitted to them at the end:

        z ~ N(0, I),   \phi_i | z ~ N(W_i z + m_i, \Psi_i)
        P(z | \phi_1) and P(\phi_2 | z) follow in closed form

    Loss, with covariances S of a batch and their mean variances s_i:

        canonical:     L = -\sum_k \rho_k,  the singular values of S_11^{-1/2} S_12 S_22^{-1/2}
                       with S_ii + r s_i I for S_ii
        eckart-young:  L = -2 tr S_12 + |(S_11 + S_22) / 2|^2

    Stage "g" trains g_i on fixed embeddings, stage "joint" the embedders as well. In settings the
    width of \phi_i is ``n_components``, r is ``regulariser``, the form ``loss_form``.

    The embeddings of retrieval are phi_1 and the whitened phi_2, so that squared distances are
    Mahalanobis distances under P(phi_2|z). Hence ``dim_v`` here is n_components and not the
    setting ``dim_v`` of the embedders. Every map behind phi is affine and set by ``finish``.

    Reference: the paper, Sec. 4.1, and its supplement, "Network Architectures"; Andrew et al.,
    "Deep canonical correlation analysis" (2013); Bach and Jordan, "A probabilistic interpretation
    of canonical correlation analysis" (2005).

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("dcca", {"n_components": 2}, (5,), (4,))
        >>> terms = method.loss(Batch("joint", 0.0, noise, x1, x2))
        >>> bool(-2 <= terms["objective"] <= 0)
        True
    """

    name = "dcca"
    title = "DCCA"
    blurb = "Deep canonical correlations, with z in closed form"
    paper = True
    smallest = {
        "init_epochs": 3,
        "g_epochs": 2,
        "joint_epochs": 4,
        "batch_size": 16,
        "joint_batch_size": None,
    }
    config_class = DCCAConfig
    trains_in_shares = True
    config: DCCAConfig
    has_closed_form = True
    covariance: Tensor

    def __init__(
        self,
        config: DCCAConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models)
        d = self.dim_v = config.n_components
        self.g1 = MLP(config.dim_v, config.g_hidden, d, n_models=n_models)
        self.g2 = MLP(config.dim_v, config.g_hidden, d, n_models=n_models)
        self.to_z = FixedAffine(d, d, n_models)  # mean of P(z|phi_1)
        self.register_buffer("covariance", identity(d, d, n_models))
        self.pair1 = FixedAffine(d, d, n_models)  # mean of P(z|phi_1, phi_2): a sum of two
        self.pair2 = FixedAffine(d, d, n_models)
        self.whiten = FixedAffine(d, d, n_models)  # phi_2 in units of its noise
        self.from_z = FixedAffine(d, d, n_models)  # W_2 z + m_2 in the same units
        self.add_initialiser(shape1, shape2, n_models)

    # training

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        size = c.joint_batch_size or c.batch_size
        stages = self.start.stages()
        stages.append(Stage("g", c.g_epochs, c.learning_rate, size, cached=True))
        stages.append(
            Stage(
                "joint",
                c.joint_epochs,
                c.joint_learning_rate or c.learning_rate,
                size,
                c.milestones,
                schedule=c.schedule,
            )
        )
        return tuple(stages)

    def param_groups(self, stage: str) -> list[ParamGroup]:
        if self.start.has(stage):
            return self.start.groups(stage)
        heads = parameters_of(self.g1, self.g2)
        if stage == "g":
            return [ParamGroup(heads)]
        embedders = parameters_of(self.embedder1, self.embedder2)
        return [ParamGroup(embedders, self.config.embedder_rate), ParamGroup(heads)]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        if self.start.has(batch.stage):
            return self.start.loss(batch)
        v1, v2 = batch.v1, batch.v2
        if batch.stage == "joint":
            v1, v2 = self.embedded_batch(batch)
        assert v1 is not None and v2 is not None
        phi1, phi2 = self.g1(v1), self.g2(v2)
        if self.config.loss_form == "eckart-young":
            reward, penalty = eckart_young_terms(phi1, phi2)
            return {"objective": penalty - 2 * reward, "reward": reward, "penalty": penalty}
        rho = canonical_correlations(phi1, phi2, self.config.regulariser).to(phi1.dtype)
        return {
            "objective": -rho.sum(-1),
            "largest correlation": rho[..., 0],
            "smallest correlation": rho[..., -1],
        }

    @torch.no_grad()
    def begin(self, stage: str, v1: Tensor, v2: Tensor) -> None:
        """g as principal components, where the start is a model already and g has the room."""
        if not self.start.is_model or min(self.config.g_hidden) < 2 * self.n_components:
            return
        to_z, _, offsets, _ = unit_components(v1, v2, self.n_components)
        for g, offset in zip((self.g1, self.g2), offsets, strict=True):
            g.assign(to_z, offset)

    def unfolded_heads(self) -> tuple[MLP, ...]:
        return self.g1, self.g2

    def unfolded_head_loss(self, v: Tensor, z: Tensor) -> dict[str, Tensor]:
        gap = ((self.g1(v) - z) ** 2).sum(-1) + ((self.g2(v) - z) ** 2).sum(-1)
        return {"features": gap.mean(-1)}

    @torch.no_grad()
    def finish(self, x1: Tensor, x2: Tensor, random_state: int) -> None:
        """Fit probabilistic CCA to the features of training pairs; ``random_state`` is not used."""
        parts = list(zip(x1.split(_ROWS), x2.split(_ROWS), strict=True))
        pairs = [self.embeddings(a, b) for a, b in parts]
        phi1 = torch.cat([self.g1(v1) for v1, _ in pairs]).cpu()
        phi2 = torch.cat([self.g2(v2) for _, v2 in pairs]).cpu()
        fit = fit_pcca(phi1, phi2, self.n_components)
        weight, bias, covariance = fit.posterior(1)
        self.to_z.assign(weight, bias)
        self.covariance.copy_(covariance)
        weight1, weight2, bias, _ = fit.posterior_of_pair()
        self.pair1.assign(weight1, bias)
        self.pair2.assign(weight2, torch.zeros_like(bias))
        # Both around m_2: the whitened values stay small, and float32 exact.
        whitening = fit.whitening(2)
        self.whiten.assign(whitening, -fit.mean2 @ whitening)
        self.from_z.assign(fit.loading(2).T @ whitening, torch.zeros_like(bias))

    # retrieval

    def embed_query(self, x1: Tensor) -> Tensor:
        """phi_1 (..., B, d)."""
        phi: Tensor = self.g1(self.embedder1(x1))
        return phi

    def embed_target(self, x2: Tensor) -> Tensor:
        """Psi_2^(-1/2) (phi_2 - m_2), (..., B, d)."""
        phi: Tensor = self.whiten(self.g2(self.embedder2(x2)))
        return phi

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and diagonal log variance of P(z|phi_1); ``v1`` is phi_1."""
        mu = self.to_z(v1)
        variance = self.covariance.diagonal(dim1=-2, dim2=-1)
        return mu, variance.log().unsqueeze(-2).expand_as(mu)

    def encode_pair(self, x1: Tensor, x2: Tensor) -> Tensor:
        v1, v2 = self.embeddings(x1, x2)
        mean: Tensor = self.pair1(self.g1(v1)) + self.pair2(self.g2(v2))
        return mean

    def hidden(self, z: Tensor) -> Tensor:
        """z itself: f is affine."""
        return z

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.from_z.weight, self.from_z.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """log P(phi_2|z) up to its constant."""
        return -0.5 * squared_distance

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.to_z.change_output(matrix, offset)
        self.pair1.change_output(matrix, offset)
        self.pair2.change_output(matrix, torch.zeros_like(offset))
        self.from_z.change_input(matrix, offset)
        # The full covariance is known here, so a second change is exact as well.
        turn = matrix.double()
        self.covariance.copy_(turn.T @ self.covariance.double() @ turn)
