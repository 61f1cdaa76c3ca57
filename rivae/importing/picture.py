"""Makes a stranger's picture into the square that is stored."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

from rivae.data.decode import open_picture
from rivae.errors import DataError
from rivae.importing.report import UnusableError

QUALITY = 88
_UNCHANGED = ("JPEG", "WEBP")


def stored_picture(data: bytes, side: int) -> bytes:
    """An encoded square RGB picture of at most ``side`` pixels: the middle of the upright original.

    A square JPEG or WebP that is small enough already keeps its bytes; others become JPEG.

    Raises:
        UnusableError: when it is no picture, damaged, too large or thinner than 2 pixels.
    """
    try:
        image = open_picture(io.BytesIO(data), "the picture")
    except DataError as error:
        text = str(error).removeprefix("the picture ")
        if "million pixels" in text:
            raise UnusableError("picture has too many pixels: scale it down") from error
        if "known format" in text:
            raise UnusableError("file is not a picture in a known format") from error
        raise UnusableError("picture is damaged") from error
    if min(image.size) < 2:
        raise UnusableError("picture is thinner than 2 pixels")
    try:
        if (
            image.format in _UNCHANGED
            and image.mode == "RGB"
            and image.getexif().get(0x0112, 1) == 1
            and image.width == image.height <= side
            and not getattr(image, "is_animated", False)
        ):
            return data
        image = ImageOps.exif_transpose(image)
        if image.mode.startswith("I;16"):
            image = image.point(lambda value: value / 256).convert("L")
        if image.has_transparency_data:
            rgba = image.convert("RGBA")
            paper = Image.new("RGBA", rgba.size, "white")
            image = Image.alpha_composite(paper, rgba)
        image = image.convert("RGB")
        target = min(side, *image.size)
        square = ImageOps.fit(image, (target, target), Image.Resampling.LANCZOS)
        out = io.BytesIO()
        square.save(out, "JPEG", quality=QUALITY)
    except Exception as error:  # its tags alone can raise nearly everything
        raise UnusableError("picture is damaged") from error
    return out.getvalue()
