"""A run on very many items is embedded in a process of its own before its pages open."""

import shutil
import time

import numpy as np
import pytest

from rivae.app import worker
from rivae.app.shell import cache
from rivae.app.work import preparing as work
from rivae.app.work.tasks import Tasks
from rivae.exploring import preparing
from rivae.exploring.explorer import Explorer
from rivae.exploring.preparing import n_items, needs_preparing, prepare
from rivae.retrieval.reading import RowPoints
from rivae.runs import Run
from tests.app.conftest import train
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def trained(tmp_path_factory, small_store):
    folder = tmp_path_factory.mktemp("many")
    # Other tests may have had the words of the shared data read, which are kept with it.
    no_cache = shutil.ignore_patterns("cache")
    own = tmp_path_factory.mktemp("data") / "many"
    shutil.copytree(small_store, own, ignore=no_cache)
    train(folder, "many", "pairs", 2, 1, store=str(own), image_size=16)
    return folder / "many"


@pytest.fixture
def many(trained, tmp_path, monkeypatch):
    """A fresh copy of a run on what counts here as very many items; nothing is kept for it yet."""
    run = Run(shutil.copytree(trained, tmp_path / "runs" / "many"))
    monkeypatch.setattr(preparing, "LARGE", 1000)
    monkeypatch.setattr(work, "_preparing", Tasks(9, RuntimeError, work.WAIT))
    monkeypatch.setattr(cache, "PART_ITEMS", 100)
    cache._opened.clear()
    cache._part.clear()
    return run


def test_a_run_on_many_items_is_prepared_once_for_each_way_it_is_searched(many, monkeypatch):
    assert n_items(many) == 1200
    assert needs_preparing(many, "test", "first")
    said = []
    prepare(many, "test", "first", lambda stage, share: said.append((stage, share)))
    shares = [share for _, share in said]
    assert shares == sorted(shares) and len(dict(said)) == 5
    assert not needs_preparing(many, "test", "first")
    assert needs_preparing(many, "all", "first")
    # The first search after it embeds no item again.
    monkeypatch.setattr(RowPoints, "__call__", lambda *_: pytest.fail("embedded again"))
    explorer = Explorer.open(many)
    found = explorer.topk(explorer.mean, 3)
    assert len(found.ids) == 3 and np.isfinite(explorer.effects).all()


def test_few_items_and_runs_without_a_model_are_not_prepared(many, digits, monkeypatch):
    assert n_items(digits.run) == 0 and not needs_preparing(digits.run, "test", "first")
    monkeypatch.setattr(preparing, "LARGE", 1200)
    assert not needs_preparing(many, "test", "first")
    monkeypatch.setattr(preparing, "LARGE", 1199)
    assert needs_preparing(many, "test", "first")
    (many.path / "model.safetensors").unlink()
    assert not needs_preparing(many, "test", "first")


def follow(page, name, until, **where):
    """The page again and again, until it is ``until``."""
    deadline = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < deadline, "it did not end"
        time.sleep(0.5)
        page.open(name, run="many", **where)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["explore", "words"])
def test_a_page_shows_how_far_it_is_and_opens_when_it_is_done(app, many, monkeypatch, name):
    monkeypatch.setenv("RIVAE_RUNS", str(many.path.parent))
    page = app(name, run="many")
    (task,) = work._preparing.running()
    assert not page.at.warning
    assert [button.label for button in page.at.button].count("Stop") == 1
    follow(page, name, lambda: not task.running)
    page.open(name, run="many")
    assert work._preparing.running() == [] and not needs_preparing(many, "test", "first")
    assert "Stop" not in [button.label for button in page.at.button]


@pytest.mark.slow
def test_meanwhile_explore_searches_some_of_the_items_and_says_so(app, many, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(many.path.parent))
    page = app("explore", run="many", rows="all")
    (task,) = work._preparing.running()
    part = cache.at_once("many", "all")
    assert part.is_part and len(part.search_rows) == 100 and part.n_rows == 1200
    assert [said.value for said in page.at.caption if {"100", "1,200"} <= set(said.value.split())]
    whole = Explorer.open(many, "all").retriever
    among_whole = whole.subset(part.search_rows).search(part.mean, 10)
    assert part.topk(part.mean, 10).ids.tolist() == among_whole.ids[0].tolist()
    follow(page, "explore", lambda: not task.running, rows="all")
    page.open("explore", run="many", rows="all")
    assert not [said.value for said in page.at.caption if "1,200" in said.value.split()]
    assert len(cache.at_once("many", "all").search_rows) == 1200


def test_a_worker_leaves_a_run_that_is_being_prepared_to_the_app(many, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(many.path.parent))
    opened = worker.Opened()
    with pytest.raises(worker.NotOpenError):
        opened("many")
    assert not opened._opening and not work._preparing.running()


def test_stopped_it_says_so_and_a_reload_begins_again(app, many, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(many.path.parent))
    page = app("explore", run="many")
    (task,) = work._preparing.running()
    task.cancel()
    task.process.wait()
    follow(page, "metrics", lambda: not task.running)
    page.open("explore", run="many")
    assert page.warnings == [work.STOPPED]
    page.open("explore", run="many")
    (again,) = work._preparing.running()
    assert again is not task
    again.cancel()
    again.process.wait()
