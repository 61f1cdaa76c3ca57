"""Pictures of strangers: what is taken, turned, or left out with its reason."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from rivae.data.store import PairStore
from rivae.errors import DataError
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
    from rivae.importing.pictures import stored_picture

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

    from rivae.data.pictures import open_picture
    from rivae.importing.pictures import stored_picture

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
