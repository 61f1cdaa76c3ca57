"""Axis names that are removed or replaced come back."""

import json
from dataclasses import replace

import pytest

from rivae.base.errors import DataError, RunError
from rivae.cli import main
from rivae.exploring.words.axis_names import change_names, given_names, known_names, names_path
from rivae.exploring.words.names_trash import restore_names, trash_of_names
from rivae.jobs.deletion import all_deleted, restore
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run, runs_root
from rivae.runs.axis_names import AxisName, HeldOut

KALE = AxisName(0, "kale", 1, low="cake", held_out=HeldOut(0.8, 0.1, 30))
FRUIT = AxisName(1, "fruit", -1, edited=True)
PROPOSED = AxisName(1, "dessert", 1, proposed=True)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """An untrained run of two named latents in a folder of runs of its own."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    config = make_config("synth", name="named", dataset_settings={"n_pairs": 240})
    made = Run.create(config, tmp_path / "runs")
    data, choice = made.load_dataset(), config.method
    made.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    change_names(made, 2, {0: KALE, 1: FRUIT})
    return made


def change(run, changes):
    found = []
    change_names(run, 2, changes, on_delete=found.append)
    return found


def test_all_names_and_single_ones_come_back_as_they_were(run):
    (entry,) = change(run, {0: None, 1: None})
    assert known_names(run, 2) == [None, None] and all_deleted() == [entry]
    assert (entry.kind, entry.name) == ("names", run.id)
    assert restore(entry) == run.id and known_names(run, 2) == [KALE, FRUIT]
    assert all_deleted() == []
    (entry,) = change(run, {1: None})
    assert restore_names(run.id) == run.id and known_names(run, 2) == [KALE, FRUIT]


def test_a_name_that_is_replaced_comes_back_too(run):
    (entry,) = change(run, {0: replace(KALE, name="other"), 1: replace(FRUIT, direction=1)})
    restore(entry)
    assert given_names(run, 2) == ["kale", "fruit"]
    (entry,) = change(run, {0: replace(KALE, high="much")})
    restore(entry)
    assert known_names(run, 2)[0] == KALE
    change_names(run, 2, {1: None})
    assert change(run, {1: PROPOSED}) == [] and change(run, {1: FRUIT}) == []
    change_names(run, 2, {1: PROPOSED})
    (entry,) = change(run, {1: None})
    restore(entry)
    assert known_names(run, 2)[1] == PROPOSED


def test_what_somebody_has_named_since_stays(run):
    (entry,) = change(run, {0: None, 1: None})
    change_names(run, 2, {0: AxisName(0, "theirs", 1)})
    restore(entry)
    assert given_names(run, 2) == ["theirs", "fruit"]
    (entry,) = change(run, {1: None})
    change_names(run, 2, {1: AxisName(1, "theirs too", 1)})
    with pytest.raises(DataError, match=run.id):
        restore(entry)
    assert given_names(run, 2) == ["theirs", "theirs too"]
    assert trash_of_names().entries()[0].id == entry.id, "it is still there"


def test_a_file_that_is_replaced_as_it_is_damaged_is_kept(run):
    names_path(run).write_bytes(b"{damaged")
    (entry,) = change(run, {0: KALE})
    assert (entry.path / "content").read_bytes() == b"{damaged"
    assert given_names(run, 2) == ["kale", ""]
    with pytest.raises(DataError):
        restore(entry)


def test_without_a_trash_no_name_is_lost(run, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (runs_root() / "names").mkdir(exist_ok=True)
    (runs_root() / "names" / ".trash").symlink_to(elsewhere)
    with pytest.raises((DataError, RunError), match="trash"):
        change_names(run, 2, {0: None})
    assert given_names(run, 2) == ["kale", "fruit"]


def test_the_command_line_brings_names_back(run, capsys):
    change_names(run, 2, {0: None, 1: None})
    assert main(["trash", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kind"], row["name"]) == ("names", run.id)
    assert main(["trash", "restore", run.id, "--names"]) == 0
    assert given_names(Run(run.path), 2) == ["kale", "fruit"]
