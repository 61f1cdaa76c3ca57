"""Cos-Sim: embeddings aligned by cosine (the commented-out rows of the paper's tables)."""

from __future__ import annotations

from torch import Tensor

from rivae.models.base import (
    Batch,
)
from rivae.models.contrastive import Contrastive, ContrastiveConfig
from rivae.models.losses import AlignmentTerms, alignment_loss


class CosSimConfig(AlignmentTerms, ContrastiveConfig):
    """Settings of plain Cos-Sim."""


class CosSim(Contrastive):
    """Embeddings aligned by cosine, with a hinge (the paper's L_Retr) or a softmax."""

    name = "cos-sim"
    title = "Cos-Sim"
    blurb = "Embeddings aligned by cosine alone; their axes are not factors"
    # The hinge of L_Retr on cos(v1, v2); the softmax form would be InfoNCE. At a margin of .3 far
    # fewer pairs of Synth are found (benchmarks/results/preset-choice.md).
    presets = {
        "default": {"loss_form": "hinge", "n_mismatches": None, "margin": 0.1},
        "paper": {"loss_form": "hinge", "n_mismatches": 1},
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
