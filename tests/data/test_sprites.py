import numpy as np
import pytest
from PIL import Image, ImageDraw

from rivae.base.errors import ConfigError, DataError
from rivae.data import load_dataset
from rivae.data.sets.sprites import SCALES, all_latents, render


@pytest.fixture(scope="module")
def sprites():
    return load_dataset("sprites")


@pytest.fixture(scope="module")
def original_file(shared_data):
    path = shared_data / "dsprites" / "dsprites_square_ellipse_o0.npz"
    if not path.is_file():
        pytest.skip(f"no dSprites originals at {path}")
    return path


@pytest.fixture(scope="module")
def originals(original_file):
    with np.load(original_file, allow_pickle=False) as file:
        images = np.unpackbits(file["imgs_packed"], axis=1).reshape(-1, 64, 64)
        return images, file["source"]


@pytest.mark.shared
def test_squares_are_pixel_equal_to_the_originals(sprites, originals):
    images, source = originals
    mine = sprites.x1.tensor[:, 0].numpy() // 255
    assert (source[:6144] > 0).sum() == 1771
    np.testing.assert_array_equal(mine, images[:6144])


@pytest.mark.shared
def test_ellipses_are_pixel_equal_to_the_originals(sprites, originals):
    images, source = (part[6144:] for part in originals)
    mine = sprites.x2.tensor[:, 0].numpy() // 255
    true = source > 0
    assert true.sum() == 1798
    np.testing.assert_array_equal(mine[true], images[true])
    # The other ellipses of that file were drawn by a rule that errs by single boundary pixels.
    off = (mine[~true] != images[~true]).sum((1, 2))
    assert off.max() <= 2 and (off > 0).mean() < 0.05


def test_shapes_sit_where_the_factors_say(sprites):
    rows = np.random.default_rng(0).choice(len(sprites), 300, replace=False)
    grid = np.arange(64) + 0.5
    for view, area in ((sprites.x1, 19.2**2), (sprites.x2, np.pi * 9.6**2)):
        images = view.batch(rows).numpy()[:, 0]
        scale, x, y = sprites.factors[rows].T
        ink = images.sum((1, 2))
        np.testing.assert_allclose((images.sum(1) @ grid) / ink, 16 + 32 * x, atol=0.5)
        np.testing.assert_allclose((images.sum(2) @ grid) / ink, 16 + 32 * y, atol=0.5)
        np.testing.assert_allclose(ink, area * scale**2, rtol=0.15)


@pytest.mark.slow
def test_order_units_and_distinctness(sprites):
    assert len(sprites) == 6144
    np.testing.assert_array_equal(sprites.factors[0], [0.5, 0, 0])
    np.testing.assert_allclose(sprites.factors[1], [0.5, 0, 1 / 31])
    np.testing.assert_allclose(sprites.factors[32], [0.5, 1 / 31, 0])
    np.testing.assert_allclose(sprites.factors[-1], [1.0, 1, 1])
    for view in (sprites.x1, sprites.x2):
        assert set(np.unique(view.tensor)) == {0, 255}
        flat = view.tensor.reshape(6144, -1).numpy()
        assert len(np.unique(np.packbits(flat, axis=1), axis=0)) == 6144


def test_split_follows_its_settings(sprites):
    assert [len(sprites.splits[s]) for s in ("train", "validation", "test")] == [4301, 614, 1229]
    other = load_dataset("sprites", split_seed=3, fractions=[0.5, 0.25, 0.25])
    assert len(other.splits["test"]) == 1536
    for bad in ([0.5, 0.5], [0.9, 0.2, -0.1], "half", [1, 0, 0]):
        with pytest.raises(ConfigError, match="fractions"):
            load_dataset("sprites", fractions=bad)


@pytest.mark.shared
def test_packed_file_is_read(original_file, originals):
    images, _ = originals
    data = load_dataset("sprites", path=str(original_file))
    np.testing.assert_array_equal(data.x1.tensor[:, 0].numpy() // 255, images[:6144])
    np.testing.assert_array_equal(data.x2.tensor[:, 0].numpy() // 255, images[6144:])
    assert data.settings["path"] == str(original_file.absolute())
    np.testing.assert_array_equal(data.factors, load_dataset("sprites").factors)


# A user's own file, in the published layout but smaller: one scale, two orientations, three shapes.


def published_layout(n_positions=12):
    classes = np.array(
        [
            (0, shape, 2, orientation, x, y)
            for shape in range(3)
            for orientation in (0, 5)
            for x in range(n_positions)
            for y in range(n_positions)
        ]
    )
    values = np.column_stack(
        [
            np.ones(len(classes)),
            classes[:, 1] + 1,
            SCALES[classes[:, 2]],
            classes[:, 3] * 2 * np.pi / 39,
            classes[:, 4:] / 31,
        ]
    )
    images = np.zeros((len(classes), 64, 64), np.uint8)
    for shape, name in enumerate(("square", "ellipse")):
        mine = classes[:, 1] == shape
        images[mine] = render(name, SCALES[classes[mine, 2]], classes[mine, 4], classes[mine, 5])
    turned = classes[:, 3] > 0
    images[turned] = images[turned].transpose(0, 2, 1)  # anything that is not orientation 0
    return {"imgs": images, "latents_classes": classes, "latents_values": values}


def test_published_layout_is_read(tmp_path, sprites):
    parts = published_layout()
    order = np.random.default_rng(0).permutation(len(parts["imgs"]))
    np.savez_compressed(tmp_path / "own.npz", **{key: part[order] for key, part in parts.items()})
    data = load_dataset("sprites", path=str(tmp_path / "own.npz"))
    assert len(data) == 144
    latents = all_latents()
    rows = np.flatnonzero((latents[:, 0] == 2) & (latents[:, 1:] < 12).all(1))
    np.testing.assert_array_equal(data.x1.tensor, sprites.x1.tensor[rows])
    np.testing.assert_array_equal(data.x2.tensor, sprites.x2.tensor[rows])
    np.testing.assert_array_equal(data.factors, sprites.factors[rows])


def nan_value(parts):
    parts["latents_values"][7, 4] = np.nan


def foreign_class(parts):
    parts["latents_classes"][0, 4] = 77


def grey_images(parts):
    parts["imgs"][0, 0, 0] = 200


def wrong_type(parts):
    parts["imgs"] = parts["imgs"].astype(np.float32)


def wrong_size(parts):
    parts["imgs"] = parts["imgs"][:, :32]


def fewer_images(parts):
    parts["imgs"] = parts["imgs"][:-1]


def fewer_values(parts):
    parts["latents_values"] = parts["latents_values"][:-1]


def lost_ellipse(parts):
    keep = np.arange(len(parts["imgs"])) != 2 * 144 + 5
    parts.update({key: part[keep] for key, part in parts.items()})


def doubled_pair(parts):
    for shape in (0, 1):
        parts["latents_classes"][shape * 288 + 1] = parts["latents_classes"][shape * 288]
        parts["latents_values"][shape * 288 + 1] = parts["latents_values"][shape * 288]


def no_latents(parts):
    del parts["latents_values"]


def other_file(parts):
    parts["photos"] = parts.pop("imgs")


def pickled(parts):
    parts["latents_classes"] = np.array([{"a": 1}] * 3, dtype=object)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (nan_value, "do not fit"),
        (foreign_class, "indices that dSprites does not have"),
        (grey_images, "other than 0 and 1"),
        (wrong_type, "unexpected type float32"),
        (wrong_size, "has shape"),
        (fewer_images, "863 rows, not 864"),
        (fewer_values, "864 rows of 'latents_classes' but 863"),
        (lost_ellipse, "do not form pairs"),
        (doubled_pair, "do not form pairs"),
        (no_latents, "holds no array 'latents_values'"),
        (other_file, "is not a dSprites file"),
        (pickled, "unexpected type object"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, damage, reason):
    parts = published_layout()
    damage(parts)
    np.savez_compressed(tmp_path / "own.npz", **parts)
    with pytest.raises(DataError, match=reason) as caught:
        load_dataset("sprites", path=str(tmp_path / "own.npz"))
    assert "own.npz" in str(caught.value)


# Uploads


def drawing(mode="L", paper="black", ink="white", size=(640, 640)):
    image = Image.new(mode, size, paper)
    ImageDraw.Draw(image).rectangle([200, 300, 391, 491], fill=ink)
    return image


def expected_square():
    image = np.zeros((64, 64), np.float32)
    image[30:49, 20:39] = 1
    return image


@pytest.mark.parametrize(
    "image",
    [
        drawing(),
        drawing(paper="white", ink="black"),
        drawing("RGB", paper="#ddeeff", ink="#103060"),
        drawing("RGBA", paper=(0, 0, 0, 0), ink=(200, 30, 30, 255)),
        drawing("RGB").convert("P"),
        drawing("L", paper=100, ink=140),
    ],
    ids=["white on black", "black on white", "colour", "transparent", "palette", "faint"],
)
def test_an_upload_becomes_light_on_dark_and_binary(sprites, image):
    query = sprites.from_upload(image)
    assert query.shape == (1, 1, 64, 64) and query.dtype == sprites.x1.batch([0]).dtype
    assert set(np.unique(query)) == {0.0, 1.0}
    assert (query[0, 0].numpy() != expected_square()).sum() <= 40  # at most the outline


def test_a_sprite_survives_its_own_upload(sprites):
    for row in (0, 3000, 6143):
        again = sprites.from_upload(sprites.picture(row, 1).resize((256, 256), 0))
        np.testing.assert_array_equal(again[0], sprites.x1.batch([row])[0])


def test_a_useless_upload_is_refused(sprites):
    with pytest.raises(DataError, match="only one colour"):
        sprites.from_upload(Image.new("RGB", (50, 50), "red"))
    with pytest.raises(DataError, match="thinner"):
        sprites.from_upload(Image.new("RGB", (50, 1), "red"))
