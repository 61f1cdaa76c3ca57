"""The benchmark of a million pairs, on a thousand: its parts run, and its answers agree."""

import numpy as np
import pytest

from benchmarks import scale, scale_search

N = 1_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scale")


def test_a_thousand_pairs(folder, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(folder / "data"))
    scale.make_pairs(folder, N)
    found = {
        name: scale.PARTS[name](folder)
        for name in ("import", "train", "open again", "search", "rivals", "text", "change points")
    }
    assert found["import"]["files"] < 20
    assert np.load(folder / "asked.npz")["found"].shape == (4 * scale_search.SEARCHES, 10)
    rivals = found["rivals"]
    assert rivals["two stages (ours)"][2] == 1
    assert rivals["FAISS flat on V"][2] > 0.9 and rivals["torch on V"][2] > 0.9
    changes = found["change points"]
    assert changes["items of an axis"] >= 1 and 0 <= changes["missed by the samples"] < 1
    table = scale.report({"items": N, "machine": "this", "cpus": 1}, found)
    assert all(f"| {part} |" in table for part in found) and "1,000 pairs" in table
