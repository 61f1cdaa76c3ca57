"""The pictures of a store as a view: decoded once, kept as bytes on the disk."""

from __future__ import annotations

import errno
import io
import shutil
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageOps

from rivae.base.errors import DataError
from rivae.base.files import reserve
from rivae.base.fonts import BUILT_IN, clusters, load, runs
from rivae.base.installed import cache_folder
from rivae.data.base import floats
from rivae.data.pictures import open_picture
from rivae.data.store.reader import PairStore

CARD_SIDE = 160
_LETTERS, _MARGIN = 15, 8  # pixels, of a card
NONE_READABLE = "none of the pictures can be read: import them again"
NO_FONT = "No font on this machine can draw this title: install one"
LEFT_FREE = 2**29  # of the disk, when decoded pictures are kept there
MAX_IN_MEMORY = 4 * 2**30


class StorePixels:
    """Pictures of shape (3, S, S), float32 in [0, 1]; a grey card where an item has none.

    A picture is decoded when it is first asked for and then kept in ``pixels-S.bin`` in the store's
    cache, which processes share and the system may drop from memory; or in memory if the store
    cannot be written. One byte per picture, written after its pixels, marks it as complete.
    """

    def __init__(self, store: PairStore, size: int) -> None:
        self.store, self.size = store, size
        self._pixels: NDArray[np.uint8] | None = None
        self._is_decoded: NDArray[np.uint8] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return 3, self.size, self.size

    def __len__(self) -> int:
        return len(self.store)

    def batch(self, ids: Any) -> torch.Tensor:
        """Items ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + shape``."""
        return floats(self.pixels(ids))

    def pixels(self, ids: Any) -> torch.Tensor:
        """``batch`` as uint8 in 0 to 255, a quarter of what a card would have to be sent."""
        index = np.asarray(ids, dtype=np.int64)
        flat = index.reshape(-1)
        pixels, is_decoded = self._open()
        for i in np.unique(flat[is_decoded[flat] == 0]):
            pixels[i] = decoded(self.store, int(i), self.size)
            is_decoded[i] = 1
        return torch.from_numpy(pixels[flat]).reshape(*index.shape, *self.shape)

    def _open(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        if self._pixels is None or self._is_decoded is None:
            n = len(self.store)
            folder = cache_folder(self.store.folder)
            self._pixels = _shared(folder / f"pixels-{self.size}.bin", (n, *self.shape))
            is_on_disk = isinstance(self._pixels, np.memmap)
            flags_file = folder / f"pixels-{self.size}.done"
            self._is_decoded = (
                _shared(flags_file, (n,)) if is_on_disk else np.zeros(n, dtype=np.uint8)
            )
        return self._pixels, self._is_decoded


def _shared(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """A file of zeros as an array, or zeros in memory where no file can be.

    Raises:
        DataError: there is no room for it on the disk or in memory.
    """
    size = int(np.prod(shape))
    try:
        path.parent.mkdir(exist_ok=True)
        there = path.stat().st_size if path.exists() else 0
        if size - there > shutil.disk_usage(path.parent).free - LEFT_FREE:
            raise OSError(errno.ENOSPC, "no room")
        reserve(path, size)
        return np.memmap(path, dtype=np.uint8, mode="r+", shape=shape)
    except OSError as error:
        if size > MAX_IN_MEMORY:
            raise DataError(
                f"the pictures need {size / 2**30:,.1f} GB at this "
                "size, and there is no room for them: choose a smaller image_size, or make room"
            ) from error
        return np.zeros(shape, dtype=np.uint8)


def picture(store: PairStore, i: int) -> Image.Image:
    """The stored picture of item ``i``, RGB; a grey card with its title where there is none.

    Raises:
        DataError: when the store is damaged.
    """
    data = store.picture_bytes(i)
    if not data:
        return title_card(store.title(i))
    name = f"the picture of item {i} in {store.folder.name}"
    return open_picture(io.BytesIO(data), name).convert("RGB")


def readable_picture(store: PairStore, i: int) -> tuple[Image.Image, bool]:
    """``picture``, or the grey card of an item without one where it is damaged; and whether it
    could be read.
    """
    try:
        return picture(store, i).convert("RGB"), True
    except DataError:
        return title_card(store.title(i)).convert("RGB"), False


def title_card(title: str) -> Image.Image:
    """A grey square with a few lines of text, or what to do where no font has its letters."""
    card = Image.new("L", (CARD_SIDE, CARD_SIDE), 128)
    draw, usual = ImageDraw.Draw(card), load(BUILT_IN, _LETTERS)
    drawable = "".join(part for part, face in runs(title, BUILT_IN) if face)
    title = NO_FONT if drawable != title and not any(map(str.isalnum, drawable)) else drawable
    if all(face == BUILT_IN for _, face in runs(title, BUILT_IN)):
        text = "\n".join(textwrap.wrap(title, 18)[:8])
        draw.multiline_text((_MARGIN, _MARGIN), text, fill=255, font=usual)
        return card
    for n, line in enumerate(_lines(title)[:7]):
        x = float(_MARGIN)
        for part, face in runs(line, BUILT_IN):
            letters = load(face or BUILT_IN, _LETTERS)
            draw.text((x, _MARGIN + 15 + 20 * n), part, fill=255, font=letters, anchor="ls")
            x += letters.getlength(part)
    return card


def _lines(title: str) -> list[str]:
    """A title broken at spaces, and anywhere where a word alone is wider than the card."""
    lines, line = [], ""
    for word in title.split():
        space = " " if line else ""
        if line and _width(f"{line} {word}") > CARD_SIDE - 2 * _MARGIN:
            lines.append(line)
            line, space = "", ""
        for letter in clusters(space + word):
            if line and _width(line + letter) > CARD_SIDE - 2 * _MARGIN:
                lines.append(line)
                line = ""
            line += letter
    return [*lines, line]


def _width(line: str) -> float:
    return sum(
        load(face or BUILT_IN, _LETTERS).getlength(part) for part, face in runs(line, BUILT_IN)
    )


def decoded(store: PairStore, i: int, size: int) -> NDArray[np.uint8]:
    """Pixels (3, S, S) of item ``i``."""
    return to_pixels(picture(store, i).convert("RGB"), size)


def to_pixels(image: Image.Image, size: int) -> NDArray[np.uint8]:
    """The middle square of an RGB picture as (3, size, size)."""
    if min(image.size) < 2:
        raise DataError("the picture is thinner than 2 pixels: choose a larger one")
    square = ImageOps.fit(image, (size, size), Image.Resampling.BOX)
    return np.ascontiguousarray(np.moveaxis(np.asarray(square), -1, 0))
