"""Where the embedders of a method start from: each start is one object, ``EmbeddedMethod.start``.

Supplement, "Embedding networks": every method starts from the embedders of a trained Cos-Sim-LVM.
An unfolded start brings the embedders to coordinates instead, of the training pairs themselves
(``training/smooth_start.py``) or of what contrastive fits learn of them (``contrast_start.py``).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from rivae.models.base import Batch, Method, ParamGroup, Stage, Start, parameters_of
from rivae.models.contrast_start import STAGE as CONTRAST
from rivae.models.contrast_start import ContrastStart
from rivae.models.losses import anchor

# Smooth targets are a patch of radius .8 of the unit sphere, about three s.d. wide.
SMOOTH_Z_SCALE = 3.0 / 0.8


class CosSimStart(Start):
    """A Cos-Sim-LVM is trained first, on the embedders of the method.

    Args:
        method: an ``EmbeddedMethod``.
        initialiser: the Cos-Sim-LVM.
    """

    def __init__(self, method: Any, initialiser: Method) -> None:
        self._config, self._initialiser = method.config, initialiser
        self._reads_words = method.words is not None

    def stages(self) -> list[Stage]:
        c = self._config
        rate, schedule = c.init_learning_rate, c.init_schedule
        stage = Stage(
            "initialise",
            c.init_epochs,
            rate,
            c.batch_size,
            needs_words=self._reads_words,
            schedule=schedule,
            validate=False,
        )
        return [stage]

    def groups(self, stage: str) -> list[ParamGroup]:
        return self._initialiser.param_groups(stage)

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        return self._initialiser.loss(batch)


class UnfoldedStart(Start):
    """The embedders, and the heads that the method names, learn unfolded coordinates.

    Args:
        method: an ``EmbeddedMethod``.
        contrast: the fits whose embeddings are unfolded; None unfolds the pairs as they are.
    """

    def __init__(self, method: Any, contrast: ContrastStart | None) -> None:
        self._method, self._contrast = method, contrast
        self.unfolds_pairs = contrast is None

    def stages(self) -> list[Stage]:
        c = self._method.config
        if self._contrast is not None:
            return [*self._contrast.stages(), *self._contrast.unfold_stages(c.init_learning_rate)]
        stage = Stage(
            "unfold",
            c.init_epochs,
            c.init_learning_rate,
            c.batch_size,
            needs_target=True,
            schedule="cosine",
            validate=False,
        )
        return [stage]

    def groups(self, stage: str) -> list[ParamGroup]:
        if self._contrast is not None and stage.startswith(CONTRAST):
            return self._contrast.param_groups()
        method = self._method
        modules = (method.embedder1, method.embedder2, *method.unfolded_heads())
        return [ParamGroup(parameters_of(*modules))]

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        if self._contrast is not None and batch.stage.startswith(CONTRAST):
            return self._contrast.loss(batch)
        assert batch.target is not None
        method = self._method
        v1, v2 = method.embedded_batch(batch)
        terms = {"anchor": anchor(v1, v2, batch.target)}
        z = batch.target[..., : method.n_components] * SMOOTH_Z_SCALE
        terms |= method.unfolded_head_loss(batch.target, z)
        if self._contrast is not None:
            terms["apart"] = self._contrast.apart(v1, v2)
        return {"objective": sum(terms.values(), torch.zeros(())), **terms}

    def contrast_embeddings(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        assert self._contrast is not None
        return self._contrast.embeddings(x1, x2)

    def refitted(self) -> tuple[nn.Module, ...]:
        if self._contrast is None:
            return ()
        return self._method.embedder1, self._method.embedder2, self._contrast
