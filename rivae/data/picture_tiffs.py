"""TIFFs that Pillow's decoders could read, were they asked rightly: of 64 bits, and big-endian."""

from __future__ import annotations

from PIL import Image
from PIL.TiffImagePlugin import II, MM, OPEN_INFO, TiffImageFile

# byte order, photometric, sample format, fill order, bits, extra samples -> mode, raw mode.
# Photometric 0 is "white is zero", which ``picture_depth`` turns over; formats: 1 unsigned,
# 2 signed, 3 float.
for _white_is_zero in (0, 1):
    for _order, _key in ((II, ""), (MM, "B")):
        for _format, _bits, _mode, _raw in (
            (1, 16, f"I;16{_key}", f"I;16{_key}"),
            (2, 16, "I", f"I;16{_key}S"),
            (1, 32, "I", "I;32B" if _key else "I;32N"),
            (2, 32, "I", f"I;32{_key}S"),
            (3, 64, "F", f"F;64{_key}F"),
        ):
            OPEN_INFO.setdefault(
                (_order, _white_is_zero, (_format,), 1, (_bits,), ()), (_mode, _raw)
            )

# libtiff gives the bytes of packed pixels in the order of the machine.
_UNPACKED = {
    "I;16S": "I;16NS",
    "I;16BS": "I;16NS",
    "I;32B": "I;32N",
    "I;32S": "I;32NS",
    "I;32BS": "I;32NS",
    "F;32F": "F;32NF",
    "F;32BF": "F;32NF",
    "F;64F": "F;64NF",
    "F;64BF": "F;64NF",
}


def ask_rightly(image: Image.Image) -> None:
    """Correct what a TIFF asks of its decoder, before it is loaded."""
    if isinstance(image, TiffImageFile):
        image.tile = [
            tile._replace(args=(_UNPACKED.get(tile.args[0], tile.args[0]), *tile.args[1:]))
            if tile.codec_name == "libtiff" and isinstance(tile.args, tuple)
            else tile
            for tile in image.tile
        ]
