"""Pictures of more than 8 bits, and of floats, are neither black nor white."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from rivae.data.picture_depth import NO_NUMBERS, eight_bits
from rivae.data.pictures import PictureError, as_seen, open_picture
from tests.data.hostile_pictures import chunk, encoded, png

RAMP = np.arange(256, dtype=np.float64).reshape(16, 16)


def tiff(values: np.ndarray, kind: str, white_is_zero: bool = False, packed: bool = False) -> bytes:
    """``values`` as a TIFF of a NumPy type such as ">u2", as no library of the tests writes it."""
    content = values.astype(kind).tobytes()
    content = zlib.compress(content) if packed else content
    order, bits = kind[0], 8 * int(kind[2:])
    rows, columns = values.shape
    numbers = {256: columns, 257: rows, 258: bits, 259: 8 if packed else 1}
    numbers |= {262: 0 if white_is_zero else 1, 273: 134, 277: 1, 278: rows, 279: len(content)}
    numbers |= {339: {"u": 1, "i": 2, "f": 3}[kind[1]]}
    tags = b"".join(struct.pack(order + "HHII", tag, 4, 1, n) for tag, n in numbers.items())
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, len(numbers))
    return head + tags + bytes(4) + content


def grey(content: bytes) -> tuple[np.ndarray, list[str]]:
    remarks: list[tuple[str, str]] = []
    image = open_picture(io.BytesIO(content), remarks=remarks)
    assert image.mode == "L"
    return np.asarray(image).astype(int), [remark for remark, _ in remarks]


WHITE = {"u2": 2**16 - 1, "i2": 2**15 - 1, "u4": 2**32 - 1, "i4": 2**31 - 1, "f4": 1, "f8": 1}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("white_is_zero", [False, True])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", WHITE)
def test_the_whole_range_of_any_kind_of_number_is_black_to_white(
    kind, order, white_is_zero, packed
):
    content = tiff(RAMP / 255 * WHITE[kind], order + kind, white_is_zero, packed)
    shown, remarks = grey(content)
    assert np.abs(shown - (255 - RAMP if white_is_zero else RAMP)).max() <= 1
    assert bool(remarks) == (kind[0] != "u")  # only unsigned numbers say what white is


@given(
    st.integers(0, 255),
    st.sampled_from(["f1", "f255", "f65535", "<i4 8", "<i4 16", "<u4 32", "<u2 16", ">u2 16"]),
)
def test_one_grey_is_that_grey(level, kind):
    if kind.startswith("f"):
        white = float(kind[1:])
        # A dark picture may be of other numbers.
        if level * white / 255 <= {1: -1, 255: 1, 65_535: 4095 * 1.01}[white]:
            return
        content = tiff(np.full((4, 4), level / 255 * white), "<f4")
    else:
        number, bits = kind.split()
        content = tiff(np.full((4, 4), level * (2 ** int(bits) - 1) // 255), number)
    if kind == "<i4 8" and level == 1:  # a mask of 0 and 1
        return
    assert np.abs(grey(content)[0] - level).max() <= 1


GUESSED = {
    "12 bits in 16": (RAMP * 16, "<u2", RAMP, "4,095"),
    "12 bits in 32": (RAMP * 16, "<i4", RAMP, "4,095"),
    "8 bits in 16": (RAMP, "<u2", RAMP, "255"),
    "a mask": (RAMP > 99, "<u2", 255 * (RAMP > 99), "1 (white)"),
    "a mask of floats": (RAMP > 99, "<f4", 255 * (RAMP > 99), "1 (white)"),
    "floats of 8 bits": (RAMP, "<f4", RAMP, "255"),
    "floats of 16 bits": (RAMP * 257, "<f4", RAMP, "65,535"),
    "floats around 0": (RAMP / 127.5 - 1, "<f4", RAMP, "-1"),
    "floats a little beyond": (RAMP / 255 * 1.05 - 0.03, "<f4", RAMP, "to 1 (white)"),
    "lights": (
        np.where(RAMP > 250, 40, RAMP / 255),
        "<f4",
        np.where(RAMP > 250, 255, RAMP),
        "to 1",
    ),
    "heights": (RAMP * 1e4 - 1e6, "<i4", RAMP, "stretched"),
    "depths": (RAMP * 1e4, "<f4", RAMP, "stretched"),
    "depths in 32 bits": (RAMP * 1e3, "<i4", RAMP, "stretched"),
}


@pytest.mark.parametrize("name", GUESSED)
def test_what_no_format_says_is_guessed_and_said(name):
    values, kind, wanted, said = GUESSED[name]
    shown, remarks = grey(tiff(np.asarray(values, dtype=float), kind))
    assert np.abs(shown - wanted).max() <= (13 if "beyond" in name else 1)
    assert len(remarks) == 1 and said in remarks[0]


def test_eight_bits_made_into_sixteen_stay_dark_where_they_were():
    dark = tiff(np.minimum(RAMP, 9) * 257, "<u2")
    shown, remarks = grey(dark)
    assert shown.max() == 9 and not remarks


def test_without_a_tag_numbers_of_a_tiff_have_no_sign():
    content = tiff(RAMP / 255 * WHITE["u4"], "<u4")
    sign = struct.pack("<HHII", 339, 4, 1, 1)
    assert sign in content  # its place is taken by a tag of no meaning here
    shown, remarks = grey(content.replace(sign, struct.pack("<HHII", 65_000, 4, 1, 1)))
    assert np.abs(shown - RAMP).max() <= 1 and not remarks


def test_what_is_no_number_is_black_and_said():
    values = RAMP / 255
    values[0, :4] = np.nan, np.inf, -np.inf, 0.5
    shown, remarks = grey(tiff(values, "<f4"))
    assert shown[0, :4].tolist() == [0, 255, 0, 128] and remarks[0] == NO_NUMBERS
    for nothing in (np.nan, np.inf):
        with pytest.raises(PictureError) as error:
            open_picture(io.BytesIO(tiff(np.full((4, 4), nothing), "<f4")), "mine.tif")
        assert error.value.fault == "damaged" and "mine.tif" in str(error.value)


@given(st.lists(st.floats(width=32), min_size=4, max_size=40))
@example([9007200328482816.0] * 4)
def test_any_floats_become_a_picture(numbers):
    image = Image.fromarray(np.array([numbers], dtype=np.float32))
    if np.isfinite(numbers).any():
        out = eight_bits(image, [])
        assert out.mode == "L" and out.size == image.size
        # A brighter number is never darker.
        order = np.argsort(np.nan_to_num(numbers, nan=-np.inf))
        assert (np.diff(np.asarray(out)[0][order].astype(int)) >= 0).all()


def test_a_deep_picture_may_be_transparent_and_lie_on_its_side():
    exif = Image.Exif()
    exif[0x0112] = 6
    deep = (np.tile(np.arange(12), (4, 1)) * 2570 + 4).astype(np.uint16)
    content = encoded(Image.fromarray(deep), "PNG", transparency=4, exif=exif.tobytes())
    seen = as_seen(open_picture(io.BytesIO(content)))
    assert seen.size == (4, 12)
    column = np.asarray(seen.convert("L"))[:, 0]
    assert column.tolist() == [255, *range(10, 120, 10)]


def test_what_is_clear_is_told_in_the_bits_of_the_file():
    few = drawn_png(4, 0, bytes([0x7F, 0x07]), (7,))
    assert [row[0] for row in few] == [255, 255, 0, 255]
    colours = np.array([0x1234, 0x5678, 0x9ABC, 0x2000, 0x3000, 0x4000], dtype=">u2")
    many = drawn_png(16, 2, colours.tobytes(), (0x1234, 0x5678, 0x9ABC))
    assert many == [[255, 255, 255], [0x20, 0x30, 0x40]]


def drawn_png(bits: int, kind: int, row: bytes, clear: tuple[int, ...]) -> list[list[int]]:
    """The pixels, as they are seen, of a PNG of one row."""
    width = 8 * len(row) // bits // (3 if kind == 2 else 1)
    size = struct.pack(">IIBBBBB", width, 1, bits, kind, 0, 0, 0)
    content = chunk(b"IHDR", size) + chunk(b"tRNS", struct.pack(f">{len(clear)}H", *clear))
    content += chunk(b"IDAT", zlib.compress(b"\0" + row)) + chunk(b"IEND", b"")
    image = as_seen(open_picture(io.BytesIO(b"\x89PNG\r\n\x1a\n" + content)))
    return np.asarray(image.convert("RGB"))[0].tolist()


def test_a_kind_that_is_not_read_is_named():
    colours = tiff(np.ones((4, 4)), "<f4").replace(
        struct.pack("<HHII", 277, 4, 1, 1), struct.pack("<HHII", 277, 4, 1, 3)
    )
    for content in (colours, tiff(np.ones((4, 4)), "<f2")):
        with pytest.raises(PictureError) as error:
            open_picture(io.BytesIO(content), "mine.tif")
        assert error.value.fault == "kind" and "mine.tif" in str(error.value)
    with pytest.raises(PictureError) as error:
        open_picture(io.BytesIO(png()[:9]), "mine.png")
    assert error.value.fault == "format"
