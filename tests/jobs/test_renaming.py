"""Renaming: everything that names a run follows, and a kill leaves it usable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.jobs import renaming
from rivae.jobs.deletion import delete_run
from rivae.jobs.launch import run_lock
from rivae.jobs.ledger import Ledger
from rivae.jobs.units import size_text
from rivae.runs import Run, list_runs
from rivae.runs.folders import COMES_ALONG
from tests.training.tiny import tiny_config, untrained_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_other_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")


@pytest.fixture
def run(tmp_path):
    """A finished run "good" that the queue knows."""
    made = untrained_run(tmp_path)
    ledger = Ledger(tmp_path)
    made.path.rename(tmp_path / "away")
    (job,) = ledger.add([tiny_config("good")])
    (tmp_path / "away").rename(made.path)
    for state in ("starting", "running", "finished"):
        assert ledger.advance(job.id, state)
    return Run(made.path)


def child_of(run, name="child"):
    made = Run.create(
        run.config.model_copy(update={"name": name, "parent": run.id}), run.path.parent
    )
    made.set_status(state="finished")
    return made


def everything(root):
    """All files and their content, the ledger by its entries."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".jobs" not in path.parts and path.name != ".lock"
    }
    return files, Ledger(root).jobs()


def test_everything_that_names_a_run_follows(run, tmp_path):
    child_of(run)
    refining = run.config.model_copy(update={"name": "refining", "refines": run.id})
    Run.create(refining, tmp_path)
    weights = (run.path / "model.safetensors").read_bytes()
    moved = renaming.rename(run, "better")
    assert moved.id == moved.config.name == "better" and not (tmp_path / "good").exists()
    assert (moved.path / "model.safetensors").read_bytes() == weights
    (job,) = Ledger(tmp_path).jobs()
    assert job.run == job.config.name == "better"
    assert Run(tmp_path / "child").config.parent == "better"
    assert Run(tmp_path / "refining").config.refines == "better"
    assert [r.id for r in renaming.children_of(moved)] == ["child"]
    assert {r.id for r in list_runs([tmp_path])} == {"better", "child", "refining"}


def test_what_waits_to_refine_a_run_follows(run, tmp_path):
    ledger = Ledger(tmp_path)
    (waits,) = ledger.add([tiny_config("later").model_copy(update={"refines": run.id})])
    (apart,) = ledger.add([tiny_config("apart").model_copy(update={"refines": "another"})])
    renaming.rename(run, "better")
    assert ledger.job(waits.id).config.refines == "better"
    assert ledger.job(waits.id).run == ledger.job(waits.id).config.name == "later"
    assert ledger.job(apart.id) == apart


def test_tours_follow(run, tmp_path):
    from rivae.exploring.steering import SteerRow
    from rivae.exploring.tours import TourStep, add_tour, read_tour

    steps = [
        TourStep("h", "n", name, "mean", SteerRow((0,), ("on",)), 2.0) for name in ("good", "other")
    ]
    tour = add_tour("A tour", steps)
    renaming.rename(run, "better")
    assert [step.run for step in read_tour(tour.id).steps] == ["better", "other"]


@pytest.mark.parametrize("name", ["", "../x", "A", "x" * 81, "a/b", ".hidden"])
def test_a_name_that_is_none_changes_nothing(run, tmp_path, name):
    before = everything(tmp_path)
    with pytest.raises(ConfigError, match="cannot name a run"):
        renaming.rename(run, name)
    assert everything(tmp_path) == before


def test_a_name_that_is_taken_changes_nothing(run, tmp_path, monkeypatch):
    child_of(run)
    Ledger(tmp_path).add([tiny_config("queued")])
    untrained_run(tmp_path / "demos").path.rename(tmp_path / "demos" / "demo")
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "demos")
    before = everything(tmp_path)
    for name in ("child", "queued", "demo"):
        with pytest.raises(RunError, match=f"named {name} .* such as {name}-2"):
            renaming.rename(run, name)
    assert everything(tmp_path) == before


def test_a_run_at_work_is_left_alone(run, tmp_path):
    with run_lock(run):
        for change in (delete_run, lambda run: renaming.rename(run, "x")):
            with pytest.raises(RunError, match="cancel it"):
                change(run)
    unfinished = Run.create(tiny_config("waiting"), tmp_path)
    job = Ledger(tmp_path).add_existing(unfinished.config)
    for state in ("queued", "starting", "running"):
        if state != "queued":
            Ledger(tmp_path).advance(job.id, state)
        for change in (delete_run, lambda run: renaming.rename(run, "x")):
            with pytest.raises(RunError, match=f"{state}: cancel it first"):
                change(unfinished)
    assert unfinished.config.name == "waiting" and run.path.is_dir()


def test_a_demo_run_stays(run, tmp_path, monkeypatch):
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path)
    for change in (delete_run, lambda run: renaming.rename(run, "x")):
        with pytest.raises(RunError, match=COMES_ALONG.format(run.id)):
            change(run)
    assert run.path.is_dir()


def test_a_part_of_an_unfinished_batch_keeps_its_name(tmp_path):
    runs = [Run.create(tiny_config(name), tmp_path) for name in ("a", "b")]
    for made in runs:
        made.set_status(state="interrupted", batch=["a", "b"])
    with pytest.raises(RunError, match="one batch with b"):
        renaming.rename(runs[0], "x")
    runs[1].set_status(state="finished")
    assert renaming.rename(runs[0], "x").id == "x"
    delete_run(runs[1])
    assert [r.id for r in list_runs([tmp_path])] == ["x"]


def test_what_cannot_be_written_changes_nothing(run, tmp_path, monkeypatch):
    child_of(run)
    before = everything(tmp_path)

    def full(self, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", full)
        for change in (delete_run, lambda run: renaming.rename(run, "x")):
            with pytest.raises(RivaeError, match="No space"):
                change(run)
    assert everything(tmp_path) == before


KILL = """
import os, signal, sys
from pathlib import Path
from rivae.jobs import ledger_db, renaming
from rivae.runs import Run
root, at = Path(sys.argv[1]), int(sys.argv[2])
calls = 0
def before(function):
    def wrapped(*args, **kwargs):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return wrapped
for owner, name in ((renaming, "write_json"), (renaming, "update"), (Path, "rename"),
                    (Path, "replace"), (renaming, "sync_folder")):
    setattr(owner, name, before(getattr(owner, name)))
renaming.rename(Run(root / "good"), "better")
"""


def killed(root, at):
    """Whether the renaming was killed before its step number ``at`` (else it was done)."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "RIVAE_RUNS": str(root)}
    line = [sys.executable, "-c", KILL, str(root), str(at)]
    return subprocess.run(line, env=env, check=False).returncode == -9


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_kill_at_any_step_of_a_renaming_leaves_a_run_that_can_be_used(run, tmp_path):
    child_of(run)
    at = 1
    while killed(tmp_path, at):
        names = {r.id for r in list_runs([tmp_path])} - {"child"}
        assert names in ({"good"}, {"better"}), at
        there = Run(tmp_path / names.pop())
        assert there.load_method() and there.status.state == "finished"
        if there.id == "good":  # the same call goes on
            assert renaming.rename(there, "better").config.name == "better"
        moved = Run(tmp_path / "better")
        assert Run(tmp_path / "child").config.parent == "better" == moved.config.name
        for job in Ledger(tmp_path).jobs():
            if job.run == "good":  # its entry only remembers the old name
                Ledger(tmp_path).remove(job.id)
        renaming.rename(moved, "good")
        at += 1
    assert at >= 5 and (tmp_path / "better").is_dir()


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (345_600, "346 kB"),
        (2_400_000, "2.4 MB"),
        (5_000_000_000, "5.0 GB"),
    ],
)
def test_sizes_for_a_person(n, text):
    assert size_text(n) == text
