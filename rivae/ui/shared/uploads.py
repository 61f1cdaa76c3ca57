"""A visitor's own picture as the query: read, and kept by its content while the server runs.

No streamlit here.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rivae.errors import DataError
from rivae.ui.panels.answers import rounded

if TYPE_CHECKING:
    from rivae.explorer import Explorer

MAX_PIXELS = 40_000_000
MAX_BYTES = 16 * 2**20  # of all kept previews: some thousand
PREVIEW_SIDE = 160


@dataclass(frozen=True)
class Upload:
    """A picture that one run has encoded.

    Attributes:
        name: its name in addresses: a hash of the file, known only to those who have the file or
            the address.
        title: the name of the file.
        data_uri: a small preview; "" where the picture is no longer kept.
        z: the run's encoding of it.
    """

    name: str
    title: str
    data_uri: str
    z: tuple[float, ...]


class Kept:
    """The uploads of all visitors, by model and name; the least recently used go first.

    Only the preview and z are kept, never the file.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._bytes = 0
        self._found: OrderedDict[tuple[str, str], Upload] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, model_key: str, upload: Upload) -> None:
        """Keeps ``upload`` as the model ``model_key`` has encoded it."""
        with self._lock:
            self._drop((model_key, upload.name))
            self._found[model_key, upload.name] = upload
            self._bytes += _size(upload)
            while self._bytes > self.max_bytes:
                self._drop(next(iter(self._found)))

    def find(self, model_key: str, name: str) -> Upload | None:
        """The upload of this name; None where it is not, or no longer, kept."""
        with self._lock:
            if (model_key, name) in self._found:
                self._found.move_to_end((model_key, name))
            return self._found.get((model_key, name))

    def _drop(self, key: tuple[str, str]) -> None:
        if (old := self._found.pop(key, None)) is not None:
            self._bytes -= _size(old)


KEPT = Kept()


def _size(upload: Upload) -> int:
    return len(upload.data_uri) + 4 * len(upload.title) + 32 * len(upload.z) + 500


def read_upload(explorer: Explorer, title: str, content: bytes) -> Upload:
    """An uploaded file as a query.

    Raises:
        DataError: it is no picture, too large, or one that the data set cannot use.
    """
    from PIL import Image, UnidentifiedImageError

    from rivae.thumbnails import encode_picture

    try:
        image: Image.Image = Image.open(io.BytesIO(content))
        if image.width * image.height > MAX_PIXELS:
            raise DataError(f"{title} has more than 40 million pixels: make it smaller")
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError):
        raise DataError(f"{title} cannot be read as a picture: use PNG or JPEG") from None
    z = rounded(explorer.encode_upload(image))
    preview = image.convert("RGB") if image.mode not in ("L", "RGB") else image
    name = f"upload_{hashlib.sha256(content).hexdigest()[:32]}"
    return Upload(name, title[:200], encode_picture(preview, PREVIEW_SIDE).data_uri, z)
