"""RBi-VAE: the bimodal model of embeddings, trained together with the embedders (supplement).

Its aggregated posterior Q(z) is made to factorise by a discriminator that estimates the total
correlation (density-ratio trick of FactorVAE, Kim & Mnih 2018, Sec. 3).
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import softplus

from rivae.base.config import Epochs, Widths
from rivae.models.joint_training import JOINT_PRESETS, JointTraining, JointTrainingConfig
from rivae.models.losses import retrieval_loss, with_embedder_terms
from rivae.models.methods.bi_vae_on_v import BimodalConfig, BimodalMethod
from rivae.models.nets.layers import Linear, activation
from rivae.models.settings import WEIGHT
from rivae.models.stages import Batch, Noise, ParamGroup, Stage, parameters_of

SLOPE = 0.2  # of the leaky ReLU


class HeLinear(Linear):
    """A layer whose initial weights keep the size of a leaky ReLU's outputs.

    PyTorch's default shrinks the signal to 1/200 over six layers: for hundreds of steps such a
    discriminator learns nothing.
    """

    def reset(self, generators: list[torch.Generator]) -> None:
        """U(-b, b) with variance 2 / ((1 + slope^2) in) as weights; biases 0."""
        super().reset(generators)
        with torch.no_grad():
            self.weight.mul_(math.sqrt(6.0 / (1.0 + SLOPE**2)))
            self.bias.zero_()


class Discriminator(nn.Module):
    """The log odds that z comes from Q(z) and not from the product of its marginals.

    Fully connected layers of widths ``hidden`` with leaky ReLU (slope .2), one logit; the two
    logits of FactorVAE enter everywhere only by their difference, which is this one.
    """

    def __init__(
        self, n_components: int, hidden: tuple[int, ...], n_models: int | None = None
    ) -> None:
        super().__init__()
        sizes = (n_components, *hidden)
        self.layers = nn.ModuleList(HeLinear(a, b, n_models) for a, b in pairwise(sizes))
        self.activation = activation("leaky-relu")
        self.out = Linear(sizes[-1], 1, n_models)

    def forward(self, z: Tensor) -> Tensor:
        """Log odds (..., B) of z (..., B, d)."""
        for layer in self.layers:
            z = self.activation(layer(z))
        odds: Tensor = self.out(z)
        return odds.squeeze(-1)


def permuted(z: Tensor, noise: Noise) -> Tensor:
    """Each dimension of z (..., B, d) in its own random order: samples of prod_j Q(z_j)."""
    return z.gather(-2, noise.normal_like(z).argsort(-2))


def total_correlation(discriminator: Discriminator, z: Tensor) -> Tensor:
    """The mean log odds of z (..., B, d), shape (...,); its gradient reaches z alone.

    The discriminator's parameters are held fixed, so this can be part of one objective with
    ``discriminator_loss``: one optimiser step then updates both, each by its own loss. The
    estimate may be negative.
    """
    constants = {name: p.detach() for name, p in discriminator.named_parameters()}
    log_odds: Tensor = functional_call(discriminator, constants, (z,))
    return log_odds.mean(-1)


def discriminator_loss(discriminator: Discriminator, z: Tensor, noise: Noise) -> Tensor:
    """Cross entropy of real z (..., B, d) against permuted ones, (...,); z gets no gradient.

    log 2 for a discriminator that cannot tell them apart.
    """
    real = z.detach()
    fake = permuted(real, noise)
    wrong = softplus(-discriminator(real)) + softplus(discriminator(fake))
    return 0.5 * wrong.mean(-1)


class RBiVAEConfig(JointTrainingConfig, BimodalConfig):
    """Settings of RBi-VAE."""

    model_epochs: Epochs = Field(
        default=30, title="Epochs of stage 1", description="stage 1: the bimodal model alone"
    )
    gamma: float = Field(
        default=10.0,
        ge=0,
        title="Weight: independence",
        description="weight of the total correlation",
        json_schema_extra=WEIGHT,
    )
    discriminator_hidden: Widths = Field(
        default=(300,) * 6,
        min_length=1,
        title="Discriminator layers",
        description="of the density-ratio trick",
    )
    discriminator_rate: float = Field(
        default=1e-3,
        gt=0,
        title="Rate of discriminator",
        description="its learning rate (absolute, not relative)",
    )


class RBiVAE(BimodalMethod, JointTraining):
    r"""The bimodal model of embeddings, trained together with the embedders.

    Model: that of Bi-VAE on V (eq. supp_dfr_pvz), P(z) P(v_1|z) P(v_2|z) on v_i = e_i(x_i).

    Losses, of which each updates only the parameters in its brackets (eq. supp_obj_joint):

        L = L_Bi-VAE(model) + \lambda_Retr L_Retr(model, e_1, e_2) + \lambda_Reg L_Reg(e_2)
        L_Bi-VAE = -log P(v_1, v_2) or -ELBO, + \gamma TC              (eq. supp_obj_vae)
        TC       = KL(Q(z) || \prod_j Q(z_j))
        L_Retr   = (margin + E_{Q(z|v_1)} [log P(v_2'|z) - log P(v_2|z)])_+   (eq. supp_retr_loss)
        L_Reg    = E (|e_2(x_2) - e_2(x_2 + \epsilon)| - c)^2          (eq. supp_emb_reg)

    A discriminator estimates TC by the log odds that z comes from Q(z), and is updated by its own
    cross entropy. Stage "bi-vae" minimises L_Bi-VAE on fixed embeddings, stage "joint" minimises L.

    In settings d is ``n_components``, \gamma ``gamma``, the others are those of RIVAE and of
    Bi-VAE on V. With one axis, or ``gamma=0``, there is no TC and no discriminator.

    Reference: the paper's supplement, "Details of the joint model"; the density ratio of TC is that
    of Kim and Mnih, "Disentangling by factorising" (2018), Sec. 3.

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("rbi-vae", {"n_components": 2}, (5,), (4,))
        >>> terms = method.loss(Batch("joint", 0.0, noise, x1, x2))
        >>> {"likelihood", "retrieval", "regulariser", "total correlation"} <= set(terms)
        True
    """

    name = "rbi-vae"
    title = "RBi-VAE"
    blurb = "Bi-VAE on V trained for retrieval, with independent axes"
    paper = True
    # Six layers of 100, the paper's discriminator of Recipe1M: those of 300 are nine tenths of the
    # work of a step on Synth (86 of 94 ms for ten stacked seeds).
    presets = {
        "default": {**JOINT_PRESETS["default"], "discriminator_hidden": (100,) * 6},
        "paper": JOINT_PRESETS["paper"],
    }
    smallest = {
        "init_epochs": 3,
        "model_epochs": 2,
        "joint_epochs": 4,
        "batch_size": 16,
        "discriminator_hidden": [8, 8],
    }
    config_class = RBiVAEConfig
    trains_in_shares = True
    config: RBiVAEConfig

    def __init__(
        self,
        config: RBiVAEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models)
        self.discriminator: Discriminator | None = None
        # One dimension has no total correlation.
        if config.gamma and config.n_components > 1:
            self.discriminator = Discriminator(
                config.n_components, config.discriminator_hidden, n_models
            )

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        alone = Stage("bi-vae", c.model_epochs, c.learning_rate, c.batch_size, cached=True)
        return (*self.start.stages(), alone, self.joint_stage())

    def param_groups(self, stage: str) -> list[ParamGroup]:
        if self.start.has(stage):
            return self.start.groups(stage)
        c, groups = self.config, []
        if self.discriminator is not None:
            rate = c.learning_rate
            if stage == "joint":
                rate = c.joint_learning_rate or rate
            groups = [ParamGroup(parameters_of(self.discriminator), c.discriminator_rate / rate)]
        if stage == "joint":
            groups.append(self.embedder_group())
        return [*groups, ParamGroup(parameters_of(self.model))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        if self.start.has(batch.stage):
            return self.start.loss(batch)
        if batch.stage == "bi-vae":
            assert batch.v1 is not None and batch.v2 is not None
            objective, terms = self._model_loss(batch.v1, batch.v2, batch)
            return {"objective": objective, **terms}
        return self._joint_loss(batch)

    def _model_loss(self, v1: Tensor, v2: Tensor, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """L_Bi-VAE (eq. supp_obj_vae) and the discriminator's own loss."""
        objective, terms = self.model.fit_terms(v1, v2, batch.noise)
        if self.discriminator is not None:
            z = self.model.pair_posterior(v1, v2).sample(batch.noise)
            terms["total correlation"] = total_correlation(self.discriminator, z)
            terms["discriminator"] = discriminator_loss(self.discriminator, z, batch.noise)
            objective = objective + self.config.gamma * terms["total correlation"]
            objective = objective + terms["discriminator"]
        return objective, terms

    def _joint_loss(self, batch: Batch) -> dict[str, Tensor]:
        c = self.config
        v1, v2 = self.embedded_batch(batch)
        # Each loss updates only its own parameters: for L_Bi-VAE embeddings are data.
        objective, terms = self._model_loss(v1.detach(), v2.detach(), batch)
        # Q(z|v1), not Q(z|v1,v2): z must not depend on the item to be found.
        q = self.model.query_posterior(v1)
        z = q.sample(batch.noise) if c.expectation == "sample" else q.mean
        scores, hardest = self.model.all_scores(z, v2), c.takes_hardest(batch.progress)
        terms["retrieval"] = retrieval_loss(
            scores, c.n_mismatches, c.loss_form, c.margin, batch.noise, hardest
        )
        objective = objective + c.lambda_retr * terms["retrieval"]
        objective = with_embedder_terms(objective, terms, self, v1, v2, batch)
        return {"objective": objective, **terms}
