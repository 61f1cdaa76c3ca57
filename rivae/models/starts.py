"""Where the embedders of a method start from: each start is one object, ``EmbeddedMethod.start``.

Supplement, "Embedding networks": every method starts from the embedders of a trained Cos-Sim-LVM.
An unfolded start brings the embedders to coordinates instead, of the training pairs themselves
(``training/smooth_start.py``) or of what contrastive fits learn of them (``contrast_start.py``). A
start in closed form solves for linear embedders (``ridge_cca.py``) and is a model already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rivae.base.installed import VERSION
from rivae.data.base import PairedDataset
from rivae.data.views import Views
from rivae.models.base import Method
from rivae.models.contrast_start import STAGE as CONTRAST
from rivae.models.contrast_start import ContrastStart
from rivae.models.losses import anchor
from rivae.models.nets.settings import EmbedderPair
from rivae.models.ridge_cca import fit_ridge_cca
from rivae.models.settings import CLOSED_FORM
from rivae.models.stages import Batch, ParamGroup, Stage, Start, parameters_of

# Smooth targets are a patch of radius .8 of the unit sphere, about three s.d. wide.
SMOOTH_Z_SCALE = 3.0 / 0.8


def require_linear(config: EmbedderPair, dim_v: int) -> None:
    """Check that both embedders of these settings can be linear maps to ``dim_v`` numbers.

    Raises:
        ValueError: they cannot.
    """
    for one in (config.embedder, config.embedder2 or config.embedder):
        if one.kind != "mlp":
            raise ValueError(
                f"init={CLOSED_FORM} solves for linear maps, which an embedder of kind "
                f"{one.kind} is not: set its kind to mlp (with features for pictures), or choose "
                "another init"
            )
        if one.hidden and (min(one.hidden) < 2 * dim_v or one.activation == "tanh"):
            raise ValueError(
                f"a linear map of {dim_v} numbers goes through hidden layers of {2 * dim_v} units "
                "or more, with activation relu or leaky-relu: widen hidden, or set it to []"
            )
    if config.shared:
        raise ValueError(f"init={CLOSED_FORM} sets each embedder's last layer: set shared=false")


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


class RidgeStart(Start):
    """Linear embedders in closed form: ridge CCA of the views (``ridge_cca``), of unit length.

    Args:
        embedders: both embedders, ``MLPEmbedder`` of one model or of several.
    """

    is_model = True

    def __init__(self, embedders: tuple[Any, Any], dim_v: int) -> None:
        self._embedders, self._dim_v = embedders, dim_v

    def stages(self) -> list[Stage]:
        # The rate belongs to no descent; an optimiser wants one.
        return [Stage(CLOSED_FORM, 1, 1.0, closed_form=True)]

    def groups(self, stage: str) -> list[ParamGroup]:
        return [ParamGroup(parameters_of(*self._embedders))]

    def solve(
        self, data: PairedDataset, watch: Callable[[float], None], folder: Path | None = None
    ) -> dict[str, float]:
        train, validation = data.splits["train"], data.splits["validation"]
        sums_file = folder and folder / f"sums-{_digest(data, train)}.npz"
        fit = fit_ridge_cca(Views(data), train, validation, self._dim_v, watch, sums_file)
        for embedder, weight, bias in zip(self._embedders, fit.weights, fit.biases, strict=True):
            embedder.net.assign(torch.from_numpy(weight), torch.from_numpy(bias))
        return {
            "objective": -float(fit.correlations.sum()),
            "ridge 1": fit.ridges[0],
            "ridge 2": fit.ridges[1],
            "power": fit.power,
        }


def _digest(data: PairedDataset, rows: NDArray[np.int64]) -> str:
    """Names the sums over these rows of the views, in this version."""
    digest = hashlib.blake2b(f"{VERSION} {data.fingerprint}".encode(), digest_size=16)
    digest.update(np.ascontiguousarray(rows, dtype=np.int64).tobytes())
    return digest.hexdigest()


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
