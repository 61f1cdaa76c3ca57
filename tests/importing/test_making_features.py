"""Features of a store while they are made: damaged pictures, stops, other processes, what lacks."""

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.base.files import locked
from rivae.base.installed import cache_folder
from rivae.base.reading.documents import read_json
from rivae.data.features.contract import open_encoder
from rivae.data.features.making import BeingMadeError, make_features, make_missing, remarks
from rivae.data.store import PairStore, pixels
from rivae.data.store.features import feature_names, read_features
from rivae.data.store.split import store_split


@pytest.fixture
def store(undescribed_store):
    return undescribed_store


@pytest.fixture
def damaged(monkeypatch):
    """Numbers of items whose pictures cannot be decoded."""
    rows, good = set(), pixels.picture

    def picture(of, i):
        if i in rows:
            raise DataError("damaged")
        return good(of, i)

    monkeypatch.setattr(pixels, "picture", picture)
    return rows


def about(store, name):
    return read_json(store / "features" / name / "features.json")


def test_a_picture_that_cannot_be_read_is_a_grey_card_and_counted(store, damaged):
    opened = PairStore(store)
    train = [int(i) for i in store_split(opened)["train"]]
    damaged.update(train[:50:10])  # the fit meets some of them
    make_features(store, open_encoder("statistics", opened), "plain", batch_size=64)
    assert about(store, "plain")["unreadable_pictures"] == 5
    assert about(store, "plain")["first_unreadable_items"] == [str(i) for i in train[:50:10]]
    rows = np.load(store / "features" / "plain" / "pictures.npy")
    assert np.isfinite(rows).all() and np.abs(rows[train[0]]).sum() > 0
    assert remarks(store, "plain")[0].startswith("5 pictures")


def test_pictures_of_which_none_can_be_read_are_refused(store, damaged):
    encoder = open_encoder("statistics", PairStore(store))
    damaged.update(range(len(PairStore(store))))
    for make in (
        lambda: open_encoder("statistics", PairStore(store)),
        lambda: make_features(store, encoder, "plain"),
    ):
        with pytest.raises(DataError, match="import them again"):
            make()
    assert not (store / "features" / "plain").exists()


def test_pictures_that_were_damaged_before_a_stop_are_still_counted(store, damaged):
    damaged.update((3, 70))

    def stop(side, share):
        if share > 0.5:
            raise KeyboardInterrupt

    encoder, seen = open_encoder("statistics", PairStore(store)), []
    with pytest.raises(KeyboardInterrupt):
        make_features(store, encoder, "plain", batch_size=2, progress=stop)
    assert feature_names(store) == []
    encoder.encode_pictures = lambda batch, encode=encoder.encode_pictures: (
        seen.extend(batch) or encode(batch)
    )
    make_features(store, encoder, "plain", batch_size=2)
    n = len(PairStore(store))
    assert len(seen) < n, "it went on from where it was"
    assert about(store, "plain")["unreadable_pictures"] == 2
    assert about(store, "plain")["first_unreadable_items"] == ["3", "70"]


def test_what_lacks_is_made_and_nothing_else(store):
    said = []
    make_missing(store, "statistics+of-somebody", lambda stage, share: said.append((stage, share)))
    assert feature_names(store) == ["statistics"] and said[-1][1] == 1
    assert said[0][0] == "looking at the pictures: Statistics"
    written = (store / "features" / "statistics" / "pictures.npy").stat().st_mtime_ns
    make_missing(store, "statistics")
    assert (store / "features" / "statistics" / "pictures.npy").stat().st_mtime_ns == written


def test_two_processes_do_not_make_the_same(store):
    cache_folder(store).mkdir(exist_ok=True)
    encoder = open_encoder("statistics", PairStore(store))
    with (
        locked(cache_folder(store) / "features-plain.lock"),
        pytest.raises(BeingMadeError, match="'plain'"),
    ):
        make_features(store, encoder, "plain")
    make_features(store, encoder, "plain")


def test_a_file_of_another_length_is_refused(store):
    make_features(store, open_encoder("statistics", PairStore(store)), "plain")
    path = store / "features" / "plain" / "pictures.npy"
    np.save(path, np.load(path)[:-1])
    n = len(PairStore(store))
    with pytest.raises(DataError, match=f"{n - 1:,} rows for {n:,} items: delete that folder"):
        read_features(store, "plain", n)
