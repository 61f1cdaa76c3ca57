"""The benchmark of a million pairs, on a thousand: its parts run, and its answers agree."""

import numpy as np
import pytest

from benchmarks import scale, scale_calculated, scale_search

N = 1_000
OTHERS = ("rivals", "engine", "text", "change points")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scale")


@pytest.mark.slow
def test_a_thousand_pairs(folder, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(folder / "data"))
    scale.make_pairs(folder, N)
    found = {
        name: scale.PARTS[name](folder)
        for name in ("import", "train", "open again", "search", *OTHERS)
    }
    assert found["import"]["files"] < 20
    assert np.load(folder / "asked.npz")["found"].shape == (4 * scale_search.SEARCHES, 10)
    rivals = found["rivals"]
    assert rivals["two stages (ours)"][2] == 1
    assert rivals["FAISS flat on V"][2] > 0.9 and rivals["torch on V"][2] > 0.9
    assert found["engine"]["items"] == N
    assert found["engine"]["answers with the same ids in the same order"] == 1
    changes = found["change points"]
    assert changes["items of an axis"] >= 1 and 0 <= changes["missed by the samples"] < 1
    table = scale.report({"items": N, "machine": "this", "cpus": 1}, found)
    assert all(f"| {part} |" in table for part in found) and "1,000 pairs" in table


def test_what_follows_for_more_items_and_users(monkeypatch):
    one = {"cpu ms of an update": 6.0, "of it in the app": 2.0, "server": {}}
    found = {
        "search": {f"{s} s.d.": [2.0, 3.0] for s in (0, 1, 3, 10)},
        "engine": {"index of all items, MB": 500.0, "MB there": 1200.0, "engine": [90.0, 150.0]},
        "import": {"MB of texts": 700.0},
        "open the first time": {"all items, s": 60.0},
        "20 users - 2 workers": one,
    }
    text = "\n".join(scale_calculated.calculated(1_000_000, found))
    assert "| 100,000,000 | 120.0 GB | 50.0 GB | 70.0 GB | 100 min | 200 ms | 9,000 ms |" in text
    assert "busy 50% of the time" in text and "100% of its core: too much" in text
    del found["engine"]
    assert scale_calculated.calculated(1_000_000, found) == []


def test_the_wait_for_one_worker_is_that_of_the_textbook():
    # M/M/1 at load .5: P(wait > t) = .5 exp(-t (1 - .5) / work).
    assert scale_calculated.waiting_ms(0.05, 10.0, 1) == pytest.approx(20 * np.log(10))
    assert scale_calculated.waiting_ms(0.5, 10.0, 4) == np.inf
