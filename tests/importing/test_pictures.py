"""Pictures of strangers: what is taken, turned, or left out with its reason."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from rivae.base.errors import DataError
from rivae.data.picture_colors import NO_INKS
from rivae.data.store import PairStore
from tests.data.profiles import P3, SRGB, as_srgb, matrix_profile, srgb_curve
from tests.importing.conftest import jpeg, rows
from tests.importing.test_pairs import take


def header_of_a_huge_png() -> bytes:
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    size = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(b"")) + b""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (header_of_a_huge_png(), "picture has too many pixels: scale it down"),
        (jpeg(3)[:300], "picture is damaged"),
        (b"<svg onload='alert(1)'/>", "file is not a picture in a known format"),
        (b"", "file is not a picture in a known format"),
        (jpeg(3, (400, 1)), "picture is thinner than 2 pixels"),
    ],
)
def test_a_picture_that_cannot_be_used_leaves_out_its_record(
    tmp_path, pictures, write_table, content, reason
):
    (pictures / "3.jpg").write_bytes(content)
    report = take(write_table(rows()), pictures, tmp_path / "data")
    assert report.left_out == {reason: 1} and report.taken == 39
    assert [r.id for r in PairStore(tmp_path / "data" / "mine").recipes()][3] == "d4"


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_other_colour_modes_become_rgb(tmp_path, pictures, write_table, mode):
    (pictures / "3.jpg").write_bytes(jpeg(3, mode=mode))
    assert take(write_table(rows()), pictures, tmp_path / "data").taken == 40
    stored = PairStore(tmp_path / "data" / "mine").picture_bytes(3)
    assert Image.open(io.BytesIO(stored)).mode == "RGB"


@pytest.mark.parametrize(
    "name", ["../secret.jpg", "/etc/passwd", "a/../../secret.jpg", "..\\secret.jpg", "link.jpg"]
)
def test_no_name_leads_out_of_the_picture_folder(tmp_path, pictures, write_table, name):
    (tmp_path / "secret.jpg").write_bytes(jpeg(99))
    (pictures / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    records = rows()
    records[3]["image"] = name
    report = take(write_table(records), pictures, tmp_path / "data")
    assert report.left_out == {"picture path leads out of the picture folder": 1}


def test_a_zip_bomb_is_not_unpacked(tmp_path, pictures, write_table):
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in pictures.iterdir():
            out.write(path, path.name)
        with out.open("bomb.jpg", "w", force_zip64=True) as member:
            for _ in range(70):
                member.write(bytes(2**20))
    records = rows()
    records[0]["image"] = "bomb.jpg"
    report = take(write_table(records), archive, tmp_path / "data")
    assert report.left_out == {"picture file is larger than 64 MiB": 1}
    archive.write_bytes(archive.read_bytes()[:5000])
    with pytest.raises(DataError, match="neither a folder nor a sound zip"):
        take(write_table(records), archive, tmp_path / "data", name="other")


def test_sixteen_bits_keep_their_greys_and_turned_pictures_are_upright():
    from rivae.data.importing.pictures import stored_picture

    out = io.BytesIO()
    Image.fromarray((np.arange(4096).reshape(64, 64) * 16).astype(np.uint16)).save(out, "PNG")
    greys = np.asarray(Image.open(io.BytesIO(stored_picture(out.getvalue(), 64)[0])))
    assert greys.min() < 8 and greys.max() > 247 and 120 < greys.mean() < 135
    tags, out = Image.Exif(), io.BytesIO()
    tags[0x0112] = 6  # turned by a quarter: its top lies at the right
    half = Image.new("RGB", (40, 40), "black")
    half.paste("white", (0, 0, 20, 40))
    half.save(out, "JPEG", exif=tags.tobytes())
    stored = np.asarray(Image.open(io.BytesIO(stored_picture(out.getvalue(), 40)[0])))
    assert stored[:15].mean() > 240 and stored[25:].mean() < 15


def test_a_large_jpeg_is_decoded_small_and_looks_the_same():
    from PIL import ImageOps

    from rivae.data.importing.pictures import stored_picture
    from rivae.data.pictures import open_picture

    y, x = np.mgrid[0:1200, 0:1600] / 100.0
    waves = np.stack([np.sin(x + y), np.cos(x - y), np.sin(2 * y)], axis=-1)
    out = io.BytesIO()
    whole = Image.fromarray((127 + 120 * waves).astype(np.uint8))
    whole.save(out, "JPEG", quality=95)
    assert min(open_picture(io.BytesIO(out.getvalue()), enough=256).size) == 300
    stored = Image.open(io.BytesIO(stored_picture(out.getvalue(), 128)[0]))
    usual = ImageOps.fit(whole, (128, 128), Image.Resampling.LANCZOS)
    difference = np.abs(np.asarray(stored, dtype=float) - np.asarray(usual, dtype=float))
    assert stored.size == (128, 128) and difference.mean() < 2


def saved(image: Image.Image, form: str, **how: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **how)
    return out.getvalue()


@pytest.mark.parametrize("form", ["JPEG", "WEBP"])
def test_only_a_square_in_srgb_keeps_its_bytes(form):
    from rivae.data.importing.pictures import stored_picture

    green = Image.new("RGB", (32, 32), (60, 180, 60))
    for primaries, curve, kept in ((None, 0, True), (SRGB, srgb_curve(), True), (P3, 2.2, False)):
        how = {} if primaries is None else {"icc_profile": matrix_profile(primaries, curve)}
        content = saved(green, form, quality=95, **how)
        stored, remarks = stored_picture(content, 64)
        assert (stored == content) == kept and not remarks
        if not kept:
            image = Image.open(io.BytesIO(stored))
            assert "icc_profile" not in image.info
            middle = np.asarray(image)[16, 16].astype(float)
            assert np.abs(middle - as_srgb((60, 180, 60), P3, 2.2)).max() < 8
    # Without a usable profile it is sRGB, and must not say otherwise.
    content = saved(green, form, quality=95, icc_profile=bytes(999))
    stored, remarks = stored_picture(content, 64)
    assert stored != content and len(remarks) == 1
    assert "icc_profile" not in Image.open(io.BytesIO(stored)).info


def test_what_was_guessed_of_colours_stands_in_the_report(tmp_path, pictures, write_table):
    records = rows()
    floats = np.tile(np.linspace(0, 1, 40, dtype=np.float32), (40, 1))
    for k in (3, 5):
        records[k]["image"] = f"{k}.tif"
        (pictures / f"{k}.tif").write_bytes(saved(Image.fromarray(floats), "TIFF"))
    (pictures / "7.jpg").write_bytes(saved(Image.new("CMYK", (40, 40), (9, 9, 9, 9)), "JPEG"))
    report = take(write_table(records), pictures, tmp_path / "data")
    assert report.taken == 40
    guesses = {remark: n for remark, n in report.notes.items() if "taken as" in remark}
    assert list(guesses.values()) == [2] and report.notes[NO_INKS] == 1
    (remark,) = guesses
    assert "d3" in report.examples[remark][0] and "from 0 to 1" in report.examples[remark][0]
    stored = PairStore(tmp_path / "data" / "mine").picture_bytes(3)
    greys = np.asarray(Image.open(io.BytesIO(stored)).convert("L"))
    assert greys.min() < 9 and greys.max() > 246
