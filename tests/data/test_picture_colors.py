"""Pictures in the colours of phones, cameras and printers are turned to sRGB."""

from __future__ import annotations

import io
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image, ImageCms

from rivae.data import picture_colors
from rivae.data.picture_colors import MAX_PROFILE, NO_INKS, UNREAD_PROFILE, in_srgb
from rivae.data.pictures import as_seen, open_picture, to_grey
from tests.data.hostile_pictures import encoded
from tests.data.profiles import (
    ADOBE,
    P3,
    PROPHOTO,
    SRGB,
    as_srgb,
    grey_profile,
    ink_profile,
    matrix_profile,
    srgb_curve,
)

COLOUR = (60, 180, 60)
PHONE = matrix_profile(P3, 2.2)
GAMUTS = {"phone": (P3, 2.2), "camera": (ADOBE, 563 / 256), "raw": (PROPHOTO, 1.8)}


def opened(content: bytes) -> tuple[Image.Image, list[str]]:
    remarks: list[tuple[str, str]] = []
    image = open_picture(io.BytesIO(content), remarks=remarks)
    return image, [remark for remark, _ in remarks]


def flat(colour: object = COLOUR, mode: str = "RGB") -> Image.Image:
    return Image.new(mode, (8, 8), colour)


def middle(image: Image.Image) -> np.ndarray:
    return np.asarray(image.convert("RGB"))[4, 4].astype(int)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("gamut", GAMUTS)
def test_a_profile_in_any_format_is_followed(gamut, form):
    how = {"JPEG": {"quality": 98}, "WEBP": {"lossless": True}}.get(form, {})
    content = encoded(flat(), form, icc_profile=matrix_profile(*GAMUTS[gamut]), **how)
    image, remarks = opened(content)
    np.testing.assert_allclose(middle(image), as_srgb(COLOUR, *GAMUTS[gamut]), atol=8)
    assert not remarks and image.format is None  # so that its bytes are not kept
    # It is not turned twice, and a query sees the same.
    assert in_srgb(image, []) is image
    assert np.array_equal(middle(as_seen(Image.open(io.BytesIO(content)))), middle(image))


@given(
    st.sampled_from(sorted(GAMUTS)),
    st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=20),
)
def test_colours_are_those_of_the_profile(gamut, colours):
    picture = Image.fromarray(np.array([colours], dtype=np.uint8))
    content = encoded(picture, "PNG", icc_profile=matrix_profile(*GAMUTS[gamut]))
    wanted = as_srgb(colours, *GAMUTS[gamut])
    # A step of 1 in the dark is several of sRGB where it is the steeper curve, or at its edge.
    np.testing.assert_allclose(np.asarray(opened(content)[0])[0], wanted, atol=12)
    bright = (wanted > 30).all(axis=1) & (wanted < 255).all(axis=1)
    np.testing.assert_allclose(np.asarray(opened(content)[0])[0][bright], wanted[bright], atol=3)


@pytest.mark.parametrize(
    "profile",
    [
        matrix_profile(SRGB, srgb_curve()),
        ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    ],
    ids=["written here", "by lcms"],
)
@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA"])
def test_srgb_is_left_as_it_is_whoever_wrote_it(profile, mode):
    picture = Image.effect_noise((32, 32), 90).convert("RGB").convert(mode)
    image, remarks = opened(encoded(picture, "PNG", icc_profile=profile))
    assert image.format == "PNG" and image.mode == mode and not remarks
    assert image.tobytes() == picture.tobytes()


def test_transparent_and_palette_pictures_keep_what_is_clear():
    picture = flat().convert("RGBA")
    picture.putpixel((0, 0), (1, 2, 3, 0))
    opaque = picture.convert("RGB")
    palette = flat().convert("P", palette=Image.Palette.ADAPTIVE)
    clear = Image.new("P", (8, 8))
    clear.putpalette([9, 9, 9, *COLOUR])
    clear.paste(1, (1, 0, 8, 8))
    as_png = {
        "RGBA": encoded(picture, "PNG", icc_profile=PHONE),
        "P": encoded(palette, "PNG", icc_profile=PHONE),
        "clear P": encoded(clear, "PNG", icc_profile=PHONE, transparency=0),
        "clear RGB": encoded(opaque, "PNG", icc_profile=PHONE, transparency=(1, 2, 3)),
    }
    for name, content in as_png.items():
        image, _ = opened(content)
        np.testing.assert_allclose(middle(image), as_srgb(COLOUR, P3, 2.2), atol=3, err_msg=name)
        corner = np.asarray(as_seen(image).convert("RGB"))[0, 0]
        assert name == "P" or corner.tolist() == [255, 255, 255], name


def test_grey_pictures_follow_grey_profiles_and_those_of_screens():
    greys = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16))
    bright = 255 * (np.arange(256) / 255) ** (1 / 2.2)
    for picture, gamma in ((greys, 1.0), (greys.convert("LA"), 1.0)):
        image, remarks = opened(encoded(picture, "PNG", icc_profile=grey_profile(gamma)))
        shown = np.asarray(to_grey(image)).astype(int).ravel()
        assert not remarks and np.abs(shown - bright)[32:].max() <= 3
    image, _ = opened(encoded(greys, "PNG", icc_profile=matrix_profile(SRGB, 1.0)))
    assert np.abs(np.asarray(to_grey(image)).astype(int).ravel() - bright)[32:].max() <= 3
    deep = Image.fromarray((np.arange(256).reshape(16, 16) * 257).astype(np.uint16))
    image, _ = opened(encoded(deep, "TIFF", icc_profile=grey_profile(1.0)))
    assert np.abs(np.asarray(to_grey(image)).astype(int).ravel() - bright)[32:].max() <= 3


def test_inks_are_those_of_the_printer_and_without_it_that_is_said():
    # A printer whose cyan is red.
    def lab(inks):
        cyan, _, _, black = inks
        return (100 - 45 * cyan) * (1 - black), 70 * cyan * (1 - black), 50 * cyan * (1 - black)

    picture = flat((255, 0, 0, 0), "CMYK")
    red, remarks = opened(encoded(picture, "JPEG", quality=98, icc_profile=ink_profile(lab)))
    assert red.mode == "RGB" and not remarks
    assert middle(red)[0] > 180 > 120 > middle(red)[1:].max()
    plain, remarks = opened(encoded(picture, "JPEG", quality=98))
    assert middle(plain)[0] < 60 and remarks == [NO_INKS]


def test_lab_is_shown_with_and_without_a_profile():
    for how in ({}, {"icc_profile": PHONE}):
        image, remarks = opened(encoded(flat((140, 128, 128), "LAB"), "TIFF", **how))
        assert np.ptp(middle(image)) <= 3 and abs(middle(image)[0] - 132) <= 4
        assert remarks == ([UNREAD_PROFILE] if how else [])


def of_a_camera(index: str, **how: object) -> bytes:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.ColorSpace] = 0xFFFF
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.IFD.Interop] = {1: index}
    picture = Image.new("RGB", (8, 16), COLOUR)
    return encoded(picture, "JPEG", quality=98, exif=exif.tobytes(), **how)


def test_a_camera_may_say_adobe_rgb_in_its_tags_only():
    image, remarks = opened(of_a_camera("R03"))
    wanted = as_srgb(COLOUR, *GAMUTS["camera"])
    assert np.abs(middle(image) - wanted).max() <= 4 and not remarks
    assert np.array_equal(middle(as_seen(image)), middle(image)) and as_seen(image).size == (16, 8)
    assert np.abs(middle(opened(of_a_camera("R98"))[0]) - COLOUR).max() <= 2
    phone = opened(of_a_camera("R03", icc_profile=PHONE))[0]
    assert np.abs(middle(phone) - as_srgb(COLOUR, P3, 2.2)).max() <= 4


def endless() -> bytes:
    """As many steps as one likes, of which each is done for each colour."""
    at = struct.unpack_from(">I", PHONE, 136)[0]
    content = bytearray(PHONE)
    content[at : at + 4] = b"mpet"
    return bytes(content)


UNUSABLE = {
    "zeros": bytes(500_000),
    "short": b"profile",
    "half": PHONE[:300],
    "large": PHONE + bytes(MAX_PROFILE),
    "many tags": PHONE[:128] + b"\xff\xff\xff\xff" + PHONE[132:],
    "no screen": PHONE[:12] + b"link" + PHONE[16:],
    "another space": PHONE[:16] + b"3CLR" + PHONE[20:],
    "inks": ink_profile(lambda inks: (50, 0, 0)),
    "greys": grey_profile(2.2),
    "endless": endless(),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_without_a_usable_profile_it_is_srgb_and_said(name):
    image, remarks = opened(encoded(flat(), "PNG", icc_profile=UNUSABLE[name]))
    assert remarks == [UNREAD_PROFILE] and middle(image).tolist() == list(COLOUR)


@given(st.lists(st.tuples(st.integers(0, len(PHONE) - 1), st.integers(0, 255)), max_size=8))
def test_a_damaged_profile_never_costs_the_picture(changes):
    content = bytearray(PHONE)
    for at, value in changes:
        content[at] = value
    image = flat()
    image.info["icc_profile"] = bytes(content)
    assert in_srgb(image, []).size == image.size


def test_threads_share_what_turns_colours():
    picture_colors._transform.cache_clear()
    contents = [encoded(flat((i, 180, 60)), "PNG", icc_profile=PHONE) for i in range(200)]
    with ThreadPoolExecutor(8) as pool:
        found = [middle(image) for image, _ in pool.map(opened, contents)]
    assert np.array_equal(found, [middle(opened(content)[0]) for content in contents])
    assert np.abs(np.array(found) - as_srgb([(i, 180, 60) for i in range(200)], P3, 2.2)).max() < 9
