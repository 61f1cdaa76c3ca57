import base64
import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageFilter

from rivae.data.thumbnails import ThumbnailCache, encode_picture, enlarged, item_strip


def noise(width, height, mode="RGB"):
    shape = (height, width, 3) if mode == "RGB" else (height, width)
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8))


def opened(thumbnail):
    return Image.open(io.BytesIO(thumbnail.content))


def test_a_drawing_is_kept_without_loss():
    image = noise(20, 30, "L")
    thumbnail = encode_picture(image, 160)
    assert thumbnail.mime == "image/png"
    assert np.array_equal(np.asarray(opened(thumbnail)), np.asarray(image))
    assert (thumbnail.width, thumbnail.height, thumbnail.is_tiny) == (20, 30, True)


def test_a_photo_is_a_small_jpeg_in_its_own_proportions():
    thumbnail = encode_picture(noise(800, 400), 160)
    assert thumbnail.mime == "image/jpeg" and opened(thumbnail).format == "JPEG"
    assert (thumbnail.width, thumbnail.height) == (160, 80)
    assert not thumbnail.is_tiny


def test_the_original_is_not_changed():
    image = noise(800, 400)
    encode_picture(image, 160)
    assert image.size == (800, 400)


def test_a_data_address_holds_the_picture():
    thumbnail = encode_picture(noise(8, 8, "L"), 160)
    assert base64.b64decode(thumbnail.data_uri.split(",")[1]) == thumbnail.content


def test_the_cache_is_bounded_and_makes_each_picture_once():
    made = []

    def draw(i, side):
        made.append((i, side))
        return Image.new("L", (4, 4), i)

    each = len(encode_picture(draw(0, 2), 160).content) + len("item 0") + 400
    made.clear()
    data = SimpleNamespace(picture=draw, title="item {}".format)
    cache = ThumbnailCache(data, max_bytes=3 * each + 100)
    for i in (0, 1, 2, 0, 3, 0):  # 0 is used again and again, so 1 is the one that goes
        assert np.asarray(opened(cache.get(i, 2)))[0, 0] == i
    assert len(cache) == 3 and made == [(0, 2), (1, 2), (2, 2), (3, 2)]
    cache.get(1, 2)
    assert made[-1] == (1, 2) and len(made) == 5
    cache.get(1, 0)
    assert made[-1] == (1, 0)
    assert cache.titled(1, 0) == ("item 1", cache.get(1, 0)) and len(made) == 6


@pytest.mark.parametrize(("size", "expected"), [((8, 4), (320, 160)), ((65, 65), (65, 65))])
def test_few_pixels_become_blocks(size, expected):
    image = noise(*size, "L")
    large = enlarged(image)
    assert large.size == expected
    small = large.resize(size, Image.Resampling.NEAREST)
    assert np.array_equal(np.asarray(small), np.asarray(image))


def test_a_photograph_with_transparent_parts_stays_transparent_and_small():
    image = noise(200, 100, "RGB").filter(ImageFilter.GaussianBlur(3)).convert("RGBA")
    image.paste((0, 0, 0, 0), (90, 0, 110, 100))
    found = encode_picture(image, 200)
    assert found.mime == "image/webp" and len(found.content) < 100 * 200
    pixels = np.asarray(opened(found).convert("RGBA"))
    assert (pixels[:, 95:105, 3] == 0).all() and (pixels[:, :85, 3] == 255).all()


def test_a_strip_shows_its_items_side_by_side():
    data = SimpleNamespace(picture=lambda i, side: Image.new("L", (8, 8), i))
    strip = opened(item_strip(data, [10, 200], side=2, height=48))
    assert strip.size == (48 + 4 + 48, 48)
    pixels = np.asarray(strip.convert("RGBA"))
    assert pixels[24, 20, 0] == 10 and pixels[24, 80, 0] == 200 and pixels[24, 49, 3] == 0
