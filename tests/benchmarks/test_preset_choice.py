"""The validation table of presets: no test row is read, one rule, cells of today's settings."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

import rivae.data.registry
import rivae.jobs.launch
from benchmarks import preset_choice as bench

CHANGES = [
    (data, method, setting)
    for data, methods in bench.CHANGED.items()
    for method in methods
    for setting in bench.tried(data, method)[1:]
]


@pytest.mark.parametrize(("data", "method", "setting"), CHANGES)
def test_what_is_compared_differs_from_today_by_what_it_names(data, method, setting):
    today, other = (
        bench.cell_of(data, method, s, 1).config(1, 1).method.settings
        for s in (bench.tried(data, method)[0], setting)
    )
    named = {*dict(setting.changes), *dict(bench.tried(data, method)[0].changes)}
    assert {key for key in today if today[key] != other[key]} == named


@pytest.mark.parametrize("data", list(bench.CHANGED))
def test_presets_have_what_the_table_takes(data):
    rows = bench.with_value(pd.read_parquet(bench.TABLE))
    for method in bench.CHANGED[data]:
        here = rows[(rows["data"] == data) & (rows["method"] == method)]
        settings = {s.label: s.changes for s in bench.tried(data, method)}
        found = bench.taken(here, list(settings)) if len(here) else None
        assert not settings[found or bench.TODAY], (method, found)


def poisoned(load):
    """Data whose test rows and their factors are NaN."""

    def changed(*asked):
        data = load(*asked)
        test = data.splits["test"]
        assert len(test) and data.factors is not None
        data.factors = data.factors.copy()
        data.factors[test] = np.nan
        for view in (data.x1, data.x2):
            view.tensor = view.tensor.clone()
            view.tensor[torch.as_tensor(test)] = torch.nan
        return data

    return changed


SHORT = bench.Setting("short", (("epochs", 2),))


@pytest.mark.slow
def test_no_test_row_is_read(tmp_path, monkeypatch):
    def rows(folder):
        (tmp_path / folder).mkdir()
        return [
            bench.measured(tmp_path / folder, "synth", "cos-sim-lvm", SHORT, seed)
            for seed in (1, 2)
        ]

    kept = rows("a")
    with monkeypatch.context() as patch:
        for module in (rivae.data.registry, rivae.jobs.launch):
            patch.setattr(module, "open_dataset", poisoned(module.open_dataset))
        blind = rows("b")
    # A measured cell is kept.
    (file,) = (tmp_path / "a").glob("*s2.validation.json")
    file.write_text(json.dumps({"measured": True}), encoding="utf-8")
    again = bench.measured(tmp_path / "a", "synth", "cos-sim-lvm", SHORT, 2)
    assert again == {"measured": True}
    assert all(row.pop("cpu_s") > 0 for row in (*kept, *blind))
    assert kept == blind and [row["seed"] for row in kept] == [1, 2]
    assert {"recall_at_1", "median_rank", "score", "mcc", "r2"} <= set(kept[0])


def made(**values):
    rows = [
        {"data": "synth", "method": "bi-vae", "setting": name.replace("_", " "), "seed": seed}
        | {"score": score, "recall_at_1": score, "median_rank": 2.0, "cpu_s": 3.0}
        | {"r2": r2, "mcc": 0.5, "config": ""}
        for name, scores in values.items()
        for seed, (score, r2) in enumerate(scores)
    ]
    return bench.with_value(pd.DataFrame(rows))


def test_the_rule():
    def rule(**values):
        return bench.taken(made(**values), ["same care", "before"])

    assert rule(same_care=[(0.5, 0.5)], before=[(0.5, 0.6)]) == "before"
    assert rule(same_care=[(0.5, 0.5)], before=[(0.5, 0.51)]) == "same care", "by .01 at most"
    assert rule(same_care=[(0.5, np.nan)], before=[(0.6, np.nan)]) == "before", "no factor known"
    assert rule(same_care=[(0.5, 0.0)], before=[(0.6, -9.0)]) == "before", "R² is at least 0"
    assert rule(same_care=[(0.5, 0.5)] * 2, before=[(0.9, 0.9), (0.2, 0.2)]) == "before", "mean"
    assert rule(same_care=[(0.5, 0.5)] * 2, before=[(0.9, 0.9)]) is None, "a seed is missing"
    assert rule(same_care=[(0.5, 0.5)]) is None, "a setting is missing"


def test_the_tables(tmp_path):
    rows = made(same_care=[(0.5, 0.5), (0.6, 0.5)], before=[(0.7, 0.7), (0.8, 0.8)])
    bench.write(rows.drop(columns="value"), tmp_path)
    text = (tmp_path / "preset-choice.md").read_text(encoding="utf-8")
    line = "| synth | bi-vae | before | 2 | 0.750 ± 0.071 | 2.0 ± 0.0 | 0.750 ± 0.071 |"
    assert line in text and "0.750 ± 0.071 | 3 ± 0 | **taken** |" in text
    assert "open" not in text and "| dcca |" not in text and "dcca on synth, " in text
    half = rows.drop(columns="value")[rows["setting"] == "same care"]
    assert bench.tables(half).count("open: not all are measured") == 2
    bench.write(pd.read_parquet(tmp_path / "preset-choice.parquet"), tmp_path)
    assert (tmp_path / "preset-choice.md").read_text(encoding="utf-8") == text


def test_a_run_that_diverges_counts_as_zero_and_is_named(tmp_path):
    wild = bench.Setting("before", (("learning_rate", 1e12), ("epochs", 1)))
    lost = bench.measured(tmp_path, "synth", "bi-vae", wild, 0)
    assert lost["score"] == 0 and "lower the learning rate" in lost["diverged"]
    rows = pd.concat([made(same_care=[(0.1, 0.1)]), pd.DataFrame([lost])], ignore_index=True)
    rows = bench.with_value(rows)
    assert rows["value"].tolist() == [0.1, 0.0]
    assert bench.taken(rows, ["same care", "before"]) == "same care"
    assert "| 0.000 | – | 1 diverged |" in bench.tables(rows)


def test_cells_of_other_settings_are_dropped():
    today = bench.cell_of("synth", "bi-vae", bench.Setting(bench.TODAY), 1)
    rows = made(same_care=[(0.5, 0.5)] * 2, older_still=[(0.5, 0.5)])
    rows.loc[1, "config"] = today.settings_json
    assert bench.still_true(rows).index.tolist() == [1]
