"""A run in an engine: sent once, and searched there from then on."""

import json

import numpy as np
import pytest

from rivae.app.panels.answers import results
from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
from rivae.cli import main
from rivae.exploring.explorer import Explorer
from rivae.retrieval.engine import URL, QdrantIndex
from rivae.runs import Run


@pytest.fixture
def run(tmp_path):
    from rivae.training import Trainer, TrainingJob

    settings = {"n_components": 3, "dim_v": 8, "init": "none", "ivae_epochs": 0}
    config = RunConfig(
        name="pushed",
        dataset=DatasetConfig(name="split-digits"),
        method=MethodChoice(settings={**settings, "joint_epochs": 1, "n_mismatches": None}),
    )
    run = Run.create(config, tmp_path)
    Trainer([TrainingJob(run, run.load_dataset())]).fit()
    return run


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Local mode:UserWarning")
def test_a_run_is_pushed_and_then_asked_there(run, monkeypatch, capsys):
    # Slow to import, and every worker collects this file.
    qdrant = pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is missing")
    client = qdrant.QdrantClient(":memory:")
    monkeypatch.setenv("RIVAE_RUNS", str(run.path.parent))
    monkeypatch.setattr("rivae.retrieval.engine.connect", lambda url: client)
    line = ["index", "push", run.id, "--to", "http://there:6333", "--rows", "all", "--json"]
    assert main(line) == 0
    said = json.loads(capsys.readouterr().out)
    own = Explorer.open(run, "all")
    assert said["items"] == len(own.search_rows) == client.count(said["collection"]).count
    first = client.retrieve(said["collection"], [0])[0].payload
    row = int(own.search_rows[0])
    assert first["row"] == row and first["title"] == own.title(row)
    assert row in own.data.splits[first["split"]]
    for k, value in enumerate(own.data.factors[row]):
        assert first[f"factor_{k}"] == value
    monkeypatch.setenv(URL, "http://there:6333")
    monkeypatch.setattr("rivae.retrieval.fallback.connect", lambda url, timeout_s: client)
    there = Explorer.open(run, "all")
    assert isinstance(there.retriever.index.there, QdrantIndex)
    said = there.retriever.index.searched_by
    assert said and "there:6333" not in said
    z = own.encode(row)
    np.testing.assert_array_equal(there.topk(z, 5).ids, own.topk(z, 5).ids)
    assert main(line) == 0, "what is there is not sent again"


def test_an_engine_that_is_not_there_is_said_and_the_items_are_searched_here(run, monkeypatch):
    pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is missing")
    own = Explorer.open(run, "all")
    z = own.encode(int(own.search_rows[0]))
    expected = results(own, z, 5, 0)
    monkeypatch.setenv(URL, "http://127.0.0.1:9")
    alone = Explorer.open(run, "all")
    there, index = results(alone, z, 5, 0), alone.retriever.index
    assert index.engine.is_gone
    assert there.pop("engine") == index.searched_by
    assert expected.pop("engine") == ""
    assert there == expected
