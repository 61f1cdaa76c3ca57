"""What a picture file would cost to decode, estimated from its bytes before decoding.

The number of pixels does not tell: Pillow reads the parts of a file one by one in Python, libjpeg
runs over the whole picture once for every scan, and libtiff decodes whole tiles. Each rule here
stands for a file of a few bytes or megabytes that would hold a core for minutes, or a gigabyte.
The rules read what Pillow 13 reads, and leave every other damage to it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

MAX_PARTS = 100_000  # segments, chunks, blocks or strips; a camera's file has some hundred
MAX_EXTRA = 16 * 2**20  # bytes of tags, texts and colour profile
MAX_SCANS = 32  # of a progressive JPEG; encoders make at most 20
MAX_RLE_PIXELS = 2**21  # of a packed BMP, which Pillow unpacks in Python
MAX_TILE = 2**24  # pixels of a TIFF's tiles, where the picture itself has fewer

PARTS = f"is made of more than {MAX_PARTS:,} parts"
EXTRA = f"carries more than {MAX_EXTRA // 2**20} MiB of tags, texts and colour profile"
SCANS = f"has more than {MAX_SCANS} scans"
PACKED = f"is a packed BMP of more than {MAX_RLE_PIXELS // 10**6} million pixels"
TILES = "has tiles that are far larger than the picture"

# Before the first scan Pillow reads: these have a length, every other byte is one step of a loop.
_SEGMENT = re.compile(rb"\xff[\xc0-\xc7\xc9-\xcf\xda-\xef\xfe]")
# Behind it libjpeg reads: what stands in the scan is masked, and restarts are part of it.
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
_SCAN, _END, _BARE = 0xDA, 0xD9, (0x01, 0xD8)

# Integer types of TIFF tags, with their codes in ``struct``.
_INTEGERS = {1: "B", 3: "H", 4: "L", 6: "b", 8: "h", 9: "l", 16: "Q", 17: "q"}
_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT = 256, 257, 322, 323
_STRIPS = (273, 279, 324, 325)  # offsets and lengths of strips and tiles


def burden(data: bytes) -> str:
    """Why the picture would cost more than a picture may, as "has …"; "" where it would not."""
    for beginning, rule in _RULES.items():
        if data.startswith(beginning):
            return rule(data)
    return ""


def _jpeg(data: bytes) -> str:
    at, parts, scans, extra = 2, 0, 0, 0
    while match := (_MARKER if scans else _SEGMENT).search(data, at):
        kind = data[match.start() + 1]
        parts += 1 if scans else 1 + match.start() - at
        at = match.end()
        if kind == _END:
            break
        if kind in _BARE:
            continue
        length = int.from_bytes(data[at : at + 2], "big")
        at += max(length, 2)
        if kind == _SCAN:
            scans += 1
        elif not scans:
            extra += length
        if parts > MAX_PARTS:
            return PARTS
        if scans > MAX_SCANS:
            return SCANS
        if extra > MAX_EXTRA:
            return EXTRA
    return PARTS if not scans and len(data) - at > MAX_PARTS else ""


def _png(data: bytes) -> str:
    at, parts, extra = 8, 0, 0
    while at + 8 <= len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        at += 12 + length
        parts += 1
        if kind not in (b"IDAT", b"fdAT"):
            extra += length
        if parts > MAX_PARTS:
            return PARTS
        if extra > MAX_EXTRA:
            return EXTRA
    return ""


def _gif(data: bytes) -> str:
    """The blocks before the first frame, in the steps in which Pillow takes them."""
    if len(data) < 13:
        return ""
    at = 13 + (3 << ((data[10] & 7) + 1) if data[10] & 128 else 0)
    parts = 0

    def block() -> bytes:
        nonlocal at, parts
        length = data[at] if at < len(data) else 0
        content = data[at + 1 : at + 1 + length]
        at, parts = at + 1 + length, parts + 1
        return content

    while at < len(data) and parts <= MAX_PARTS:
        kind = data[at : at + 1]
        at, parts = at + 1, parts + 1
        if kind in (b",", b";"):
            break
        if kind != b"!":
            continue
        label = data[at : at + 1]
        at += 1
        first = block()
        if label == b"\xfe" and not first:
            continue
        if label == b"\xff" and first.startswith(b"NETSCAPE2.0"):
            block()
        while parts <= MAX_PARTS and block():
            pass
    return PARTS if parts > MAX_PARTS else ""


def _bmp(data: bytes) -> str:
    if len(data) < 34 or int.from_bytes(data[14:18], "little") < 40:
        return ""
    width, height = struct.unpack_from("<ii", data, 18)
    is_packed = int.from_bytes(data[30:34], "little") in (1, 2)
    pixels, rows = abs(width * height), abs(height)
    if is_packed and (pixels > MAX_RLE_PIXELS or len(data) > 2 * (pixels + rows) + MAX_PARTS):
        return PACKED
    return ""


def _tiff(data: bytes) -> str:
    order, big = "<" if data[:2] == b"II" else ">", data[2] == 43
    count_format, entry = ("Q", "HHQ8s") if big else ("H", "HHL4s")
    n_bytes = struct.calcsize(order + entry)
    sizes: dict[int, int] = {}
    try:
        (at,) = struct.unpack_from(order + ("Q" if big else "L"), data, 8 if big else 4)
        (n,) = struct.unpack_from(order + count_format, data, at)
        at += struct.calcsize(order + count_format)
        if n > MAX_PARTS:
            return PARTS
        for i in range(n):
            tag, kind, count, cell = struct.unpack_from(order + entry, data, at + i * n_bytes)
            if tag in _STRIPS and count > MAX_PARTS:
                return PARTS
            if tag in (_WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_HEIGHT) and kind in _INTEGERS:
                (size,) = struct.unpack_from(order + _INTEGERS[kind], cell)
                sizes[tag] = max(size, sizes.get(tag, 0))
    except (struct.error, OverflowError):
        return ""
    width, height = sizes.get(_WIDTH, 0), sizes.get(_HEIGHT, 0)
    across, down = sizes.get(_TILE_WIDTH, 0), sizes.get(_TILE_HEIGHT, 0)
    if across < 1 or down < 1:
        return ""
    padded_pixels = -(-width // across) * across * -(-height // down) * down
    most = max(MAX_TILE, width * height)
    return TILES if across * down > most or padded_pixels > 4 * most else ""


_RULES: dict[bytes, Callable[[bytes], str]] = {
    b"\xff\xd8": _jpeg,
    b"\x89PNG": _png,
    b"GIF8": _gif,
    b"BM": _bmp,
    b"II": _tiff,
    b"MM": _tiff,
}
