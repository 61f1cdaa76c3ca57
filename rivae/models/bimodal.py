"""The bimodal model P(z) P(v1|z) P(v2|z) on the embedded space (supplement, RBi-VAE).

Two forms with one interface: a linear Gaussian model whose likelihood and posteriors are exact,
and a VAE with non-linear encoders and decoders whose Q(z|v1,v2) is a product of experts.
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.base.config import Widths
from rivae.models.base import MethodConfig
from rivae.models.components import unit_components
from rivae.models.gaussians import (
    DiagonalGaussian,
    FullGaussian,
    Posterior,
    all_log_densities,
    product_of_experts,
)
from rivae.models.losses import kl_diagonal, log_density
from rivae.models.nets.layers import MLP, GaussianHead, Linear
from rivae.models.stages import Noise

# Where log variances start within their range. The linear form starts wide, at e^-1 by default,
# wider than any coordinate of unit vectors: from e^-3 maximum likelihood needs three to five times
# as many steps and may end up to 2 nats short, with a latent dimension that copies one coordinate.
# The VAE starts narrow, at e^-6: from e^-3 or wider its posterior collapses onto the prior in some
# or all dimensions (both measured).
WIDE_START = math.log(0.7 / 0.3)
NARROW_START = math.log(0.2 / 0.8)


class BimodalTerms(MethodConfig):
    """Settings of the bimodal model on V."""

    form: Literal["linear", "non-linear"] = Field(
        default="linear",
        title="Model",
        description="the linear Gaussian model with exact inference (the paper: the better one on "
        "every data set), or a VAE",
    )
    model_hidden: Widths = Field(
        default=(10, 10, 10),
        min_length=1,
        title="Hidden layers of model",
        description="non-linear: one or three hidden layers",
    )
    prior_expert: bool = Field(
        default=True,
        title="Prior as expert",
        description="non-linear: P(z) as a factor of Q(z|v1,v2), as in the cited work",
    )
    variance: Literal["constant", "by z"] = Field(
        default="constant",
        title="Variance",
        description="of P(v|z); 'by z' is the printed form, non-linear only",
    )
    log_var_range: tuple[float, float] = Field(
        default=(-8.0, 2.0),
        title="Range of variances",
        description="bounds of the log variances of P(v|z)",
    )

    @model_validator(mode="after")
    def _model_fits(self) -> BimodalTerms:
        if self.variance == "by z" and self.form == "linear":
            raise ValueError(
                "the linear model has a constant variance: set form=non-linear or variance=constant"
            )
        low, high = self.log_var_range
        if not -30 <= low < high <= 10:
            raise ValueError("log_var_range needs -30 <= low < high <= 10")
        return self


class BimodalModel(nn.Module):
    """The base of both forms: the log variances of P(v1|z) and P(v2|z).

    Shapes omit the leading S of stacked models; D is dim(V), d is dim(z).
    """

    def __init__(self, dim_v: int, config: BimodalTerms, n_models: int | None) -> None:
        super().__init__()
        lead = () if n_models is None else (n_models,)
        start = WIDE_START if config.form == "linear" else NARROW_START
        self.low, self.high = config.log_var_range
        self.raw_log_var1 = nn.Parameter(torch.full((*lead, dim_v), start))
        self.raw_log_var2 = nn.Parameter(torch.full((*lead, dim_v), start))

    def bounded(self, raw: Tensor) -> Tensor:
        """A log variance within the configured range; smooth, so it can leave a bound again."""
        return self.low + (self.high - self.low) * torch.sigmoid(raw)

    def log_var2(self, z: Tensor) -> Tensor:
        """Log variances of P(v2|z) at z (B, d): (1, D) where they are constant, else (B, D)."""
        return self.bounded(self.raw_log_var2).unsqueeze(-2)

    def hidden2(self, z: Tensor) -> Tensor:
        """Last hidden layer of E[v2|z] at z (B, d), shape (B, m)."""
        raise NotImplementedError

    def output2(self) -> Linear:
        """The layer that makes E[v2|z] of ``hidden2``."""
        raise NotImplementedError

    def mean2(self, z: Tensor) -> Tensor:
        """E[v2|z] at z (B, d), shape (B, D)."""
        mean: Tensor = self.output2()(self.hidden2(z))
        return mean

    def query_posterior(self, v1: Tensor) -> Posterior:
        """Q(z|v1) of v1 (B, D)."""
        raise NotImplementedError

    def pair_posterior(self, v1: Tensor, v2: Tensor) -> Posterior:
        """Q(z|v1,v2) of v1 and v2 (B, D)."""
        raise NotImplementedError

    def all_scores(self, z: Tensor, v2: Tensor) -> Tensor:
        """log P(v2_j|z_i) of z (n, d) and v2 (m, D), shape (n, m)."""
        return all_log_densities(v2, self.mean2(z), self.log_var2(z))

    def fit_terms(self, v1: Tensor, v2: Tensor, noise: Noise) -> tuple[Tensor, dict[str, Tensor]]:
        """The objective of maximum likelihood, and the terms to log; all (), the mean over rows."""
        raise NotImplementedError


class LinearGaussian(BimodalModel):
    """v_i = z W_i + b_i + noise of diagonal variance: every inference in closed form."""

    def __init__(
        self, dim_v: int, n_components: int, config: BimodalTerms, n_models: int | None = None
    ) -> None:
        super().__init__(dim_v, config, n_models)
        self.decoder1 = Linear(n_components, dim_v, n_models)
        self.decoder2 = Linear(n_components, dim_v, n_models)

    @torch.no_grad()
    def start_from(self, v1: Tensor, v2: Tensor) -> None:
        """Principal components of both embeddings (..., n, D) together, and what they leave.

        Raises:
            DataError: as ``unit_components``.
        """
        to_z, from_z, offsets, mean2 = unit_components(v1, v2, self.decoder1.weight.shape[-2])
        z1, z2 = (
            v.double() @ to_z + offset.unsqueeze(-2)
            for v, offset in zip((v1, v2), offsets, strict=True)
        )
        from_latent = 0.5 * (z1 + z2) @ from_z
        for decoder, raw, v, mean in (
            (self.decoder1, self.raw_log_var1, v1, v1.double().mean(-2)),
            (self.decoder2, self.raw_log_var2, v2, mean2),
        ):
            decoder.weight.copy_(from_z)
            decoder.bias.copy_(mean)
            residual = (v.double() - from_latent - mean.unsqueeze(-2)).var(-2)
            share = (residual.clamp_min(1e-12).log() - self.low) / (self.high - self.low)
            raw.copy_(share.clamp(0.02, 0.98).logit())

    def hidden2(self, z: Tensor) -> Tensor:
        return z

    def output2(self) -> Linear:
        return self.decoder2

    def _observed(self, v1: Tensor, v2: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Deviations (B, n), weights (d, n) and log variances (n,) of what is observed."""
        one = self.decoder1
        parts = [(v1 - one.bias.unsqueeze(-2), one.weight, self.bounded(self.raw_log_var1))]
        if v2 is not None:
            two = self.decoder2
            parts += [(v2 - two.bias.unsqueeze(-2), two.weight, self.bounded(self.raw_log_var2))]
        deviation, weight, log_var = (torch.cat(part, -1) for part in zip(*parts, strict=True))
        return deviation, weight, log_var

    @staticmethod
    def _precision_factor(weight: Tensor, weight_by_noise: Tensor) -> Tensor:
        """Cholesky factor (d, d) of the precision I + W Psi^-1 W' of z."""
        eye = torch.eye(weight.shape[-2], dtype=weight.dtype, device=weight.device)
        # Unchecked: with NaN weights the loss becomes NaN, which the trainer reports.
        return torch.linalg.cholesky_ex(eye + weight_by_noise @ weight.transpose(-1, -2)).L

    def _posterior(self, v1: Tensor, v2: Tensor | None) -> FullGaussian:
        deviation, weight, log_var = self._observed(v1, v2)
        weight_by_noise = weight * (-log_var).exp().unsqueeze(-2)
        covariance = torch.cholesky_inverse(self._precision_factor(weight, weight_by_noise))
        return FullGaussian(deviation @ weight_by_noise.transpose(-1, -2) @ covariance, covariance)

    def query_posterior(self, v1: Tensor) -> FullGaussian:
        return self._posterior(v1, None)

    def pair_posterior(self, v1: Tensor, v2: Tensor) -> FullGaussian:
        return self._posterior(v1, v2)

    def log_likelihood(self, v1: Tensor, v2: Tensor | None = None) -> Tensor:
        """log P(v1,v2), or log P(v1) without v2; (B,).

        By the matrix inversion lemma: only d x d matrices are factorised.
        """
        deviation, weight, log_var = self._observed(v1, v2)
        precision = (-log_var).exp().unsqueeze(-2)
        weight_by_noise = weight * precision
        factor = self._precision_factor(weight, weight_by_noise)
        inner = (deviation @ weight_by_noise.transpose(-1, -2)).transpose(-1, -2)
        solution = torch.linalg.solve_triangular(factor, inner, upper=False)
        quadratic = (deviation**2 * precision).sum(-1) - (solution**2).sum(-2)
        diagonal = factor.diagonal(dim1=-2, dim2=-1)
        log_det = log_var.sum(-1) + 2 * diagonal.log().sum(-1)
        size = deviation.shape[-1]
        return -0.5 * (quadratic + log_det.unsqueeze(-1) + size * math.log(2 * math.pi))

    def fit_terms(self, v1: Tensor, v2: Tensor, noise: Noise) -> tuple[Tensor, dict[str, Tensor]]:
        objective = -self.log_likelihood(v1, v2).mean(-1)
        with torch.no_grad():
            prediction = objective + self.log_likelihood(v1).mean(-1)  # -log P(v2|v1)
        return objective, {"likelihood": objective, "prediction": prediction}


class BimodalVAE(BimodalModel):
    """Encoders and decoders of one or three hidden layers; Q(z|v1,v2) by product of experts."""

    def __init__(
        self, dim_v: int, n_components: int, config: BimodalTerms, n_models: int | None = None
    ) -> None:
        super().__init__(dim_v, config, n_models)
        hidden, self.prior_expert = config.model_hidden, config.prior_expert
        self.encoder1 = GaussianHead(dim_v, hidden, n_components, n_models)
        self.encoder2 = GaussianHead(dim_v, hidden, n_components, n_models)
        self.decoder1 = MLP(n_components, hidden, dim_v, n_models=n_models)
        self.decoder2 = MLP(n_components, hidden, dim_v, n_models=n_models)
        self.spread1: MLP | None = None
        self.spread2: MLP | None = None
        if config.variance == "by z":
            self.spread1 = MLP(n_components, hidden, dim_v, n_models=n_models)
            self.spread2 = MLP(n_components, hidden, dim_v, n_models=n_models)

    def hidden2(self, z: Tensor) -> Tensor:
        return self.decoder2.hidden_layer(z)

    def output2(self) -> Linear:
        return self.decoder2.out

    def log_var2(self, z: Tensor) -> Tensor:
        raw = self.raw_log_var2.unsqueeze(-2)
        return self.bounded(raw if self.spread2 is None else raw + self.spread2(z))

    def _log_var1(self, z: Tensor) -> Tensor:
        raw = self.raw_log_var1.unsqueeze(-2)
        return self.bounded(raw if self.spread1 is None else raw + self.spread1(z))

    def query_posterior(self, v1: Tensor) -> DiagonalGaussian:
        return DiagonalGaussian(*product_of_experts([self.encoder1(v1)], self.prior_expert))

    def pair_posterior(self, v1: Tensor, v2: Tensor) -> DiagonalGaussian:
        experts = [self.encoder1(v1), self.encoder2(v2)]
        return DiagonalGaussian(*product_of_experts(experts, self.prior_expert))

    def fit_terms(self, v1: Tensor, v2: Tensor, noise: Noise) -> tuple[Tensor, dict[str, Tensor]]:
        """The negative joint ELBO (eq. supp_elbo) and those of v1 and v2 alone (Wu & Goodman)."""
        posteriors = {
            "": self.pair_posterior(v1, v2),
            "_1": self.query_posterior(v1),
            "_2": DiagonalGaussian(*product_of_experts([self.encoder2(v2)], self.prior_expert)),
        }
        terms: dict[str, Tensor] = {}
        for name, q in posteriors.items():
            z, zero = q.sample(noise), torch.zeros_like(q.mean)
            fit = torch.zeros_like(z[..., 0])
            if name != "_2":
                fit = fit - log_density(v1, self.decoder1(z), self._log_var1(z))
            if name != "_1":
                fit = fit - log_density(v2, self.mean2(z), self.log_var2(z))
            terms[f"reconstruction{name}"] = fit.mean(-1)
            terms[f"kl{name}"] = kl_diagonal(q.mean, q.log_var, zero, zero).mean(-1)
        return torch.stack(list(terms.values())).sum(0), terms


def build_bimodal_model(
    dim_v: int, n_components: int, config: BimodalTerms, n_models: int | None = None
) -> LinearGaussian | BimodalVAE:
    """The configured form of the bimodal model."""
    form = LinearGaussian if config.form == "linear" else BimodalVAE
    return form(dim_v, n_components, config, n_models)
