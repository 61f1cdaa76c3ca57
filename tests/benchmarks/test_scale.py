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
    table = scale.report({"items": N, "machine": "this", "cpus": 1}, {N: found})
    assert all(f"| {part} |" in table for part in found) and "1,000 pairs" in table


def test_what_follows_for_more_items_and_users(monkeypatch):
    one = {"cpu ms of an update": 6.0, "of it in the app": 2.0, "server": {}}
    found = {
        "search": {"numbers of a point": 100} | {f"{s} s.d.": [2.0, 3.0] for s in (0, 1, 3, 10)},
        "engine": {"MB there": 1200.0, "engine": [90.0, 150.0]},
        "import": {"MB of texts": 700.0, "seconds": 90.0},
        "open the first time": {"all items, s": 60.0},
        "text": {"all of 'lemon rice'": [30.0, 31.0]},
        "drag": {
            "drag": {"median_ms": 20.0, "p95_ms": 40.0},
            "server": {"own_mb": 400.0, "rss_mb": 1100.0},
        },
        "20 users - 2 workers": one,
    }
    text = "\n".join(scale_calculated.calculated(1_000_000, {1_000_000: found}))
    first, second, _ = (line for line in text.splitlines() if line.startswith("| 1"))
    assert "| 0.4 GB / 1.1 GB | 1.2 GB | 90 ms | measured |" in first
    assert "| 70.0 GB | 40.0 GB | 2 h | – | 100 min | 200.0 / 300.0 | 3,000 | – | – |" in second
    assert "≈ 9,000 ms | calculated |" in second
    assert "busy 50% of the time" in text and "100% of its core: too much" in text
    ten = {**found, "train": {"ridge-cca, s": 50.0}}
    del ten["engine"]
    both = scale_calculated.calculated(10_000_000, {1_000_000: found, 10_000_000: ten})
    assert [line.split(" | ")[0] for line in both if line.startswith("| 1")] == [
        f"| {n}" for n in ("1,000,000", "10,000,000", "100,000,000", "1,000,000,000")
    ]
    del found["text"]
    assert scale_calculated.calculated(1_000_000, {1_000_000: {"search": found["search"]}}) == []


def test_the_wait_for_one_worker_is_that_of_the_textbook():
    # M/M/1 at load .5: P(wait > t) = .5 exp(-t (1 - .5) / work).
    assert scale_calculated.waiting_ms(0.05, 10.0, 1) == pytest.approx(20 * np.log(10))
    assert scale_calculated.waiting_ms(0.5, 10.0, 4) == np.inf
