"""``rivae import``, from the words on the command line to a data set that trains."""

from __future__ import annotations

import json

import pytest

from rivae.base.errors import DataError
from rivae.cli import main
from rivae.runs import Run
from tests.importing.conftest import write_plates


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    return write_plates(tmp_path)


def test_a_dry_run_then_the_import(table, capsys, monkeypatch):
    words = ["import", str(table), "--images", str(table.parent / "photos"), "--name", "mine"]
    assert main([*words, "--dry-run"]) == 0
    assert "--dry-run" in capsys.readouterr().out
    assert not (table.parent / "data").exists()
    assert main([*words, "--factor", "depth", "--title", "My plates", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["taken"] == 40
    assert main(["datasets", "pairs", "--set", "store=mine"]) == 0
    out = capsys.readouterr().out
    assert main(["datasets", "mine"]) == 0
    assert capsys.readouterr().out == out, "an import goes by its own name"
    assert main(["datasets", "--json"]) == 0
    listed = {row["name"]: row["settings"] for row in json.loads(capsys.readouterr().out)}
    assert listed["mine"]["store"] == "mine" and listed["pairs"]["store"] is None
    assert "depth (ordinal, shared)" in out and "pairs:               40" in out
    # Into the trash and back.
    monkeypatch.setenv("RIVAE_RUNS", str(table.parent / "runs"))
    monkeypatch.setenv("RIVAE_LABELS", str(table.parent / "labels.db"))
    assert main(["delete", "--import", "mine", "--yes"]) == 0
    assert main(["datasets", "pairs", "--set", "store=mine"]) == 1
    assert main(["trash"]) == 0 and main(["trash", "restore", "mine"]) == 0
    assert "import  mine" in capsys.readouterr().out
    assert main(["datasets", "pairs", "--set", "store=mine"]) == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--images", "photos", "--name", "kitchen"], "'kitchen' "),
        ([], "--images FOLDER_OR_ZIP"),
        (["--images", "nowhere"], "nowhere "),
        (["--images", "photos", "--map", "title"], "'title' "),
        (["--images", "photos", "--map", "picture=file"], "column 'file'"),
        (["--images", "photos", "--factor", "width"], "column 'width'"),
        (["--images", "photos", "--encoding", "klingon"], "no text encoding 'klingon'"),
    ],
)
def test_what_import_refuses(table, monkeypatch, capsys, words, reason):
    monkeypatch.chdir(table.parent)
    assert main(["import", "dishes.csv", "--name", "mine", *words]) == 1
    assert reason in capsys.readouterr().err
    assert not (table.parent / "data" / "mine").exists()


def test_training_on_an_import_by_its_name(table, capsys, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(table.parent / "runs"))
    words = ["import", str(table), "--images", str(table.parent / "photos"), "--name", "mine"]
    assert main(words) == 0 and "train mine" in capsys.readouterr().out
    small = ("epochs=1", "dataset.image_size=16", "training.precision=float32")
    settings = [word for pair in small for word in ("--set", pair)]
    assert main(["train", "mine", "--method", "bi-vae", "--json", *settings]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["run"] == "mine-bi-vae-s0" and row["state"] == "finished"
    config = Run(table.parent / "runs" / "mine-bi-vae-s0").config
    assert config.dataset.name == "pairs" and config.dataset.settings["store"] == "mine"


def test_progress_begins_before_any_work(table, monkeypatch, capsys):
    """Also in a file, and before the modules that reading needs are loaded."""
    import rivae.data.importing

    said = []

    def work(source, settings, *, dry_run, progress):
        said.append(capsys.readouterr().err)
        progress("checking dishes.csv: 2,000 records", 0.0)
        progress("checking dishes.csv: 4,000 records", 0.0)  # too soon to be said
        progress("40 of 40 records usable", 1.0)
        return rivae.data.importing.ImportReport()

    monkeypatch.setattr(rivae.data.importing, "run_import", work)
    for more in ([], ["--dry-run"]):
        words = ["import", str(table), "--images", str(table.parent / "photos"), "--name", "mine"]
        assert main([*words, *more]) == 0
        assert said.pop() == "import: opening dishes.csv\n"
        assert capsys.readouterr().err == (
            "import: checking dishes.csv: 2,000 records\nimport: 40 of 40 records usable 100%\n"
        )


@pytest.mark.parametrize(
    ("words", "loader"),
    [
        (["datasets", "synth"], "rivae.data.load_dataset"),
        (["features", "mine", "clip", "--as", "x"], "rivae.data.store.find_store"),
    ],
)
def test_commands_say_what_they_open_before_they_do(monkeypatch, capsys, words, loader):
    def work(*args, **settings):
        raise DataError("opened after: " + capsys.readouterr().err)

    monkeypatch.setattr(loader, work)
    assert main(words) == 1
    what = {"datasets": "datasets: opening synth", "features": "features: loading clip"}
    assert f"opened after: {what[words[0]]}\n" in capsys.readouterr().err


def test_features_refuse_a_device_that_is_not_here(capsys):
    assert main(["features", "mine", "clip", "--as", "x", "--device", "cuda:99"]) == 1
    assert "has no device cuda:99: use --device cpu" in capsys.readouterr().err


def test_a_folder_that_is_not_recipe1m(table, capsys):
    assert main(["import", str(table.parent), "--name", "x"]) == 1
    assert "layer2.json" in capsys.readouterr().err
