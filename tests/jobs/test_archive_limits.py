"""Archives that ask for too much, or hold anything at all: refused whole, or taken whole."""

import io
import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import RivaeError
from rivae.data.sets.kitchen import FOLDER as KITCHEN
from rivae.jobs.archive_import import import_run
from rivae.runs.archive import export_run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Result
from tests.jobs.test_archive import pack, refused, unpack
from tests.training.tiny import untrained_run


@pytest.fixture
def root(tmp_path):
    return tmp_path / "to"


def with_config(packed, change):
    """The archive with another configuration."""
    files = unpack(packed)
    config = json.loads(files["config.json"])
    change(config)
    return pack({**files, "config.json": json.dumps(config).encode()})


def test_data_that_would_fill_the_memory_are_refused_before_they_are_made(packed, root):
    """30.5 GiB of Synth: each setting is in its range, both together are not."""
    for dataset in ("synth", "synth-modulated"):
        wanted = {"name": dataset, "settings": {"n_pairs": 1_000_000, "g_width": 4096}}
        content = with_config(packed, lambda config, wanted=wanted: config.update(dataset=wanted))
        refused(content, root, "n_pairs x g_width is 4,096,000,000: choose fewer pairs")


def test_data_are_neither_made_nor_fetched_for_an_archive(packed, root, tmp_path, monkeypatch):
    def never(*args, **settings):
        raise AssertionError("not on a stranger's word")

    monkeypatch.setattr("rivae.data.sets.synth.MixingNetwork.__call__", never)
    monkeypatch.setattr("rivae.data.sets.split_mnist.download", never)
    assert import_run(io.BytesIO(packed), root, "one").remarks == ()
    here = {"name": "split-mnist", "settings": {"folder": str(tmp_path), "download": True}}
    content = with_config(packed, lambda config: config.update(dataset=here))
    refused(content, tmp_path / "other", "another configuration")


def test_texts_of_a_large_import_are_not_read_for_an_archive(packed, root, monkeypatch):
    monkeypatch.setattr("rivae.data.sets.pairs.READ_AT_ONCE", 10)
    monkeypatch.setattr("rivae.data.sets.pairs.open_pairs", None)
    monkeypatch.setattr("rivae.data.sets.pairs.find_store", lambda store: KITCHEN)
    there = {"name": "pairs", "settings": {"store": "kitchen"}}
    content = with_config(packed, lambda config: config.update(dataset=there))
    remarks = import_run(io.BytesIO(content), root).remarks
    assert "6,000 texts" in remarks[0]


def test_lines_are_counted_before_they_are_kept(packed, root):
    files = unpack(packed)
    for name in ("metrics.jsonl", "timing.jsonl"):
        refused(pack({**files, name: b"\n" * 11_000}), root, f"{name} has more than 10,000 empty")


@given(st.data())
def test_an_archive_of_any_bytes_is_taken_or_refused_whole(data):
    content = bytearray(_small())
    how = data.draw(st.sampled_from(["bytes", "cut", "entry"]))
    if how == "entry":
        files = unpack(bytes(content))
        name = data.draw(st.sampled_from(sorted(files)))
        other = data.draw(st.binary(max_size=200) | st.sampled_from([b"{}", b"[" * 999, b"\n" * 9]))
        content = bytearray(pack({**files, name: other}, manifest=name != "manifest.json"))
    else:
        for _ in range(data.draw(st.integers(1, 5))):
            at = data.draw(st.integers(0, len(content) - 1))
            content[at] = data.draw(st.integers(0, 255))
        if how == "cut":
            del content[data.draw(st.integers(0, len(content) - 1)) :]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "to"
        try:
            done = import_run(io.BytesIO(bytes(content)), root)
        except RivaeError as error:
            assert "\n" not in str(error) and str(root) not in str(error)
            assert not root.exists() or not [p for p in root.iterdir() if p.name != ".jobs"]
            return
        assert [p.name for p in root.iterdir() if p.name != ".jobs"] == [done.run.id]
        assert done.run.config.name == done.run.id
        done.run.status, done.run.metrics(), done.run.evaluation


@cache
def _small():
    """An archive of a run that was never trained."""
    with tempfile.TemporaryDirectory() as folder:
        made = untrained_run(Path(folder))
        made.log.append({"epoch": 1, "stage": "a", "objective": 1.0})
        made.write_evaluation(Evaluation(retrieval={"recall_at_1": Result(score=0.5)}))
        stream = io.BytesIO()
        export_run(made, stream)
    return stream.getvalue()
