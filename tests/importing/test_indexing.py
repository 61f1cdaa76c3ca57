"""The index that a process of its own makes while a large import is read."""

from __future__ import annotations

import subprocess

import pytest

from rivae.data.fulltext import index_path, store_index
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import PairStore, writer
from tests.importing.conftest import rows

N = 100


@pytest.fixture
def started(monkeypatch):
    """The processes that were started; chunks have 20 items."""
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))
    found = []

    class Kept(subprocess.Popen):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Kept)
    yield found
    assert all(process.returncode is not None for process in found), "none is left"


@pytest.fixture
def take(tmp_path, write_table):
    columns = [name for name in rows(1)[0] if name != "image"]
    chosen = {"factors": ("heat", "weight")}
    table = write_table([{name: row[name] for name in columns} for row in rows(N)])

    def import_(progress=None):
        mapping = make_mapping(columns, chosen, needs_picture=False)
        settings = ImportSettings("mine", root=tmp_path / "data")
        run_import(PairsImport(table, [], mapping), settings, progress=progress)
        return PairStore(tmp_path / "data" / "mine")

    return import_


def said(store):
    """Answers of its index."""
    index = store_index(store)
    try:
        asked = ("eggs", "dish 7", "easy soup", "weight 1.4", "nothing")
        return [(list(index.rows(a)), index.best(a, 5, lambda row: True)) for a in asked]
    finally:
        index.close()


@pytest.mark.slow
def test_it_is_the_index_that_one_process_makes(started, take):
    stages = []
    store = take(lambda stage, share: stages.append(stage))
    (process,) = started
    assert process.returncode == 0
    kept = index_path(store.folder)
    bytes_of, answers = kept.read_bytes(), said(store)
    kept.unlink()
    assert said(store) == answers and answers[0][0] == list(range(N))
    assert kept.read_bytes() == bytes_of
    assert list(kept.parent.iterdir()) == [kept]


def test_without_the_process_the_import_makes_it(started, take):
    def kill(stage, share):
        for process in started:
            process.kill()

    store = take(kill)
    assert started and started[0].returncode != 0
    assert index_path(store.folder).is_file() and said(store)[0][0] == list(range(N))


def test_where_no_process_can_be_started_the_import_makes_it(started, take, monkeypatch):
    def refuse(*given, **named):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    store = take()
    assert index_path(store.folder).is_file() and said(store)[0][0] == list(range(N))


@pytest.mark.slow
def test_a_stopped_import_leaves_no_process_and_goes_on(started, take, tmp_path, monkeypatch):
    monkeypatch.setattr("rivae.data.importing.session.REPORT_EVERY", 10)

    def stop(stage, share):
        if share > 0.6:
            raise ImportCancelledError

    with pytest.raises(ImportCancelledError):
        take(stop)
    (stopped,) = started
    assert stopped.returncode is not None
    assert not list((tmp_path / "data").glob(".*/cache/*"))
    store = take()
    assert len(started) == 2 and started[1].returncode == 0
    assert said(store)[0][0] == list(range(N))


def test_who_waits_for_it_can_leave(started, take):
    def leave(stage, share):
        if "texts" in stage:
            raise ImportCancelledError

    store = take(leave)
    assert len(store) == N
    assert {path.suffix for path in index_path(store.folder).parent.iterdir()} <= {".sqlite"}
