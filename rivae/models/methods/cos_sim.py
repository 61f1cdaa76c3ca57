"""Cos-Sim: embeddings aligned by cosine (the commented-out rows of the paper's tables)."""

from __future__ import annotations

from torch import Tensor

from rivae.models.contrastive import Contrastive, ContrastiveConfig
from rivae.models.losses import AlignmentTerms, alignment_loss
from rivae.models.stages import Batch


class CosSimConfig(AlignmentTerms, ContrastiveConfig):
    """Settings of plain Cos-Sim."""


class CosSim(Contrastive):
    r"""Embeddings aligned by cosine, without a latent: z is v_1 itself.

    Model, with embeddings of unit length, and loss (L_Retr, eq. retr_loss, on cosines):

        v_i = e_i(x_i),   score(v_1, v_2) = cos(v_1, v_2)
        hinge:    L = (margin + cos(v_1, v_2') - cos(v_1, v_2))_+
        softmax:  L = -log softmax(cos(v_1, .) / \tau) at v_2

    In settings v_2' is one of ``n_mismatches`` other items of the batch, \tau ``temperature``.

    Reference: the rows "Cos-Sim" of the paper's tables, which are commented out in its source.

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("cos-sim", {"dim_v": 3}, (5,), (4,))
        >>> sorted(method.loss(Batch("cos-sim", 0.0, noise, x1, x2)))
        ['alike', 'match', 'objective']
    """

    name = "cos-sim"
    title = "Cos-Sim"
    blurb = "Embeddings aligned by cosine alone; their axes are not factors"
    # The hinge of L_Retr on cos(v1, v2); the softmax form would be InfoNCE. At a margin of .3 far
    # fewer pairs of Synth are found (benchmarks/results/preset-choice.md).
    presets = {
        "default": {"margin": 0.1},
        "paper": {"n_mismatches": 1},
    }
    smallest = {"epochs": 4, "batch_size": 16}
    config_class = CosSimConfig
    config: CosSimConfig
    has_latent = False

    def alignment(self, v1: Tensor, v2: Tensor, batch: Batch) -> dict[str, Tensor]:
        loss = alignment_loss(v1, v2, self.config, batch)
        # Mean cosine of all pairs of the batch: 1 would mean that all items share one embedding.
        alike = (v1.mean(-2) * v2.mean(-2)).sum(-1).detach()
        return {"objective": loss, "alike": alike}
