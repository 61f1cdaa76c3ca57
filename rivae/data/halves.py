"""Left and right halves of digit pictures as a pair; shared by split-digits and split-mnist."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rivae.data.base import PairedDataset, TensorView
from rivae.data.factors import FactorSpec
from rivae.data.pictures import light_on_dark, otsu_threshold, to_grey

Centring = Literal["mass", "box"]
FACTOR_SPECS = (FactorSpec("digit", "categorical", "shared", tuple("0123456789")),)
DISPLAY_HEIGHT = 96
# Between the aspect ratio of a left half (1/2) and of a full digit (1).
_WHOLE_FROM_ASPECT = 0.7
# MNIST puts the centre of mass on the middle of pixel 14 of 0 .. 27, just beyond the centre.
_MASS_SHIFT = 0.5


class Halves(PairedDataset):
    """Digits cut in the middle: x1 is the left half, x2 the right half, light ink on dark.

    Args:
        images: (N, H, W) uint8, W even, values 0 .. ``white``.
        labels: (N,) digits 0 .. 9.
        white: the value of full ink; 255 keeps the views as uint8, others become float32 / white.
        ink_box: side of the box, in pixels, that a digit of this data set is scaled into; an
            uploaded digit is scaled the same way.
        centring: whether the ink's centre of mass or the centre of its box is put in the middle.
    """

    accepts_upload = True
    shows_whole = True

    def __init__(
        self,
        *,
        images: NDArray[np.uint8],
        labels: NDArray[np.int64],
        white: int,
        ink_box: int,
        centring: Centring,
        **rest: Any,
    ) -> None:
        half = images.shape[2] // 2
        views = []
        for part in (images[:, None, :, :half], images[:, None, :, half:]):
            tensor = torch.from_numpy(np.ascontiguousarray(part))
            views.append(TensorView(tensor if white == 255 else tensor.float() / white))
        super().__init__(
            x1=views[0],
            x2=views[1],
            factors=labels[:, None].astype(np.float64),
            factor_specs=FACTOR_SPECS,
            view_names=("left half", "right half"),
            **rest,
        )
        self._ink_box, self._centring = ink_box, centring

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """Grey, 96 pixels high: 48 wide for a half, 96 for the completed digit (side 0)."""
        views = (self.x1, self.x2) if side == 0 else ((self.x1, self.x2)[side - 1],)
        values = torch.cat([view.batch([i])[0, 0] for view in views], dim=1).numpy()
        image = Image.fromarray((values * 255).round().astype(np.uint8))
        width = DISPLAY_HEIGHT * image.width // image.height
        return image.resize((width, DISPLAY_HEIGHT), Image.Resampling.BICUBIC)

    def title(self, i: int) -> str:
        return f"Digit {self.factor_text(i, 0)}, no. {i}"

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """The left half of a full digit; a picture half as wide as high is taken as it is.

        A full digit is scaled and centred as the data set's own digits were; the true centre of a
        left half is unknown, so it is only resized.
        """
        _, height, half = self.x1.shape
        grey = light_on_dark(to_grey(image))
        if grey.width < _WHOLE_FROM_ASPECT * grey.height:
            values = np.asarray(ImageOps.pad(grey, (half, height), Image.Resampling.BOX))
        else:
            values = centred_ink(grey, height, 2 * half, self._ink_box, self._centring)[:, :half]
        return torch.from_numpy(values.astype(np.float32) / 255)[None, None]


def centred_ink(
    grey: Image.Image, height: int, width: int, box: int, centring: Centring
) -> NDArray[np.uint8]:
    """Light ink on dark, scaled to fit ``box`` pixels and centred in (height, width)."""
    values = np.asarray(grey, dtype=np.float64)
    ys, xs = np.nonzero(values > otsu_threshold(values))
    centre, sides = [], []
    for positions, axis in ((xs, 0), (ys, 1)):
        low, high = int(positions.min()), int(positions.max()) + 1
        sides.append(high - low)
        if centring == "box":
            centre.append((low + high) / 2)
        else:
            profile = values.sum(axis)[low:high]
            centre.append(float(profile @ (np.arange(low, high) + 0.5) / profile.sum()))
    # The window of the upload that becomes the picture; it may reach beyond the upload's edge.
    unit = max(sides) / box
    if centring == "mass":
        centre = [middle - _MASS_SHIFT * unit for middle in centre]
    reach = (width * unit / 2, height * unit / 2)
    margin = int(max(reach) + unit) + 1
    wide = ImageOps.expand(grey, margin, 0)
    x, y = centre[0] + margin, centre[1] + margin
    window = (x - reach[0], y - reach[1], x + reach[0], y + reach[1])
    return np.asarray(wide.resize((width, height), Image.Resampling.BOX, box=window))
