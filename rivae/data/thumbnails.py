"""Small encoded pictures of items, kept in a bounded cache."""

from __future__ import annotations

import base64
import io
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from PIL import Image

from rivae.data.base import PairedDataset

THUMBNAIL_SIDE = 160
TINY_SIDE = 64
CACHE_BYTES = 16_000_000  # per data set: some 4,000 photographs, or 11,000 drawings of words
_ENTRY = 400  # bytes that an entry takes besides its picture


@dataclass(frozen=True)
class Thumbnail:
    """An encoded picture and its size in pixels."""

    content: bytes
    mime: str
    width: int
    height: int

    @property
    def data_uri(self) -> str:
        """The picture as a ``data:`` address, so that it needs no extra request."""
        return f"data:{self.mime};base64,{base64.b64encode(self.content).decode('ascii')}"

    @property
    def is_tiny(self) -> bool:
        """Whether single pixels should stay sharp when it is enlarged."""
        return max(self.width, self.height) <= TINY_SIDE


def encode_picture(image: Image.Image, max_side: int) -> Thumbnail:
    """``image`` no larger than ``max_side``: of few colours as PNG, else as JPEG, or as WebP where
    parts of it are transparent.
    """
    if max(image.size) > max_side:
        image = image.copy()
        image.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    # Drawings and digits have few colours and compress without loss; photographs do not.
    is_photo = image.mode in ("RGB", "RGBA") and image.getcolors(maxcolors=4096) is None
    buffer = io.BytesIO()
    if not is_photo:
        mime = "image/png"
        image.save(buffer, "PNG", compress_level=6)
    elif image.mode == "RGB":
        mime = "image/jpeg"
        image.save(buffer, "JPEG", quality=82)
    else:
        mime = "image/webp"
        image.save(buffer, "WEBP", quality=85)
    return Thumbnail(buffer.getvalue(), mime, image.width, image.height)


def enlarged(image: Image.Image, at_least: int = 320) -> Image.Image:
    """A picture of few pixels, each drawn as a block; a larger picture is returned as it is."""
    side = max(image.size)
    factor = -(-at_least // side)
    if side > TINY_SIDE or factor < 2:
        return image
    return image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)


class ThumbnailCache:
    """The most recently used thumbnails of one data set, some ``max_bytes`` of them; safe to share
    between threads.
    """

    def __init__(self, data: PairedDataset, max_bytes: int = CACHE_BYTES) -> None:
        self.data, self._room = data, max_bytes
        self._entries: OrderedDict[tuple[int, int], tuple[str, Thumbnail]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, i: int, side: int) -> Thumbnail:
        """The thumbnail of item ``i``, side 0, 1 or 2; made on first use."""
        return self.titled(i, side)[1]

    def titled(self, i: int, side: int) -> tuple[str, Thumbnail]:
        """Title and thumbnail of item ``i``, of which there is one; see ``get``."""
        key = (i, side)
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
        title = self.data.title(i)
        thumbnail = encode_picture(self.data.picture(i, side), THUMBNAIL_SIDE)
        with self._lock:
            if key not in self._entries:  # another thread may have made it meanwhile
                self._entries[key] = title, thumbnail
                self._room -= len(thumbnail.content) + len(title) + _ENTRY
            while self._room < 0 and len(self._entries) > 1:
                _, (name, oldest) = self._entries.popitem(last=False)
                self._room += len(oldest.content) + len(name) + _ENTRY
        return title, thumbnail


def item_strip(data: PairedDataset, rows: Sequence[int], side: int, height: int = 96) -> Thumbnail:
    """The pictures of ``rows`` side by side, for the card of a data set."""
    return picture_strip([data.picture(int(i), side) for i in rows], height)


def picture_strip(items: Sequence[Image.Image], height: int = 96) -> Thumbnail:
    """Pictures side by side at one height."""
    gap = height // 12
    pictures = []
    for item in items:
        picture = enlarged(item.convert("RGBA"), height)
        width = max(1, round(picture.width * height / picture.height))
        pictures.append(picture.resize((width, height), Image.Resampling.LANCZOS))
    total = sum(p.width for p in pictures) + gap * max(len(pictures) - 1, 0)
    strip = Image.new("RGBA", (max(total, 1), height), (0, 0, 0, 0))
    x = 0
    for picture in pictures:
        strip.paste(picture, (x, 0))
        x += picture.width + gap
    return encode_picture(strip, max_side=4096)
