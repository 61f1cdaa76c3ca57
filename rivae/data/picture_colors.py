"""Colours of pictures from outside, turned to sRGB, in which everything here is stored and shown.

A phone's photograph is in Display P3, a camera's may be in Adobe RGB, a printer's in CMYK; their
colour profile (ICC) says so, and without it the same numbers are other colours. Not looked at are
a PNG's chunks gAMA and cHRM, which old programs wrote wrongly, and cICP of films.
"""

from __future__ import annotations

import io
import struct
from functools import lru_cache
from itertools import product

import numpy as np
from PIL import ExifTags, Image, ImageCms

from rivae.data.picture_depth import Remark, eight_bits, is_deep

MAX_PROFILE = 4 * 2**20  # bytes; those of printers have 3 million
MAX_TAGS = 100  # of a profile
UNREAD_PROFILE = "picture with a colour profile that cannot be used, taken as sRGB"
NO_INKS = "picture in CMYK without a colour profile: its colours are approximate"

_SAME = 2  # of 255: a profile that changes no colour by more is sRGB
_MODES = {b"RGB ": "RGB", b"GRAY": "L", b"CMYK": "CMYK", b"Lab ": "LAB"}
_CLASSES = (b"mntr", b"scnr", b"prtr", b"spac")
# ImportError: a Pillow without lcms.
_UNUSABLE = (ImageCms.PyCMSError, OSError, ValueError, TypeError, ImportError)
_UNCALIBRATED, _ADOBE = 0xFFFF, "R03"  # Exif's words for Adobe RGB
# Red, green and blue of Adobe RGB (1998) as XYZ under D50, and its gamma.
_ADOBE_RGB = (
    ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)),
    563 / 256,
)


def in_srgb(image: Image.Image, remarks: list[Remark]) -> Image.Image:
    """The picture in 8 bits and in sRGB: itself where it is so already, and then only it keeps its
    ``format``. What was guessed is added to ``remarks``.

    Raises:
        Exception: nearly everything, of a damaged picture.
    """
    if is_deep(image):
        image = eight_bits(image, remarks)
    profile = image.info.get("icc_profile") or _profile_of_tags(image)
    if not profile:
        if image.mode == "LAB":
            return _applied(_of_lab(), image)
        if image.mode == "CMYK":
            remarks.append((NO_INKS, ""))
        return image
    mode = _MODES.get(profile[16:20], "")
    try:
        if not _is_plain(profile) or mode not in _given_as(image):
            raise ValueError("not a profile for such a picture")
        transform = _transform(profile, mode)
    except _UNUSABLE:
        remarks.append((UNREAD_PROFILE, f"{len(profile):,} bytes"))
        return image if image.mode != "LAB" else _applied(_of_lab(), image)
    return image if transform is None else _applied(transform, image)


def _given_as(image: Image.Image) -> tuple[str, ...]:
    """The modes in which its pixels can be given to a profile."""
    if image.mode in ("CMYK", "LAB"):
        return (image.mode,)
    return ("L", "RGB") if image.mode in ("1", "L", "LA", "La") else ("RGB",)


def _applied(transform: ImageCms.ImageCmsTransform, image: Image.Image) -> Image.Image:
    alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
    mode = transform.input_mode
    if image.mode in ("RGBa", "La"):
        image = image.convert("RGBA" if image.mode == "RGBa" else "LA")
    out = transform.apply(image if image.mode == mode else image.convert(mode))
    if alpha is not None:
        out.putalpha(alpha)
    # It carries the profile of sRGB now, which outweighs tags that say Adobe RGB.
    out.info = {k: v for k, v in image.info.items() if k != "transparency"} | out.info
    return out


@lru_cache(maxsize=16)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """From the colours of a profile to sRGB; None where these are sRGB already.

    Threads share it: without lcms' memory of the last pixel (NOCACHE) nothing in it changes.

    Raises:
        OSError, PyCMSError, ...: it cannot be read.
    """
    transform = ImageCms.buildTransform(
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        _srgb(),
        mode,
        "RGB",
        ImageCms.Intent.RELATIVE_COLORIMETRIC,
        ImageCms.Flags.BLACKPOINTCOMPENSATION | ImageCms.Flags.NOCACHE,
    )
    if mode not in ("RGB", "L"):
        return transform
    steps = (*range(0, 255, 32), 255)
    colours = list(product(steps, repeat=3)) if mode == "RGB" else [(v, v, v) for v in range(256)]
    before = np.array([colours], dtype=np.uint8)
    picture = Image.fromarray(before if mode == "RGB" else before[:, :, 0])
    change = np.asarray(transform.apply(picture)).astype(int) - before
    return None if np.abs(change).max() <= _SAME else transform


@lru_cache(maxsize=1)
def _srgb() -> ImageCms.ImageCmsProfile:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


@lru_cache(maxsize=1)
def _of_lab() -> ImageCms.ImageCmsTransform:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    return ImageCms.buildTransform(lab, _srgb(), "LAB", "RGB", flags=ImageCms.Flags.NOCACHE)


def _is_plain(profile: bytes) -> bool:
    """Whether it is of a kind and size that lcms reads in a bounded time.

    Only steps of the kind ``mpet`` may be as many as one likes; no camera or printer writes them.
    """
    if not 132 <= len(profile) <= MAX_PROFILE or profile[12:16] not in _CLASSES:
        return False
    (n_tags,) = struct.unpack_from(">I", profile, 128)
    if n_tags > MAX_TAGS or len(profile) < 132 + 12 * n_tags:
        return False
    places = [struct.unpack_from(">I", profile, 136 + 12 * k)[0] for k in range(n_tags)]
    return all(profile[at : at + 4] != b"mpet" for at in places)


def without_profile(data: bytes) -> bytes:
    """The bytes of a PNG without its colour profile; others as they are."""
    at = data.find(b"iCCP", 0, 1000) - 4 if data.startswith(b"\x89PNG") else -1
    if at < 8:
        return data
    return data[:at] + data[at + 12 + int.from_bytes(data[at : at + 4], "big") :]


def _profile_of_tags(image: Image.Image) -> bytes | None:
    """Adobe RGB for a camera that says it in its Exif tags only, as the rule of cameras (DCF) is.

    Raises:
        Exception: its tags are damaged.
    """
    exif = image.info.get("exif")
    if not isinstance(exif, bytes) or _ADOBE.encode() not in exif:
        return None
    tags = image.getexif()
    space = tags.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.ColorSpace)
    index = tags.get_ifd(ExifTags.IFD.Interop).get(ExifTags.Interop.InteropIndex)
    is_adobe = space == _UNCALIBRATED and str(index).startswith(_ADOBE)
    return matrix_profile(*_ADOBE_RGB) if is_adobe else None


@lru_cache(maxsize=1)
def matrix_profile(primaries: tuple[tuple[float, float, float], ...], gamma: float) -> bytes:
    """A colour profile (ICC 2.1) of three primaries, as XYZ under D50, and one gamma."""

    def xyz(*values: float) -> bytes:
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(65_536 * v) for v in values))

    white = (0.9642, 1.0, 0.8249)
    curve = b"curv\0\0\0\0" + struct.pack(">IHxx", 1, round(256 * gamma))
    name = b"desc\0\0\0\0" + struct.pack(">I", 4) + b"RGB\0" + bytes(78)
    tags = [(b"desc", name), (b"cprt", b"text\0\0\0\0none\0\0\0\0"), (b"wtpt", xyz(*white))]
    tags += [(k + b"XYZ", xyz(*v)) for k, v in zip((b"r", b"g", b"b"), primaries, strict=True)]
    tags += [(k + b"TRC", curve) for k in (b"r", b"g", b"b")]
    table, content, at = b"", b"", 132 + 12 * len(tags)
    for key, value in tags:
        table += key + struct.pack(">II", at + len(content), len(value))
        content += value + bytes(-len(value) % 4)
    head = struct.pack(">I4xI", at + len(content), 0x02100000) + b"mntrRGB XYZ "
    head += struct.pack(">6H", 2020, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + xyz(*white)[8:]
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags)) + table + content
