"""Imports, first openings and the queue of an app hand their work to the cluster that is named."""

import json
import signal

import pytest

from rivae.app.data import importing
from rivae.app.work import preparing
from rivae.base import cluster as on
from rivae.base.progress import silent
from rivae.data.importing.plan import Plan
from rivae.data.store import find_store
from rivae.jobs import process
from rivae.jobs.launch import make_config
from rivae.jobs.ledger import Ledger
from rivae.models import pair_components
from rivae.retrieval.indexes import brute_force, two_stage
from rivae.runs import Run, runs_root
from tests.importing.conftest import write_plates

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]
pytest.importorskip("distributed")
NOBODY = "tcp://127.0.0.1:9"


@pytest.fixture
def sent(monkeypatch):
    """The work that goes to the workers, by its type."""
    found, usual = [], on._Cluster.spread

    def spread(cluster, inputs, work, *rest):
        found.append(getattr(work, "__qualname__", type(work).__name__))
        return usual(cluster, inputs, work, *rest)

    monkeypatch.setattr(on._Cluster, "spread", spread)
    return found


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    for module in (importing, preparing):
        monkeypatch.setattr(module, "step_back", lambda: None)  # this process is the test's
    monkeypatch.setattr(pair_components, "SHARD", 512)
    for module in (brute_force, two_stage):
        monkeypatch.setattr(module, "LARGE", 100)


def alone(capsys):
    """Why the app is told that no cluster helps, each time."""
    lines = (json.loads(line) for line in capsys.readouterr().out.splitlines() if line[:1] == "{")
    return [line["alone"] for line in lines if "alone" in line]


def imported(folder, name):
    """The folder of an import."""
    table = folder / "dishes.csv"
    if not table.exists():
        write_plates(folder)
    plan = Plan(table=table, images=(table.parent / "photos",), name=name)
    spec = {"plan": plan.model_dump_json(), "key": name, "title": name}
    importing.import_pairs(spec, silent)
    return find_store(name)


def trained(name):
    """A run of the queue, trained."""
    closed = {"init": "ridge-cca", "joint_epochs": 0, "n_components": 3, "dim_v": 4}
    config = make_config(
        "pairs",
        "rivae",
        name=name,
        dataset_settings={"store": "soups", "features": "own"},
        method_settings=closed,
    )
    root = runs_root()
    ledger = Ledger(root)
    job = ledger.add([config])[0]
    ledger.claim(job.id, ["cpu"])
    handler = signal.getsignal(signal.SIGTERM)
    try:
        assert process.main([str(root), job.id]) == 0
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert ledger.job(job.id).state == "finished", ledger.job(job.id).message
    return Run(root / name)


def opened(run):
    """The kept points of a run that is prepared."""
    spec = {"run": str(run.path), "rows": "all", "asks": "first"}
    preparing.make(spec, silent)
    kept = {path.name[-9:]: path.read_bytes() for path in run.path.rglob("index-*.npy")}
    assert kept
    return kept


def test_the_app_hands_out_its_work_and_has_the_same_files(
    address, soups, sent, monkeypatch, capsys
):
    here = imported(soups, "here")
    run = trained("alone")
    kept = opened(run)
    assert not sent
    monkeypatch.setenv("RIVAE_CLUSTER", address)
    there = imported(soups, "there")
    assert sent
    files = [
        {path.name: path.read_bytes() for path in folder.glob("items-*.*")}
        for folder in (here, there)
    ]
    assert files[0] and files[0] == files[1]
    sent.clear()
    other = trained("shared")
    weights = [(one.path / "model.safetensors").read_bytes() for one in (run, other)]
    assert sent and weights[0] == weights[1]
    sent.clear()
    assert opened(other) == kept
    assert sent and not alone(capsys)


def test_where_nobody_answers_it_is_done_here_and_said(soups, monkeypatch, caplog, capsys):
    monkeypatch.setenv("RIVAE_CLUSTER", NOBODY)
    why = f"no Dask scheduler answers at {NOBODY}"
    imported(soups, "here")
    assert alone(capsys)[0].startswith(why)
    run = trained("alone")
    assert why in caplog.text
    opened(run)
    assert alone(capsys)[0].startswith(why)
