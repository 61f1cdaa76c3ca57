"""The validation table of presets: one list for all, no test row, one rule."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

import rivae.data
import rivae.launch
from benchmarks import preset_choice as bench
from rivae.methods import method_names


def labels(data, method):
    return [setting.label for setting in bench.tried(data, method)]


def test_every_method_that_learns_is_tried():
    # InfoNCE + linear ICA is InfoNCE with a last step.
    assert set(bench.METHODS) == set(method_names()) - {"info-nce-ica"}


@pytest.mark.parametrize("data", bench.DATA)
def test_the_list_is_the_same_for_every_method(data):
    heads = {
        tuple(bench.settings_of(data, "rivae", p)["head_hidden"]) for p in ("default", "paper")
    }
    for method in bench.METHODS:
        own, found = bench.settings_of(data, method), bench.tried(data, method)
        assert sum(setting.today for setting in found) == 1
        assert len({setting.digest for setting in found}) == len(found), "no training twice"
        assert {s.settings["schedule"] for s in found} == {"constant", "cosine"}
        if "head_hidden" in own:
            assert {tuple(s.settings["head_hidden"]) for s in found} >= heads
        today = next(setting for setting in found if setting.today)
        assert bench.in_use(today.settings) == bench.in_use(own)


def test_what_is_tried_of_sprites():
    own, rivae = (bench.tried("sprites", m) for m in ("cos-sim-lvm", "rivae"))
    last = own[-1].settings
    assert last["head_hidden"] == [32, 32] and last["schedule"] == "cosine"
    lead = bench.settings_of("sprites", "rivae")
    assert last["epochs"] == lead["init_epochs"] + lead["joint_epochs"]
    assert own[0].today and own[0].label == "constant rate"
    # RIVAE too is tried from the paper's start, and the others from RIVAE's.
    assert {s.settings["init"] for s in rivae} == {"cos-sim-lvm", "smooth"}
    assert rivae[0].settings["anchor"] is None and rivae[-1].today
    for method in ("rbi-vae", "bi-vae-on-v", "dcca"):
        found = bench.tried("sprites", method)
        assert {s.settings["init"] for s in found} == {"cos-sim-lvm", "smooth"}
    dcca = [s.settings for s in bench.tried("sprites", "dcca")]
    assert [32, 32] in [s["g_hidden"] for s in dcca], "DCCA's heads are g's"
    assert bench.not_tried(labels("sprites", "info-nce")) == "heads, start"
    assert bench.not_tried(labels("sprites", "rbi-vae")) == ""


def poisoned(load):
    """Data whose test rows and their factors are NaN."""

    def changed(name, **settings):
        data = load(name, **settings)
        test = data.splits["test"]
        assert len(test) and data.factors is not None
        data.factors = data.factors.copy()
        data.factors[test] = np.nan
        for view in (data.x1, data.x2):
            view.tensor = view.tensor.clone()
            view.tensor[torch.as_tensor(test)] = torch.nan
        return data

    return changed


@pytest.fixture
def setting():
    own = bench.settings_of("synth", "cos-sim-lvm") | {"epochs": 2}
    return bench.Setting("constant rate", own, today=True)


def test_no_test_row_is_read(tmp_path, monkeypatch, setting):
    def cells(folder):
        return bench.cells(tmp_path / folder, "synth", "cos-sim-lvm", setting, [1, 2])

    kept = cells("a")
    with monkeypatch.context() as patch:
        for module in (rivae.data, rivae.launch):
            patch.setattr(module, "load_dataset", poisoned(module.load_dataset))
        blind = cells("b")
    assert all(row.pop("cpu_s") > 0 for row in (*kept, *blind))
    assert kept == blind and [row["seed"] for row in kept] == [1, 2]
    assert {"recall_at_1", "median_rank", "score", "mcc", "r2"} <= set(kept[0])
    # A measured cell is kept.
    for file in (tmp_path / "a").glob("*.json"):
        file.write_text(json.dumps({"measured": True}), encoding="utf-8")
    assert cells("a") == [{"measured": True}] * 2


def measured(**values):
    names = list(values)
    rows = [
        {"data": "synth", "method": "rivae", "setting": name, "today": name == names[0]}
        | {"labels": names, "seed": seed, "score": score, "recall_at_1": score}
        | {"median_rank": 2.0, "cpu_s": 3.0, "r2": r2, "mcc": 0.5}
        for name, scores in values.items()
        for seed, (score, r2) in enumerate(scores)
    ]
    return bench.with_value(pd.DataFrame(rows))


def test_the_rule():
    def rule(**values):
        return bench.taken(measured(**values), list(values))

    assert rule(today=[(0.5, 0.5)], other=[(0.5, 0.6)]) == "other"
    assert rule(today=[(0.5, 0.5)], other=[(0.5, 0.51)]) == "today", "no more than .01 ahead"
    assert rule(today=[(0.5, np.nan)], other=[(0.6, np.nan)]) == "other", "no factor is known"
    assert rule(today=[(0.5, 0.0)], other=[(0.6, -9.0)]) == "other", "R² counts as 0 at least"
    assert rule(today=[(0.5, 0.5)] * 2, other=[(0.9, 0.9), (0.2, 0.2)]) == "other", "the mean"
    assert rule(today=[(0.5, 0.5)] * 2, other=[(0.9, 0.9)]) is None, "a seed is missing"
    rows = measured(today=[(0.5, 0.5)])
    assert bench.taken(rows, ["today", "other"]) is None, "a setting is missing"


def test_the_tables(tmp_path):
    rows = measured(today=[(0.5, 0.5), (0.6, 0.5)], other=[(0.7, 0.7), (0.8, 0.8)])
    bench.write(rows.drop(columns="value"), tmp_path)
    text = (tmp_path / "preset-choice.md").read_text(encoding="utf-8")
    assert "| synth | rivae | 2 | heads, start, epochs | other |" in text
    assert "| synth | rivae | today | 2 | 0.550 ± 0.071 | 2.0 ± 0.0 |" in text
    assert "| 3 ± 0 | **taken** |" in text and "| 3 ± 0 | today |" in text
    assert len(pd.read_parquet(tmp_path / "preset-choice.parquet")) == 4
    bench.write(pd.read_parquet(tmp_path / "preset-choice.parquet"), tmp_path)
    assert (tmp_path / "preset-choice.md").read_text(encoding="utf-8") == text


def test_another_machine_goes_on_from_the_table(tmp_path, setting):
    kept = bench.cells(tmp_path, "synth", "cos-sim-lvm", setting, [1, 2])
    for row in kept:
        row["mcc"] = row["mcc"] if row["seed"] == 1 else None
    bench.write(pd.DataFrame(kept), tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    bench.restore(pd.read_parquet(tmp_path / bench.TABLE.name), other)
    first, second = bench.cells(other, "synth", "cos-sim-lvm", setting, [1, 2])
    assert first == kept[0] and "mcc" not in second
    assert not [path for path in other.iterdir() if path.is_dir()], "nothing is trained again"
    # What was measured here is not replaced.
    for file in other.glob("*.json"):
        file.write_text("{}", encoding="utf-8")
    bench.restore(pd.read_parquet(tmp_path / bench.TABLE.name), other)
    assert {file.read_text() for file in other.glob("*.json")} == {"{}"}
