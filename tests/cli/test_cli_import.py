"""``rivae import``, from the words on the command line to a data set that trains."""

from __future__ import annotations

import io
import json

import pytest
from PIL import Image

from rivae.cli import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    (tmp_path / "photos").mkdir()
    lines = ["photo,name,steps,depth"]
    for i in range(40):
        buffer = io.BytesIO()
        Image.new("RGB", (20, 20), (6 * i, 0, 90)).save(buffer, "PNG")
        (tmp_path / "photos" / f"{i}.png").write_bytes(buffer.getvalue())
        lines.append(f"{i}.png,Plate {i},stir and serve,{i % 4}")
    path = tmp_path / "dishes.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_dry_run_then_the_import(table, capsys, monkeypatch):
    words = ["import", str(table), "--images", str(table.parent / "photos"), "--name", "mine"]
    assert main([*words, "--dry-run"]) == 0
    assert "nothing was written" in capsys.readouterr().out
    assert not (table.parent / "data").exists()
    assert main([*words, "--factor", "depth", "--title", "My plates", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["taken"] == 40
    assert main(["datasets", "pairs", "--set", "store=mine"]) == 0
    out = capsys.readouterr().out
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
        ([], "where are the pictures? Say --images FOLDER_OR_ZIP"),
        (["--images", "nowhere"], "nowhere does not exist"),
        (["--images", "photos", "--map", "title"], "'title' is no mapping"),
        (["--images", "photos", "--map", "picture=file"], "there is no column 'file'"),
        (["--images", "photos", "--factor", "width"], "there is no column 'width' for factors"),
        (["--images", "photos", "--encoding", "klingon"], "no text encoding 'klingon'"),
    ],
)
def test_what_import_refuses(table, monkeypatch, capsys, words, reason):
    monkeypatch.chdir(table.parent)
    assert main(["import", "dishes.csv", "--name", "mine", *words]) == 1
    assert reason in capsys.readouterr().err
    assert not (table.parent / "data" / "mine").exists()


def test_a_folder_that_is_not_recipe1m(table, capsys):
    assert main(["import", str(table.parent), "--name", "x"]) == 1
    assert "without layer1.json and layer2.json" in capsys.readouterr().err
