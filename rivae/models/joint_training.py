"""Joint training of a model and its embedders by L_Retr and L_Reg (eq. obj_joint).

RIVAE and RBi-VAE share these settings and terms.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from pydantic import Field, model_validator
from torch import nn

from rivae.base.config import BatchSize, Epochs, Positive
from rivae.models.embedded import EmbeddedConfig, EmbeddedMethod
from rivae.models.losses import LossForm, MismatchTerms
from rivae.models.settings import (
    WEIGHT,
    EmbedderRate,
    JointMilestones,
    JointRate,
    LearningRate,
    Schedule,
)
from rivae.models.stages import ParamGroup, Stage, parameters_of

# What methods with a joint stage have on all data. "default" changes what keeps the paper's scales
# from working: every other pair of the batch is a mismatch, and the regulariser is of the Jacobian
# itself, of every fourth pair, for its derivatives of all layers take half of a step's time.
JOINT_PRESETS: dict[str, dict[str, Any]] = {
    "default": {"reg_every": 4},
    "paper": {"loss_form": "hinge", "n_mismatches": 1, "reg_form": "literal"},
}


class JointTrainingConfig(MismatchTerms, EmbeddedConfig):
    """Settings of the joint stage. Choices that the paper does not fix have a description."""

    joint_epochs: Epochs = Field(
        default=100, title="Epochs of stage 2", description="stage 2: everything"
    )
    joint_batch_size: BatchSize | None = Field(
        default=None,
        title="Batch size of stage 2",
        description="pairs per step; empty: as in stage 1",
    )
    learning_rate: LearningRate = 1e-3
    joint_learning_rate: JointRate = None
    embedder_rate: EmbedderRate = 1.0
    schedule: Schedule = "constant"
    milestones: JointMilestones = ()

    lambda_retr: float = Field(
        default=1.0, ge=0, title="Weight: retrieval", description="of the retrieval loss L_Retr"
    )
    lambda_reg: float = Field(
        default=0.1,
        ge=0,
        title="Weight: regulariser",
        description="of the embedder regulariser L_Reg",
    )
    loss_form: LossForm = "softmax"
    margin: float = Field(
        default=1.0, ge=0, title="Margin", description="of the hinge loss", json_schema_extra=WEIGHT
    )
    expectation: Literal["sample", "mean"] = Field(
        default="sample",
        title="z in retrieval",
        description="z of the query in L_Retr: a sample, or its mean",
    )
    reg_form: Literal["literal", "ratio", "jvp"] = Field(
        default="jvp",
        title="Form of regulariser",
        description="the paper's, its ratio, or exact derivatives (jvp)",
    )
    reg_magnitude: float = Field(
        default=1e-3,
        gt=0,
        title="Size of perturbation",
        description="|eps|",
        json_schema_extra=WEIGHT,
    )
    reg_every: int = Field(
        default=1,
        ge=1,
        le=64,
        title="Pairs of the regulariser",
        description="L_Reg is estimated on every n-th pair of a batch",
    )
    anchor: tuple[Positive, Positive] | None = Field(
        default=None,
        title="Weight: anchor",
        description="joint: weight of |e(x) - smooth target|^2, start and end",
        json_schema_extra=WEIGHT,
    )

    @model_validator(mode="after")
    def _anchor_fits(self) -> JointTrainingConfig:
        if self.anchor and not self.unfolds:
            raise ValueError(
                "an anchor needs unfolded coordinates: set init=contrast or smooth, or anchor=null"
            )
        return self


class JointTraining(EmbeddedMethod):
    """A method with a stage "joint", in which the embedders train together with the model."""

    config: JointTrainingConfig

    def __init__(
        self,
        config: JointTrainingConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models)
        lead = () if n_models is None else (n_models,)
        self.c = nn.Parameter(torch.full(lead, 0.1 if config.reg_form == "literal" else 1.0))

    def joint_stage(self) -> Stage:
        """The stage "joint"."""
        c = self.config
        return Stage(
            "joint",
            c.joint_epochs,
            c.joint_learning_rate or c.learning_rate,
            c.joint_batch_size or c.batch_size,
            c.milestones,
            needs_target=c.anchor is not None,
            needs_words=self.words is not None,
            schedule=c.schedule,
        )

    def embedder_group(self) -> ParamGroup:
        """Both embedders, c of L_Reg and what reads words, at their own rate."""
        words = () if self.words is None else (self.words,)
        parameters = [*parameters_of(self.embedder1, self.embedder2, *words), self.c]
        return ParamGroup(parameters, self.config.embedder_rate)
