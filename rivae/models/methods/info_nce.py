"""InfoNCE (van den Oord et al. 2018), both directions as in CLIP; it is not in the paper."""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from rivae.models.contrastive import Contrastive, ContrastiveConfig
from rivae.models.losses import both_ways
from rivae.models.settings import Temperature
from rivae.models.stages import Batch

# As in CLIP: a learned temperature below 1/100 only sharpens what is already right.
MIN_TEMPERATURE = 0.01


class InfoNCEConfig(ContrastiveConfig):
    """Settings of InfoNCE."""

    temperature: Temperature = 0.1
    temperature_form: Literal["fixed", "learned"] = Field(
        default="fixed",
        title="Kind of temperature",
        description="learned: training starts from the one given",
    )


class InfoNCE(Contrastive):
    r"""Cross entropy of the match among all items of the batch, queries to targets and back.

    Model, with embeddings of unit length, and loss over a batch of n pairs:

        v_i = e_i(x_i),   s_{jk} = v_1^j . v_2^k / \tau
        L = -1/(2n) \sum_j [log softmax_k(s_{jk}) at k = j + log softmax_k(s_{kj}) at k = j]

    There is no latent: z is v_1 itself. In settings \tau is ``temperature``, learned with
    ``temperature_form=learned``, never below 1/100.

    Reference: van den Oord et al., "Representation learning with contrastive predictive coding"
    (2018); both directions as in CLIP, Radford et al. (2021). It is not in the paper.

    Example:
        >>> import torch
        >>> from rivae.models.stages import Batch, Noise
        >>> from rivae.models.registry import build_method
        >>> x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
        >>> noise = Noise([torch.Generator()], stacked=False)
        >>> method = build_method("info-nce", {"dim_v": 3}, (5,), (4,))
        >>> sorted(method.loss(Batch("info-nce", 0.0, noise, x1, x2)))
        ['match', 'objective', 'to query', 'to target']
    """

    name = "info-nce"
    title = "InfoNCE"
    blurb = "Contrastive embeddings alone; their axes are not factors"
    smallest = {"epochs": 4, "batch_size": 16}
    config_class = InfoNCEConfig
    config: InfoNCEConfig
    has_latent = False

    def __init__(
        self,
        config: InfoNCEConfig,
        shape1: tuple[int, ...],
        shape2: tuple[int, ...],
        n_models: int | None = None,
        n_components: int | None = None,
    ) -> None:
        super().__init__(config, shape1, shape2, n_models, n_components)
        self.log_temperature: nn.Parameter | None = None
        if config.temperature_form == "learned":
            lead = () if n_models is None else (n_models,)
            self.log_temperature = nn.Parameter(torch.full(lead, config.temperature).log())

    def temperature(self) -> Tensor:
        """The temperature of each model, (...,)."""
        if self.log_temperature is None:
            return torch.tensor(self.config.temperature)
        return self.log_temperature.exp().clamp_min(MIN_TEMPERATURE)

    def alignment(self, v1: Tensor, v2: Tensor, batch: Batch) -> dict[str, Tensor]:
        temperature = self.temperature().to(v1.device)
        scores = v1 @ v2.transpose(-1, -2) / temperature[..., None, None]
        forward, backward = both_ways(scores)
        objective = 0.5 * (forward + backward)
        terms = {"objective": objective, "to target": forward, "to query": backward}
        if self.log_temperature is not None:
            terms["temperature"] = temperature.detach()
        return terms
