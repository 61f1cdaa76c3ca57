"""Pictures of more than 8 bits a pixel, or of floats, scaled to 8 bits.

How bright white is, a format says for unsigned numbers of 16 bits; a camera may all the same have
written its 12 bits into such a file, and no format says it of floats. So the range of the numbers
is looked at, and what they were taken for is said in a remark.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

# What a report counts, and what it tells of the one picture.
Remark = tuple[str, str]

OVER = 0.01  # of white: what resizing adds beyond it, and below black
FAR_OVER = 0.1  # of white: more below black than this was meant to be there
# A picture whose brightest pixel is below this share of white would look black.
DARK = 1 / 16
NO_NUMBERS = "picture with pixels that are no numbers, taken as black"
_WHITES = (1, 2**8 - 1, 2**12 - 1, 2**16 - 1)  # a mask, a screen's, a camera's, a format's
_LOOKED_AT = 10**6  # pixels whose median is taken
_BAND = 256  # rows scaled at a time, so that a large picture costs little more than itself
_BITS_PER_SAMPLE, _PHOTOMETRIC, _SAMPLE_FORMAT = 258, 262, 339
_WHITE_IS_ZERO, _UNSIGNED, _SIGNED = 0, 1, 2


def is_deep(image: Image.Image) -> bool:
    """Whether its pixels are no numbers of 8 bits."""
    return image.mode == "F" or image.mode.startswith("I")


def clear_in_eight_bits(image: Image.Image, bits: int) -> None:
    """Correct which colour of a PNG is clear: Pillow leaves it in the ``bits`` of the file, but not
    the pixels.
    """
    clear = image.info.get("transparency")
    if image.mode == "L" and bits < 8 and isinstance(clear, int):
        image.info["transparency"] = clear * 255 // (2**bits - 1)
    elif image.mode == "RGB" and bits == 16 and isinstance(clear, tuple):
        image.info["transparency"] = tuple(value >> 8 for value in clear)


def eight_bits(image: Image.Image, remarks: list[Remark]) -> Image.Image:
    """A deep picture in grey of 8 bits, LA where a grey of it stands for transparent; its tags
    stay. The guess about its range is added to ``remarks``.

    Raises:
        ValueError: none of its pixels is a number.
    """
    values = np.asarray(image)
    tags: Any = getattr(image, "tag_v2", {})
    bits, is_signed, kind = 16, False, "16-bit numbers"
    if image.mode == "F":
        kind = "floats"
    else:
        # A file may hold fewer bits than the mode, and the mode's sign is not that of the file.
        bits = int(tags.get(_BITS_PER_SAMPLE, (8 * values.dtype.itemsize,))[0])
        usual = _UNSIGNED if tags else _SIGNED  # as TIFF says, and as Pillow's own pictures are
        is_signed = image.mode == "I" and tags.get(_SAMPLE_FORMAT, (usual,))[0] == _SIGNED
        kind = f"{bits}-bit numbers"
        if image.mode == "I" and not is_signed:
            values = values.view(np.uint32)
    black, white = _range(values, kind, 2 ** (bits - is_signed) - 1, is_signed, remarks)
    grey = scaled(values, black, white)
    if tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO:
        grey = 255 - grey
    out = Image.fromarray(grey)
    out.info = {key: value for key, value in image.info.items() if key != "transparency"}
    if isinstance(clear := image.info.get("transparency"), int):
        info, out = out.info, out.convert("LA")
        out.info = info
        out.putalpha(Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return out


def white_of_integers(values: NDArray[Any], most: int) -> int | None:
    """White in a picture of whole numbers from 0, of a format whose white is ``most``; None where
    nothing tells it.
    """
    high = int(values.max())
    for white in (most, 2**16 - 1):
        # 8 bits that were made into more: each number is a multiple of 257, as white is.
        if white % 255 == 0 and high <= white <= most and not (values % (white // 255)).any():
            return white
    for white in _WHITES:
        if high <= white <= most:
            return white
    return most if high > DARK * most else None


def scaled(values: NDArray[Any], black: float, white: float) -> NDArray[np.uint8]:
    """``values`` as 0 (black or below) to 255 (white or above), rounded; NaN is black."""
    out = np.empty(values.shape, dtype=np.uint8)
    for at in range(0, len(values), _BAND):
        band = values[at : at + _BAND].astype(np.float64)
        band = ((band - black) * (255 / (white - black))).clip(0, 255)
        out[at : at + _BAND] = np.nan_to_num(band).round()
    return out


def _range(
    values: NDArray[Any], kind: str, most: int, is_signed: bool, remarks: list[Remark]
) -> tuple[float, float]:
    """What is black and what is white."""
    numbers = values
    if values.dtype.kind == "f" and not (is_number := np.isfinite(values)).all():
        numbers = values[is_number]
        if not numbers.size:
            raise ValueError("none of its pixels is a number")
        remarks.append((NO_NUMBERS, f"{values.size - numbers.size:,} of {values.size:,}"))
    low, high = float(numbers.min()), float(numbers.max())
    black, white = 0.0, None
    if values.dtype.kind == "f":
        black, white = _range_of_floats(numbers, low, high)
    elif low >= 0:
        white = white_of_integers(values, most)
    extent = f"from {low:,.6g} to {high:,.6g}"
    if white is None:
        remarks.append(
            (f"picture of {kind}, stretched from its darkest to its brightest pixel", extent)
        )
        around = max(1.0, abs(low))  # of one brightness: grey, however large the number is
        return (low, high) if low < high else (low - around, low + around)
    if values.dtype.kind == "f" or is_signed or white != most:
        levels = f"taken as {black:g} (black) to {white:,g} (white)"
        remarks.append((f"picture of {kind}, {levels}", extent))
    return black, white


def _range_of_floats(numbers: NDArray[Any], low: float, high: float) -> tuple[float, float | None]:
    """Black and white of floats, or None for what is white where nothing tells it."""
    white: float | None = 1
    if high > 1 + OVER:
        bright = numbers[numbers > 0]
        # Lights brighter than white, where most of the picture is not: else there are more grades.
        if np.median(bright[:: len(bright) // _LOOKED_AT + 1]) > 1:
            white = next((w for w in _WHITES[1:] if high <= w * (1 + OVER)), None)
    if white is None or low >= -FAR_OVER * white:
        return 0, white
    return -1, 1 if white == 1 and low >= -1 - FAR_OVER and high <= 1 + FAR_OVER else None
