"""The table of starts: each way reads a curled sheet, and the tables show what was measured."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import starts as bench
from rivae.data import load_dataset
from rivae.jobs.launch import make_config
from tests.training.test_unfolding import curled_slab, linear_r2


@pytest.fixture(scope="module")
def sheet():
    return curled_slab(500, short=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in bench.WAYS if way not in ("UMAP", "Hessian LLE")])
def test_each_way_reads_as_many_coordinates_as_are_asked_for(sheet, way):
    rows, factors = sheet
    found = bench.WAYS[way](rows, 3, 0)
    assert found.shape == factors.shape and np.isfinite(found).all()
    each = linear_r2(found, factors)
    assert each[:2].min() > 0.8
    if way in ("PCA and ICA", "diffusion map"):
        assert each[2] < 0.2, "the short side comes behind the overtones of the long ones"
    else:
        assert each[2] > 0.5


def test_shared_factors_alone_are_scored():
    data = load_dataset("synth", n_pairs=90)
    rows = np.arange(90)
    assert bench.shared_scores(data.factors[:, :2], data, rows)["mcc"] == pytest.approx(1)
    assert bench.shared_scores(data.factors[:, 2:], data, rows)["r2"] < 0.3


def test_data_without_numeric_factors_have_ranks_alone():
    found = bench.shared_scores(np.zeros((90, 2)), load_dataset("split-digits"), np.arange(90))
    assert np.isnan(found["mcc"]) and np.isnan(found["r2"])


@pytest.mark.parametrize("name", bench.STARTS)
def test_starts_differ_from_the_preset_by_settings_that_exist(name):
    preset = make_config(name, name="preset").method.settings
    for settings in bench.STARTS[name].values():
        made = make_config(name, name="start", method_settings=settings).method.settings
        assert set(settings) == {key for key in made if made[key] != preset[key]}


def test_the_tables():
    key = {"part": "trained", "data": "synth", "way": "contrast", "r2": 0.9, "cpu_s": 60.0}
    key |= {"recall_at_1": 0.5, "median_rank": 1.0}
    text = bench.table(pd.DataFrame([{**key, "mcc": 0.8}, {**key, "mcc": 0.9}]), "trained")
    assert "| synth | contrast | 2 | 0.850 ± 0.071 | 0.900 ± 0.000 | 0.500 ± 0.000 |" in text
    assert "| read off by |" in bench.table(pd.DataFrame([key]), "coordinates")
