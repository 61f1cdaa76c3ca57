"""Picture files that are small or valid and yet cost too much, and formats that nobody asked for.

Measured with Pillow 13 on two cores before there were rules: 11 to 60 seconds or a gigabyte each.
"""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image

EPS = (
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 40\n%%EndComments\n{ } loop\nshowpage\n%%EOF\n"
)


def encoded(image: Image.Image, kind: str, **how) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()


def waves(size: int = 48) -> Image.Image:
    """Smooth colours, different in each corner."""
    y, x = np.mgrid[0:size, 0:size] * (255 / size)
    return Image.fromarray(np.stack([x, y, 255 - x], axis=-1).astype(np.uint8))


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(*before: bytes, after: tuple[bytes, ...] = (), size: tuple[int, int] = (1, 1)) -> bytes:
    """A grey PNG with chunks before and behind its pixels."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + b"".join((head, *before, pixels, *after)) + chunk(b"IEND")


def jpeg_with(inserted: bytes) -> bytes:
    plain = encoded(waves(), "JPEG")
    return plain[:2] + inserted + plain[2:]


def jpeg_of_scans(n: int) -> bytes:
    """A progressive JPEG with ``n`` scans more, of some bytes each: each runs over all of it."""
    plain = encoded(Image.new("L", (64, 64), 128), "JPEG", progressive=True)
    end = plain.rfind(b"\xff\xd9")
    return plain[:end] + plain[plain.rfind(b"\xff\xda") : end] * n + plain[end:]


def packed_bmp(width: int, height: int, codes: bytes) -> bytes:
    """A BMP of run lengths."""
    sizes = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(codes), 0, 0, 256, 256)
    at = 14 + len(sizes) + 1024
    return b"BM" + struct.pack("<IHHI", at + len(codes), 0, 0, at) + sizes + bytes(1024) + codes


def gif_with(inserted: bytes) -> bytes:
    """A GIF with bytes before its first frame."""
    plain = encoded(Image.new("P", (4, 4)), "GIF")
    at = 13 + (3 << ((plain[10] & 7) + 1) if plain[10] & 128 else 0)
    return plain[:at] + inserted + plain[at:]


def tiff(width: int, height: int, tags: dict[int, tuple[int, int]], data: bytes = b"") -> bytes:
    """A grey TIFF; ``tags`` are (count, value) of 32-bit numbers."""
    usual = {256: (1, width), 257: (1, height), 258: (1, 8), 259: (1, 8), 262: (1, 1), 277: (1, 1)}
    cells = sorted({**usual, **tags}.items())
    rows = b"".join(struct.pack("<HHII", tag, 4, *cell) for tag, cell in cells)
    return b"II*\0" + struct.pack("<IH", 8, len(cells)) + rows + struct.pack("<I", 0) + data


def heavy() -> dict[str, bytes]:
    """Name -> content of files that must be refused before they are decoded."""
    exif = b"\xff\xe1" + struct.pack(">H", 65_535) + b"Exif\0\0" + bytes(65_527)
    return {
        "scans of a JPEG": jpeg_of_scans(2_000),
        "segments of a JPEG": jpeg_with(b"\xff\xfe\0\2" * 200_000),
        "padding of a JPEG": jpeg_with(b"\xff" * 200_000),
        "junk of a JPEG": jpeg_with(b"\0" * 200_000),
        "tags of a JPEG": jpeg_with(exif * 300),
        "a JPEG without a scan": b"\xff\xd8\xff\xc8" + bytes(200_000),
        "run lengths of a large BMP": packed_bmp(40_000_000, 1, b"\1\0\0\0"),
        "run lengths without a pixel": packed_bmp(10, 10, b"\xff\0" * 100_000),
        "chunks of a PNG": png(chunk(b"abCd") * 200_000),
        "chunks behind the pixels of a PNG": png(after=(chunk(b"IDAT") * 200_000,)),
        "a chunk of a PNG": png(chunk(b"eXIf", bytes(17 * 2**20))),
        "a text of a PNG": png(chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(2 * 2**20)))),
        "texts of a PNG": png(
            *(chunk(b"zTXt", b"%d\0\0" % i + zlib.compress(bytes(2**20 - 9))) for i in range(20))
        ),
        "junk of a GIF": gif_with(b"\0" * 200_000),
        "blocks of a GIF": gif_with(b"!\xfe" + b"\1 " * 200_000 + b"\0"),
        "extensions of a GIF": gif_with(b"!\x01\0" + b"\1 " * 200_000 + b"\0"),
        "tiles of a TIFF": tiff(16, 16, {322: (1, 32_768), 323: (1, 32_768), 324: (1, 8)}),
        "a wide TIFF of tall tiles": tiff(10**6, 1, {322: (1, 4096), 323: (1, 4096)}),
        "strips of a TIFF": tiff(1, 10**6, {273: (10**6, 122), 279: (10**6, 122)}),
    }
