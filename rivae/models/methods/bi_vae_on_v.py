"""Bi-VAE on V: the bimodal model of embeddings that are trained first and then fixed (Sec. 5).

``BimodalMethod`` is what it shares with RBi-VAE. Retrieval is Euclidean, so items and queries are
points whose distance ranks log P(v2|z): with a constant variance s both are divided by sqrt(s),
with a variance that depends on z both are lifted (see ``gaussians``).
"""

from __future__ import annotations

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.models.bimodal import BimodalTerms, BimodalVAE, LinearGaussian, build_bimodal_model
from rivae.models.embedded import EmbeddedConfig, EmbeddedMethod
from rivae.models.gaussians import (
    lifted_items,
    lifted_score,
    log_density_constant,
    natural_parameters,
)
from rivae.models.nets.layers import FixedAffine
from rivae.models.settings import Epochs, LearningRate, Milestones, Schedule
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of


class BimodalConfig(EmbeddedConfig, BimodalTerms):
    """Settings of a bimodal model on embeddings; ``head_hidden`` is used by the start only."""


class BimodalMethod(EmbeddedMethod):
    """P(z), P(v1|z), P(v2|z) on v1 = e1(x1) and v2 = e2(x2).

    The prior N(0, I) and diagonal densities are defined in the coordinates that were trained, so
    a change of axes is kept separately: z' = ``to_axes`` (z) after inference, z =
    ``from_axes`` (z') before decoding. It stays exact, variances included, also after several.
    """

    config: BimodalConfig

    def __init__(
        self,
        config: BimodalConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models)
        d = config.n_components
        self.model = build_bimodal_model(config.dim_v, d, config, n_models)
        self.to_axes = FixedAffine(d, d, n_models)
        self.from_axes = FixedAffine(d, d, n_models)
        self.has_variance_by_z = config.variance == "by z"
        if self.has_variance_by_z:
            self.dim_v = 2 * config.dim_v + 1
            self.piecewise_linear = False  # its natural parameters are curved in z
        self.add_initialiser(shape1, shape2, n_models)

    # the starts

    def begin(self, stage: str, v1: Tensor, v2: Tensor) -> None:
        """The linear model as principal components, where the start is a model already."""
        if self.start.is_model and isinstance(self.model, LinearGaussian):
            self.model.start_from(v1, v2)

    def unfolded_heads(self) -> tuple[nn.Module, ...]:
        model = self.model
        encoders = (model.encoder1.mu, model.encoder2.mu) if isinstance(model, BimodalVAE) else ()
        return (*encoders, model.decoder1, model.decoder2)

    def unfolded_head_loss(self, v: Tensor, z: Tensor) -> dict[str, Tensor]:
        """Both decoders, and the encoders of a VAE, start from the smooth coordinates."""
        model = self.model
        errors = [((decoder(z) - v) ** 2).sum(-1) for decoder in (model.decoder1, model.decoder2)]
        terms = {"decoded": torch.stack(errors).sum(0).mean(-1)}
        if isinstance(model, BimodalVAE):
            z_errors = [
                ((head.mu(v) - z) ** 2).sum(-1) for head in (model.encoder1, model.encoder2)
            ]
            terms["encoded"] = torch.stack(z_errors).sum(0).mean(-1)
        return terms

    # retrieval

    def embed_target(self, x2: Tensor) -> Tensor:
        """The point of item x2, (..., B, dim_v): v2 / sqrt(s), or the lift of v2 in float64."""
        v2: Tensor = self.embedder2(x2)
        return lifted_items(v2) if self.has_variance_by_z else v2 * self._scale2().unsqueeze(-2)

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of Q(z|v1), the diagonal where its covariance is full."""
        q = self.model.query_posterior(v1)
        return self.to_axes(q.mean), q.variance_along(self.to_axes.weight).log()

    def encode_pair(self, x1: Tensor, x2: Tensor) -> Tensor:
        return self.to_axes(self.model.pair_posterior(*self.embeddings(x1, x2)).mean)

    def hidden(self, z: Tensor) -> Tensor:
        """Last hidden layer of E[v2|z], (..., B, m); the natural parameters where v2 is lifted."""
        z = self.from_axes(z)
        if self.has_variance_by_z:
            return natural_parameters(self.model.mean2(z), self.model.log_var2(z))
        return self.model.hidden2(z)

    def output_layer(self) -> tuple[Tensor, Tensor]:
        out = self.model.output2()
        if self.has_variance_by_z:
            eye = torch.eye(self.dim_v - 1, self.dim_v).to(out.weight)
            lead = out.weight.shape[:-2]
            return eye.expand(*lead, -1, -1), eye.new_zeros(*lead, self.dim_v)
        scale = self._scale2()
        return out.weight * scale.unsqueeze(-2), out.bias * scale

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """log P(v2|z); without its constant where the variance is constant."""
        if not self.has_variance_by_z:
            return -0.5 * squared_distance
        inside = self.from_axes(z)
        constant = log_density_constant(self.model.mean2(inside), self.model.log_var2(inside))
        return lifted_score(self.hidden(z), squared_distance) + constant.unsqueeze(-1)

    def _scale2(self) -> Tensor:
        """1 / sqrt(s) of P(v2|z), (..., D); for a constant variance."""
        return (-0.5 * self.model.bounded(self.model.raw_log_var2)).exp()

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.to_axes.change_output(matrix, offset)
        self.from_axes.change_input(matrix, offset)


class BiVAEOnVConfig(BimodalConfig):
    """Settings of Bi-VAE on V."""

    epochs: Epochs = Field(default=130, description="of the bimodal model, after the start")
    learning_rate: LearningRate = 1e-3
    schedule: Schedule = "constant"
    milestones: Milestones = ()

    @model_validator(mode="after")
    def _embedders_train_somewhere(self) -> BiVAEOnVConfig:
        if self.init == "none":
            raise ValueError(
                "Bi-VAE on V trains no embedder itself: set init=cos-sim-lvm, smooth or ridge-cca"
            )
        return self


class BiVAEOnV(BimodalMethod):
    r"""The bimodal model of embeddings that are trained first and then fixed.

    Model, on embeddings v_i = e_i(x_i) of unit length (eq. supp_dfr_pvz):

        P(z) = N(z; 0, I),   P(v_i | z) = N(v_i; f_i(z), Diag(s_i))

    Loss, of the linear form f_i(z) = z W_i + b_i, whose likelihood is exact, and of the other one
    (eq. supp_elbo), with the same bound of v_1 and of v_2 alone:

        linear:      L = -log P(v_1, v_2)
        non-linear:  L = KL(Q(z|v_1,v_2) || P(z)) - E_Q log P(v_1, v_2 | z) + those of each side
                     Q(z | v_1, v_2) \propto q_1(z|v_1) q_2(z|v_2), times P(z) with ``prior_expert``

    In settings d is ``n_components`` and ``form`` the form; ``variance`` says whether s_i depends
    on z, ``log_var_range`` bounds log s_i, ``init`` trains the embedders.

    Reference: the paper, Sec. 4.1, and its supplement, "Details of the joint model".

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("bi-vae-on-v", {"n_components": 2}, (5,), (4,))
        >>> v1, v2 = method.embeddings(x1, x2)
        >>> sorted(method.loss(Batch("bi-vae", 0.0, noise, v1=v1, v2=v2)))
        ['likelihood', 'objective', 'prediction']
    """

    name = "bi-vae-on-v"
    title = "Bi-VAE on V"
    blurb = "A model of both embeddings, which are trained first and then fixed"
    paper = True
    smallest = {"init_epochs": 3, "epochs": 4, "batch_size": 16}
    config_class = BiVAEOnVConfig
    trains_in_shares = True
    config: BiVAEOnVConfig

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        stage = Stage(
            "bi-vae",
            c.epochs,
            c.learning_rate,
            c.batch_size,
            c.milestones,
            cached=True,
            schedule=c.schedule,
        )
        return (*self.start.stages(), stage)

    def param_groups(self, stage: str) -> list[ParamGroup]:
        if self.start.has(stage):
            return self.start.groups(stage)
        return [ParamGroup(parameters_of(self.model))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """-log P(v1,v2) or the negative ELBOs; the total correlation is RBi-VAE's alone."""
        if self.start.has(batch.stage):
            return self.start.loss(batch)
        assert batch.v1 is not None and batch.v2 is not None
        objective, terms = self.model.fit_terms(batch.v1, batch.v2, batch.noise)
        return {"objective": objective, **terms}
