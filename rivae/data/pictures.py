"""Pictures from strangers: opened safely, and an uploaded one turned into a query."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from rivae.errors import DataError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
_MAX_SIDE = 1024  # queries are at most 64 pixels wide; more detail only costs time


def open_picture(
    source: str | Path | IO[bytes], name: str | None = None, enough: int | None = None
) -> Image.Image:
    """A decoded picture.

    Args:
        source: a path, or an open binary file.
        name: what to call it in an error; the path by default.
        enough: pixels a side of which no more are needed: a JPEG is decoded at an eighth, a quarter
            or half of its size where that leaves as many, which is several times faster.

    Returns:
        The first frame, in the mode of the file.

    Raises:
        DataError: naming it, when it is missing, no picture, damaged, or has more than
            ``PIL.Image.MAX_IMAGE_PIXELS`` pixels.
    """
    called = name or (str(source) if isinstance(source, str | Path) else "the picture")
    limit = Image.MAX_IMAGE_PIXELS or math.inf
    try:
        image = Image.open(source, formats=FORMATS)
        # PIL itself refuses only what is twice as large.
        if image.width * image.height > limit:
            raise Image.DecompressionBombError
        if enough is not None and image.mode in ("RGB", "L"):
            image.draft(image.mode, (enough, enough))
        image.load()
    except Image.DecompressionBombError as error:
        raise DataError(
            f"{called} has more than {limit / 1e6:.0f} million pixels: scale it down"
        ) from error
    except UnidentifiedImageError as error:
        raise DataError(
            f"{called} is not a picture in a known format ({', '.join(FORMATS)})"
        ) from error
    except (SyntaxError, ValueError, EOFError, struct.error, MemoryError) as error:
        raise DataError(f"{called} is a damaged picture: {error}") from error
    except OSError as error:
        reason = error.strerror or f"it is a damaged picture ({error})"
        raise DataError(f"{called} cannot be read: {reason}") from error
    return image


def to_grey(image: Image.Image) -> Image.Image:
    """The picture upright, on white where it is transparent, as 8-bit grey, at most 1024 a side.

    Raises:
        DataError: when its pixels cannot be decoded, or it is thinner than 2 pixels.
    """
    try:
        image = ImageOps.exif_transpose(image)
        if image.mode in ("I", "I;16", "I;16B", "F"):
            grey = _stretched(np.asarray(image, dtype=np.float64))
        elif image.has_transparency_data:
            rgba = image.convert("RGBA")
            paper = Image.new("RGBA", rgba.size, "white")
            grey = Image.alpha_composite(paper, rgba).convert("L")
        else:
            grey = image.convert("L")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError("the uploaded picture cannot be read: save it as PNG or JPEG") from error
    if min(grey.size) < 2:
        raise DataError("the uploaded picture is thinner than 2 pixels: choose a larger one")
    grey.thumbnail((_MAX_SIDE, _MAX_SIDE))
    return grey


def light_on_dark(grey: Image.Image) -> Image.Image:
    """The picture with a dark ground, judged by its outermost pixels, and the full 0..255 range.

    Raises:
        DataError: when all pixels have nearly the same value.
    """
    values = np.asarray(grey, dtype=np.float64)
    if np.ptp(values) < 8:
        raise DataError("the uploaded picture has only one colour: choose one with a shape on it")
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
    scaled = (values - low) * (255 / max(high - low, 1e-9))
    return Image.fromarray(scaled.round().astype(np.uint8))
