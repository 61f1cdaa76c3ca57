"""Bi-VAE: the VAE of two modalities on the data themselves (Sec. 4.1; Wu & Goodman 2018).

z ~ N(0, I), x_i ~ N(f_i(z), eta_i^2 I), Q(z|x_i) a diagonal Gaussian, and Q(z|x1,x2) the product
of these experts. There is no embedding space: an item is its own embedding (a picture flattened,
averaged first with ``downsample``), so retrieval compares f_2(z) with x2 pixel by pixel.

eta_i is learned by default, one number per modality: at the optimum it is the root mean squared
error of its decoder, so the balance of reconstruction and KL needs no tuning per data set. A fixed
eta that is too large switches latent dimensions off, one that is too small makes an autoencoder.
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from rivae.base.config import Positive
from rivae.models.base import Method, MethodConfig
from rivae.models.gaussians import (
    DiagonalGaussian,
    Gaussian,
    product_of_experts,
)
from rivae.models.losses import kl_diagonal, log_density
from rivae.models.nets.autoencoders import (
    ConvDecoder,
    NetworkSettings,
    build_decoder,
    build_encoder,
)
from rivae.models.nets.layers import FixedAffine
from rivae.models.nets.pictures import averaged_shape
from rivae.models.nets.precision import low_precision
from rivae.models.settings import (
    WEIGHT,
    AxisChoice,
    AxisReach,
    BatchSize,
    Components,
    Epochs,
    LearningRate,
    Milestones,
    Schedule,
)
from rivae.models.stages import Batch, ParamGroup, Stage, parameters_of

LOG_VAR_RANGE = (-12.0, 6.0)  # of an expert, as in nets/layers.py
MIN_ETA = 1e-3  # a decoder that fits perfectly would drive a learned eta to 0


class BiVAEConfig(NetworkSettings, MethodConfig):
    """Settings of Bi-VAE."""

    n_components: Components = 10
    prior_expert: bool = Field(
        default=True,
        title="Prior as expert",
        description="N(0, I) among the experts; the supplement omits it",
    )
    lambda_single: float = Field(
        default=1.0,
        ge=0,
        title="Weight: single views",
        description="weight of the ELBOs of x1 alone and x2 alone; 0 = none",
    )
    beta: float = Field(
        default=1.0,
        ge=0,
        title="Weight: KL",
        description="weight of every KL",
        json_schema_extra=WEIGHT,
    )
    eta: Positive = Field(
        default=0.5,
        title="Noise (eta)",
        description="s.d. of x given z, at the start if learned",
        json_schema_extra=WEIGHT,
    )
    eta_form: Literal["learned", "fixed"] = Field(
        default="learned", title="Kind of noise", description="eta is learned, or stays fixed"
    )
    epochs: Epochs = 160
    batch_size: BatchSize = 64
    learning_rate: LearningRate = 1e-3
    milestones: Milestones = ()
    schedule: Schedule = "constant"
    axes: AxisChoice = "scaled"
    axis_reach: AxisReach = 10.0


class BiVAE(Method):
    r"""The VAE of two modalities on the data themselves.

    Model, with x_i flattened, and D_i numbers of it:

        P(z) = N(z; 0, I),   P(x_i | z) = N(x_i; f_i(z), \eta_i^2 I)
        Q(z | x_i) \propto q_i(z),   Q(z | x_1, x_2) \propto q_1(z) q_2(z),   times P(z) with
        ``prior_expert``, where q_i(z) = N(z; m_i(x_i), Diag(s_i^2(x_i)))

    Loss, the ELBO of the pair and with weight \lambda those of both sides alone:

        L = (B(x_1, x_2) + \lambda (B(x_1) + B(x_2))) / (D_1 + D_2)
        B(x) = \beta KL(Q(z|x) || P(z)) - E_Q log P(x|z)

    In settings d is ``n_components``, \beta ``beta``, \lambda ``lambda_single``; \eta_i starts at
    ``eta`` and is learned, or stays with ``eta_form=fixed``.

    The prior and the product of experts are defined in the coordinates that were trained, so a
    change of axes is kept separately: z' = ``to_axes`` (z) after inference, z = ``from_axes`` (z')
    before decoding. Means and variances stay exact, also after several changes, and the ELBO does
    not change at all.

    Reference: the paper, Sec. 4.1; Wu and Goodman, "Multimodal generative models" (2018).

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("bi-vae", {"n_components": 2}, (5,), (4,))
        >>> terms = method.loss(Batch("bi-vae", 0.0, noise, x1, x2))
        >>> [name for name in terms if name.startswith("single")]
        ['single_1', 'single_2']
    """

    name = "bi-vae"
    title = "Bi-VAE"
    blurb = "A VAE of both views themselves, without embeddings"
    paper = True
    smallest = {"epochs": 4, "batch_size": 16, "hidden": [16]}
    config_class = BiVAEConfig
    config: BiVAEConfig

    def __init__(
        self,
        config: BiVAEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__()
        self.config = c = config
        self.n_components = d = c.n_components
        self.autocast = False  # the trainer's bfloat16, for all four networks
        self.n_axes = (len(shape1), len(shape2))
        shape1, shape2 = (averaged_shape(s, c.downsample) for s in (shape1, shape2))
        self.dim_x1, self.dim_v = torch.Size(shape1).numel(), torch.Size(shape2).numel()
        self.encoder1 = build_encoder(c, shape1, 2 * d, n_models)
        self.encoder2 = build_encoder(c, shape2, 2 * d, n_models)
        self.decoder1 = build_decoder(c, d, shape1, n_models)
        self.decoder2 = build_decoder(c, d, shape2, n_models)
        # Thousands of units bend the line of a convolutional decoder too often to be followed.
        straight = c.network == "mlp" and c.activation != "tanh"
        self.piecewise_linear = straight or c.network == "linear"
        lead = () if n_models is None else (n_models,)
        log_eta = torch.full((*lead, 2), math.log(c.eta))
        if c.eta_form == "learned":
            self.log_eta: Tensor = nn.Parameter(log_eta)
        else:
            self.register_buffer("log_eta", log_eta)
        self.to_axes = FixedAffine(d, d, n_models)
        self.from_axes = FixedAffine(d, d, n_models)

    # training

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        return (
            Stage(
                "bi-vae", c.epochs, c.learning_rate, c.batch_size, c.milestones, schedule=c.schedule
            ),
        )

    def param_groups(self, stage: str) -> list[ParamGroup]:
        return [ParamGroup(parameters_of(self))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """The negative ELBOs in nats; the objective is divided by the numbers in a pair."""
        assert batch.x1 is not None and batch.x2 is not None
        x1, x2 = self.embed_query(batch.x1), self.embed_target(batch.x2)
        one, two = self._expert(self.encoder1, x1), self._expert(self.encoder2, x2)
        posteriors = [self._posterior(one, two)]
        if self.config.lambda_single:
            posteriors += [self._posterior(one), self._posterior(two)]
        kl = [self._kl(q) for q in posteriors]
        z = [q.sample(batch.noise) for q in posteriors]
        # Each decoder runs once, on the z of the pair and on that of its own modality.
        error1 = self._errors(1, x1, [z[0], *z[1:2]])
        error2 = self._errors(2, x2, [z[0], *z[2:3]])
        terms = {
            "reconstruction_1": error1[0],
            "reconstruction_2": error2[0],
            "kl": kl[0],
        }
        total = error1[0] + error2[0] + self.config.beta * kl[0]
        if self.config.lambda_single:
            terms["single_1"] = error1[1] + self.config.beta * kl[1]
            terms["single_2"] = error2[1] + self.config.beta * kl[2]
            total = total + self.config.lambda_single * (terms["single_1"] + terms["single_2"])
        terms["eta_1"], terms["eta_2"] = self._eta(1), self._eta(2)
        return {"objective": total / (self.dim_x1 + self.dim_v), **terms}

    def _expert(self, encoder: nn.Module, x: Tensor) -> Gaussian:
        """(mu, log_var) of the expert of one modality, each (..., B, d)."""
        with low_precision(self, x):
            out: Tensor = encoder(x)
        mu, log_var = out.to(x.dtype).chunk(2, -1)
        return mu, log_var.clamp(*LOG_VAR_RANGE)

    def _posterior(self, *experts: Gaussian) -> DiagonalGaussian:
        """Q(z|x1,x2) of both experts, Q(z|x_i) of one."""
        return DiagonalGaussian(*product_of_experts(experts, self.config.prior_expert))

    @staticmethod
    def _kl(q: DiagonalGaussian) -> Tensor:
        zero = torch.zeros_like(q.mean)
        return kl_diagonal(q.mean, q.log_var, zero, zero).mean(-1)

    def _errors(self, i: Literal[1, 2], x: Tensor, z: list[Tensor]) -> list[Tensor]:
        """-E log P(x_i|z) for each of several z (..., B, d); (...,) each."""
        decoder = self.decoder1 if i == 1 else self.decoder2
        with low_precision(self, x):
            mean: Tensor = decoder(torch.cat(z, -2))
        log_var = 2 * self._eta(i).log()[..., None, None]
        parts = mean.to(x.dtype).split(x.shape[-2], -2)
        return [-log_density(x, part, log_var).mean(-1) for part in parts]

    def _eta(self, i: Literal[1, 2]) -> Tensor:
        """s.d. of x_i given z, shape ()."""
        return self.log_eta[..., i - 1].exp().clamp_min(MIN_ETA)

    # retrieval

    def embed_query(self, x1: Tensor) -> Tensor:
        """The query itself, flattened, (..., B, D1)."""
        return self._observe(x1, 0)

    def embed_target(self, x2: Tensor) -> Tensor:
        """The item itself, flattened, (..., B, dim_v); not of unit norm."""
        return self._observe(x2, 1)

    def _observe(self, x: Tensor, modality: int) -> Tensor:
        lead = x.shape[: x.dim() - self.n_axes[modality]]
        if self.config.downsample > 1:
            x = nn.functional.avg_pool2d(x.reshape(-1, *x.shape[-3:]), self.config.downsample)
        return x.reshape(*lead, self.dim_v if modality else self.dim_x1)

    def encode_v(self, v1: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log variance of Q(z|x1), the prior expert included where it is one."""
        q = self._posterior(self._expert(self.encoder1, v1))
        return self.to_axes(q.mean), q.variance_along(self.to_axes.weight).log()

    def encode_pair(self, x1: Tensor, x2: Tensor) -> Tensor:
        one = self._expert(self.encoder1, self.embed_query(x1))
        two = self._expert(self.encoder2, self.embed_target(x2))
        mean: Tensor = self.to_axes(self._posterior(one, two).mean)
        return mean

    def hidden(self, z: Tensor) -> Tensor:
        """Last hidden layer of f_2; of a convolutional decoder its full output, (..., B, D)."""
        if isinstance(self.decoder2, ConvDecoder):
            return self.decode(z)
        return self.decoder2.hidden_layer(self.from_axes(z))

    def output_layer(self) -> tuple[Tensor, Tensor]:
        """(W, b); the identity and 0 for a convolutional decoder."""
        if isinstance(self.decoder2, ConvDecoder):
            like = self.log_eta.detach()
            return torch.eye(self.dim_v).to(like), torch.zeros(self.dim_v).to(like)
        return self.decoder2.out.weight, self.decoder2.out.bias

    def decode(self, z: Tensor) -> Tensor:
        """f_2(z) = E[x2|z], flattened, (..., B, dim_v)."""
        mean: Tensor = self.decoder2(self.from_axes(z))
        return mean

    def score(self, z: Tensor, squared_distance: Tensor) -> Tensor:
        """log P(x2|z) up to its constant."""
        return -squared_distance / (2 * self._eta(2) ** 2)

    @torch.no_grad()
    def apply_affine(self, matrix: Tensor, offset: Tensor) -> None:
        self.to_axes.change_output(matrix, offset)
        self.from_axes.change_input(matrix, offset)
