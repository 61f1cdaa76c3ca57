"""A user's own embeddings of both sides, taken in with their table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import DataError
from rivae.data import load_dataset
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.mapping import make_mapping
from rivae.data.store import list_stores
from rivae.jobs.launch import make_config, train
from rivae.models.registry import METHODS, build_method
from tests.importing.conftest import rows


def matrices(tmp_path, n=40):
    rng = np.random.default_rng(0)
    one = rng.standard_normal((n, 12)).astype(np.float32)
    two = rng.standard_normal((n, 8)).astype(np.float16)
    np.save(tmp_path / "one.npy", one)
    pd.DataFrame(two.astype(np.float32)).rename(columns=str).to_parquet(tmp_path / "two.parquet")
    return one, two


def with_embeddings(table, root, paths, **chosen):
    mapping = make_mapping(
        list(pd.DataFrame(rows(1)).columns), {"picture": None, **chosen}, needs_picture=False
    )
    source = PairsImport(table, [], mapping, embeddings=paths)
    return run_import(source, ImportSettings("own", root=root))


def test_own_embeddings_follow_the_items_that_were_taken(tmp_path, write_table):
    one, _ = matrices(tmp_path)
    records = rows()
    records[3] |= {"title": "", "ingredients": "", "instructions": ""}
    paths = (tmp_path / "one.npy", tmp_path / "two.parquet")
    with_embeddings(write_table(records), tmp_path / "data", paths)
    data = load_dataset("pairs", store=str(tmp_path / "data" / "own"), features="own")
    assert data.x1.shape == (12,) and data.x2.shape == (8,) and len(data) == 39
    expected = np.delete(one, 3, 0)
    expected *= np.sqrt(12) / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(data.x1.batch(range(39)).numpy(), expected, rtol=1e-5)
    assert data.title(3) == "Dish 4" and data.picture(3).size == (160, 160)
    assert not data.accepts_upload
    with pytest.raises(DataError, match=r"no features 'clip' \(it has: own\)"):
        load_dataset("pairs", store=str(tmp_path / "data" / "own"), features="clip")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda m: m[:39], "has 39 rows but table.csv 40 records"),
        (lambda m: np.where(np.arange(40)[:, None] == 7, np.nan, m), "row 8 of the pictures"),
        (lambda m: m.astype(int), "int64 of shape"),
        (lambda m: m[0], "not a matrix of floats"),
        (lambda m: np.array([{"a": 1}] * 40, dtype=object), "not a sound .npy"),
    ],
)
def test_wrong_embeddings_leave_nothing(tmp_path, write_table, change, reason):
    one, _ = matrices(tmp_path)
    np.save(tmp_path / "one.npy", change(one), allow_pickle=True)
    with pytest.raises(DataError, match=reason):
        with_embeddings(
            write_table(rows()), tmp_path / "data", (tmp_path / "one.npy", tmp_path / "two.parquet")
        )
    assert list_stores(tmp_path / "data") == []


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("method", tuple(METHODS))
def test_every_preset_fits_embeddings(tmp_path, write_table, method, preset):
    matrices(tmp_path)
    paths = (tmp_path / "one.npy", tmp_path / "two.parquet")
    with_embeddings(write_table(rows()), tmp_path / "data", paths)
    where = {"store": str(tmp_path / "data" / "own"), "features": "own"}
    config = make_config("pairs", method, preset, name="own", dataset_settings=where)
    data = load_dataset("pairs", **config.dataset.settings)
    built = build_method(method, config.method.settings, data.x1.shape, data.x2.shape)
    mu, _ = built.eval().encode(data.x1.batch([0, 5]))
    assert mu.shape == (2, built.n_components)


def test_a_run_on_embeddings_needs_no_further_setting(tmp_path, write_table):
    matrices(tmp_path)
    paths = (tmp_path / "one.npy", tmp_path / "two.parquet")
    with_embeddings(write_table(rows()), tmp_path / "data", paths)
    where = {"store": str(tmp_path / "data" / "own"), "features": "own"}
    epochs = {"init_epochs": 1, "ivae_epochs": 1, "joint_epochs": 1, "n_components": 2}
    config = make_config("pairs", name="own", dataset_settings=where, method_settings=epochs)
    (run,) = train([config], tmp_path / "runs")
    assert run.status.state == "finished"
