"""Loss terms of the paper as pure functions; leading dimensions (S models) pass through."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor
from torch.func import jvp

from rivae.models.base import MethodConfig
from rivae.models.nets.precision import steady
from rivae.models.nets.recipe_rnn import perturbable
from rivae.models.nets.share import Share
from rivae.models.settings import WEIGHT
from rivae.models.stages import Batch, Noise


class MismatchTerms(MethodConfig):
    """How many mismatches a pair has, and which.

    The supplement names hard-example mining for Recipe1M and gives neither a number nor a
    schedule. Those that score highest are often not mismatches at all while nothing is learned
    yet, so they may be used from a later step.
    """

    n_mismatches: int | None = Field(
        default=None, ge=1, title="Mismatches", description="per pair; empty = all in the batch"
    )
    mismatches: Literal["random", "hardest"] = Field(
        default="random",
        title="Which mismatches",
        description="hardest: those of the batch that score highest",
    )
    hardest_from: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Hardest from",
        description="share of the stage that uses random ones first",
    )

    @model_validator(mode="after")
    def _hardest_are_some(self) -> MismatchTerms:
        if self.mismatches == "hardest" and self.n_mismatches is None:
            raise ValueError(
                "mismatches=hardest needs a number of them: set n_mismatches, e.g. to 1"
            )
        return self

    def takes_hardest(self, progress: float) -> bool:
        """Whether a step of the stage, at ``progress`` from 0 to 1, takes the hardest ones."""
        return self.mismatches == "hardest" and progress >= self.hardest_from


def kl_diagonal(mu_q: Tensor, log_var_q: Tensor, mu_p: Tensor, log_var_p: Tensor) -> Tensor:
    """KL(q || p) of diagonal Gaussians, summed over the last axis; (..., B)."""
    ratio = (log_var_q - log_var_p).exp()
    shift = (mu_q - mu_p) ** 2 / log_var_p.exp()
    return 0.5 * (ratio + shift - 1.0 + log_var_p - log_var_q).sum(-1)


def gaussian_log_likelihood(v: Tensor, mean: Tensor, eta: float) -> Tensor:
    """log N(v; mean, eta^2 I), summed over the last axis; (..., B)."""
    dim = v.shape[-1]
    return -((v - mean) ** 2).sum(-1) / (2 * eta**2) - dim * math.log(eta * math.sqrt(2 * math.pi))


def log_density(v: Tensor, mean: Tensor, log_var: Tensor) -> Tensor:
    """log N(v; mean, Diag(exp(log_var))), summed over the last axis; (..., B)."""
    squared_error = (v - mean) ** 2 * (-log_var).exp()
    return -0.5 * (squared_error + log_var + math.log(2 * math.pi)).sum(-1)


def negative_elbo(
    v2: Tensor,
    mean: Tensor,
    q: tuple[Tensor, Tensor],
    p: tuple[Tensor, Tensor],
    eta: float,
) -> tuple[Tensor, Tensor]:
    """The two terms of L_LB (eq. elbo_ivae): -E_Q log P(v2|z) and KL(Q||P), each (...,)."""
    reconstruction = -gaussian_log_likelihood(v2, mean, eta)
    return reconstruction.mean(-1), kl_diagonal(*q, *p).mean(-1)


def sample(mean: Tensor, log_var: Tensor, noise: Noise) -> Tensor:
    """One draw of N(mean, Diag(exp(log_var))) for each row (..., B, d), differentiable in both."""
    return mean + (0.5 * log_var).exp() * noise.normal_like(mean)


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """|a_i - b_j|^2 for a (..., n, D) and b (..., m, D); (..., n, m)."""
    cross = a @ b.transpose(-1, -2)
    return (a**2).sum(-1).unsqueeze(-1) + (b**2).sum(-1).unsqueeze(-2) - 2 * cross


def cosine_at(v: Tensor, squared_distance: Tensor) -> Tensor:
    """cos(v, v2) for unit vectors v2 at |v - v2|^2 (..., B, k) from v (..., B, D)."""
    norm = v.norm(dim=-1, keepdim=True).clamp_min(1e-12)
    return (norm**2 + 1.0 - squared_distance) / (2 * norm)


def mismatch_scores(
    scores: Tensor, n_mismatches: int | None, noise: Noise, hardest: bool = False
) -> Tensor:
    """Scores (..., B, k) of mismatching items, out of all in-batch scores (..., B, B).

    ``n_mismatches`` None takes all B - 1. Otherwise k cyclic shifts of the batch are drawn, which
    gives every query k different mismatches (the batch itself is in random order), or, with
    ``hardest``, each query takes the k that score highest ("batch hard").
    """
    size = scores.shape[-1]
    rows = torch.arange(size, device=scores.device)
    if n_mismatches is None or n_mismatches >= size - 1:
        shifts = torch.arange(1, size, device=scores.device)
        index = (rows[:, None] + shifts) % size
        return scores.gather(-1, index.expand(*scores.shape[:-2], size, size - 1))
    if hardest:
        return mismatch_scores(scores, None, noise).topk(n_mismatches, -1).values
    start = noise.integers(size - 1, (1,))
    shifts = 1 + (start + torch.arange(n_mismatches, device=scores.device)) % (size - 1)
    index = (rows[:, None] + shifts.unsqueeze(-2)) % size
    return scores.gather(-1, index.expand(*scores.shape[:-2], size, n_mismatches))


def retrieval_loss(
    scores: Tensor,
    n_mismatches: int | None,
    form: str,
    margin: float,
    noise: Noise,
    hardest: bool = False,
) -> Tensor:
    """L_Retr (eq. retr_loss) from scores (..., B, B) whose diagonal holds the matches; (...,).

    ``form`` "hinge" is the paper's (margin + mismatch - match)_+, averaged over mismatches;
    "softmax" is the cross entropy of the match among its mismatches, which is smoother and
    needs no margin.
    """
    match = scores.diagonal(dim1=-2, dim2=-1)
    other = mismatch_scores(scores, n_mismatches, noise, hardest)
    if form == "hinge":
        return (margin + other - match.unsqueeze(-1)).clamp_min(0).mean((-1, -2))
    both = torch.cat([match.unsqueeze(-1), other], -1)
    return (both.logsumexp(-1) - match).mean(-1)


def both_ways(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Cross entropy of the match among all items (..., B, B), queries to targets and back; (...,).

    InfoNCE (van den Oord et al., 2018) in both directions, as in CLIP.
    """
    match = scores.diagonal(dim1=-2, dim2=-1)
    forward = (scores.logsumexp(-1) - match).mean(-1)
    return forward, (scores.logsumexp(-2) - match).mean(-1)


def _without_compiler(function: Any) -> None:
    """Let PyTorch call ``function`` without loading its compiler, which takes seconds."""
    while (function := getattr(function, "__wrapped__", None)) is not None:
        function.__dynamo_disable = function


# What a forward derivative asks for the shape of a sum.
_without_compiler(getattr(getattr(torch, "_refs", None), "add", None))


def embedder_regulariser(
    embedder: Callable[[Tensor], Tensor],
    x: Tensor,
    c: Tensor,
    form: str,
    magnitude: float,
    noise: Noise,
    n_axes: int,
    mask: Tensor | None = None,
    share: Share | None = None,
) -> Tensor:
    """L_Reg (eq. emb_reg): E (|e2(x) - e2(x + eps)| - c)^2 with |eps| = ``magnitude``; (...,).

    ``mask``, broadcast to ``x``, is 0 where eps must be 0. With a ``share``, ``x`` holds this
    process's rows, and the mean is over all of them. ``form``:
        "literal": the printed formula. At the paper's scales its gradient vanishes.
        "ratio": the change divided by |eps|, so the term measures the Jacobian itself.
        "jvp": the limit of "ratio" for eps -> 0 by forward differentiation: no magnitude, no
            rounding error (float32 differences are 1 % off, bfloat16 ones by a factor 1,200).
    """
    share = share or Share()
    direction = noise.normal_like(x, share)
    if mask is not None:
        direction = direction * mask
    norm = direction.flatten(-n_axes).norm(dim=-1).clamp_min(1e-12)
    direction = direction / norm.reshape(*norm.shape, *[1] * n_axes)
    if form == "jvp":
        tangent: Tensor = jvp(embedder, (x,), (direction,))[1]
        change = (tangent**2).sum(-1).clamp_min(1e-12).sqrt()
    else:
        embeddings_nearby = embedder(x + magnitude * direction)
        change = ((embeddings_nearby - embedder(x)) ** 2).sum(-1).clamp_min(1e-20).sqrt()
        if form == "ratio":
            change = change / magnitude
    return ((share.whole(change) - c.unsqueeze(-1)) ** 2).mean(-1)


def with_embedder_terms(
    objective: Tensor,
    terms: dict[str, Tensor],
    method: Any,
    v1: Tensor,
    v2: Tensor,
    batch: Batch,
) -> Tensor:
    """``objective`` (...,) and what acts on the embedders alone in joint training: lambda_Reg
    L_Reg, the anchor, the words.

    Args:
        terms: the values of these are added to it, without their weights.
        method: has ``embedder2``, the scale ``c`` of L_Reg, and settings of joint training.
        v1, v2: (..., B, D) embeddings of the batch.
    """
    config = method.config
    if config.lambda_reg:
        assert batch.x2 is not None
        rows, share = batch.share.every(config.reg_every)
        item = -1 - method.n_axes2  # the axis of the items
        x2 = batch.x2.movedim(item, 0)[rows].movedim(0, item)
        with steady(method.embedder2):
            at = perturbable(method.embedder2, x2, method.n_axes2)
            form, size = config.reg_form, config.reg_magnitude
            terms["regulariser"] = embedder_regulariser(
                at.embed, at.point, method.c, form, size, batch.noise, at.n_axes, at.mask, share
            )
        objective = objective + config.lambda_reg * terms["regulariser"]
    if config.anchor is not None:
        assert batch.target is not None
        terms["anchor"] = anchor(v1, v2, batch.target)
        start, end = config.anchor
        objective = objective + geometric(start, end, batch.progress) * terms["anchor"]
    if method.words is not None:
        objective = objective + method.words.term(v2, batch, terms)
    return objective


def anchor(v1: Tensor, v2: Tensor, target: Tensor) -> Tensor:
    """Mean squared distance of both embeddings from those that training started at; (...,)."""
    return (((v1 - target) ** 2).sum(-1) + ((v2 - target) ** 2).sum(-1)).mean(-1)


def aggregated_prior_kl(mu: Tensor, log_var: Tensor) -> Tensor:
    """KL from the moment-matched diagonal Gaussian of the aggregated P(z|v1) to N(0, I); (...,).

    A weak pull that keeps the scale and offset of z from drifting; it does not act on single
    queries, so it costs no retrieval.
    """
    mean = mu.mean(-2)
    variance = mu.var(-2, unbiased=False) + log_var.exp().mean(-2)
    return 0.5 * (variance + mean**2 - 1.0 - variance.clamp_min(1e-8).log()).sum(-1)


def geometric(start: float, end: float, progress: float) -> float:
    """A value that runs from ``start`` to ``end`` in equal ratios as progress runs 0 to 1."""
    return start * (end / start) ** min(1.0, max(0.0, progress))


LossForm = Annotated[
    Literal["hinge", "softmax"],
    Field(title="Loss", description="hinge (the paper), or softmax over the batch"),
]


class AlignmentTerms(MismatchTerms):
    """How two embeddings are aligned by cosine, whose form the paper does not give."""

    loss_form: LossForm = "hinge"
    margin: float = Field(
        default=0.3,
        ge=0,
        title="Margin",
        description="margin of the hinge, in cosine",
        json_schema_extra=WEIGHT,
    )
    temperature: float = Field(
        default=0.1,
        gt=0,
        title="Temperature",
        description="of the softmax form",
        json_schema_extra=WEIGHT,
    )


class CosSimTerms(AlignmentTerms):
    """The loss of Cos-Sim-LVM."""

    loss_form: LossForm = "softmax"
    lambda_embedding: float = Field(
        default=1.0, ge=0, title="Weight: embeddings", description="weight of cos(v1, v2)"
    )
    both_ways: bool = Field(
        default=False,
        title="Contrast both ways",
        description="the weight of cos(v1, v2) is also that of v2 to find its v1",
    )
    lambda_latent: float = Field(
        default=1.0, ge=0, title="Weight: bottleneck", description="weight of cos(v1', v2)"
    )
    lambda_auto: float = Field(
        default=1.0, ge=0, title="Weight: reconstruction", description="weight of |v1' - v1|^2"
    )


def alignment_loss(query: Tensor, target: Tensor, terms: AlignmentTerms, batch: Batch) -> Tensor:
    """L_Retr on the cosines of unit vectors (..., B, D) whose rows belong together; (...,)."""
    cosine = query @ target.transpose(-1, -2)
    scores = cosine / terms.temperature if terms.loss_form == "softmax" else cosine
    hardest = terms.takes_hardest(batch.progress)
    return retrieval_loss(
        scores, terms.n_mismatches, terms.loss_form, terms.margin, batch.noise, hardest
    )
