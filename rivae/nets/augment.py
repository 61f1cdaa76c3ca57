"""Random changes of pictures while training, against learning few pictures by heart."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rivae.nets.dropout import RandomLayer

# At strength 1: shifts of a quarter of the side, a zoom of 30 %, light and contrast of 20 to 30 %.
# The light has no tint: colour says most about a dish (measured on 15,228 photographs).
SHIFT, ZOOM, LIGHT, CONTRAST = 0.5, 0.3, 0.4, 0.6


class Augment(RandomLayer):
    """Pictures (B, C, H, W) mirrored, shifted, enlarged and relit, each in its own way.

    ``strength`` 0 and evaluation leave them as they are. Models that train as one batch have no
    convolutions, so there is one generator.
    """

    def __init__(self, strength: float) -> None:
        super().__init__()
        self.strength = strength

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.strength == 0:
            return x
        n = len(x)
        draws = self._uniform(n, 6, x)
        flipped = draws[:, 0] < 0.5
        x = torch.where(flipped[:, None, None, None], x.flip(-1), x)
        # Resampled on a shifted and scaled grid; what lies beyond the border is its reflection.
        zoom = 1.0 - ZOOM * self.strength * draws[:, 1]
        theta = torch.zeros(n, 2, 3, device=x.device, dtype=x.dtype)
        theta[:, 0, 0], theta[:, 1, 1] = zoom, zoom
        theta[:, :, 2] = (draws[:, 2:4] - 0.5) * SHIFT * self.strength
        grid = nn.functional.affine_grid(theta, list(x.shape), align_corners=False)
        x = nn.functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False)
        contrast = 1.0 + (draws[:, 4] - 0.5) * CONTRAST * self.strength
        light = 1.0 + (draws[:, 5] - 0.5) * LIGHT * self.strength
        mean = x.mean((1, 2, 3), keepdim=True)
        return ((x - mean) * contrast[:, None, None, None] + mean) * light[:, None, None, None]

    def _uniform(self, n: int, k: int, like: Tensor) -> Tensor:
        generator = self.generators[0] if self.generators else None
        device = generator.device if generator is not None else like.device
        shape = self.share.whole_shape(torch.Size((n, k)))
        return self.share.own(torch.rand(shape, generator=generator, device=device)).to(like)
