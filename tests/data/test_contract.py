"""What every registered data set promises, checked on every one that can be loaded here."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.base.errors import ConfigError, DataError
from rivae.data import dataset_names, describe_dataset, load_dataset
from rivae.data.base import SPLITS, PairedDataset, TensorView, random_split


@pytest.fixture(scope="module", params=dataset_names())
def settings(request):
    """Name and settings with which a data set loads here."""
    if request.param == "split-mnist":
        folder = request.getfixturevalue("shared_data") / "mnist"
        if not folder.is_dir():
            pytest.skip(f"no MNIST in {folder}")
        return request.param, {"folder": str(folder)}
    if request.param == "pairs":
        return request.param, {"store": str(request.getfixturevalue("small_store"))}
    return request.param, {}


@pytest.fixture(scope="module")
def data(settings):
    return load_dataset(settings[0], **settings[1])


def test_name_settings_and_description(data, settings):
    line, defaults = describe_dataset(settings[0])
    assert data.name == settings[0]
    assert len(line) > 20
    assert set(data.settings) == set(defaults)
    json.dumps(data.settings)


def test_views_belong_together(data):
    assert len(data) == len(data.x1) == len(data.x2) >= 30
    assert len(data.view_names) == 2 and all(data.view_names)


@pytest.mark.parametrize("side", [1, 2])
def test_batches(data, side):
    view = (data.x1, data.x2)[side - 1]
    ids = np.array([[0, 5, len(data) - 1], [7, 7, 1]])
    batch = view.batch(ids)
    assert batch.dtype == torch.float32
    assert batch.shape == (2, 3, *view.shape)
    assert torch.isfinite(batch).all()
    torch.testing.assert_close(batch[1, 0], batch[1, 1])
    torch.testing.assert_close(batch[0, 1], view.batch([5])[0])
    torch.testing.assert_close(batch, view.batch(torch.from_numpy(ids)))
    if len(view.shape) == 3:  # pictures
        assert batch.min() >= 0 and batch.max() <= 1 and batch.max() > 0.5
    batch.zero_()  # a batch is the caller's own
    single = view.batch(5)
    assert single.shape == view.shape
    single.zero_()
    assert view.batch(ids)[0].flatten(1).abs().sum(1).min() > 0


def test_splits_are_disjoint_sorted_and_large_enough(data):
    assert tuple(data.splits) == SPLITS
    rows = np.concatenate([data.splits[s] for s in SPLITS])
    assert rows.dtype == np.int64
    assert len(np.unique(rows)) == len(rows) <= len(data)
    assert rows.min() >= 0 and rows.max() < len(data)
    for part in data.splits.values():
        assert len(part) >= 2 and (np.diff(part) > 0).all()
    assert 2 <= data.search_size <= len(data.splits["test"])


def test_everything_comes_back_from_the_settings(data):
    again = load_dataset(data.name, **json.loads(json.dumps(data.settings)))
    assert again.fingerprint == data.fingerprint
    for part in SPLITS:
        np.testing.assert_array_equal(again.splits[part], data.splits[part])
    np.testing.assert_array_equal(again.factors, data.factors)
    ids = np.arange(0, len(data), 97)
    torch.testing.assert_close(again.x1.batch(ids), data.x1.batch(ids), rtol=0, atol=0)
    torch.testing.assert_close(again.x2.batch(ids), data.x2.batch(ids), rtol=0, atol=0)


def test_another_split_seed_is_another_split(data):
    if "split_seed" not in data.settings:
        pytest.skip(f"the split of {data.name} is its own")
    other = load_dataset(data.name, **{**data.settings, "split_seed": 1})
    assert not np.array_equal(other.splits["train"], data.splits["train"])
    assert other.fingerprint != data.fingerprint


def test_factors_fit_their_specifications(data):
    assert data.factors.shape == (len(data), len(data.factor_specs))
    assert data.factors.dtype == np.float64 and np.isfinite(data.factors).all()
    assert len({spec.name for spec in data.factor_specs}) == len(data.factor_specs)
    for column, spec in zip(data.factors.T, data.factor_specs, strict=True):
        assert column.std() > 0
        if spec.levels:
            assert set(np.unique(column)) == set(range(len(spec.levels)))
        else:
            assert spec.kind == "continuous"


@pytest.mark.parametrize("side", [1, 2, 0])
def test_pictures(data, side):
    rows = (0, len(data) // 2, len(data) - 1)
    pictures = [data.picture(i, side) for i in rows]
    for picture in pictures:
        assert isinstance(picture, Image.Image) and picture.mode in ("RGB", "L")
        assert picture.size == pictures[0].size and min(picture.size) >= 32
        assert np.ptp(np.asarray(picture)) > 50  # something is to be seen
    assert pictures[0].tobytes() != pictures[1].tobytes()
    if side and data.text_view is None:
        assert data.picture(0, 3 - side).tobytes() != pictures[0].tobytes()


def test_default_picture_shows_the_searched_view(data):
    assert data.picture(3).tobytes() == data.picture(3, 2).tobytes()


def test_title_and_text_are_plain_strings(data):
    for i in (0, len(data) - 1):
        for words in (data.title(i), data.text(i)):
            assert isinstance(words, str) and words and "<" not in words and "\n" not in words
        for k, spec in enumerate(data.factor_specs):
            assert spec.name in data.text(i) and data.factor_text(i, k) in data.text(i)


def test_uploads(data):
    drawn = data.picture(0, 1).convert("RGB").resize((80, 80))
    if not data.accepts_upload:
        with pytest.raises(DataError, match="accepts no uploaded queries"):
            data.from_upload(drawn)
        return
    query = data.from_upload(drawn)
    assert query.shape == (1, *data.x1.shape) and query.dtype == torch.float32
    assert query.min() >= 0 and query.max() <= 1


def test_an_unknown_setting_or_name_is_refused(settings):
    with pytest.raises(ConfigError, match="has no setting 'colour'"):
        load_dataset(settings[0], colour="red")
    with pytest.raises(ConfigError, match="choose one of synth"):
        load_dataset("imagenet")


# The base class refuses data that contradict themselves.


def parts(n=30):
    return {
        "name": "own",
        "settings": {},
        "x1": TensorView(torch.zeros(n, 2)),
        "x2": TensorView(torch.zeros(n, 3)),
        "splits": random_split(n, (0.5, 0.2, 0.3), 0),
    }


def test_contradictions_are_refused():
    PairedDataset(**parts())
    rows = np.arange(10)
    for change, reason in (
        ({"x2": TensorView(torch.zeros(29, 3))}, "30 items in view 1 but 29"),
        ({"splits": {"train": rows, "test": rows}}, "must name exactly"),
        ({"splits": {"train": rows, "validation": rows, "test": rows + 20}}, "is in two splits"),
        (
            {"splits": {"train": rows, "validation": rows + 10, "test": rows + 21}},
            r"outside 0 \.\. 29",
        ),
        (
            {"splits": {"train": rows - 1, "validation": rows + 9, "test": rows + 20}},
            r"outside 0 \.\. 29",
        ),
        ({"factors": np.zeros((30, 1))}, "factors have shape"),
    ):
        with pytest.raises(DataError, match=reason):
            PairedDataset(**{**parts(), **change})


def test_views_refuse_nan_and_other_types():
    with pytest.raises(DataError, match="NaN"):
        TensorView(torch.tensor([[1.0, float("nan")]]))
    with pytest.raises(DataError, match="float64"):
        TensorView(torch.zeros(2, 2, dtype=torch.float64))
