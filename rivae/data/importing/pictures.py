"""Pictures of an import, made into the square that is stored."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

from rivae.data.importing.report import UnusableError
from rivae.data.picture_depth import Remark
from rivae.data.pictures import Fault, PictureError, decoding, on_white, open_picture

QUALITY = 88
_UNCHANGED = ("JPEG", "WEBP")
_REASONS: dict[Fault, str] = {
    "format": "file is not a picture in a known format",
    "kind": "TIFF that is damaged or of a kind that is not read: save it as PNG",
    "pixels": "picture has too many pixels: scale it down",
    "heavy": "picture is built to cost time or memory: save it again",
    "unreadable": "picture file cannot be read",
    "damaged": "picture is damaged",
}


def stored_picture(data: bytes, side: int) -> tuple[bytes, list[Remark]]:
    """An encoded square RGB picture of at most ``side`` pixels, in sRGB: the middle of the upright
    original; and what was guessed of its colours.

    A square JPEG or WebP that is small enough and in sRGB keeps its bytes; others become JPEG.

    Raises:
        UnusableError: when it is not a picture, damaged, too large or thinner than 2 pixels.
    """
    remarks: list[Remark] = []
    try:
        image = open_picture(io.BytesIO(data), enough=2 * side, remarks=remarks)
        if min(image.size) < 2:
            raise UnusableError("picture is thinner than 2 pixels")
        with decoding("the picture"):
            if not remarks and _is_kept(image, side):
                return data, remarks
            image = on_white(ImageOps.exif_transpose(image)).convert("RGB")
            target = min(side, *image.size)
            square = ImageOps.fit(image, (target, target), Image.Resampling.LANCZOS)
            out = io.BytesIO()
            square.save(out, "JPEG", quality=QUALITY)
    except PictureError as error:
        raise UnusableError(_REASONS[error.fault]) from error
    return out.getvalue(), remarks


def _is_kept(image: Image.Image, side: int) -> bool:
    return (
        image.format in _UNCHANGED
        and image.mode == "RGB"
        and image.getexif().get(0x0112, 1) == 1
        and image.width == image.height <= side
        and not getattr(image, "is_animated", False)
    )
