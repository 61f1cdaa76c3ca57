import io

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.data.decode import open_picture
from rivae.data.pictures import PictureView
from rivae.errors import DataError


@pytest.fixture
def files(tmp_path):
    """Five PNG files, 40 x 30, each of one colour with a white right third."""
    paths = []
    for k in range(5):
        image = Image.new("RGB", (60, 30), (50 * k, 100, 250 - 50 * k))
        image.paste("white", (40, 0, 60, 30))
        paths.append(tmp_path / f"{k}.png")
        image.save(paths[-1])
    return paths


def test_a_batch_has_the_shape_of_its_ids(files):
    view = PictureView(files, (20, 40))
    assert view.shape == (3, 20, 40) and len(view) == 5
    batch = view.batch(np.array([[4, 0], [1, 1]]))
    assert batch.shape == (2, 2, 3, 20, 40) and batch.dtype == torch.float32
    np.testing.assert_allclose(batch[0, 0, :, 5, 5], np.array([200, 100, 50]) / 255, atol=1e-6)
    torch.testing.assert_close(batch[1, 0], view.batch(torch.tensor(1)))
    assert view.batch([]).shape == (0, 3, 20, 40)


def test_grey_and_the_three_fits(files):
    shapes = {}
    for fit in ("cover", "pad", "stretch"):
        view = PictureView(files, (30, 30), mode="L", fit=fit)
        assert view.shape == (1, 30, 30)
        shapes[fit] = view.batch(0)[0]
    assert (shapes["cover"][:, :20] < 0.9).all()  # the middle 30 of 60 columns: 25 dark, 5 white
    assert (shapes["cover"][15, 26:] > 0.9).all()
    assert shapes["pad"][0, 0] == 0 and shapes["pad"][15, 25] > 0.9
    assert (shapes["stretch"][:, 22:] > 0.9).all()  # the whole picture, its last third white


def test_the_cache_changes_nothing_and_is_bounded(files):
    kept, fresh = PictureView(files, (8, 8)), PictureView(files, (8, 8), cache_bytes=0)
    torch.testing.assert_close(kept.batch([0, 1]), fresh.batch([0, 1]))
    files[0].unlink()
    torch.testing.assert_close(kept.batch([0]), kept.batch([0, 1])[:1])
    with pytest.raises(DataError, match=r"0\.png cannot be read"):
        fresh.batch([0])


def test_a_picture_is_turned_as_its_camera_says(tmp_path):
    image = Image.new("L", (20, 10), 0)
    image.paste(255, (0, 0, 10, 10))  # left half white
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise to show
    image.save(tmp_path / "turned.jpg", exif=exif, quality=95)
    view = PictureView([tmp_path / "turned.jpg"], (20, 10), mode="L")
    top, bottom = view.batch(0)[0, 3].mean(), view.batch(0)[0, -3].mean()
    assert top > 0.9 and bottom < 0.1


def png(size=(64, 64)):
    stream = io.BytesIO()
    noise = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
    Image.fromarray(noise).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a picture in a known format"),
        (b"<html>not found</html>", "not a picture in a known format"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture in a known format"),
        (png()[:4000], "damaged picture"),
        (png()[:60], "damaged picture|known format"),
    ],
)
def test_a_file_that_is_no_picture_is_refused_by_name(tmp_path, data, reason):
    path = tmp_path / "dish.png"
    path.write_bytes(data)
    with pytest.raises(DataError, match=reason) as caught:
        PictureView([path], (8, 8)).batch(0)
    assert "dish.png" in str(caught.value) and "\n" not in str(caught.value)


def test_the_pixel_limit_is_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "large.png"
    Image.new("1", (150, 100)).save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 15_000)
    assert open_picture(path).size == (150, 100)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 5_000)  # PIL raises
    with pytest.raises(DataError, match=r"large\.png has more than"):
        open_picture(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 14_999)  # PIL only warns
    with pytest.warns(Image.DecompressionBombWarning), pytest.raises(DataError, match="more than"):
        open_picture(path)


def test_random_damage_never_escapes_as_another_error():
    rng = np.random.default_rng(0)
    good = png((16, 16))
    for _ in range(300):
        bad = bytearray(good[: rng.integers(8, len(good))] if rng.random() < 0.3 else good)
        for _ in range(rng.integers(1, 5)):
            bad[rng.choice([rng.integers(len(bad)), rng.integers(min(len(bad), 60))])] ^= 1 << 3
        try:
            open_picture(io.BytesIO(bytes(bad)), "upload.png")
        except DataError as error:
            assert "upload.png" in str(error)


def test_settings_that_make_no_sense_are_refused(files):
    for settings in ({"mode": "CMYK"}, {"fit": "crop"}, {"size": (0, 8)}, {"size": (8, 9999)}):
        with pytest.raises(DataError):
            PictureView(files, **{"size": (8, 8), **settings})
