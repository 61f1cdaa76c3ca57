"""A view of picture files, decoded when a batch asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rivae.data.decode import open_picture
from rivae.errors import DataError

Mode = Literal["RGB", "L"]
Fit = Literal["cover", "pad", "stretch"]


class PictureView:
    """Pictures on disk as a view of shape (C, H, W), float32 in [0, 1].

    Args:
        files: N paths; they are opened only when needed.
        size: (H, W) in pixels.
        mode: "RGB" (C = 3) or "L" for grey (C = 1).
        fit: "cover" crops the longer side, "pad" adds black, "stretch" changes the proportions.
        cache_bytes: when all decoded pictures fit into this many bytes they are kept, so that
            training decodes each file once; 0 keeps none.

    Raises:
        DataError: for a size or mode that makes no sense; ``batch`` and ``picture`` raise it with
            the name of a file that is missing, damaged, too large or no picture.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        size: tuple[int, int],
        mode: Mode = "RGB",
        fit: Fit = "cover",
        cache_bytes: int = 512 << 20,
    ) -> None:
        if mode not in ("RGB", "L"):
            raise DataError(f"pictures can be RGB or L (grey), not {mode!r}")
        if fit not in ("cover", "pad", "stretch"):
            raise DataError(f"fit must be cover, pad or stretch, not {fit!r}")
        if min(size) < 1 or max(size) > 4096:
            raise DataError(f"the size of pictures must lie in 1 .. 4096 pixels, got {tuple(size)}")
        self.files = [Path(file) for file in files]
        self.mode, self.fit = mode, fit
        self.shape: tuple[int, ...] = (3 if mode == "RGB" else 1, *size)
        self._kept: NDArray[np.uint8] | None = None
        self._is_kept = np.zeros(len(self.files), bool)
        if len(self.files) * int(np.prod(self.shape)) <= cache_bytes:
            # Untouched pages of an empty array cost no memory.
            self._kept = np.empty((len(self.files), *self.shape), np.uint8)

    def __len__(self) -> int:
        return len(self.files)

    def batch(self, ids: Any) -> torch.Tensor:
        """Items ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + shape``."""
        rows = np.asarray(ids, dtype=np.int64)
        values = np.empty((rows.size, *self.shape), np.uint8)
        for position, row in enumerate(rows.ravel().tolist()):
            values[position] = self._pixels(row)
        shaped = values.reshape(rows.shape + self.shape)
        return torch.from_numpy(shaped).float().div_(255.0)

    def picture(self, i: int) -> Image.Image:
        """Item ``i`` as the model sees it, H x W."""
        return self._fitted(open_picture(self.files[i]))

    def _pixels(self, row: int) -> NDArray[np.uint8]:
        if self._kept is not None and self._is_kept[row]:
            kept: NDArray[np.uint8] = self._kept[row]
            return kept
        pixels = np.asarray(self.picture(row)).reshape(*self.shape[1:], -1).transpose(2, 0, 1)
        if self._kept is not None:
            self._kept[row] = pixels
            self._is_kept[row] = True  # last, so that another thread never sees half a picture
        return pixels

    def _fitted(self, image: Image.Image) -> Image.Image:
        size = (self.shape[2], self.shape[1])
        image = ImageOps.exif_transpose(image).convert(self.mode)
        if self.fit == "cover":
            return ImageOps.fit(image, size, Image.Resampling.LANCZOS)
        if self.fit == "pad":
            return ImageOps.pad(image, size, Image.Resampling.LANCZOS)
        return image.resize(size, Image.Resampling.LANCZOS)
