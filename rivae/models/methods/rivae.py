"""RIVAE: the implicit identifiable retrieval VAE (Sec. 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.base.config import Epochs, Positive
from rivae.models.components import unit_components
from rivae.models.joint_training import JOINT_PRESETS, JointTraining, JointTrainingConfig
from rivae.models.losses import (
    aggregated_prior_kl,
    geometric,
    kl_diagonal,
    log_density,
    negative_elbo,
    retrieval_loss,
    sample,
    squared_distances,
    with_embedder_terms,
)
from rivae.models.nets.layers import MLP, GaussianHead, fold_affine_into_input
from rivae.models.settings import WEIGHT
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of


class RIVAEConfig(JointTrainingConfig):
    """Settings of RIVAE. Choices that the paper does not fix have a description."""

    unfold_epochs: Epochs = Field(
        default=0,
        title="Epochs of unfolding",
        description="before stage 1: the heads learn the Isomap coordinates of v2, so that "
        "the map starts without folds",
    )
    head_start: Literal["random", "components"] = Field(
        default="random",
        title="Start of heads",
        description="of stage 1: random weights, or principal components of both embeddings, "
        "whose variances alone are then learned; unfolded coordinates go before both",
    )
    unfold_neighbours: int = Field(
        default=10,
        ge=2,
        le=100,
        title="Unfolding neighbours",
        description="nearest pairs that define the unfolded map",
    )
    ivae_epochs: Epochs = Field(
        default=30, title="Epochs of stage 1", description="stage 1: IVAE alone"
    )
    eta: tuple[Positive, Positive] = Field(
        default=(0.3, 0.1),
        title="Noise (eta)",
        description="stage 1, start and end",
        json_schema_extra=WEIGHT,
    )
    joint_eta: tuple[Positive, Positive] = Field(
        default=(0.1, 0.1),
        title="Noise in stage 2",
        description="stage 2",
        json_schema_extra=WEIGHT,
    )
    score_tau: tuple[Positive, Positive] | None = Field(
        default=None,
        title="Scale of scores (tau)",
        description="scores -|f(z)-v2|^2/(2 tau^2) in L_Retr; empty: tau = eta",
        json_schema_extra=WEIGHT,
    )
    lambda_lb: float = Field(
        default=1.0,
        ge=0,
        title="Weight: lower bound",
        description="of the lower bound L_LB in stage 2",
    )
    lb_trains_embedders: bool = Field(
        default=False, title="L_LB trains embedders", description="the paper: no, they collapse"
    )
    prior_pull: float = Field(
        default=0.0,
        ge=0,
        title="Weight: prior",
        description="KL of the aggregated prior to N(0,I)",
        json_schema_extra=WEIGHT,
    )
    ask_both_ways: bool = Field(
        default=False,
        title="Either view may ask",
        description="the second view may be the query as well, e.g. the recipe: P(z|v2) is learned "
        "next to P(z|v1), and L_Retr also from v2 back to v1",
    )

    @model_validator(mode="after")
    def _components_fit(self) -> RIVAEConfig:
        if not self.components_first:
            return self
        if min(self.head_hidden) < 2 * self.n_components:
            raise ValueError(
                f"heads that start as {self.n_components} components need hidden layers of at "
                f"least {2 * self.n_components} units: widen head_hidden, or set head_start=random"
            )
        if self.dim_v < self.n_components:
            raise ValueError(
                f"{self.dim_v} dimensions have no {self.n_components} components: raise dim_v"
            )
        return self

    @property
    def components_first(self) -> bool:
        """Whether the heads begin as principal components."""
        return self.head_start == "components" and not self.unfolds and not self.unfold_epochs


class RIVAE(JointTraining):
    r"""The retrieval VAE of pairs, whose axes can be identified.

    Model, on embeddings v_i = e_i(x_i) of unit length:

        P(z | v_1)      = N(z; \mu(v_1), Diag(\sigma^2(v_1)))          (eq. dfrivae_p_z_v1)
        P(v_2 | z)      = N(v_2; f(z), \eta^2 I)
        Q(z | v_1, v_2) = N(z; m(v_1, v_2), Diag(s^2(v_1, v_2)))       (eq. dfrivae_q_z_v1_v2)

    Losses, of which each updates only the parameters in its brackets (eq. obj_joint):

        L = \lambda_LB L_LB(IVAE) + \lambda_Retr L_Retr(IVAE, e_1, e_2) + \lambda_Reg L_Reg(e_2)
        L_LB   = KL(Q(z|v_1,v_2) || P(z|v_1)) - E_Q log P(v_2|z)       (eq. elbo_ivae)
        L_Retr = (margin + E_{P(z|v_1)} [log P(v_2'|z) - log P(v_2|z)])_+    (eq. retr_loss)
        L_Reg  = E (|e_2(x_2) - e_2(x_2 + \epsilon)| - c)^2            (eq. emb_reg)

    Stage "ivae" minimises L_LB on fixed embeddings, stage "joint" minimises L. In settings d is
    ``n_components``, \eta ``eta`` and ``joint_eta`` (start and end), v_2' is one of
    ``n_mismatches`` other items of the batch, |\epsilon| ``reg_magnitude``; ``loss_form=softmax``
    puts the cross entropy of the match in place of the hinge. ``ask_both_ways`` adds P(z|v_2), its
    KL and L_Retr from v_2 back to v_1; ``prior_pull`` weighs a KL of E P(z|v_1) to N(0, I).

    Reference: the paper, Sec. 2 "Implicit Identifiable Retrieval VAE".

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("rivae", {"n_components": 2}, (5,), (4,))
        >>> sorted(method.loss(Batch("joint", 0.0, noise, x1, x2)))
        ['kl', 'objective', 'reconstruction', 'regulariser', 'retrieval']
    """

    name = "rivae"
    title = "RIVAE"
    blurb = "The paper's method: axes that can be identified, trained for retrieval"
    paper = True
    # "default" has scores in units that leave a gradient: eta around .1.
    presets = {
        "default": {**JOINT_PRESETS["default"], "score_tau": (0.3, 0.1)},
        "paper": {**JOINT_PRESETS["paper"], "eta": (1e-3, 1e-3), "joint_eta": (1e-3, 1e-3)},
    }
    smallest = {
        "init": "cos-sim-lvm",
        "anchor": None,
        "init_epochs": 3,
        "unfold_epochs": 0,
        "ivae_epochs": 2,
        "joint_epochs": 4,
        "batch_size": 16,
    }
    config_class = RIVAEConfig
    trains_in_shares = True
    config: RIVAEConfig

    def __init__(
        self,
        config: RIVAEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models)
        c = config
        self.prior = GaussianHead(c.dim_v, c.head_hidden, c.n_components, n_models)
        self.posterior = GaussianHead(2 * c.dim_v, c.head_hidden, c.n_components, n_models)
        self.decoder = MLP(c.n_components, c.head_hidden, c.dim_v, n_models=n_models)
        self.add_initialiser(shape1, shape2, n_models)
        # Last, so that all else starts from the same weights with and without it.
        self.asks_both_ways = c.ask_both_ways
        self.prior2: GaussianHead | None = None
        if c.ask_both_ways:
            self.prior2 = GaussianHead(c.dim_v, c.head_hidden, c.n_components, n_models)

    # training

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        ivae = Stage("ivae", c.ivae_epochs, c.learning_rate, c.batch_size, cached=True)
        unfold = replace(
            ivae,
            name="unfold-heads",
            epochs=c.unfold_epochs,
            needs_coordinates=True,
            schedule="cosine",
        )
        return (*self.start.stages(), unfold, ivae, self.joint_stage())

    def param_groups(self, stage: str) -> list[ParamGroup]:
        if self.start.has(stage):
            return self.start.groups(stage)
        if stage == "ivae" and self.config.components_first:
            # Training pairs agree better than others: on fixed embeddings of them the means would
            # unlearn what holds for others as well (food, MedR of validation rows: 78 → 96 to 106).
            wide = [head.log_var for head in (*self._priors(), self.posterior)]
            return [ParamGroup(parameters_of(*wide))]
        heads = parameters_of(*self._priors(), self.posterior, self.decoder)
        if stage in ("ivae", "unfold-heads"):
            return [ParamGroup(heads)]
        return [self.embedder_group(), ParamGroup(heads)]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        if batch.stage == "joint":
            return self._joint_loss(batch)
        if batch.stage == "ivae":
            assert batch.v1 is not None and batch.v2 is not None
            eta = geometric(*self.config.eta, batch.progress)
            bound, terms = self._lower_bound(batch.v1, batch.v2, eta, batch)
            return {"objective": bound, **terms}
        if batch.stage == "unfold-heads":
            return self._coordinate_loss(batch)
        return self.start.loss(batch)

    @torch.no_grad()
    def begin(self, stage: str, v1: Tensor, v2: Tensor) -> None:
        """Stage 1: the heads as principal components of unit variance, f as their inverse."""
        if stage != "ivae" or not self.config.components_first:
            return
        to_z, from_z, offsets, mean2 = unit_components(v1, v2, self.n_components)
        for prior, offset in zip(self._priors(), offsets, strict=False):
            prior.mu.assign(to_z, offset)
        self.posterior.mu.assign(torch.cat([to_z, to_z], -2) / 2, (offsets[0] + offsets[1]) / 2)
        self.decoder.assign(from_z, mean2)

    def _priors(self) -> tuple[GaussianHead, ...]:  # P(z|v1), and P(z|v2) where it has one
        return (self.prior,) if self.prior2 is None else (self.prior, self.prior2)

    def unfolded_heads(self) -> tuple[nn.Module, ...]:
        return (*(prior.mu for prior in self._priors()), self.decoder)

    def unfolded_head_loss(self, v: Tensor, z: Tensor) -> dict[str, Tensor]:
        # The heads start from the same coordinates: from random heads about one seed in four
        # loses an axis in stage 1. The scale of z brings it to about unit variance.
        named_priors = zip(("encoded", "encoded_2"), self._priors(), strict=False)
        terms = {name: ((prior.mu(v) - z) ** 2).sum(-1).mean(-1) for name, prior in named_priors}
        return {**terms, "decoded": ((self.decoder(z) - v) ** 2).sum(-1).mean(-1)}

    def _coordinate_loss(self, batch: Batch) -> dict[str, Tensor]:
        """P(z|v1), P(z|v2), Q(z|v1,v2) and f fitted to coordinates that are given."""
        assert batch.v1 is not None and batch.v2 is not None and batch.coordinates is not None
        z, q = batch.coordinates, self.posterior(torch.cat([batch.v1, batch.v2], -1))
        terms = {
            "prior": -log_density(z, *self.prior(batch.v1)).mean(-1),
            "posterior": -log_density(z, *q).mean(-1),
            "decoded": ((self.decoder(z) - batch.v2) ** 2).sum(-1).mean(-1),
        }
        # A squared error is near .01, log densities of order 1: the factor gives them equal weight.
        objective = terms["prior"] + terms["posterior"] + 100.0 * terms["decoded"]
        if self.prior2 is not None:
            terms["prior_2"] = -log_density(z, *self.prior2(batch.v2)).mean(-1)
            objective = objective + terms["prior_2"]
        return {"objective": objective, **terms}

    def _lower_bound(
        self, v1: Tensor, v2: Tensor, eta: float, batch: Batch
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """L_LB (eq. elbo_ivae) of embeddings (..., B, D), with one z ~ Q(z|v1,v2); its terms."""
        p = self.prior(v1)
        q = self.posterior(torch.cat([v1, v2], -1))
        z = sample(q[0], q[1], batch.noise)
        reconstruction, kl = negative_elbo(v2, self.decoder(z), q, p, eta)
        bound, terms = reconstruction + kl, {"reconstruction": reconstruction, "kl": kl}
        if self.prior2 is not None:
            terms["kl_2"] = kl_diagonal(*q, *self.prior2(v2)).mean(-1)
            bound = bound + terms["kl_2"]
        if self.config.prior_pull:
            terms["pull"] = aggregated_prior_kl(*p)
            bound = bound + self.config.prior_pull * terms["pull"]
        return bound, terms

    def _joint_loss(self, batch: Batch) -> dict[str, Tensor]:
        """lambda_LB L_LB + lambda_Retr L_Retr + lambda_Reg L_Reg (eq. obj_joint)."""
        assert batch.x1 is not None and batch.x2 is not None
        c = self.config
        v1 = batch.share.whole(self.embedder1(batch.x1))
        v2 = batch.share.whole(self.embedder2(batch.x2))
        eta = geometric(*c.joint_eta, batch.progress)
        tau = geometric(*(c.score_tau or c.joint_eta), batch.progress)
        # Each loss updates only its own parameters (eq. obj_joint): for L_LB embeddings are data.
        embeddings = (v1, v2) if c.lb_trains_embedders else (v1.detach(), v2.detach())
        bound, terms = self._lower_bound(*embeddings, eta, batch)
        objective = c.lambda_lb * bound
        hardest = c.takes_hardest(batch.progress)
        ways = (("retrieval", v1, v2), ("retrieval_2", v2, v1))
        for prior, (name, asking, targets) in zip(self._priors(), ways, strict=False):
            z, log_var = prior(asking)
            if c.expectation == "sample":
                z = sample(z, log_var, batch.noise)
            scores = -squared_distances(self.decoder(z), targets) / (2 * tau**2)
            terms[name] = retrieval_loss(
                scores, c.n_mismatches, c.loss_form, c.margin, batch.noise, hardest
            )
            objective = objective + c.lambda_retr * terms[name]
        objective = with_embedder_terms(objective, terms, self, v1, v2, batch)
        return {"objective": objective, **terms}

    # retrieval

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        mu, log_var = self.prior(v1)
        return mu, log_var

    def encode_target(self, x2: Tensor) -> tuple[Tensor, Tensor]:
        if self.prior2 is None:
            return super().encode_target(x2)
        mu, log_var = self.prior2(self.embed_target(x2))
        return mu, log_var

    def encode_both(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        # Not P(z|v1) P(z|v2) / P(z), which needs the aggregated prior: that is no Gaussian.
        mu, log_var = self.posterior(torch.cat([self.embed_query(x1), self.embed_target(x2)], -1))
        return mu, log_var

    def encode_pair(self, x1: Tensor, x2: Tensor) -> Tensor:
        return self.encode_both(x1, x2)[0]

    def hidden(self, z: Tensor) -> Tensor:
        return self.decoder.hidden_layer(z)

    def output_layer(self) -> tuple[Tensor, Tensor]:
        return self.decoder.out.weight, self.decoder.out.bias

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """log P(v2|z) up to its constant, with the final eta of the joint stage."""
        return -squared_distance / (2 * self.config.joint_eta[1] ** 2)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        for head in (*self._priors(), self.posterior):
            head.apply_affine(matrix, offset)
        fold_affine_into_input(self.decoder.layers[0], matrix, offset)  # type: ignore[arg-type]
