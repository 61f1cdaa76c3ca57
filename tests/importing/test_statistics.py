"""Features of pictures without a trained network."""

import io
import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.base.errors import DataError
from rivae.cli.main import main
from rivae.data import load_dataset
from rivae.data.base import Recipe
from rivae.data.features.sources import statistics
from rivae.data.features.sources.statistics import PictureStatistics, plain_statistics
from rivae.data.store import PairStore, StoreItem, StoreWriter
from rivae.data.store.pixels import picture
from rivae.data.store.split import store_split
from rivae.models.presets import find_preset
from rivae.models.presets.by_shape import TEXT

N = 120


def jpeg(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def write_store(folder, pictures):
    writer = StoreWriter(folder, {"kind": "test"}, (), chunk_items=500)
    for i, pixels in enumerate(pictures):
        recipe = Recipe(f"r{i}", "Soup", ("1 cup water", "soup"), ("Stir the soup.",))
        writer.add(StoreItem(recipe, jpeg(pixels)), i + 1)
    created = "2026-01-01T00:00:00+00:00"
    manifest = {"name": "test", "title": "Test", "created": created, "picture_side": 64}
    writer.finish({**manifest, "factors": ()}, len(pictures))
    return PairStore(folder)


def striped(kinds):
    """Pictures of one mean colour: stripes that stand or lie, narrow or wide, by kind 0 to 3."""
    rng = np.random.default_rng(0)
    pictures = []
    for kind in kinds:
        along = (np.arange(64) + rng.integers(16)) // (2 if kind % 2 else 8) % 2
        grid = np.broadcast_to(along, (64, 64)) if kind < 2 else np.broadcast_to(along, (64, 64)).T
        noise = rng.integers(0, 60, (64, 64, 3))
        pictures.append((80 + 90 * grid[..., None] + noise).astype(np.uint8))
    return pictures


def pictures_of(store):
    return [picture(store, i) for i in range(N)]


@pytest.fixture
def small_fit(monkeypatch):
    monkeypatch.setattr(statistics, "N_PATCHES", 16)
    monkeypatch.setattr(statistics, "COMPONENTS", (20, 20))


@pytest.mark.slow
def test_textures_of_one_colour_are_told_apart(tmp_path, small_fit):
    kinds = np.arange(N) % 4
    store = write_store(tmp_path / "stripes", striped(kinds))
    found = PictureStatistics.fit(store).encode_pictures(pictures_of(store)).numpy()
    assert found.shape == (N, 40) and np.isfinite(found).all()
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    alike = unit @ unit.T - 2 * np.eye(N)
    assert (kinds[alike.argmax(axis=1)] == kinds).mean() > 0.95


@pytest.mark.slow
def test_only_training_pictures_are_learned_from(tmp_path, small_fit):
    pictures = striped(np.arange(N) % 4)
    store = write_store(tmp_path / "a", pictures)
    train = store_split(store)["train"]
    assert 0 < len(train) < N
    for i in set(range(N)) - set(train.tolist()):
        pictures[i] = np.full((64, 64, 3), 255, dtype=np.uint8)
    other = write_store(tmp_path / "b", pictures)
    first, second = (
        PictureStatistics.fit(s).encode_pictures(pictures_of(s)) for s in (store, other)
    )
    torch.testing.assert_close(first[train], second[train], rtol=0, atol=0)
    assert not torch.equal(first, second)


def test_colours_count_where_they_are():
    red, blue = torch.tensor([1.0, 0, 0]), torch.tensor([0, 0, 1.0])
    middle = blue[:, None, None].expand(3, 64, 64).clone()
    middle[:, 16:48, 16:48] = red[:, None, None]
    border = red[:, None, None].expand(3, 64, 64).clone()
    border[:, 16:48, 16:48] = blue[:, None, None]
    plain = plain_statistics(torch.stack([middle, border]))
    codes = statistics.HUES * statistics.SATURATIONS * statistics.VALUES
    whole, inside, _ = plain[:, : 3 * codes].reshape(2, 3, codes).pow(2).unbind(1)
    red_code, blue_code = int(inside[0].argmax()), int(inside[1].argmax())
    assert red_code != blue_code
    assert inside[0, red_code] == inside[1, blue_code] == 1
    assert whole[0, [red_code, blue_code]].tolist() == [0.25, 0.75]


def test_patches_are_compared_as_the_formula_says(tmp_path, small_fit):
    """Mean 0, equal contrast, white; nearer than to the average patch, by region; however many at
    once.
    """
    store = write_store(tmp_path / "a", striped(np.arange(N) % 4))
    encoder = PictureStatistics.fit(store)
    x = torch.from_numpy(np.random.default_rng(1).random((11, 3, 32, 32), dtype=np.float32))
    mean, white, typical = encoder._patches.fitted()
    patches = torch.nn.functional.unfold(x, statistics.PATCH).transpose(1, 2)
    patches = patches - patches.mean(-1, keepdim=True)
    patches = patches / (patches.var(-1, keepdim=True, unbiased=False) + 0.01).sqrt()
    distances = torch.cdist((patches - mean) @ white, typical)
    near = (distances.mean(-1, keepdim=True) - distances).clamp_min(0).unflatten(1, (27, 27))
    found = encoder._patches(x)
    k = len(typical)
    torch.testing.assert_close(found[:, :k], near[:, :13, :13].mean((1, 2)), rtol=1e-3, atol=1e-4)
    middle = near[:, 6:21, 6:21].mean((1, 2))
    torch.testing.assert_close(found[:, 4 * k :], middle, rtol=1e-3, atol=1e-4)
    pictures = pictures_of(store)
    together = encoder.encode_pictures(pictures)
    apart = torch.cat([encoder.encode_pictures([one]) for one in pictures[:9]])
    torch.testing.assert_close(together[:9], apart, rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_the_command_makes_them_and_the_preset_reads_words_next_to_them(
    small_store, tmp_path, small_fit, monkeypatch
):
    monkeypatch.setattr(statistics, "MAX_FIT", 60)
    folder = tmp_path / "pairs"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache", "features"))
    assert main(["features", str(folder), "statistics", "--as", "plain"]) == 0
    data = load_dataset("pairs", store=str(folder), features="plain")
    assert data.x1.shape == (40,) and "bright" in data.x2.vocabulary
    settings = {"store": str(folder), "features": "plain"}
    embedder2 = find_preset("pairs", "rivae", "paper", settings).method["embedder2"]
    assert embedder2 == TEXT
    # Embeddings of both sides keep one kind of network.
    np.save(folder / "features" / "plain" / "texts.npy", np.ones((len(data.x2), 4), np.float32))
    assert find_preset("pairs", "rivae", "paper", settings).method["embedder2"] is None


def test_too_few_pictures_are_refused(tmp_path):
    store = write_store(tmp_path / "few", striped([0] * 12))
    with pytest.raises(DataError, match="too few for statistics"):
        PictureStatistics.fit(store)
