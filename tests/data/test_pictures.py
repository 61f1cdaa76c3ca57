"""The one opener of pictures from outside: what it takes, what it refuses."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from rivae.data import pictures
from rivae.data.picture_depth import is_deep
from rivae.data.pictures import FORMATS, PICTURE_SUFFIXES, PictureError, open_picture, to_grey
from tests.data import hostile_pictures as drawn
from tests.data.hostile_pictures import encoded, waves

HEAVY = drawn.heavy()


def refused(content: bytes, **how) -> PictureError:
    with pytest.raises(PictureError) as error:
        open_picture(io.BytesIO(content), "mine.png", **how)
    assert "mine.png" in str(error.value) and len(str(error.value)) <= 300
    return error.value


def honest() -> dict[str, bytes]:
    """Files as cameras, browsers and drawing programs make them."""
    turned, many = Image.Exif(), [waves().rotate(7 * k) for k in range(60)]
    turned[0x0112] = 6
    clear = waves().convert("RGBA")
    clear.putalpha(90)
    grey16 = Image.fromarray((np.arange(4096).reshape(64, 64) * 16).astype(np.uint16))
    return {
        "jpeg": encoded(waves(), "JPEG"),
        "progressive": encoded(waves().convert("CMYK"), "JPEG", progressive=True),
        "tags and profile": encoded(
            waves(), "JPEG", exif=turned.tobytes(), icc_profile=bytes(500_000)
        ),
        "grey": encoded(waves().convert("L"), "JPEG"),
        "png": encoded(clear, "PNG"),
        "palette": encoded(waves().convert("P"), "PNG"),
        "16 bits": encoded(grey16, "PNG"),
        "moving png": encoded(many[0], "PNG", save_all=True, append_images=many[1:]),
        "webp": encoded(clear, "WEBP", lossless=True),
        "moving webp": encoded(many[0], "WEBP", save_all=True, append_images=many[1:]),
        "gif": encoded(many[0], "GIF", save_all=True, append_images=many[1:], comment=b"x" * 9000),
        "bmp": encoded(waves(), "BMP"),
        "packed bmp": drawn.packed_bmp(40, 40, (b"\x28\5\0\0") * 40),
        "tiff": encoded(waves(), "TIFF"),
        "many tiffs": encoded(many[0], "TIFF", save_all=True, append_images=many[1:]),
        "packed tiff": encoded(waves(), "TIFF", compression="tiff_adobe_deflate"),
        "tiff of jpeg": encoded(waves(), "TIFF", compression="jpeg"),
        "float tiff": encoded(Image.fromarray(np.eye(8, dtype=np.float32)), "TIFF"),
    }


HONEST = honest()


@pytest.mark.parametrize("name", HONEST)
def test_what_is_right_is_decoded_as_pillow_does(name, tmp_path):
    content = HONEST[name]
    with Image.open(io.BytesIO(content)) as usual:
        usual.load()
        for source in (io.BytesIO(content), tmp_path / "picture.txt"):
            if isinstance(source, Path):
                source.write_bytes(content)
            image = open_picture(source)
            assert image.size == usual.size
            assert ImageOps.exif_transpose(image).size == ImageOps.exif_transpose(usual).size
            if is_deep(usual):  # see test_picture_depth.py
                assert image.mode == "L"
                continue
            assert (image.format, image.mode) == (usual.format, usual.mode)
            assert image.tobytes() == usual.tobytes()


@pytest.mark.parametrize("name", HEAVY)
def test_a_file_that_would_cost_too_much_is_refused_before_it_is_decoded(name, monkeypatch):
    loaded = []
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: loaded.append(self))
    if name != "texts of a PNG":  # those are counted when Pillow has read them, up to its own limit
        assert refused(HEAVY[name]).fault == "heavy"
    monkeypatch.undo()
    assert refused(HEAVY[name]).fault == "heavy" and not loaded


def test_only_the_listed_formats_are_tried(monkeypatch):
    def started(*args, **how):
        raise AssertionError("a program was started")

    for name in ("Popen", "check_call", "run"):
        monkeypatch.setattr(subprocess, name, started)
    Image.init()
    flat, tried = Image.new("RGB", (32, 32), "teal"), 0
    for kind in sorted(set(Image.SAVE) - set(FORMATS) - {"PDF", "MPO", "DIB", "PALM", "EPS"}):
        for mode in ("RGB", "1", "F", "P"):
            try:
                content = encoded(flat.convert(mode), kind)
            except (OSError, ValueError, KeyError, AttributeError):
                continue
            assert refused(content).fault == "format", kind
            tried += 1
    assert tried > 10
    for content in (
        drawn.EPS,
        b"",
        b"<svg/>",
        b"\xd7\xcd\xc6\x9a" + bytes(40),
        b"DDS " + bytes(200),
    ):
        assert all(name.lower() in str(refused(content)).lower() for name in FORMATS)


def test_pixels_are_counted_before_they_are_decoded():
    assert refused(drawn.png(size=(10_000, 10_000))).fault == "pixels"
    assert refused(drawn.png(size=(50_000, 50_000))).fault == "pixels"
    assert "2 million" in str(refused(drawn.png(size=(2_000, 2_000)), max_pixels=2_000_000))
    # Another library of the process may have taken Pillow's own limit away.
    before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        assert refused(drawn.png(size=(50_000, 50_000))).fault == "pixels"
    finally:
        Image.MAX_IMAGE_PIXELS = before


def test_only_plain_files_of_a_bounded_size_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with (tmp_path / "large.png").open("wb") as stream:
        stream.truncate(pictures.MAX_BYTES + 1)
    places = [tmp_path / "pipe.png", tmp_path, tmp_path / "none.png", Path("/dev/zero")]
    for place in (*places, f"a\0b{'x' * 400}"):
        with pytest.raises(PictureError) as error:
            open_picture(place)
        assert error.value.fault == "unreadable" and len(str(error.value)) <= 300
    with pytest.raises(PictureError, match="512"):
        open_picture(tmp_path / "large.png")


def test_damage_of_any_kind_is_one_sentence():
    rng, refusals = np.random.default_rng(5), 0
    for content in HONEST.values():
        for _ in range(40):
            damaged = bytearray(content)
            for at in rng.integers(0, min(len(damaged), 600), 6):
                damaged[at] = rng.integers(256)
            if rng.random() < 0.3:
                del damaged[rng.integers(len(damaged)) :]
            try:
                to_grey(open_picture(io.BytesIO(bytes(damaged)), "mine.png"))
            except pictures.DataError as error:
                assert len(str(error)) <= 300 and "\n" not in str(error)
                refusals += 1
    assert refusals > 100


def test_each_format_has_its_endings():
    Image.init()
    assert {Image.EXTENSION[suffix] for suffix in PICTURE_SUFFIXES} == set(FORMATS)
