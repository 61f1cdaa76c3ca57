"""A closed form and the points of all items by the workers of a cluster: the same bytes as here."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from rivae.base.cluster import on_cluster
from rivae.base.errors import ConfigError, DataError
from rivae.cli.main import main
from rivae.data.registry import load_dataset
from rivae.data.views import Views, places_of
from rivae.exploring.explorer import Explorer
from rivae.models import pair_components
from rivae.models.ridge_cca import fit_ridge_cca
from rivae.retrieval.indexes import brute_force, two_stage
from rivae.runs import Run
from tests.importing.clusters import workers_of
from tests.importing.conftest import N_SOUPS as N

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]
pytest.importorskip("distributed")
CLOSED = ["--set", "dataset.features=own", "--set", "init=ridge-cca", "--set", "joint_epochs=0"]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """As for very many pairs: several shards, and an index in two stages."""
    monkeypatch.setattr(pair_components, "SHARD", 512)
    for module in (brute_force, two_stage):
        monkeypatch.setattr(module, "LARGE", 100)


def trained(name, *options):
    assert main(["train", "soups", "--name", name, "--quiet", *CLOSED, *options]) == 0
    return Run(Path(os.environ["RIVAE_RUNS"]) / name)


def kept(run):
    """What is searched, and where the items lie, by file."""
    files = [*run.path.rglob("index-*.npy"), *run.path.rglob("positions-*.npy")]
    return {path.name: path.read_bytes() for path in files}


def test_a_model_and_its_points_are_those_of_one_process(address, soups, capsys):
    here, there = trained("here"), trained("there", "--on", address)
    weights = [(run.path / "model.safetensors").read_bytes() for run in (here, there)]
    assert weights[0] == weights[1]
    capsys.readouterr()
    words = []
    for run, options in ((here, ()), (there, ("--on", address))):
        assert main(["prepare", run.id, *options]) == 0
        assert f"{N:,} items" in capsys.readouterr().out
        (read,) = soups.glob("data/soups/cache/item-words-*")
        words.append(read.read_bytes())
        read.unlink()
    assert words[0] == words[1]
    assert {name[:3] for name in kept(here)} == {"ind", "pos"} and kept(there) == kept(here)
    explorer = Explorer.open(there, "all")
    assert explorer.topk(np.zeros(explorer.n_components), 3).ids.shape == (3,)


def test_a_worker_that_dies_in_the_middle_of_a_fit_changes_nothing(
    cluster, address, kept_apart, soups
):
    data = load_dataset("pairs", store="soups", features="own")
    train, validation, shares = np.arange(N - 500), np.arange(N - 500, N), []
    here = fit_ridge_cca(Views(data), train, validation, 4, shares.append)
    assert shares == sorted(shares) and len(shares) > N / pair_components.ROWS_AT_ONCE
    shares.clear()

    def watch(share):
        shares.append(share)
        if len(shares) == 2:
            os.kill(workers_of(cluster)[0], signal.SIGKILL)

    with on_cluster(address, places_of("soups", {})):
        there = fit_ridge_cca(Views(data), train, validation, 4, watch)
    assert shares == sorted(shares) and len(shares) > N / pair_components.SHARD
    pairs = zip((*here.weights, *here.biases), (*there.weights, *there.biases), strict=True)
    assert all(np.array_equal(mine, its) for mine, its in pairs)


def test_other_data_of_the_same_name_are_refused(address, soups, monkeypatch):
    data = load_dataset("pairs", store="soups", features="own")
    data.content = "of another day"
    with on_cluster(address), pytest.raises(ConfigError, match="is another one there"):
        fit_ridge_cca(Views(data), np.arange(N), np.arange(0), 4)


def test_what_a_cluster_cannot_do_is_said_before_anything_is_begun(address, soups, capsys):
    for options in (["--set", "init=contrast"], [*CLOSED, "--queue"]):
        assert main(["train", "soups", "--on", address, *options]) == 1
        assert "--on" in capsys.readouterr().err
    assert not (soups / "runs").exists() or not any((soups / "runs").iterdir())
    with pytest.raises((ConfigError, DataError), match="nowhere"):
        places_of("pairs", {"store": "nowhere"})
