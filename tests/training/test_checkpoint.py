"""Checkpoints: complete, self-checking, and never half written."""

import pytest
import torch
from safetensors.torch import save_file

from rivae.base import files
from rivae.base.errors import RunError
from rivae.training.checkpoint import (
    ALL_DAMAGED,
    DAMAGED,
    load_checkpoint,
    load_together,
    save_checkpoint,
)

TENSORS = {
    "a/weight": torch.randn(3, 4),
    "step": torch.tensor(7.0),
    "rng": torch.arange(9, dtype=torch.uint8),
    "empty": torch.zeros(0, 2),
    "view": torch.arange(6.0).reshape(2, 3).T,
}


def state(epoch, stage=0):
    return {"epoch": epoch, "stage": stage, "stage_epoch": epoch, "best": float("-inf")}


def write(path, *epochs):
    for epoch in epochs:
        save_checkpoint(path, {"t": torch.full((4,), float(epoch))}, state(epoch))


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[-3] ^= 4
    path.write_bytes(data)


def test_round_trip(tmp_path):
    path = tmp_path / "last"
    save_checkpoint(path, TENSORS, state(3))
    saved = load_checkpoint(path)
    assert saved.state == state(3) and saved.note == "" and saved.position == (0, 3, 3)
    assert set(saved.tensors) == set(TENSORS)
    for key, value in TENSORS.items():
        assert torch.equal(saved.tensors[key], value) and saved.tensors[key].dtype == value.dtype


@pytest.mark.parametrize(
    "damage",
    [
        flip_a_bit,
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff" * 100),
        lambda path: save_file({"t": torch.zeros(4)}, path),
        lambda path: save_file({"t": torch.zeros(4)}, path, {"state": "{}", "digest": "0"}),
    ],
    ids=["one bit", "cut off", "empty", "noise", "foreign", "wrong digest"],
)
def test_a_damaged_file_falls_back_to_the_one_before_and_says_so(tmp_path, damage):
    path = tmp_path / "last.safetensors"
    write(path, 1, 2)
    damage(path)
    saved = load_checkpoint(path)
    assert saved.state["epoch"] == 1
    assert saved.note == DAMAGED.format("last.safetensors")
    damage(tmp_path / "last.safetensors.previous")
    with pytest.raises(RunError, match=ALL_DAMAGED):
        load_checkpoint(path)


def test_no_checkpoint_at_all(tmp_path):
    with pytest.raises(RunError, match="no checkpoint yet"):
        load_checkpoint(tmp_path / "last")
    assert load_together([tmp_path / "last"]) is None


@pytest.mark.parametrize("moment", ["write", "fsync", "replace"])
def test_a_write_that_fails_midway_leaves_the_old_file(tmp_path, monkeypatch, moment):
    path = tmp_path / "last"
    write(path, 1, 2)
    full = OSError(28, "No space left on device")

    def fail(*_):
        raise full

    if moment == "replace":
        monkeypatch.setattr(type(path), "replace", fail)
    elif moment == "fsync":
        monkeypatch.setattr(files.os, "fsync", fail)
    else:
        monkeypatch.setattr(files.os, "getpid", lambda: "x" * 300)  # a name no disk takes
    with pytest.raises(OSError, match=r"(?i)no space|too long"):
        write(path, 3)
    monkeypatch.undo()
    assert load_checkpoint(path).state["epoch"] == 2
    assert load_checkpoint(path).note == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["last", "last.previous"]


def test_without_hard_links_the_one_before_is_kept_all_the_same(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", no_links)
    path = tmp_path / "last"
    write(path, 1, 2)
    flip_a_bit(path)
    assert load_checkpoint(path).state["epoch"] == 1


# Runs that train as one batch save one after the other.


def test_runs_of_one_batch_meet_at_their_newest_common_epoch(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    write(paths[0], 1, 2, 3)
    write(paths[1], 1, 2, 3)
    write(paths[2], 1, 2)  # killed before its turn
    assert [saved.state["epoch"] for saved in load_together(paths)] == [2, 2, 2]
    flip_a_bit(paths[0])
    loaded = load_together(paths)
    assert [saved.state["epoch"] for saved in loaded] == [2, 2, 2] and loaded[0].note
    assert [float(saved.tensors["t"][0]) for saved in loaded] == [2, 2, 2]


def test_runs_without_a_common_epoch_are_resumed_one_by_one(tmp_path):
    paths = [tmp_path / name for name in "ab"]
    write(paths[0], 1, 2, 3)
    write(paths[1], 1)
    with pytest.raises(RunError, match="different epochs: resume them one by one"):
        load_together(paths)
    paths[1].unlink()
    with pytest.raises(RunError, match="have not started yet"):
        load_together(paths)


def test_a_first_save_that_was_not_completed_counts_as_none(tmp_path):
    paths = [tmp_path / name for name in "ab"]
    write(paths[0], 1)
    assert load_together(paths) is None
