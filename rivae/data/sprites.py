"""Sprites: squares and ellipses of the same scale and position (paper, Sec. 5.2).

x1 is the square, x2 the ellipse, 64 x 64 binary, 6 scales x 32 X x 32 Y positions = 6,144 pairs,
orientation 0. The images are rendered here (``sprite_rendering``), equal to the published dSprites,
or read from a user's own dSprites file. The paper does not give its split; here 70 / 10 / 20 %.

Factors are in the units of dSprites: scale 0.5 .. 1.0, X and Y 0 .. 1 (index / 31), X to the right
and Y downwards. Rows run over scale, X, Y, with Y fastest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps
from pydantic import Field

from rivae.data.base import FactorSpec, PairedDataset, Shape, TensorView, random_split
from rivae.data.settings import DatasetSettings, Fractions, HostPath, Seed
from rivae.data.sprite_rendering import N_POSITIONS, SCALES, SIZE, all_latents, render
from rivae.data.sprites_file import read_sprites
from rivae.data.upload import light_on_dark, otsu_threshold, to_grey

FACTOR_SPECS = (
    FactorSpec("scale", "continuous"),
    FactorSpec("X position", "continuous"),
    FactorSpec("Y position", "continuous"),
)
_SQUARE_COLOUR, _ELLIPSE_COLOUR = (86, 180, 233), (230, 159, 0)  # Okabe-Ito, safe for all eyes


class Sprites(PairedDataset):
    """The data set with its pictures: one view in white on black, both in two colours."""

    accepts_upload = True

    def __init__(
        self,
        *,
        squares: NDArray[np.uint8],
        ellipses: NDArray[np.uint8],
        latents: NDArray[np.int64],
        **rest: Any,
    ) -> None:
        self._images = tuple(images * np.uint8(255) for images in (squares, ellipses))
        factors = np.column_stack([SCALES[latents[:, 0]], latents[:, 1:] / (N_POSITIONS - 1)])
        super().__init__(
            name="sprites",
            x1=TensorView(torch.from_numpy(self._images[0][:, None])),
            x2=TensorView(torch.from_numpy(self._images[1][:, None])),
            factors=factors,
            factor_specs=FACTOR_SPECS,
            view_names=("square", "ellipse"),
            **rest,
        )

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """64 x 64: grey for one view; side 0 lays the ellipse over the square in colour."""
        if side:
            return Image.fromarray(self._images[side - 1][i])
        square, ellipse = (Image.fromarray(images[i]) for images in self._images)
        both = Image.new("RGB", (SIZE, SIZE))
        both.paste(_SQUARE_COLOUR, mask=square)
        both.paste(_ELLIPSE_COLOUR, mask=ellipse.point(lambda v: v * 4 // 5))
        return both

    def title(self, i: int) -> str:
        assert self.factors is not None
        scale, x, y = self.factors[i]
        return f"scale {scale:.1f}, X {x:.2f}, Y {y:.2f}"

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """Any picture as a binary 64 x 64 query: grey, padded to a square, Otsu, light on dark."""
        grey = light_on_dark(to_grey(image))
        grey = ImageOps.pad(grey, (SIZE, SIZE), Image.Resampling.BOX)
        values = np.asarray(grey)
        binary = values > otsu_threshold(values)
        return torch.from_numpy(binary.astype(np.float32))[None, None]


class Settings(DatasetSettings):
    """Settings of Sprites."""

    path: HostPath = Field(
        default=None,
        title="dSprites file",
        description="a dSprites .npz (the published layout, or packed bits); empty draws all pairs",
    )
    split_seed: Seed = Field(default=0, title="Split seed", description="draw of the split")
    fractions: Fractions = Field(
        default=(0.7, 0.1, 0.2), title="Split", description="shares of train, validation and test"
    )


def load(settings: Settings) -> PairedDataset:
    """Render Sprites, or read them from a dSprites file.

    Returns:
        Views of shape (1, 64, 64) with values 0 and 1, factors (N, 3): scale, X, Y.

    Raises:
        DataError: for a file that is missing, broken or no dSprites file.
    """
    file = settings.path
    if file is None:
        latents = all_latents()
        squares, ellipses = (
            render(shape, SCALES[latents[:, 0]], latents[:, 1], latents[:, 2])
            for shape in ("square", "ellipse")
        )
    else:
        squares, ellipses, latents = read_sprites(file)
    splits = random_split(len(latents), settings.fractions, settings.split_seed)
    return Sprites(
        squares=squares,
        ellipses=ellipses,
        latents=latents,
        settings=settings.kept(),
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without making or reading any."""
    return (1, SIZE, SIZE), (1, SIZE, SIZE)
