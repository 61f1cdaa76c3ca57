"""InfoNCE with linear ICA on top: the shortest way from aligned embeddings to named axes.

Principal components of V in closed form, then the independent components that every method may
choose for its axes (``axes = "independent"``), folded exactly into z and f.
"""

from __future__ import annotations

import torch
from pydantic import Field, model_validator
from torch import Tensor

from rivae.models.components import shared_components
from rivae.models.methods.info_nce import InfoNCE, InfoNCEConfig
from rivae.models.settings import AxisChoice, Components

_ROWS = 512  # pictures embedded at once


class InfoNCEICAConfig(InfoNCEConfig):
    """Settings of InfoNCE + linear ICA."""

    n_components: Components = Field(default=10, description="principal components of V")
    axes: AxisChoice = "independent"

    @model_validator(mode="after")
    def _fits_into_v(self) -> InfoNCEICAConfig:
        if self.n_components > self.dim_v:
            raise ValueError(
                f"{self.dim_v} dimensions have no {self.n_components} components: raise dim_v"
            )
        return self


class InfoNCEICA(InfoNCE):
    r"""InfoNCE, then principal components of V, turned to independent ones.

    Model, with the embeddings v_i = e_i(x_i) and the loss of InfoNCE:

        z = (v_1 - E v_1) U,   f(z) = E v_2 + z U',   score(z, v_2) = cos(f(z), v_2)

    U (D, d) are the leading eigenvectors of S_11 + S_22, the covariances of both embeddings around
    their own means: f has to reach the targets, which v_1 alone does not see, and a constant offset
    between the two clouds (the "modality gap" of contrastive embeddings) is not a factor. ICA is
    the choice of axes after training (``axes=independent``), folded exactly into z and f.

    In settings d is ``n_components``, D ``dim_v``; the others are those of InfoNCE.

    Reference: Hyvarinen and Oja, "Independent component analysis" (2000). It is not in the paper.

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("info-nce-ica", {"n_components": 2, "dim_v": 3}, (5,), (4,))
        >>> method.finish(x1, x2, random_state=0)
        >>> method.encode(x1)[0].shape, method.decode(torch.zeros(1, 2)).shape
        (torch.Size([16, 2]), torch.Size([1, 3]))
    """

    name = "info-nce-ica"
    title = "InfoNCE + linear ICA"
    blurb = "Contrastive embeddings, turned to independent components"
    smallest = {"epochs": 4, "batch_size": 16}
    config_class = InfoNCEICAConfig
    config: InfoNCEICAConfig
    has_latent = True
    has_closed_form = True

    def __init__(
        self,
        config: InfoNCEICAConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models, config.n_components)

    @torch.no_grad()
    def finish(self, x1: Tensor, x2: Tensor, random_state: int) -> None:
        """Principal components of the training pairs; ``random_state`` is not used.

        Raises:
            DataError: when embeddings are infinite, NaN or constant.
        """
        v1 = torch.cat([self.embed_query(part) for part in x1.split(_ROWS)]).double()
        v2 = torch.cat([self.embed_target(part) for part in x2.split(_ROWS)]).double()
        mean1, mean2 = v1.mean(0), v2.mean(0)
        vectors = shared_components(v1, v2, self.n_components)
        self.to_z.assign(vectors, -mean1 @ vectors)
        self.from_z.assign(vectors.T, mean2)
