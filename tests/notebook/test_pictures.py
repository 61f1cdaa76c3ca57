"""Pictures of a table: every kind shows as it should, and what cannot be read is told early."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

import rivae
from rivae.base.errors import DataError
from rivae.notebook.pairs import ArrayPairs
from rivae.notebook.pictures import check_pictures
from tests.data.profiles import P3, as_srgb, matrix_profile

N = 8
RNG = np.random.default_rng(0)
COLOURS = RNG.integers(0, 256, (7, 9, 3), dtype=np.uint8)
GREY = np.linspace(0, 255, 63).round().astype(np.uint8).reshape(7, 9)
TRANSPARENT = np.dstack([COLOURS, np.full((7, 9), 99, np.uint8)])
ORIENTATION = 0x0112


def encoded(image: Image.Image, form: str = "PNG", **how: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **how)
    return out.getvalue()


def of(picture: Any) -> ArrayPairs:
    shots = pd.Series([picture] * N, dtype=object)
    table = pd.DataFrame({"shot": shots, "title": list("abcdefgh")})
    return ArrayPairs(torch.zeros(N, 3), torch.zeros(N, 3), table, "shot")


ARRAYS = {
    "uint8": (COLOURS, COLOURS),
    "integers": (COLOURS.astype(np.int64), COLOURS),
    "lists": (COLOURS.tolist(), COLOURS),
    "16 bits": (COLOURS.astype(np.uint16) * 257, COLOURS),
    "16 bits, big-endian": (COLOURS.astype(">u2") * 257, COLOURS),
    "8 bits in 16": (COLOURS.astype(np.uint16), COLOURS),
    "floats 0 to 1": (COLOURS / 255, COLOURS),
    "half precision 0 to 1": ((COLOURS / 255).astype(np.float16), COLOURS),
    "floats 0 to 255": (COLOURS.astype(np.float32), COLOURS),
    "a little beyond white": (GREY / 255 * 1.008 - 0.004, GREY),
    "tensors": (torch.from_numpy(COLOURS / 255), COLOURS),
    "grey": (GREY, GREY),
    "grey floats": (GREY / 255, GREY),
    "grey 16 bits": (GREY.astype(np.uint16) * 257, GREY),
    "grey with an axis": (GREY[:, :, None] / 255, GREY),
    "black": (np.zeros((7, 9)), 0 * GREY),
    "yes and no": (GREY > 99, 255 * (GREY > 99)),
    "transparent": (TRANSPARENT, TRANSPARENT),
    "transparent floats": (TRANSPARENT / 255, TRANSPARENT),
    "a part with steps": (np.asfortranarray(COLOURS)[:, ::-1], COLOURS[:, ::-1]),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_shows_its_numbers(kind: str) -> None:
    given, want = ARRAYS[kind]
    picture = of(given).picture(0)
    assert picture.mode in ("L", "RGB", "RGBA") and picture.size == (9, 7)
    np.testing.assert_allclose(np.asarray(picture).astype(float), want, atol=1)


PICTURES = {
    "1": GREY > 127,
    "L": GREY,
    "I;16": GREY,
    "I": GREY,
    "F": GREY,
    "P": COLOURS,
    "RGB": COLOURS,
    "RGBA": TRANSPARENT,
    "LA": GREY,
    "CMYK": COLOURS,
}


@pytest.mark.parametrize("how", ["PIL", "bytes"])
@pytest.mark.parametrize("mode", PICTURES)
def test_a_picture_of_any_mode_shows_what_it_holds(mode: str, how: str) -> None:
    if mode in ("I;16", "I"):
        picture = Image.fromarray(GREY.astype("u2" if mode == "I;16" else "i4") * 257)
    elif mode == "F":
        picture = Image.fromarray(GREY.astype("f4") / 255)
    elif mode in ("1", "LA"):
        picture = Image.fromarray(GREY).convert(mode, dither=Image.Dither.NONE)
    else:
        picture = Image.fromarray(PICTURES[mode]).convert(mode)
    want = np.asarray(picture.convert("RGB")) if mode == "P" else PICTURES[mode]
    given = picture if how == "PIL" else encoded(picture, "TIFF")
    shown = np.asarray(of(given).picture(0).convert("RGBA" if want.shape[-1] == 4 else "RGB"))
    want = np.broadcast_to(want[..., None], shown.shape) if want.ndim == 2 else want
    np.testing.assert_allclose(shown.astype(float), want * (255 if mode == "1" else 1), atol=1)


@pytest.mark.parametrize("how", ["path", "text", "bytes", "open", "loaded"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_stands_upright(orientation: int, how: str, tmp_path: Path) -> None:
    upright = Image.new("RGB", (60, 48), "red")
    upright.paste("blue", (0, 24, 60, 48))
    upright.paste("lime", (0, 0, 30, 24))
    turns = [None, None, 0, 3, 1, 5, 2, 6, 4]  # undone by what the tag asks for
    lying = upright if orientation == 1 else upright.transpose(Image.Transpose(turns[orientation]))
    tags = Image.Exif()
    tags[ORIENTATION] = orientation
    path = tmp_path / "photo.png"
    path.write_bytes(encoded(lying, exif=tags.tobytes()))
    given: Any = {"path": path, "text": str(path), "bytes": path.read_bytes()}.get(how)
    if given is None:
        given = Image.open(path)
        if how == "loaded":
            given.load()
    shown = of(given).picture(0)
    assert shown.size == (60, 48)
    np.testing.assert_array_equal(np.asarray(shown.convert("RGB")), np.asarray(upright))


@pytest.mark.parametrize("how", ["path", "bytes", "PIL"])
def test_a_photograph_of_a_phone_is_shown_in_srgb(how: str, tmp_path: Path) -> None:
    photo = Image.new("RGB", (9, 7), (60, 180, 60))
    content = encoded(photo, icc_profile=matrix_profile(P3, 2.2))
    path = tmp_path / "photo.png"
    path.write_bytes(content)
    given: Any = {"path": path, "bytes": content}.get(how) or Image.open(path)
    shown = np.asarray(of(given).picture(0).convert("RGB"))[3, 3].astype(float)
    np.testing.assert_allclose(shown, as_srgb((60, 180, 60), P3, 2.2), atol=3)


def test_what_was_guessed_of_colours_is_warned_of_once() -> None:
    floats = encoded(Image.fromarray(GREY.astype("f4") / 255), "TIFF")
    table = pd.DataFrame({"shot": pd.Series([floats, COLOURS, floats], dtype=object)})
    with pytest.warns(UserWarning, match="'shot', row 0, row 2: ") as warned:
        check_pictures(table, "shot")
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_pictures(table.iloc[1:2], "shot")


def test_a_camera_of_12_bits_is_not_dark() -> None:
    camera = GREY.astype(np.uint16) * 16 + 3
    for given in (camera, Image.fromarray(camera), encoded(Image.fromarray(camera), "PNG")):
        shown = np.asarray(of(given).picture(0)).astype(float)
        np.testing.assert_allclose(shown, GREY, atol=1)


def test_without_a_picture_there_is_a_card() -> None:
    for nothing in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, ""):
        data = of(nothing)
        assert data.picture(0).size == (160, 160) and "shot" not in data.text(0)


WHOLE = encoded(Image.fromarray(RNG.integers(0, 256, (64, 64, 3), dtype=np.uint8)))
UNREADABLE = {
    "no file": "none.png",
    "no picture": b"no picture",
    "half of a picture": WHOLE[: len(WHOLE) // 2],
    "half of a photograph": encoded(Image.fromarray(COLOURS).resize((99, 99)), "JPEG")[:900],
    "a number": 7,
    "a date": pd.Timestamp("2020-01-01"),
    "NaN inside": np.where(GREY > 9, GREY / 255, np.nan),
    "infinite": np.where(GREY > 9, GREY / 255, np.inf),
    "below black": GREY / 255 - 0.5,
    "beyond white": GREY * 1000.0,
    "of 1 or of 255?": GREY / 255 * 1.5,
    "more than 16 bits": GREY.astype(np.int64) * 2**20,
    "below nothing": GREY.astype(np.int32) - 9,
    "complex": GREY * 1j,
    "hidden": np.ma.masked_greater(GREY, 99),
    "words": np.full((7, 9), "red"),
    "objects": np.full((7, 9), None),
    "channels first": np.zeros((3, 64, 64)),
    "five channels": np.zeros((9, 9, 5)),
    "one number each": np.zeros(9),
    "many pictures": np.zeros((2, 9, 9, 3)),
    "empty": np.zeros((0, 9, 3), np.uint8),
    "ragged": [[1, 2], [3]],
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_read_is_told_before_the_training(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rivae.notebook.opening.fit", lambda *a, **k: pytest.fail("trained"))
    shots = [COLOURS] * N
    shots[5] = UNREADABLE[kind]
    table = {"shot": pd.Series(shots, dtype=object)}
    A = RNG.normal(size=(N, 3))
    with pytest.raises(DataError, match=r"none\.png" if kind == "no file" else "row 5 of 'shot'"):
        rivae.explore(embeddings=(A, A), items=table, images="shot", progress=False)
