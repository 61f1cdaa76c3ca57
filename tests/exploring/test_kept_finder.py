"""What a finder of axes reads is kept: the second opening computes nothing, damage is made anew."""

import os

import numpy as np
import pytest

import rivae
from rivae.base.files import remove_oldest
from rivae.data.tokenizer import newest
from rivae.data.vocabulary import counted
from rivae.exploring.axes import finder as module
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.axes.placed import AxisPlaces
from rivae.runs.added_axes import AxisSpec, remove_added, restore_added


@pytest.fixture(scope="module")
def run():
    return rivae.load_run("demo-kitchen")


def test_the_second_finder_encodes_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_FIT", 300)
    monkeypatch.setattr(module, "MAX_HELD", 100)
    model, data, folder = run.explorer.retriever.model, run.data, tmp_path / "cache"
    first = AxisFinder(model, data, folder)
    monkeypatch.setattr(module, "FEW", 10)
    assert not first.is_prepared, "many rows, and nothing is kept"
    stages = []
    first.prepare(lambda stage, share: stages.append(share))
    axis = first.draft(AxisSpec("words", "soup broth"))
    assert stages == sorted(stages) and len(list(folder.iterdir())) == 2
    monkeypatch.setattr(type(model), "encode_asking", lambda *_: pytest.fail("encoded again"))
    again = AxisFinder(model, data, folder)
    assert again.draft(AxisSpec("words", "soup broth")) == axis
    monkeypatch.undo()
    monkeypatch.setattr(module, "MAX_FIT", 300)
    monkeypatch.setattr(module, "MAX_HELD", 100)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])  # as of a killed copy
    mended = AxisFinder(model, data, folder)
    np.testing.assert_array_equal(mended.fit_z, first.fit_z)


def test_only_the_files_that_were_written_last_stay(tmp_path):
    for n in range(5):
        (tmp_path / f"x-{n}").touch()
        os.utime(tmp_path / f"x-{n}", (n, n))
    remove_oldest(tmp_path.glob("x-*"), 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-3", "x-4"]


def test_places_and_a_removed_axis_that_is_back(run, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    axis = run.add_axis(factor="fruit")
    (placed,) = AxisPlaces(run.explorer.retriever).of(run._folder)
    assert placed.low < -9 and placed.high > 9 and placed.low < placed.mean < placed.high
    shown = run.axes[-1]
    assert (shown.id, shown.std, shown.effect) == (axis.id, placed.std, placed.effect)
    assert remove_added(run._folder, axis.id) == axis and run.explorer.added_axes == []
    restore_added(run._folder, axis)
    restore_added(run._folder, axis)
    assert [one.axis for one in run.explorer.added_axes] == [axis]


def test_unknown_words_and_what_is_near():
    words = ("chocolate", "oven", "soup", "the")
    known = counted(newest(), words, (20, 10, 15, 99), 100)
    assert known.unknown("Soup of chocolat, chocolat") == ["of", "chocolat"]
    assert known.near("chocolat") == ["chocolate"]
    assert known.instead_of("chocolat").endswith("chocolate")
    assert known.instead_of("xyzzy").endswith("chocolate, soup, oven"), "the commonest that tell"
    assert "chocolat" in known.remark("soup", "chocolat") and known.remark("soup") == ""
