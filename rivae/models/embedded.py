"""The base of methods on the embedded space: their embedders, which begin with a start."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from torch import Tensor, nn

from rivae.base.config import Epochs
from rivae.models.base import Method, MethodConfig
from rivae.models.contrast_start import ContrastSettings, ContrastStart
from rivae.models.losses import CosSimTerms
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.settings import EmbedderPair
from rivae.models.registry import METHODS
from rivae.models.settings import (
    CLOSED_FORM,
    AxisChoice,
    AxisReach,
    BatchSize,
    Components,
    EmbeddingSize,
    HeadWidths,
)
from rivae.models.stages import Batch
from rivae.models.starts import CosSimStart, RidgeStart, UnfoldedStart, require_linear
from rivae.models.word_reader import WordReader, WordTerms

# What the Cos-Sim-LVM of the start has from the settings of its method.
SHARED = ("n_components", "dim_v", "embedder", "embedder2", "head_hidden", "lambda_words")


class EmbeddedConfig(WordTerms, EmbedderPair, MethodConfig):
    """Settings of a method that starts from other embedders; each method adds its own."""

    n_components: Components = 10
    dim_v: EmbeddingSize = 50
    head_hidden: HeadWidths = (32, 32)

    init: Literal["none", "cos-sim-lvm", "smooth", "contrast", "ridge-cca"] = Field(
        default="cos-sim-lvm",
        title="Start of embedders",
        description="where the embedders start: random weights, a trained Cos-Sim-LVM (paper), "
        "unfolded coordinates of the training pairs (smooth) or of their contrastive embeddings "
        "(contrast), or the linear maps of ridge CCA, in closed form (ridge-cca)",
    )
    init_epochs: Epochs = Field(
        default=60,
        title="Epochs of the start",
        description="of a Cos-Sim-LVM or a smooth start; a contrast counts steps",
    )
    init_learning_rate: float = Field(
        default=1e-3,
        gt=0,
        title="Rate of the start",
        description="learning rate while the embedders start",
    )
    init_schedule: Literal["constant", "cosine"] = Field(
        default="constant",
        title="Schedule of the start",
        description="rate of the initialising Cos-Sim-LVM; cosine falls to 0",
    )
    cos_sim: CosSimTerms = Field(
        default=CosSimTerms(),
        title="Cos-Sim-LVM",
        description="loss of the initialising Cos-Sim-LVM",
    )
    contrast: ContrastSettings = Field(
        default=ContrastSettings(),
        title="Contrast",
        description="the fit that init=contrast begins with",
    )
    smooth_neighbours: int = Field(
        default=6,
        ge=2,
        le=100,
        title="Smooth neighbours",
        description="smooth start: nearest pairs that define its map",
    )
    smooth_blur: float = Field(
        default=1.5, ge=0, title="Smooth blur", description="s.d. of the blur, in pixels"
    )
    batch_size: BatchSize = 64
    axes: AxisChoice = Field(
        default="scaled",
        description="after training, exactly folded into mu and f: the unit of z, or also "
        "independent components of mu, the axes whose variance the query modulates, or axes that "
        "follow the words of the texts",
    )
    axis_reach: AxisReach = 10.0

    @model_validator(mode="after")
    def _smooth_start_fits(self) -> EmbeddedConfig:
        if self.unfolds and self.dim_v <= self.n_components:
            raise ValueError(
                f"a {self.init} start of {self.n_components} components needs dim_v of at least "
                f"{self.n_components + 1}: raise dim_v"
            )
        return self

    @model_validator(mode="after")
    def _closed_form_fits(self) -> EmbeddedConfig:
        if self.init == CLOSED_FORM:
            require_linear(self, self.dim_v)
        return self

    def untrained(self) -> str:
        begins = self.init in ("contrast", CLOSED_FORM) or (
            self.init != "none" and self.init_epochs > 0
        )
        names = [name for name in self.lengths() if name != "init_epochs"]
        # An unfolded start brings the heads to its coordinates as well.
        if not any(getattr(self, name) for name in names) and not (begins and self.unfolds):
            return (
                f"the model behind the embedders would not be trained: raise {' or '.join(names)}"
            )
        joint = getattr(self, "joint_epochs", 0) and getattr(self, "embedder_rate", 1)
        embedders = (self.embedder, self.embedder2 or self.embedder)
        ready = all(one.kind == "identity" or one.weights for one in embedders)
        if begins or joint or ready:
            return ""
        return "the embedders would not be trained: raise init_epochs with init=cos-sim-lvm" + (
            ", or joint_epochs" if "joint_epochs" in names else ""
        )

    @property
    def unfolds(self) -> bool:
        """Whether the start brings the embedders to unfolded coordinates."""
        return self.init in ("smooth", "contrast")


class EmbeddedMethod(Method):
    """A method whose observations are v1 = e1(x1) and v2 = e2(x2).

    A subclass builds its heads in ``__init__`` and then calls ``add_initialiser``; its
    ``stages``, ``param_groups`` and ``loss`` put their own stages after those of ``start``.
    """

    config: EmbeddedConfig

    def __init__(
        self,
        config: EmbeddedConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.n_components, self.dim_v = config.n_components, config.dim_v
        self.n_axes2 = len(shape2)
        self.embedder1, self.embedder2 = build_embedders(
            shape1, shape2, config.dim_v, config, n_models
        )

    def add_initialiser(
        self, shape1: tuple[int, ...], shape2: tuple[int, ...], n_models: int | None
    ) -> None:
        """What the start trains on this method's embedders: a Cos-Sim-LVM, or a contrast."""
        c = self.config
        self.words: WordReader | None = None
        if c.lambda_words:
            self.words = WordReader(c.dim_v, c.lambda_words, n_models)
        self.initialiser: Method | None = None
        self.contrast: ContrastStart | None = None
        if c.init == "contrast":
            self.contrast = ContrastStart(c.contrast, (self.embedder1, self.embedder2), n_models)
        if c.unfolds:
            self.start = UnfoldedStart(self, self.contrast)
        if c.init == CLOSED_FORM:
            self.start = RidgeStart((self.embedder1, self.embedder2), c.dim_v)
        if c.init == "cos-sim-lvm":
            kind = METHODS["cos-sim-lvm"]
            common_settings = {name: getattr(c, name) for name in SHARED}
            settings = kind.config_class.model_validate(common_settings | c.cos_sim.model_dump())
            embedders = (self.embedder1, self.embedder2)
            self.initialiser = kind(settings, shape1, shape2, n_models, embedders, self.words)
            self.start = CosSimStart(self, self.initialiser)

    # training

    def embedded_batch(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """v1 and v2 of the full batch, each (..., B, D)."""
        assert batch.x1 is not None and batch.x2 is not None
        v1, v2 = self.embeddings(batch.x1, batch.x2)
        return batch.share.whole(v1), batch.share.whole(v2)

    def unfolded_heads(self) -> tuple[nn.Module, ...]:
        """Heads that the smooth start trains as well."""
        return ()

    def unfolded_head_loss(self, v: Tensor, z: Tensor) -> dict[str, Tensor]:
        """Terms that bring those heads to the smooth coordinates z (..., B, d) of v (..., B, D)."""
        return {}

    # retrieval

    def embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        return self.embedder1(x1), self.embedder2(x2)
