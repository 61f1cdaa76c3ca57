"""Pictures from outside: opened in one place, safely, and an uploaded one turned into a query.

No other file of the library calls ``Image.open``, which by itself tries every format that Pillow
knows: Ghostscript for EPS, the system's own drawing for WMF, and twenty that nobody asked for.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from rivae.base.errors import DataError
from rivae.base.reading.regular import open_regular
from rivae.data.picture_burden import EXTRA, MAX_EXTRA, burden
from rivae.data.picture_colors import UNREAD_PROFILE, in_srgb, without_profile
from rivae.data.picture_depth import Remark, clear_in_eight_bits
from rivae.data.picture_tiffs import ask_rightly

# What is opened, and how such files are named. These are the formats of photographs and drawings
# that one decoder each reads, none of which runs another program or a language of its own.
FORMATS: dict[str, tuple[str, ...]] = {
    "JPEG": (".jpg", ".jpeg"),
    "PNG": (".png",),
    "WEBP": (".webp",),
    "GIF": (".gif",),
    "BMP": (".bmp",),
    "TIFF": (".tif", ".tiff"),
}
PICTURE_SUFFIXES = tuple(suffix for suffixes in FORMATS.values() for suffix in suffixes)
# How a picture's name may end in a table: also as what was converted since, or is never opened.
NAMED_SUFFIXES = (*PICTURE_SUFFIXES, ".jpe", ".jfif", ".heic", ".heif", ".avif", ".svg")
# What Recipe1M's own images are called; any other name there is no picture of it.
RECIPE1M_SUFFIXES = (*FORMATS["JPEG"], *FORMATS["PNG"], *FORMATS["WEBP"])
# How an encoded picture begins; WebP begins with its length.
BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\0", b"MM\0*", b"II+\0", b"BM")
KNOWN = "JPEG, PNG, WebP, GIF, BMP or TIFF"
MAX_PIXELS = 89_478_485  # Pillow's own limit: a quarter of a gigabyte in RGB
MAX_BYTES = 512 * 2**20  # of an encoded picture; no file in these bounds needs more
_MAX_SIDE = 1024  # queries are at most 64 pixels wide; more detail only costs time
_MAX_NAME = 80  # characters of a name in an error
UPLOADED = "the uploaded picture"

Fault = Literal["format", "kind", "pixels", "heavy", "unreadable", "damaged"]


class PictureError(DataError):
    """A picture that cannot be used; ``fault`` is the kind of reason."""

    def __init__(self, message: str, fault: Fault) -> None:
        super().__init__(message)
        self.fault = fault


def open_picture(
    source: str | Path | IO[bytes],
    name: str | None = None,
    enough: int | None = None,
    max_pixels: int = MAX_PIXELS,
    remarks: list[Remark] | None = None,
) -> Image.Image:
    """A decoded picture in 8 bits and sRGB: the only place where the bytes of one meet a decoder.

    Its format is one of ``FORMATS``, whatever the file is called. Bytes, pixels, tags, scans and
    parts are bounded before it is decoded (see ``picture_burden``), and with them time and memory.

    Args:
        source: the path of a plain file, or an open binary file.
        name: what to call it in an error; the path by default.
        enough: pixels a side of which no more are needed: a JPEG is decoded at an eighth, a quarter
            or half of its size where that leaves as many, which is several times faster.
        max_pixels: more are refused.
        remarks: what was guessed of its colours is added here (see ``picture_depth`` and
            ``picture_colors``).

    Returns:
        The first frame; in the mode of the file, and with its ``format``, where its pixels were
        in 8 bits and sRGB already.

    Raises:
        PictureError: naming it, when it is missing, no picture in a known format, damaged, has too
            many pixels, or would cost more than a picture may.
    """
    label = name or (str(source) if isinstance(source, str | Path) else "the picture")
    label = label if len(label) <= _MAX_NAME else f"…{label[-_MAX_NAME + 1 :]}"
    notes: list[Remark] = [] if remarks is None else remarks
    data = _content(source, label)
    if why := burden(data):
        raise PictureError(f"{label} {why}: save it again as PNG or JPEG", "heavy")
    with decoding(label):
        image = _identified(data, label, notes)
        # PIL itself refuses only what is twice as large.
        if image.width * image.height > max_pixels:
            raise PictureError(_too_large(label, max_pixels), "pixels")
        if enough is not None and image.mode in ("RGB", "L"):
            image.draft(image.mode, (enough, enough))
        ask_rightly(image)
        image.load()
        if image.format == "PNG":
            clear_in_eight_bits(image, data[24])
        n_extra = sum(len(v) for v in image.info.values() if isinstance(v, bytes | str))
        if n_extra > MAX_EXTRA:
            raise PictureError(f"{label} {EXTRA}: save it again as PNG or JPEG", "heavy")
        return in_srgb(image, notes)


def _identified(data: bytes, label: str, remarks: list[Remark]) -> Image.Image:
    try:
        return Image.open(io.BytesIO(data), formats=tuple(FORMATS))
    except ValueError:  # Pillow bounds the profile of a PNG, and refuses the picture
        smaller = without_profile(data)
        if len(smaller) == len(data):
            raise
        image = Image.open(io.BytesIO(smaller), formats=tuple(FORMATS))
        remarks.append((UNREAD_PROFILE, f"{len(data) - len(smaller):,} bytes, packed"))
        return image
    except UnidentifiedImageError:
        if data.startswith((b"II*\0", b"MM\0*")):
            raise PictureError(
                f"{label} is a damaged TIFF, or one of a kind that is not read, such as colours "
                "in floats: save it as PNG or JPEG",
                "kind",
            ) from None
        raise


@contextmanager
def decoding(label: str) -> Iterator[None]:
    """Whatever Pillow raises inside becomes a ``PictureError`` of one sentence about ``label``."""
    try:
        yield
    except DataError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise PictureError(_too_large(label, MAX_PIXELS), "pixels") from error
    except UnidentifiedImageError as error:
        raise PictureError(
            f"{label} is not a picture in a known format: save it as {KNOWN}", "format"
        ) from error
    except Exception as error:  # the tags of a file alone raise nearly everything
        if "MAX_TEXT" in str(error):  # the names of Pillow's own limits on texts and profiles
            raise PictureError(
                f"{label} has a text or colour profile that is too large: save it again without",
                "heavy",
            ) from error
        why = " ".join(str(error).split())[:80] or type(error).__name__
        raise PictureError(
            f"{label} is a damaged picture ({why}): save it again as {KNOWN}", "damaged"
        ) from error


def _content(source: str | Path | IO[bytes], label: str) -> bytes:
    """All bytes of a picture; PictureError where it cannot be read or has too many."""
    try:
        if isinstance(source, str | Path):
            with open_regular(Path(source)) as stream:
                n_bytes = os.fstat(stream.fileno()).st_size
                data = stream.read(MAX_BYTES + 1) if n_bytes <= MAX_BYTES else None
        else:
            data = source.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise PictureError(f"{label} cannot be read: {reason}", "unreadable") from error
    if data is None or len(data) > MAX_BYTES:
        raise PictureError(
            f"{label} is larger than {MAX_BYTES // 2**20} MiB: scale it down", "pixels"
        )
    return data


def _too_large(label: str, max_pixels: int) -> str:
    return f"{label} has more than {max_pixels / 1e6:.0f} million pixels: scale it down"


def on_white(image: Image.Image) -> Image.Image:
    """The picture on white where it is transparent (then RGBA), else as it is."""
    if not image.has_transparency_data:
        return image
    rgba = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)


def as_seen(image: Image.Image) -> Image.Image:
    """Any picture of Pillow as it is meant to be seen: upright, in 8 bits and sRGB, and on white
    where it is transparent (then RGBA).
    """
    return on_white(ImageOps.exif_transpose(in_srgb(image, [])))


def to_grey(image: Image.Image) -> Image.Image:
    """The picture upright, on white where it is transparent, as 8-bit grey of sRGB, at most 1024
    a side.

    Raises:
        DataError: when its pixels cannot be decoded, or it is thinner than 2 pixels.
    """
    with decoding(UPLOADED):
        grey = as_seen(image).convert("L")
    if min(grey.size) < 2:
        raise DataError(f"{UPLOADED} is thinner than 2 pixels: choose a larger one")
    grey.thumbnail((_MAX_SIDE, _MAX_SIDE))
    return grey


def light_on_dark(grey: Image.Image) -> Image.Image:
    """The picture with a dark ground, judged by its outermost pixels, and the full 0..255 range.

    Raises:
        DataError: when all pixels have nearly the same value.
    """
    values = np.asarray(grey, dtype=np.float64)
    if np.ptp(values) < 8:
        raise DataError(f"{UPLOADED} has only one colour: choose one with a shape on it")
    border = np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])
    if np.median(border) > otsu_threshold(values):
        values = 255 - values
    return _stretched(values)


def otsu_threshold(values: NDArray[np.floating] | NDArray[np.uint8]) -> float:
    """The grey level that best parts ``values`` in 0..255 into dark (<=) and light (>).

    Otsu 1979: maximises the variance between the two groups.
    """
    counts = np.bincount(np.asarray(values).ravel().astype(np.int64), minlength=256)[:256]
    levels = np.arange(256)
    weight = np.cumsum(counts) / counts.sum()
    mean = np.cumsum(counts * levels) / counts.sum()
    spread = weight * (1 - weight)
    gain = np.divide((mean[-1] * weight - mean) ** 2, spread, out=np.zeros(256), where=spread > 0)
    # The middle of a flat top: all thresholds in an empty gap are equally good.
    return float(np.flatnonzero(gain >= gain.max() * (1 - 1e-9)).mean())


def _stretched(values: NDArray[np.float64]) -> Image.Image:
    low, high = float(values.min()), float(values.max())
    light = values - low
    light *= 255 / max(high - low, 1e-9)  # in place: a large picture is 8 bytes a pixel here
    return Image.fromarray(light.round(out=light).astype(np.uint8))
