"""A visitor's own picture or text as the query: read, and kept by its content while the server
runs.

No streamlit here.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rivae.app.panels.answers import rounded
from rivae.base.reading.typed_text import clean
from rivae.exploring.words.axis_names import cut

if TYPE_CHECKING:
    from PIL import Image

    from rivae.base.config import Asks
    from rivae.exploring.explorer import Explorer

MAX_PIXELS = 40_000_000  # of a visitor's picture; half a gigabyte while it is turned into a query
MAX_BYTES = 16 * 2**20  # of all kept previews: some thousand
PREVIEW_SIDE = 160
PICTURE, TEXT = "upload_", "text_"  # how names begin
UNLIKE = (
    "This picture is farther from those that the model was trained on than 99 in 100 others of "
    "their kind ({:.1f} times that distance), so what is found means little."
)
MAX_PREVIEW, MAX_TITLE = 1_000, 80  # characters of a text


@dataclass(frozen=True)
class Upload:
    """A picture or text that one run has encoded.

    Attributes:
        name: its name in addresses: a hash of it, known only to those who have it or the address.
        title: the name of the file, or how the text begins.
        data_uri: a small preview, of a text its beginning; "" where it is no longer kept.
        z: the run's encoding of it.
        unlike: how far a picture is from those that the run was trained on, in units of what 99 %
            of held-out pictures stay below; 0 where that is not measured.
        unknown: which of a text's words the data do not have, as ``Vocabulary.remark`` says it.
    """

    name: str
    title: str
    data_uri: str
    z: tuple[float, ...]
    unlike: float = 0.0
    unknown: str = ""

    @property
    def warning(self) -> str:
        """One sentence where it is a picture of another world, or a text with unknown words; else
        "".
        """
        if self.unknown:
            return f"{self.unknown[0].upper()}{self.unknown[1:]}."
        return UNLIKE.format(self.unlike) if self.unlike > 1 else ""

    @property
    def asks(self) -> Asks:
        """Which view it takes the place of."""
        return asks_of(self.name)


def asks_of(name: str) -> Asks:
    """Which view the upload of this name takes the place of."""
    return "second" if name.startswith(TEXT) else "first"


class Kept:
    """The uploads of all visitors, by model and name; the least recently used go first.

    Only the preview and z are kept, never the file or the whole text.
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
# However many visitors send a picture, the memory of one is taken.
_ONE_AT_A_TIME = threading.Lock()


def _size(upload: Upload) -> int:
    return len(upload.data_uri) + 4 * len(upload.title) + 32 * len(upload.z) + 500


def read_upload(explorer: Explorer, title: str, content: bytes) -> Upload:
    """An uploaded file as a query.

    Raises:
        DataError: it is no picture, too large, or one that the data set cannot use.
    """
    from rivae.data.pictures import UPLOADED, as_seen, decoding, open_picture
    from rivae.exploring.familiarity import familiarity_of

    with _ONE_AT_A_TIME:
        image = open_picture(io.BytesIO(content), title, max_pixels=MAX_PIXELS)
        z = rounded(explorer.encode_upload(image))
        with decoding(UPLOADED):
            picture = as_seen(image)
            preview = picture if picture.mode in ("L", "RGB") else picture.convert("RGB")
        familiarity = familiarity_of(explorer.data)
        unlike = 0.0
        if familiarity is not None:
            unlike = float(familiarity.strangeness(explorer.data.from_upload(image))[0])
    return replace(_upload(PICTURE, content, title, preview, z), unlike=unlike)


def read_text(explorer: Explorer, text: str) -> Upload:
    """A typed or pasted text as a query.

    Raises:
        DataError: it is too long, or the data set knows none of its words.
        ConfigError: the model cannot be asked with a text.
    """
    from rivae.data.store.pixels import title_card

    z = rounded(explorer.encode_text(text))
    begins = cut(clean(text[:MAX_PREVIEW]), MAX_TITLE)
    vocabulary = (
        explorer.data.vocabulary if len(text) <= MAX_TITLE else None
    )  # few words count each
    upload = _upload(TEXT, text.encode("utf-8", "replace"), begins, title_card(begins), z)
    return replace(upload, unknown=vocabulary.remark(clean(text)) if vocabulary is not None else "")


def _upload(
    kind: str, content: bytes, title: str, preview: Image.Image, z: tuple[float, ...]
) -> Upload:
    from rivae.data.thumbnails import encode_picture

    name = f"{kind}{hashlib.sha256(content).hexdigest()[:32]}"
    return Upload(name, title[:200], encode_picture(preview, PREVIEW_SIDE).data_uri, z)
