import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from rivae.base.errors import DataError
from rivae.data import load_dataset


@pytest.fixture(scope="module")
def digits():
    return load_dataset("split-digits")


@pytest.fixture(scope="module")
def nearest(digits):
    """Row of the item whose left half looks most like a query."""
    bank = digits.x1.tensor.flatten(1).numpy()

    def find(query):
        return int(np.square(bank - query.flatten().numpy()).sum(1).argmin())

    return find


def test_halves_join_to_the_original(digits):
    source = load_digits()
    whole = np.concatenate([digits.x1.tensor, digits.x2.tensor], axis=3)[:, 0]
    np.testing.assert_allclose(whole * 16, source.images, atol=1e-5)
    np.testing.assert_array_equal(digits.factors[:, 0], source.target)
    assert digits.x1.shape == digits.x2.shape == (1, 8, 4)


def test_factor_is_a_named_category(digits):
    (spec,) = digits.factor_specs
    assert (spec.name, spec.kind, spec.role) == ("digit", "categorical", "shared")
    assert digits.factor_text(4, 0) == str(load_digits().target[4])
    assert digits.text(4) == f"digit {load_digits().target[4]}"


def test_split_and_search_size(digits):
    assert [len(digits.splits[s]) for s in ("train", "validation", "test")] == [1258, 180, 359]
    assert digits.search_size == 359


def test_completed_picture_is_both_halves(digits):
    left, right, whole = (np.asarray(digits.picture(7, side)) for side in (1, 2, 0))
    assert left.shape == right.shape == (96, 48) and whole.shape == (96, 96)
    # away from the seam, where the smoothing mixes both
    np.testing.assert_allclose(whole[:, :24], left[:, :24])
    np.testing.assert_allclose(whole[:, -24:], right[:, -24:])


@pytest.mark.parametrize("inverted", [False, True])
def test_a_left_half_survives_its_own_upload(digits, nearest, inverted):
    rows = range(0, 1797, 60)
    hits = 0
    for row in rows:
        image = digits.picture(row, 1)
        image = image.point(lambda v: 255 - v) if inverted else image
        hits += nearest(digits.from_upload(image.convert("RGB"))) == row
    assert hits >= 0.9 * len(rows)


def test_a_whole_digit_is_found_again_wherever_it_sits(digits, nearest):
    rows = range(0, 1797, 60)
    labels = digits.factors[:, 0]
    same_label = 0
    for row in rows:
        page = Image.new("L", (400, 300), 255)
        ink = digits.picture(row, 0).point(lambda v: 255 - v)
        page.paste(ink.resize((150, 150)), (210, 40))
        same_label += labels[nearest(digits.from_upload(page))] == labels[row]
    assert same_label >= 0.9 * len(rows)


def test_upload_has_the_shape_and_range_of_the_view(digits):
    query = digits.from_upload(digits.picture(3, 0))
    assert query.shape == (1, 1, 8, 4)
    assert query.min() >= 0 and query.max() <= 1


def test_a_blank_upload_is_refused(digits):
    with pytest.raises(DataError, match="only one colour"):
        digits.from_upload(Image.new("L", (100, 100), 128))
