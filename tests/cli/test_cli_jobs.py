"""The queue and the care of runs from the command line: words, exit codes, sentences."""

import json
import os
import re

import pytest

from rivae.app.passwords import fits
from rivae.base.errors import ConfigError
from rivae.cli import main
from rivae.cli.jobs import ANOTHER_DISPATCHER, parse_slots
from rivae.cli.labels import NO_PLANS
from rivae.cli.trash import EMPTY, NO_LABELS
from rivae.exploring.tours import add_tour, delete_tour, list_tours
from rivae.jobs import dispatcher
from rivae.jobs.agent import log_path
from rivae.jobs.ledger import Ledger
from rivae.runs import Run, list_runs
from rivae.runs.folders import COMES_ALONG
from rivae.runs.notes import is_archived
from rivae.runs.trash import RESTORED
from tests.training.tiny import tiny_config, untrained_run

SHORT = (
    "init=cos-sim-lvm",
    "anchor=null",
    "init_epochs=1",
    "ivae_epochs=1",
    "joint_epochs=2",
    "dataset.n_pairs=150",
)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups")


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """New runs go to a fresh folder; nobody starts them but `rivae worker`."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(dispatcher, "ensure_dispatcher", lambda root: None)
    return folder


@pytest.fixture
def said(capsys):
    """What a command prints, after its exit code was checked."""

    def run(*words, code=0):
        assert main(list(words)) == code
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def queue_synth(said, *words):
    settings = [word for setting in SHORT for word in ("--set", setting)]
    return said("train", "synth", *settings, "--queue", *words)


def test_queued_runs_wait_for_a_worker(said, root):
    assert "synth --queue" in said("jobs")
    out = queue_synth(said, "--name", "q", "--seeds", "0-1", "--priority", "7", "--restarts", "0")
    assert "q-s0: queued" in out and "rivae logs q-s0 -f" in out and list_runs([root]) == []
    first, second = json.loads(said("jobs", "--json"))
    assert (first["run"], first["state"], first["priority"], first["max_restarts"]) == (
        "q-s0",
        "queued",
        7,
        0,
    )
    assert first["data set"] == "synth" and "q-s1" in said("jobs")
    assert re.fullmatch("q-s0 .* queued\n", said("logs", "q-s0"))
    gone = said("cancel", "q-s0", second["id"])
    assert gone.count("queue") == 2 and "seconds" not in gone
    assert "q-s0 is cancelled: " in said("cancel", "q-s0", code=1)
    assert [job.state for job in Ledger(root).jobs()] == ["cancelled", "cancelled"]
    assert "already exists" in queue_again(said)


def queue_again(said):
    settings = [word for setting in SHORT for word in ("--set", setting)]
    return said("train", "synth", *settings, "--name", "q-s0", "--queue", code=1)


def test_numbers_out_of_range_queue_nothing(said, root):
    settings = ["--set", "joint_epochs=1", "--queue"]
    for words in (["--priority", "10"], ["--restarts", "-1"], ["--device", "cuda:1"]):
        assert said("train", "synth", *settings, *words, code=1).startswith("rivae: ")
    assert Ledger(root).jobs() == []


@pytest.mark.slow
def test_a_worker_trains_what_is_queued_and_its_log_can_be_read(said, root):
    queue_synth(said, "--name", "q")
    said("worker", "--slots", "cpu", "--until-idle")
    assert Run(root / "q").status.state == "finished"
    assert "finished" in said("jobs") and "finished" in said("logs", "q")
    assert "q is finished" in said("logs", "q", "-f")
    assert any("start 1 of q" in line for line in json.loads(said("logs", "q", "--json")))
    assert "already finished" in said("resume", "q", "--queue", code=1)


def test_a_second_worker_says_that_there_is_one(said, root):
    from rivae.base.files import locked

    (root / ".jobs").mkdir()
    with locked(root / ".jobs" / "dispatcher.lock"):
        assert ANOTHER_DISPATCHER in said("worker", "--until-idle", code=1)


def test_slots():
    assert parse_slots("cpu, gpu:0,gpu:12") == ("cpu", "gpu:0", "gpu:12")
    assert parse_slots("gpu") == ("gpu:0",)
    for wrong in ("", "tpu", "gpu:x", "cpu,cpu", "gpu:0;rm"):
        with pytest.raises(ConfigError, match=f"^'{re.escape(wrong)}' .* cpu,gpu:0$"):
            parse_slots(wrong)


def test_an_unfinished_run_is_queued_under_the_name_of_its_folder(said, root):
    Run.create(tiny_config("was"), root).path.rename(root / "is")
    said("resume", "is", "--queue", "--restarts", "1")
    (job,) = Ledger(root).jobs()
    assert (job.run, job.config.name, job.max_restarts) == ("is", "is", 1)
    assert "queued" in said("resume", "is", "--queue", code=1)


def test_a_run_that_is_not_ours_is_not_queued(said, tmp_path):
    made = Run.create(tiny_config("other"), tmp_path / "elsewhere")
    assert "without --queue" in said("resume", str(made.path), "--queue", code=1)


def test_what_is_not_in_the_queue_is_named(said, root):
    for words in (["cancel", "x"], ["logs", "x"]):
        assert re.search("'x' .*`rivae jobs`", said(*words, code=1))
    (job,) = Ledger(root).add([tiny_config("a")])
    said("cancel", "a", "x", code=1)
    assert Ledger(root).job(job.id).state == "queued", "all or none"


def test_a_run_goes_out_and_comes_back(said, root, tmp_path):
    untrained_run(root)
    file = tmp_path / "good.zip"
    assert "files of good" in said("export", "good", str(file))
    assert "already exists" in said("export", "good", str(file), code=1)
    before = file.read_bytes()
    said("export", "good", str(file), "--force")
    assert file.read_bytes() == before
    assert "run named good" in said("import-run", str(file), code=1)
    assert "other: finished" in said("import-run", str(file), "--name", "other")
    assert Run(root / "other").load_method()
    assert "run good " in said("export", "good", str(tmp_path / "no" / "x.zip"), code=1)
    assert "neither" in said("export", "good", str(tmp_path / "x.pdf"), code=1)
    assert "--dry-run" in said("export", "good", str(tmp_path / "x.zip"), "--dry-run", code=1)
    assert not (tmp_path / "x.zip").exists()
    file.write_bytes(before[:100])
    assert "no archive" in said("import-run", str(file), "--name", "third", code=1)


def test_a_run_is_renamed_archived_and_shown_again(said, root):
    untrained_run(root)
    assert "Renamed good to better" in said("rename", "good", "better")
    assert "Archived better" in said("archive", "better")
    assert is_archived(Run(root / "better"))
    names = [row["run"] for row in json.loads(said("runs", "--json"))]
    assert "better" not in names
    assert "better" in [row["run"] for row in json.loads(said("runs", "--all", "--json"))]
    assert "Unarchived better" in said("archive", "better", "--undo")
    assert not is_archived(Run(root / "better"))


def test_a_run_that_a_labelling_plan_names_keeps_its_name(said, root, monkeypatch, tmp_path):
    from rivae.labels.guideline import read_guideline
    from rivae.labels.kept_plans import keep_plan
    from rivae.labels.opening import open_labels
    from rivae.labels.plan import LabelPlan, PlanRun

    run, guideline = untrained_run(root), read_guideline()
    plan = LabelPlan(
        id="first",
        created="2026-01-01",
        dataset="synth",
        fingerprint="0" * 16,
        runs=[PlanRun(id="good", model=run.content_hash, n_items=1)],
        n_queries=None,
        guideline=guideline.version,
        random_state=0,
        order=[0],
        repeats=[],
    )
    store = open_labels()
    keep_plan(store, plan, guideline)
    store.close()
    assert re.search("plan first .*good", said("rename", "good", "better", code=1))
    assert run.path.is_dir()
    # The plan itself goes into the trash and comes back, beside a run of its name.
    assert "Moved first to the trash" in said("delete", "--plan", "first", "--yes")
    assert "first" in said("trash") and NO_PLANS in said("labels", "plans")
    assert "was deleted" in said("delete", "--plan", "first", "--yes", code=1)
    said("rename", "good", "first")
    said("delete", "first", "--yes")
    assert "add --run or --plan" in said("trash", "restore", "first", code=1)
    assert RESTORED.format("first") in said("trash", "restore", "first", "--plan")
    assert json.loads(said("trash", "restore", "first", "--json")) == {
        "run": "first",
        "restored": True,
    }
    assert "first" in said("labels", "plans") and (root / "first").is_dir()


def test_deleting_asks_first(said, root, monkeypatch):
    import io

    untrained_run(root)
    log_path(root, "x").parent.mkdir(exist_ok=True)
    assert "--yes" in said("delete", "good", code=1), "nobody can be asked here"
    for answer, gone in (("n\n", False), ("\n", False), ("", False), ("y\n", True)):
        terminal = io.StringIO(answer)
        terminal.isatty = lambda: True
        monkeypatch.setattr("sys.stdin", terminal)
        out = said("delete", "good", code=0 if gone else 1)
        assert "delete good, " in out and " kB" in out
        assert (root / "good").exists() is not gone
    untrained_run(root)
    assert json.loads(said("delete", "good", "--yes", "--json"))[0]["deleted"]
    assert "run 'good'" in said("delete", "good", "--yes", code=1)
    rows = json.loads(said("trash", "--json"))
    assert [(row["kind"], row["name"]) for row in rows] == [("run", "good")] * 2
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert "--yes" in said("trash", "empty", code=1) and len(json.loads(said("trash", "--json")))
    add_tour("Kept")
    delete_tour("kept")
    assert "tour" in said("trash") and RESTORED.format("kept") in said("trash", "restore", "kept")
    assert [tour.id for tour in list_tours()] == ["kept"] and delete_tour("kept")
    assert "freed" in said("trash", "empty", "--yes")
    assert said("trash") == f"{EMPTY}\n"
    assert "'good'" in said("trash", "restore", "good", code=1)


def test_only_runs_are_deleted_archived_and_renamed(said, root, tmp_path):
    """A folder is no run because a config.json is in it, nor because somebody names its path."""
    elsewhere = untrained_run(tmp_path / "elsewhere").path
    foreign = tmp_path / "work"
    for folder in (foreign, root / "project"):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text('{"model_type": "bert"}')
        (folder / "thesis.tex").write_text("years")
    (root / "linked").symlink_to(elsewhere)
    (root / "other").symlink_to(foreign)
    before = sorted(tmp_path.rglob("*"))
    named = (
        "project",
        str(foreign),
        str(root / "project"),
        str(elsewhere),
        "../work",
        "./project",
        "linked",
        "other",
        "../elsewhere/good",
        "project/",
        "demo-synth",
    )
    for name in named:
        for words in (["delete", name, "--yes"], ["archive", name], ["rename", name, "mine"]):
            line = said(*words, code=1)
            assert line.startswith("rivae: ") and line.count("\n") == 1, line
    assert NO_LABELS in said("delete", "--plan", "none", "--yes", code=1)
    assert sorted(tmp_path.rglob("*")) == before
    assert "a path:" in said("delete", str(elsewhere), "--yes", code=1)
    assert "a link" in said("delete", "linked", "--yes", code=1)
    assert "a run's:" in said("delete", "project", "--yes", code=1)
    demo = said("delete", "demo-synth", "--yes", code=1)
    assert COMES_ALONG.format("demo-synth") in demo


@pytest.mark.slow
def test_a_hash_for_the_secrets_file(said, monkeypatch):
    import io
    import tomllib

    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    own = tomllib.loads(said("password-hash"))["rivae"]
    assert fits("correct horse", own["password_hash"])
