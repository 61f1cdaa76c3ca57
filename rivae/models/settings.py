"""Settings that methods share, each defined once with its title, bounds and description.

A form shows ``title`` and ``description`` of a setting, under the heading that it names as
``json_schema_extra=WEIGHT`` or ``NETWORK``. Without them it shows the setting's name, under the
heading that the name suggests (``rivae/app/forms/fields.py``).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rivae.base.config import BatchSize as PairsPerStep
from rivae.base.config import Epochs as Passes
from rivae.base.config import Positive, Widths
from rivae.base.parts import NameIn

# ``init`` of the methods that can begin with ridge CCA, and its stage; a model already.
CLOSED_FORM = "ridge-cca"
NETWORK: dict[str, Any] = {"group": "Networks"}
WEIGHT: dict[str, Any] = {"group": "Loss weights"}

Components = Annotated[
    int, Field(ge=1, le=512, title="Axes", description="dim(z)", json_schema_extra=NETWORK)
]
EmbeddingSize = Annotated[
    int,
    Field(ge=2, le=4096, title="Embedding size", description="dim(V)", json_schema_extra=NETWORK),
]
HeadWidths = Annotated[
    Widths,
    Field(
        min_length=1,
        title="Hidden layers of heads",
        description="widths, between embeddings and axes",
        json_schema_extra=NETWORK,
    ),
]
Epochs = Annotated[Passes, Field(title="Epochs", description="passes over the training pairs")]
BatchSize = Annotated[PairsPerStep, Field(title="Batch size", description="pairs per step")]
LearningRate = Annotated[
    float, Field(gt=0, title="Learning rate", description="of the optimiser, at the start")
]
Schedule = Annotated[
    Literal["constant", "cosine"],
    Field(
        title="Rate schedule",
        description="constant, or cosine, which falls to 0 over the stage",
    ),
]
Milestones = Annotated[
    tuple[tuple[Passes, Positive], ...],
    Field(title="Rate drops", description="epochs at which the rate is multiplied by a factor"),
]
# Of a joint stage, in which the embedders train as well.
JointRate = Annotated[
    float | None,
    Field(
        gt=0, title="Rate of stage 2", description="learning rate of stage 2; empty: as in stage 1"
    ),
]
EmbedderRate = Annotated[
    float, Field(ge=0, title="Rate of embedders", description="of the embedders, relative")
]
JointMilestones = Annotated[
    Milestones, Field(description="(epoch of the joint stage, factor on the rate)")
]
# The change that ``launch.choose_axes`` makes to the latent coordinates of a trained model.
AXIS_STEPS = NameIn("rivae.training.alignment.registry:STEPS")
Axes = Annotated[str, AXIS_STEPS]
AxisChoice = Annotated[
    Axes,
    Field(
        title="Choice of axes",
        description="after training: units of z, or also new directions",
    ),
]
AxisReach = Annotated[
    float,
    Field(
        gt=0,
        title="Reach of axes",
        description="where the central 99 % of the training z end",
    ),
]
Temperature = Annotated[
    float,
    Field(
        gt=0,
        title="Temperature",
        description="of the softmax over the batch",
        json_schema_extra=WEIGHT,
    ),
]
