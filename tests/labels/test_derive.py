"""A derived run retrieves the same items in other coordinates; the original stays as it was."""

import json

import numpy as np
import pytest

from rivae.base.errors import ConfigError, RunError
from rivae.data.base import PairedDataset
from rivae.exploring.words.axis_names import given_names
from rivae.labels.derive import align_run, alignment_record, derive_run
from rivae.models.registry import build_method
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run, list_runs
from tests.training.tiny import tiny_config, untrained_run


@pytest.fixture
def run(tmp_path):
    return untrained_run(tmp_path)


def contents(run):
    return {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}


MATRIX, OFFSET = np.array([[0.3, 2.0], [-1.5, 0.4]]), np.array([1.0, -3.0])


def test_the_same_items_in_other_coordinates(run, tmp_path):
    before = contents(run)
    made = derive_run(
        run,
        MATRIX,
        OFFSET,
        "aligned",
        note="by hand",
        names=["green", "sticky"],
        record={"labels": 30},
        root=tmp_path,
    )
    assert contents(run) == before
    assert made.config.parent == "good" and made.status.state == "finished"
    data = run.load_dataset()
    rows = data.splits["test"]
    old, new = (Retriever(r.load_method(data), data, rows) for r in (run, made))
    z, turned = old.encode(rows)[0], new.encode(rows)[0]
    np.testing.assert_allclose(turned, z @ MATRIX + OFFSET, atol=1e-5)
    np.testing.assert_allclose(new.decode(z @ MATRIX + OFFSET), old.decode(z), atol=1e-5)
    np.testing.assert_allclose(new.true_ranks(rows), old.true_ranks(rows), atol=1)
    said = json.loads((made.path / "alignment.json").read_text())
    assert said["matrix"] == MATRIX.tolist() and said["offset"] == OFFSET.tolist()
    assert (said["parent"], said["parent_model"]) == ("good", run.content_hash)
    assert said["note"] == "by hand" and said["labels"] == 30
    assert given_names(made, 2) == ["green", "sticky"]
    assert made.evaluation is None and {r.id for r in list_runs([tmp_path])} == {"good", "aligned"}


def test_aligned_to_labels_of_its_rows(run):
    data = run.load_dataset()
    rows = data.splits["train"][:40]
    z = Retriever(run.load_method(data), data, rows).encode(rows)[0]
    wanted = z @ np.array([[1.0, 0.5], [-0.2, 1.0]])
    levels = np.clip(np.round(3 + 1.4 * (wanted - wanted.mean(0)) / wanted.std(0)), 1, 5)
    found, gains = align_run(run, rows, levels, ["green", "sticky"], data=data)
    moved = z @ found.change.matrix + found.change.offset
    assert all(np.corrcoef(moved[:, k], levels[:, k])[0, 1] > 0.9 for k in range(2))
    made = derive_run(
        run,
        found.change.matrix,
        found.change.offset,
        "aligned",
        note=found.change.note,
        record=alignment_record(found, gains, "v1"),
        root=run.path.parent,
        data=data,
    )
    said = json.loads((made.path / "alignment.json").read_text())
    assert said["n_labels"] == [40, 40] and said["guideline"] == "v1"
    assert [g["factor"] for g in said["held_out"]] == ["green", "sticky"]
    assert said["held_out"][0]["n"] == 12 and said["held_out"][1]["after"] > 0.8


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (np.eye(3), "2 axes"),
        (np.array([[1.0, np.nan], [0, 1]]), "finite"),
        (np.array([[1.0, 2.0], [0.5, 1.0]]), "two axes become one"),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_leaves_nothing(run, tmp_path, matrix, sentence):
    with pytest.raises(ConfigError, match=sentence):
        derive_run(run, matrix, OFFSET, "aligned", root=tmp_path)
    assert not (tmp_path / "aligned").exists()


def test_a_taken_or_impossible_name(run, tmp_path):
    with pytest.raises(RunError, match="already exists"):
        derive_run(run, MATRIX, OFFSET, "good", root=tmp_path)
    with pytest.raises(ConfigError, match="cannot name a run"):
        derive_run(run, MATRIX, OFFSET, "../x", root=tmp_path)
    assert run.ready


def test_nothing_stays_behind(run, tmp_path, monkeypatch):
    def full(self, method):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Run, "write_model", full)
    with pytest.raises(RunError, match="space left"):
        derive_run(run, MATRIX, OFFSET, "aligned", root=tmp_path)
    assert not (tmp_path / "aligned").exists()


def test_a_method_without_latents_is_refused(tmp_path):
    run = Run.create(tiny_config("flat", "cos-sim"), tmp_path)
    choice = run.config.method
    run.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    data = run.load_dataset()
    assert isinstance(data, PairedDataset)
    with pytest.raises(ConfigError, match="no latent axes"):
        align_run(run, [0, 1], np.ones((2, 1)), ["green"], data=data)
