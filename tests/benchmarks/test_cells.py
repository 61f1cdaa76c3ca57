"""What tables of trained cells share: another machine adds to the table that it finds."""

import os
from pathlib import Path

import pandas as pd

from benchmarks.cells import (
    asked_runs,
    head_of,
    kind_of,
    mean_and_spread,
    method_of,
    numbers,
    with_measured,
    with_stored,
)
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.jobs.launch import make_config
from rivae.runs import DEMO_ROOT, Run


def test_a_range_of_numbers():
    assert numbers("0-2,5") == [0, 1, 2, 5]


def test_an_empty_column_has_no_mean():
    assert mean_and_spread(pd.Series([0.5, 0.7])) == "0.600 ± 0.141"
    assert mean_and_spread(pd.Series([None, None])) == "–"


def test_measured_cells_replace_those_of_the_table_and_others_stay(tmp_path):
    table = tmp_path / "table.parquet"
    here = pd.DataFrame({"seed": [1, 2], "score": [0.1, 0.2]})
    assert with_stored(here, table, ["seed"]) is here
    pd.DataFrame({"seed": [0, 1], "score": [0.5, 0.5]}).to_parquet(table)
    both = with_stored(here, table, ["seed"]).sort_values("seed")
    assert both.score.tolist() == [0.5, 0.1, 0.2]
    assert with_stored(pd.DataFrame(), table, ["seed"]).score.tolist() == [0.5, 0.5]


def test_a_measured_run_is_kept_until_it_is_trained_again(tmp_path):
    table, demo, asked = tmp_path / "table.parquet", Run(DEMO_ROOT / "demo-kitchen"), []

    def measure(run, score):
        asked.append(score)
        return [{"score": score}, {"score": -score}]

    class Retrained:
        id, config, model_key = demo.id, demo.config, "another"

    class SameWeights:
        id, config, model_key = "twin", demo.config, demo.model_key

    other = Run(DEMO_ROOT / "demo-digits")
    first = with_measured(table, [(demo, 1)], measure)
    assert first.to_dict("records")[0] == {**head_of(demo), "score": 1}
    both = with_measured(table, [(demo, 2), (other, 3)], measure)
    assert asked == [1, 3] and both["score"].tolist() == [1, -1, 3, -3]
    replaced = with_measured(table, [(Retrained, 4), (other, 5)], measure)
    assert replaced["score"].tolist() == [3, -3, 4, -4]
    twin = with_measured(table, [(SameWeights, 6)], measure)
    assert twin["score"].tolist() == [3, -3, 4, -4, 6, -6]
    pd.testing.assert_frame_equal(pd.read_parquet(table), twin)


def test_the_folder_of_the_command_line_and_where_the_stores_are(monkeypatch, tmp_path):
    monkeypatch.setenv(ROOT_VARIABLE, "before")
    monkeypatch.setattr("sys.argv", ["bench.py", "runs"])
    assert asked_runs("") == Path("runs") and os.environ[ROOT_VARIABLE] == "before"
    monkeypatch.setattr("sys.argv", ["bench.py", "runs", "--data", str(tmp_path)])
    asked_runs("")
    assert os.environ[ROOT_VARIABLE] == str(tmp_path)


def test_runs_are_named_by_their_folder_or_by_what_they_read():
    demo = Run(DEMO_ROOT / "demo-kitchen")
    assert (method_of(demo), kind_of(demo)) == ("rivae", "demo-kitchen")
    settings = {"init": "ridge-cca", "embedder": {"kind": "mlp", "hidden": []}, "n_components": 60}

    class Benchmarked:
        id = "bench-pairs-rivae-default-1234abcd-d0-s1"
        config = make_config(
            "synth",
            name="x",
            method_settings={**settings, "dim_v": 60, "joint_epochs": 0, "anchor": None},
        )

    config = Benchmarked.config
    config.dataset.settings["features"] = "statistics+efficientnet-lite0"
    assert method_of(Benchmarked) == "ridge-cca", "it is its start and no more"
    assert kind_of(Benchmarked) == "statistics + Lite0, 60 axes"
