"""Bi-VAE on V: the joint model on embeddings that were trained before and stay fixed (Sec. 5)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from torch import Tensor

from rivae.config import Epochs
from rivae.methods.base import Batch, ParamGroup, Stage, parameters_of
from rivae.methods.bimodal_method import BimodalConfig, BimodalMethod
from rivae.methods.cos_sim_lvm import Milestones


class BiVAEOnVConfig(BimodalConfig):
    """Settings of Bi-VAE on V."""

    epochs: Epochs = Field(default=300, description="of the joint model, after the start")
    learning_rate: float = Field(default=5e-3, gt=0)
    schedule: Literal["constant", "cosine"] = "constant"
    milestones: Milestones = ()

    @model_validator(mode="after")
    def _embedders_train_somewhere(self) -> BiVAEOnVConfig:
        if self.init == "none":
            raise ValueError(
                "Bi-VAE on V trains no embedder itself: set init=cos-sim-lvm or init=smooth"
            )
        return self


class BiVAEOnV(BimodalMethod):
    """Maximum likelihood (linear form) or the ELBOs (non-linear form) of fixed embeddings."""

    name = "bi-vae-on-v"
    title = "Bi-VAE on V"
    config_class = BiVAEOnVConfig
    trains_in_shares = True
    config: BiVAEOnVConfig

    def stages(self) -> tuple[Stage, ...]:
        c = self.config
        own = Stage(
            "bi-vae",
            c.epochs,
            c.learning_rate,
            c.batch_size,
            c.milestones,
            cached=True,
            schedule=c.schedule,
        )
        return (*self.start_stages(), own)

    def param_groups(self, stage: str) -> list[ParamGroup]:
        start = self.start_groups(stage)
        return [ParamGroup(parameters_of(self.model))] if start is None else start

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """-log P(v1,v2) or the negative ELBOs; the total correlation is RBi-VAE's alone."""
        start = self.start_loss(batch)
        if start is not None:
            return start
        assert batch.v1 is not None and batch.v2 is not None
        objective, terms = self.model.fit_terms(batch.v1, batch.v2, batch.noise)
        return {"objective": objective, **terms}
