"""``rivae kitchen`` as a user calls it."""

import json

import pytest

from rivae.cli import main


def test_a_kitchen_is_written_and_said_to_be_synthetic(tmp_path, capsys):
    folder = tmp_path / "kitchen"
    assert main(["kitchen", str(folder), "--n", "4", "--seed", "2"]) == 0
    captured = capsys.readouterr()
    assert "4 synthetic dishes" in captured.out and f"rivae import {folder}" in captured.out
    assert captured.err.startswith("kitchen: preparing\n") and "4 of 4 dishes" in captured.err
    assert len(json.loads((folder / "layer1.json").read_text())) == 4


def test_json_and_quiet(tmp_path, capsys):
    folder = tmp_path / "kitchen"
    assert main(["kitchen", str(folder), "--n", "2", "--quiet", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"folder": str(folder), "n": 2, "seed": 0}
    assert captured.err == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--n", "0"], "from 1 to"),
        (["--n", "1000000"], "from 1 to"),
        (["--seed", "-1"], "seed -1 "),
    ],
)
def test_numbers_out_of_range_are_one_sentence(words, sentence, tmp_path, capsys):
    assert main(["kitchen", str(tmp_path / "k"), *words]) == 1
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.err.count("\n") == 2
    assert not (tmp_path / "k").exists()


def test_a_folder_in_use_is_one_sentence(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["kitchen", str(tmp_path), "--n", "2"]) == 1
    captured = capsys.readouterr()
    assert "not empty" in captured.err and captured.err.count("\n") == 2
    assert main(["kitchen", str(tmp_path / "mine.txt" / "k"), "--n", "2"]) == 1
    captured = capsys.readouterr()
    assert "cannot write" in captured.err and captured.err.count("\n") == 2
