"""Opens pictures of unknown origin: common formats only, size checked before decoding."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import IO

from PIL import Image, UnidentifiedImageError

from rivae.errors import DataError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")


def open_picture(source: str | Path | IO[bytes], name: str | None = None) -> Image.Image:
    """A decoded picture.

    Args:
        source: a path, or an open binary file.
        name: what to call it in an error; the path by default.

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
