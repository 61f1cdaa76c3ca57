"""RIVAE: the implicit identifiable retrieval VAE (Sec. 2)."""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.config import BatchSize, Epochs, Positive, Widths
from rivae.methods.base import Batch, Method, MethodConfig, ParamGroup, Stage, parameters_of
from rivae.methods.cos_sim_lvm import CosSimLVM, CosSimLVMConfig, CosSimTerms, Milestones
from rivae.methods.losses import (
    aggregated_prior_kl,
    embedder_regulariser,
    geometric,
    negative_elbo,
    retrieval_loss,
    squared_distances,
)
from rivae.nets.embedders import EmbedderConfig, build_embedder, steady
from rivae.nets.heads import MLP, GaussianHead, fold_affine_into_input

# Smooth targets are a patch of radius .8 of the unit sphere, about three s.d. wide.
SMOOTH_Z_SCALE = 3.0 / 0.8


class RIVAEConfig(MethodConfig):
    """Settings of RIVAE. Points that the paper leaves open are settings with a description."""

    n_components: int = Field(default=2, ge=1, le=512, description="dim(z)")
    dim_v: int = Field(default=3, ge=2, le=4096, description="dim(V)")
    embedder: EmbedderConfig = EmbedderConfig()
    head_hidden: Widths = Field(default=(10, 10), min_length=1)

    init: Literal["none", "cos-sim-lvm", "smooth"] = Field(
        default="cos-sim-lvm",
        description="where the embedders start: nowhere, a trained Cos-Sim-LVM (paper), or the "
        "unfolded coordinates of the training pairs (see training/smooth_start.py)",
    )
    init_epochs: Epochs = 100
    init_learning_rate: float = Field(default=5e-3, gt=0)
    cos_sim: CosSimTerms = Field(
        default=CosSimTerms(), description="loss of the initialising Cos-Sim-LVM"
    )
    smooth_neighbours: int = Field(default=6, ge=2, le=100)
    smooth_blur: float = Field(default=1.5, ge=0, description="s.d. of the blur, in pixels")

    ivae_epochs: Epochs = Field(default=100, description="stage 1: IVAE alone")
    joint_epochs: Epochs = Field(default=300, description="stage 2: everything")
    batch_size: BatchSize = 64
    joint_batch_size: BatchSize | None = None
    learning_rate: float = Field(default=5e-3, gt=0)
    joint_learning_rate: float | None = Field(default=None, gt=0)
    embedder_rate: float = Field(default=1.0, ge=0, description="of the embedders, relative")
    schedule: Literal["constant", "cosine"] = "constant"
    milestones: Milestones = Field(
        default=(), description="(epoch of the joint stage, factor on the rate)"
    )

    eta: tuple[Positive, Positive] = Field(default=(0.1, 0.1), description="stage 1, start and end")
    joint_eta: tuple[Positive, Positive] = Field(default=(0.1, 0.1), description="stage 2")
    score_tau: tuple[Positive, Positive] | None = Field(
        default=None, description="scores -|f(z)-v2|^2/(2 tau^2) in L_Retr; empty: tau = eta"
    )
    lambda_lb: float = Field(default=1.0, ge=0)
    lambda_retr: float = Field(default=1.0, ge=0)
    lambda_reg: float = Field(default=0.1, ge=0)
    loss_form: Literal["hinge", "softmax"] = "hinge"
    margin: float = Field(default=1.0, ge=0)
    n_mismatches: int | None = Field(
        default=1, ge=1, description="per pair; empty = all in the batch"
    )
    expectation: Literal["sample", "mean"] = Field(
        default="sample", description="z ~ P(z|v1) in L_Retr, or its mean"
    )
    lb_trains_embedders: bool = Field(default=False, description="the paper: no, they collapse")
    reg_form: Literal["literal", "ratio", "jvp"] = "ratio"
    reg_magnitude: float = Field(default=1e-3, gt=0, description="|eps|")
    prior_pull: float = Field(default=0.0, ge=0, description="KL of the aggregated prior to N(0,I)")
    anchor: tuple[Positive, Positive] | None = Field(
        default=None, description="joint: weight of |e(x) - smooth target|^2, start and end"
    )
    axes: Literal["as trained", "scaled", "independent"] = Field(
        default="scaled",
        description="after training, exactly folded into mu and f: the unit of z, or also a "
        "rotation to independent components",
    )
    axis_reach: float = Field(
        default=10.0, gt=0, description="where the central 99 % of the training z end"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> RIVAEConfig:
        if self.anchor and self.init != "smooth":
            raise ValueError("an anchor needs the smooth start: set init=smooth or anchor=null")
        if self.init == "smooth" and self.dim_v <= self.n_components:
            raise ValueError(
                f"a smooth start of {self.n_components} components needs dim_v of at least "
                f"{self.n_components + 1}: raise dim_v"
            )
        return self


class RIVAE(Method):
    """P(z|v1), P(v2|z) and Q(z|v1,v2) on the embedded space, trained without a decoder of x2."""

    name = "rivae"
    title = "RIVAE"
    config_class = RIVAEConfig
    config: RIVAEConfig

    def __init__(
        self,
        config: RIVAEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__()
        self.config = c = config
        self.n_components, self.dim_v = c.n_components, c.dim_v
        self.n_axes2 = len(shape2)
        self.embedder1 = build_embedder(shape1, c.dim_v, c.embedder, n_models)
        self.embedder2 = build_embedder(shape2, c.dim_v, c.embedder, n_models)
        self.prior = GaussianHead(c.dim_v, c.head_hidden, c.n_components, n_models)
        self.posterior = GaussianHead(2 * c.dim_v, c.head_hidden, c.n_components, n_models)
        self.decoder = MLP(c.n_components, c.head_hidden, c.dim_v, n_models=n_models)
        lead = () if n_models is None else (n_models,)
        self.c = nn.Parameter(torch.full(lead, 0.1 if c.reg_form == "literal" else 1.0))
        self.initialiser: CosSimLVM | None = None
        if c.init == "cos-sim-lvm":
            settings = CosSimLVMConfig(
                n_components=c.n_components,
                dim_v=c.dim_v,
                embedder=c.embedder,
                head_hidden=c.head_hidden,
                **c.cos_sim.model_dump(),
            )
            self.initialiser = CosSimLVM(
                settings, shape1, shape2, n_models, (self.embedder1, self.embedder2)
            )

    # training

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        stages: list[Stage] = []
        if c.init == "cos-sim-lvm":
            stages.append(
                Stage(
                    "initialise",
                    c.init_epochs,
                    c.init_learning_rate,
                    c.batch_size,
                    validate=False,
                )
            )
        if c.init == "smooth":
            stages.append(
                Stage(
                    "unfold",
                    c.init_epochs,
                    c.init_learning_rate,
                    c.batch_size,
                    needs_target=True,
                    schedule="cosine",
                    validate=False,
                )
            )
        stages.append(
            Stage("ivae", c.ivae_epochs, c.learning_rate, c.batch_size, cached=True)
        )
        stages.append(
            Stage(
                "joint",
                c.joint_epochs,
                c.joint_learning_rate or c.learning_rate,
                c.joint_batch_size or c.batch_size,
                c.milestones,
                needs_target=c.anchor is not None,
                schedule=c.schedule,
            )
        )
        return tuple(stages)

    def smooth_target_dim(self) -> int | None:
        return self.n_components if self.config.init == "smooth" else None

    def param_groups(self, stage: str) -> list[ParamGroup]:
        embedders = parameters_of(self.embedder1, self.embedder2)
        heads = parameters_of(self.prior, self.posterior, self.decoder)
        if stage == "initialise":
            assert self.initialiser is not None
            return self.initialiser.param_groups(stage)
        if stage == "unfold":
            heads = parameters_of(self.prior.mu, self.decoder)
            return [ParamGroup(embedders + heads)]
        if stage == "ivae":
            return [ParamGroup(heads)]
        return [ParamGroup(embedders + [self.c], self.config.embedder_rate), ParamGroup(heads)]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        if batch.stage == "initialise":
            assert self.initialiser is not None
            return self.initialiser.loss(batch)
        if batch.stage == "unfold":
            return self._unfold_loss(batch)
        if batch.stage == "ivae":
            assert batch.v1 is not None and batch.v2 is not None
            eta = geometric(*self.config.eta, batch.progress)
            terms = self._lower_bound(batch.v1, batch.v2, eta, batch)
            return {"objective": self._lb_objective(terms), **terms}
        return self._joint_loss(batch)

    def _unfold_loss(self, batch: Batch) -> dict[str, Tensor]:
        assert batch.x1 is not None and batch.x2 is not None and batch.target is not None
        v1, v2 = self.embed_query(batch.x1), self.embed_target(batch.x2)
        anchor = self._anchor(v1, v2, batch.target)
        # The heads start from the same coordinates: from random heads about one seed in four
        # loses an axis in stage 1. The factor brings z to about unit variance.
        z = batch.target[..., : self.n_components] * SMOOTH_Z_SCALE
        encoded = ((self.prior.mu(batch.target) - z) ** 2).sum(-1).mean(-1)
        decoded = ((self.decode(z) - batch.target) ** 2).sum(-1).mean(-1)
        terms = {"anchor": anchor, "encoded": encoded, "decoded": decoded}
        return {"objective": anchor + encoded + decoded, **terms}

    @staticmethod
    def _anchor(v1: Tensor, v2: Tensor, target: Tensor) -> Tensor:
        gap = ((v1 - target) ** 2).sum(-1) + ((v2 - target) ** 2).sum(-1)
        return gap.mean(-1)

    def _lower_bound(
        self, v1: Tensor, v2: Tensor, eta: float, batch: Batch
    ) -> dict[str, Tensor]:
        p = self.encode_v(v1)
        q = self.posterior(torch.cat([v1, v2], -1))
        z = q[0] + (0.5 * q[1]).exp() * batch.noise.normal_like(q[0])
        reconstruction, kl = negative_elbo(v2, self.decode(z), q, p, eta)
        terms = {"reconstruction": reconstruction, "kl": kl}
        if self.config.prior_pull:
            terms["pull"] = aggregated_prior_kl(*p)
        return terms

    def _lb_objective(self, terms: dict[str, Tensor]) -> Tensor:
        objective = terms["reconstruction"] + terms["kl"]
        if "pull" in terms:
            objective = objective + self.config.prior_pull * terms["pull"]
        return objective

    def _joint_loss(self, batch: Batch) -> dict[str, Tensor]:
        assert batch.x1 is not None and batch.x2 is not None
        c = self.config
        eta = geometric(*c.joint_eta, batch.progress)
        tau = eta if c.score_tau is None else geometric(*c.score_tau, batch.progress)
        v1, v2 = self.embed_query(batch.x1), self.embed_target(batch.x2)
        # Each loss updates only its own parameters (eq. obj_joint): for L_LB embeddings are data.
        fixed = (v1, v2) if c.lb_trains_embedders else (v1.detach(), v2.detach())
        terms = self._lower_bound(*fixed, eta, batch)
        objective = c.lambda_lb * self._lb_objective(terms)

        mu, log_var = self.encode_v(v1)
        z = mu
        if c.expectation == "sample":
            z = mu + (0.5 * log_var).exp() * batch.noise.normal_like(mu)
        scores = -squared_distances(self.decode(z), v2) / (2 * tau**2)
        terms["retrieval"] = retrieval_loss(
            scores, c.n_mismatches, c.loss_form, c.margin, batch.noise
        )
        objective = objective + c.lambda_retr * terms["retrieval"]

        if c.lambda_reg:
            with steady(self.embedder2):
                terms["regulariser"] = embedder_regulariser(
                    self.embed_target,
                    batch.x2,
                    self.c,
                    c.reg_form,
                    c.reg_magnitude,
                    batch.noise,
                    self.n_axes2,
                )
            objective = objective + c.lambda_reg * terms["regulariser"]
        if c.anchor is not None:
            assert batch.target is not None
            terms["anchor"] = self._anchor(v1, v2, batch.target)
            objective = objective + geometric(*c.anchor, batch.progress) * terms["anchor"]
        return {"objective": objective, **terms}

    # retrieval

    def embed_query(self, x1: Tensor) -> Tensor:
        v: Tensor = self.embedder1(x1)
        return v

    def embed_target(self, x2: Tensor) -> Tensor:
        v: Tensor = self.embedder2(x2)
        return v

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        mu, log_var = self.prior(v1)
        return mu, log_var

    def hidden(self, z: Tensor) -> Tensor:
        return self.decoder.hidden_layer(z)

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.decoder.out.weight, self.decoder.out.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """log P(v2|z) up to its constant, with the final eta of the joint stage."""
        return -squared_distance / (2 * self.config.joint_eta[1] ** 2)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.prior.apply_affine(matrix, offset)
        self.posterior.apply_affine(matrix, offset)
        first = self.decoder.layers[0]
        fold_affine_into_input(first, matrix, offset)  # type: ignore[arg-type]
