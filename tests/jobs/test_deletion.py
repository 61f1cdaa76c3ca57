"""Runs and imports in the trash: deleted whole, brought back whole, with what belongs to them."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rivae.base.config import DatasetConfig
from rivae.base.errors import DataError, RivaeError, RunError
from rivae.base.files import locked
from rivae.data.base import Recipe
from rivae.data.store import PairStore, StoreItem, StoreWriter
from rivae.jobs import deletion, renaming
from rivae.jobs.agent import log_path
from rivae.jobs.deletion import (
    delete_import,
    delete_run,
    restore_import,
    restore_run,
    runs_on,
    trash_of_runs,
)
from rivae.jobs.ledger import Ledger
from rivae.runs import Run, list_runs
from rivae.runs.folders import NOT_AMONG_RUNS, is_run_folder
from rivae.runs.trash import KEPT_DATES
from tests.training.tiny import tiny_config, untrained_run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the queue needs flock")
NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")
    return tmp_path / "runs"


@pytest.fixture
def run(root):
    """A finished run "good" that the queue knows, with a log and a run derived from it."""
    ledger = Ledger(root)
    (job,) = ledger.add([tiny_config("good")])
    made = untrained_run(root)
    for state in ("starting", "running", "finished"):
        assert ledger.advance(job.id, state)
    log_path(root, job.id).write_text("said")
    return made


def content_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_a_run_comes_back_with_its_entry_and_its_log(run, root):
    child = Run.create(run.config.model_copy(update={"name": "child", "parent": "good"}), root)
    before, jobs = content_of(run.path), Ledger(root).jobs()
    done = delete_run(run, now=NOW)
    assert done.bytes >= sum(map(len, before.values()))
    assert [r.id for r in list_runs([root])] == ["child"] and Ledger(root).jobs() == []
    assert not log_path(root, jobs[0].id).exists()
    back = restore_run("good")
    assert content_of(back.path) == before and back.load_method() and back.config == run.config
    assert Ledger(root).jobs() == jobs and log_path(root, jobs[0].id).read_text() == "said"
    assert [r.id for r in renaming.children_of(back)] == [child.id]
    assert trash_of_runs().entries() == []


def test_a_new_run_may_take_the_name_and_then_stays(run, root):
    done = delete_run(run)
    Ledger(root).add([tiny_config("good")])
    for _ in range(2):  # queued, then with a folder
        with pytest.raises(RunError, match="another run named good"):
            restore_run("good")
        made = Run.create(tiny_config("good"), root) if not (root / "good").exists() else None
        Ledger(root).cancel(Ledger(root).jobs()[0].id) if made else None
    (job,) = Ledger(root).jobs()
    assert job.state == "cancelled" and Run(root / "good").status.state == "created"
    renaming.rename(Run(root / "good"), "newer")
    assert restore_run(done.id).status.state == "finished"
    assert {job.run for job in Ledger(root).jobs()} == {"good", "newer"}


def test_what_an_entry_says_starts_nothing(run, root):
    """A record is read as a stranger's: only what is over goes back into the queue."""
    done = delete_run(run)
    file = done.path / "record.json"
    record = json.loads(file.read_text())
    (row,) = record["more"]["jobs"]
    record["more"]["jobs"] = [
        {**row, "id": f"{i:012x}", **change}
        for i, change in enumerate(
            (
                {"state": "queued"},
                {"state": "running"},
                {"run": "other"},
                {"config": "{"},
                {"id": "../../x"},
                {"attempts": [1]},
                {"unknown": 1, "state": "failed"},
            )
        )
    ] + ["x", None]
    file.write_text(json.dumps(record))
    restore_run("good")
    assert {job.id: job.state for job in Ledger(root).jobs()} == {
        f"{5:012x}": "finished",
        f"{6:012x}": "failed",
    }


def test_a_full_disk_changes_nothing(run, root, monkeypatch):
    """Also where only the queue cannot be written, after the folder was moved."""
    before, jobs = content_of(run.path), Ledger(root).jobs()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", full)
        with pytest.raises(RivaeError, match="No space"):
            delete_run(run)
    put = deletion.Trash.put

    def then_full(self, name, **more):
        put(self, name, **more)
        full()

    with monkeypatch.context() as patched:
        patched.setattr(deletion.Trash, "put", then_full)
        with pytest.raises(RivaeError, match="No space"):
            delete_run(run)
    assert trash_of_runs().entries() and Ledger(root).jobs() == jobs
    assert content_of(restore_run("good").path) == before and Ledger(root).jobs() == jobs


def test_nobody_can_resume_it_meanwhile(run):
    with locked(run.path / ".lock"), pytest.raises(RunError, match="cancel it"):
        delete_run(run)
    assert run.config.name == "good"


def test_after_thirty_dates_of_use_another_deletion_removes_it(run, root):
    delete_run(run, now=NOW)
    for day in range(1, KEPT_DATES):
        trash_of_runs().note_date(NOW + timedelta(days=day))
    assert len(trash_of_runs().entries()) == 1
    other = Run.create(tiny_config("other"), root)
    delete_run(other, now=NOW + timedelta(days=KEPT_DATES))
    assert [entry.name for entry in trash_of_runs().entries()] == ["other"]


# what is a run


def test_broken_runs_can_be_deleted(run, root):
    for n, damage in enumerate(
        (
            {"config.json": "{"},
            {"status.json": "{"},
            {"config.json": "{", "status.json": "[]"},
        )
    ):
        made = Run.create(tiny_config(f"broken-{n}"), root)
        made.set_status(state="interrupted")
        for name, text in damage.items():
            (made.path / name).write_text(text)
        delete_run(Run(made.path))
        assert content_of(restore_run(made.id).path)["config.json"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"status.json": '{"state": "running"}'},
        {"status.json": "{", "thesis.tex": "x"},
        {"status.json": "{", "checkpoints": "no folder"},
        {"model.safetensors": "x"},
        {"status.json": "{", "checkpoints/last.safetensors": "", ".git/config": "x"},
    ],
)
def test_a_folder_with_a_config_is_no_run(root, files):
    folder = root / "project"
    for name, text in {"config.json": '{"model_type": "bert"}', **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = content_of(folder)
    assert not is_run_folder(folder)
    for change in (delete_run, lambda run: renaming.rename(run, "mine")):
        with pytest.raises(RunError, match="not a run's"):
            change(Run(folder))
    assert content_of(folder) == before and not (root / ".trash").exists()


def test_a_run_elsewhere_or_behind_a_link_stays(run, root, tmp_path):
    elsewhere = untrained_run(tmp_path / "elsewhere")
    (root / "linked").symlink_to(elsewhere.path)
    inside = Run(untrained_run(run.path / "deep").path)
    for other, why in (
        (elsewhere, NOT_AMONG_RUNS.format("good")),
        (Run(root / "linked"), "a link"),
        (inside, NOT_AMONG_RUNS.format("good")),
        (Run(root / "none"), "no run"),
        (Run(root / ".." / "elsewhere" / "good"), NOT_AMONG_RUNS.format("good")),
    ):
        for change in (delete_run, lambda run: renaming.rename(run, "mine")):
            with pytest.raises(RunError, match=why):
                change(other)
    assert elsewhere.load_method() and (root / "linked").is_symlink() and inside.load_method()


def test_runs_that_cannot_be_started_take_nothing_along(run, root):
    """The folders that this very call has made are taken back, no other."""
    from rivae.jobs.launch import train

    before = content_of(run.path)
    with pytest.raises(RunError, match="already exists"):
        train([tiny_config("a"), tiny_config("good")], root)
    assert [r.id for r in list_runs([root])] == ["good"] and content_of(run.path) == before


def test_demo_data_are_written_over_demo_data_only(tmp_path):
    from rivae.cli.demo import make_demo, make_kitchen

    for name in ("demo-synth", "kitchen"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    with pytest.raises(RivaeError, match="is not a run"):
        make_demo("demo-synth", tmp_path)
    with pytest.raises(RivaeError, match="no imported data set"):
        make_kitchen(tmp_path / "kitchen")
    assert len(list(tmp_path.glob("*/config.json"))) == 2


# imports


@pytest.fixture
def store(tmp_path):
    """An import "mine" with three pairs."""
    writer = StoreWriter(tmp_path / "data" / "mine", {"kind": "test"})
    for i in range(3):
        writer.add(StoreItem(Recipe(id=str(i), title=f"Dish {i}")), i + 1)
    manifest = {"name": "mine", "title": "Mine", "created": "2026-01-01", "picture_side": 0}
    return writer.finish(manifest, 3)


def on_store(root, name, store):
    data = DatasetConfig(name="pairs", settings={"store": store})
    return Run.create(tiny_config(name).model_copy(update={"dataset": data}), root)


def test_an_import_comes_back(store, root):
    before = content_of(store)
    done = delete_import("mine", now=NOW)
    assert done.kind == "import" and not store.exists()
    with pytest.raises(DataError, match="no imported data set 'mine'"):
        delete_import("mine")
    assert restore_import("mine") == store and content_of(store) == before
    assert PairStore(store).title(1) == "Dish 1"


def test_runs_on_an_import_are_known_and_those_at_work_keep_it(store, root):
    named, by_path = on_store(root, "a", "mine"), on_store(root, "b", str(store.absolute()))
    on_store(root, "c", "other")
    untrained_run(root)
    assert {run.id for run in runs_on(store)} == {"a", "b"}
    by_path.set_status(state="running")
    with locked(by_path.lock_path), pytest.raises(RunError, match="b is to be trained on mine"):
        delete_import("mine")
    Ledger(root).add_existing(named.config)
    with pytest.raises(RunError, match="a is to be trained on mine: cancel it"):
        delete_import("mine")
    assert store.is_dir()


def test_only_imports_are_deleted(store, tmp_path):
    data = store.parent
    (data / "linked").symlink_to(store)
    for name, text in (("shop", '{"shop": 1}'), ("empty", None)):
        (data / name).mkdir()
        (data / name / "prices.xlsx").write_text("x")
        if text:
            (data / name / "store.json").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    for name in ("linked", "shop", "empty", "none", str(store), "../data/mine", ".", "", ".mine"):
        with pytest.raises(DataError):
            delete_import(name)
    assert sorted(tmp_path.rglob("*")) == before
    (store / "store.json").write_text("{")  # damaged, and everything else is an import's
    assert delete_import("mine").name == "mine"
