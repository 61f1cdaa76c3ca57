"""Where runs are kept and found."""

import os
import re
import time

import pytest

from rivae.app.forms.sweep import free_base
from rivae.base.errors import RunError, shown
from rivae.cli import demo, main
from rivae.jobs.deletion import delete_run, restore_run
from rivae.jobs.ledger import Ledger
from rivae.jobs.renaming import rename, require_free
from rivae.runs import DEMO_ROOT, Run, default_roots, find_run, is_read_only, list_runs
from rivae.runs.folders import DEMOS, is_taken, own_run
from tests.training.tiny import tiny_config, untrained_run


def test_runs_are_listed_newest_first_the_broken_ones_too(tmp_path):
    for i, name in enumerate(("old", "new", "mid")):
        run = Run.create(tiny_config(name), tmp_path)
        stamp = time.time() + (0, 20, 10)[i]
        os.utime(run.path / "status.json", (stamp, stamp))
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".new.7.tmp").mkdir()
    (tmp_path / ".new.7.tmp" / "config.json").write_text("{}")
    (tmp_path / "file").write_text("x")
    assert [run.id for run in list_runs([tmp_path])] == ["new", "mid", "old", "broken"]
    assert list_runs([tmp_path / "nowhere"]) == []


def test_the_first_root_wins(tmp_path):
    for root in ("a", "b"):
        Run.create(tiny_config("same"), tmp_path / root)
    (found,) = list_runs([tmp_path / "a", tmp_path / "b"])
    assert found.path.parent.name == "a"


def test_default_roots(monkeypatch, tmp_path):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    assert default_roots() == [tmp_path, DEMO_ROOT]
    monkeypatch.setenv("RIVAE_RUNS", "")
    assert str(default_roots()[0]) == "runs"


def test_a_run_is_found_by_id_or_path(run):
    root = run.path.parent
    assert find_run("good", [root]).path == run.path
    assert find_run(str(run.path), [root / "nowhere"]).path == run.path
    for wrong in ("bad", "", ".", "../good", str(root), "a\0b"):
        with pytest.raises(RunError, match=f"no run '{re.escape(shown(wrong))}'"):
            find_run(wrong, [root])
    with pytest.raises(RunError, match=r"no run 'god': did you mean 'good'\?"):
        find_run("god", [root])
    with pytest.raises(RunError, match="no run 'other': `rivae runs` lists"):
        find_run("other", [root])


def test_a_demo_run_is_read_only(run, monkeypatch):
    assert not is_read_only(run)
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", run.path.parent)
    assert is_read_only(run)


def test_demo_runs_come_last_and_the_kitchen_first_of_them(tmp_path):
    Run.create(tiny_config("own"), tmp_path)
    os.utime(tmp_path / "own" / "status.json", (0, 0))
    assert [run.id for run in list_runs([tmp_path, DEMO_ROOT])] == ["own", *DEMOS]
    assert set(DEMOS) == set(demo.DEMOS) and DEMOS[0] == "demo-kitchen"


def test_the_demo_runs_open():
    for run in list_runs([DEMO_ROOT]):
        assert run.status.state == "finished" and run.content_hash
        if run.config.dataset.name in ("synth", "split-digits"):
            assert run.load_method()


@pytest.mark.parametrize("name", ["x" * 5000, "a/" * 3000, "a\0b", "\ud800"])
def test_any_text_may_be_asked_for(tmp_path, name):
    Run.create(tiny_config("good"), tmp_path)
    with pytest.raises(RunError, match="no run '") as refused:
        find_run(name, [tmp_path])
    assert len(str(refused.value)) < 250


@pytest.fixture
def beside_a_demo(tmp_path, monkeypatch):
    """A run of one's own that has the name of a demo run."""
    root = tmp_path / "own"
    own = untrained_run(root, "demo-synth")
    monkeypatch.setenv("RIVAE_RUNS", str(root))
    return own


def test_a_run_named_like_a_demo_hides_nothing(beside_a_demo):
    found = {run.id: run for run in list_runs()}
    assert found["demo-synth"].path == beside_a_demo.path
    demos = [run for run in found.values() if run.path.parent == DEMO_ROOT]
    assert {run.path.name for run in demos} == set(DEMOS) and len({r.id for r in demos}) == 6
    (other,) = [run for run in demos if run.path.name == "demo-synth"]
    assert find_run(other.id).path == DEMO_ROOT / "demo-synth"
    assert find_run(str(other.path)).path == other.path and is_read_only(other)
    with pytest.raises(RunError):
        own_run(other.id)
    assert own_run("demo-synth").path == beside_a_demo.path
    demo_ids = [run.id for run in list_runs()][1:]
    assert demo_ids.index(other.id) == DEMOS.index("demo-synth")


def test_no_new_run_is_named_like_a_demo(tmp_path, monkeypatch, capsys):
    """However it is made; another name is proposed, and a deleted one comes back."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    named = tiny_config("demo-synth")
    for make in (
        lambda: Ledger(tmp_path).add([named]),
        lambda: require_free("demo-synth", tmp_path),
        lambda: rename(untrained_run(tmp_path, "mine"), "demo-synth"),
    ):
        with pytest.raises(RunError, match="demo-synth-2"):
            make()
    assert main(["train", "synth", "--name", "demo-synth"]) == 1
    assert "demo-synth-2" in capsys.readouterr().err
    assert not (tmp_path / "demo-synth").exists()
    assert free_base("demo-synth", [""], lambda name: is_taken(name, tmp_path)) == "demo-synth-2"
    old = untrained_run(tmp_path, "demo-synth")
    delete_run(old)
    assert restore_run("demo-synth").path == old.path
