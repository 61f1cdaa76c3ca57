"""The table of hard conditions: its conditions exist, its scores see what is private."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import hard_conditions as bench
from rivae.data import load_dataset


@pytest.mark.parametrize("name", bench.CONDITIONS)
def test_every_condition_can_be_drawn(name):
    data = load_dataset("sprites-hard", **{**bench.CONDITIONS[name], "n_pairs": 100})
    assert [spec.name for spec in data.factor_specs[:3]] == ["scale", "X position", "Y position"]


def test_scores_tell_shared_from_private_factors():
    data = load_dataset("sprites-hard", background=0.6, n_pairs=400)
    rows = np.arange(400)
    clean = bench.scores(data.factors[:, :3], data, rows)
    assert clean["mcc"] == pytest.approx(1) and clean["r2_private"] < 0.1
    assert bench.scores(data.factors, data, rows)["r2_private"] == pytest.approx(1)


def test_a_class_is_told_in_whatever_order_it_lies_on_an_axis():
    data = load_dataset("sprites-hard", n_shapes=3, n_pairs=300)
    rows, kind = np.arange(300), data.factors[:, 3].astype(int)
    z = np.column_stack([data.factors[:, :3], np.array([1.0, 3.0, 2.0])[kind]])
    assert bench.scores(z, data, rows)["class"] == 1
    assert bench.scores(z[:, :3], data, rows)["class"] < 0.6


def test_the_table():
    key = {"condition": "plain", "coordinates": "trained", "axes_found": None, "recall_at_1": 0.5}
    key |= {"mcc_30_labels": 0.9, "mcc_100_labels": 0.95}
    rows = [{**key, **dict.fromkeys(bench.SCORES, score)} for score in (0.8, 0.9)]
    last = bench.table(pd.DataFrame(rows)).splitlines()[-1]
    assert last.startswith("| plain | trained | 2 | 0.850 ± 0.071 |") and last.endswith("| – |")


def test_labels_turn_the_axes_of_mixed_coordinates():
    data = load_dataset("sprites-hard", n_pairs=600)
    mixed = data.factors[:, :3] @ np.array([[1.0, 0, 0], [0, 1, 1], [0, -1, 1]])
    train, test = (mixed[data.splits[name]] for name in ("train", "test"))
    assert bench.scores(test, data, data.splits["test"])["mcc"] < 0.85
    found = bench.with_labels(train, test, data)
    assert 0.9 < found["mcc_30_labels"] < found["mcc_100_labels"] <= 1
