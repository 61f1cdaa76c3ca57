"""Pictures of a store: decoded once, shared on the disk, whole after a kill."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.data.store import PairStore
from rivae.data.store.pixels import StorePixels, decoded


@pytest.fixture
def store(small_store, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache"))
    return PairStore(folder)


def test_batches_are_the_decoded_pictures(store):
    view = StorePixels(store, 20)
    batch = view.batch([[0, 1199], [600, 0]])
    assert batch.shape == (2, 2, 3, 20, 20) and batch.dtype == torch.float32
    for (i, j), item in np.ndenumerate(np.array([[0, 1199], [600, 0]])):
        expected = torch.from_numpy(decoded(store, int(item), 20)).float() / 255
        torch.testing.assert_close(batch[i, j], expected)


def test_a_second_process_finds_them_and_finishes_what_is_missing(store, monkeypatch):
    first = StorePixels(store, 20)
    first.batch(range(10))
    del first
    from rivae.data.store import pixels

    asked = []
    real = pixels.decoded
    monkeypatch.setattr(pixels, "decoded", lambda s, i, n: asked.append(i) or real(s, i, n))
    batch = StorePixels(PairStore(store.folder), 20).batch(range(12))
    assert asked == [10, 11]
    torch.testing.assert_close(batch[3] * 255, torch.from_numpy(real(store, 3, 20)).float())


def test_a_folder_that_cannot_be_written_is_read_all_the_same(store):
    (store.folder / "cache").write_text("a file where the folder should be")
    batch = StorePixels(store, 20).batch([5])
    torch.testing.assert_close(batch[0] * 255, torch.from_numpy(decoded(store, 5, 20)).float())


def test_pictures_larger_than_the_disk_and_the_memory_are_refused(store, monkeypatch):
    """A stranger's image_size may ask for any number of bytes: none is taken."""
    from rivae.data.store import pixels

    full = shutil.disk_usage(store.folder)._replace(free=pixels.LEFT_FREE)
    monkeypatch.setattr("shutil.disk_usage", lambda path: full)
    assert StorePixels(store, 20).batch([5]).shape == (1, 3, 20, 20), "small ones stay in memory"
    assert not (store.folder / "cache" / "pixels-20.bin").exists()
    with pytest.raises(DataError, match=r"need 16\.8 GB at this size, and there is no room"):
        StorePixels(store, 2236).batch([5])
