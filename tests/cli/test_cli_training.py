"""``datasets``, ``train`` and ``resume`` as a user calls them: words, exit codes, sentences."""

import errno
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from rivae import __version__
from rivae.base.errors import RunError
from rivae.base.files import ADVICE
from rivae.cli import main
from rivae.data import dataset_names
from rivae.runs import Run, list_runs
from rivae.runs.evaluation_file import Evaluation, read_evaluation
from rivae.runs.folders import COMES_ALONG
from tests.training.tiny import files_of, untrained_run
from tests.waiting import PATIENCE_S, until

SHORT = {
    "init": "cos-sim-lvm",
    "anchor": "null",
    "init_epochs": 1,
    "ivae_epochs": 1,
    "joint_epochs": 2,
    "dataset.n_pairs": 150,
}


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """New runs go to a fresh folder."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def changes(**settings):
    words = []
    for key, value in {**SHORT, **settings}.items():
        words += ["--set", f"{key.replace('__', '.')}={value}"]
    return words


def train_synth(*words, **settings):
    return main(["train", "synth", *words, *changes(**settings)])


def refused(capsys, *words):
    """The one sentence on stderr of a command that must end with exit code 1."""
    assert main(list(words)) == 1
    captured = capsys.readouterr()
    *before, last = captured.err.splitlines()
    assert last.startswith("rivae: ") and not any(line.startswith("rivae: ") for line in before)
    return last[len("rivae: ") :]


# Words.


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["fly"],
        ["train"],
        ["train", "synth", "--fast"],
        ["resume"],
        ["datasets", "synth", "mnist"],
        ["train", "synth", "--set"],
    ],
    ids=" ".join,
)
def test_wrong_words_end_with_2_and_the_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: rivae" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train", "resume", "datasets"])
def test_help_shows_examples(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    out = capsys.readouterr().out
    assert ended.value.code == 0 and f"examples:\n  rivae {command}" in out and "--json" in out


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out == f"rivae {__version__}\n"


# datasets


def test_datasets_are_listed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path))
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "data set"
    assert tuple(line.split()[0] for line in lines[1:]) == dataset_names()
    assert main(["datasets", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["name"] == "synth" and rows[0]["settings"]["n_pairs"] == 3000


@pytest.mark.parametrize("key", ["n_pairs", "dataset.n_pairs"])
def test_one_data_set_is_described(key, capsys):
    assert main(["datasets", "synth", "--set", f"{key}=300"]) == 0
    assert "pairs:               300" in capsys.readouterr().out
    assert main(["datasets", "synth", "--json", "--set", f"{key}=300"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["pairs"] == 300 and facts["train pairs"] == 100
    assert facts["factors"][0] == "shared 1 (continuous, shared)"


def test_what_datasets_refuses(capsys):
    assert "data set 'imagenet'" in refused(capsys, "datasets", "imagenet")
    sentence = refused(capsys, "datasets", "synth", "--set", "training.device=cpu")
    assert sentence.startswith("'training.device'") and sentence.endswith(" dataset.")
    sentence = refused(capsys, "datasets", "synth", "--set", "pairs=3")
    assert re.search("synth .* 'pairs': .* n_pairs", sentence)
    assert "datasets NAME" in refused(capsys, "datasets", "--set", "n_pairs=3")


# train


def test_train_makes_a_run_and_says_what_to_do_next(root, capsys):
    assert train_synth("--name", "first") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("first: finished, validation R@1 0.")
    assert "rivae evaluate first" in captured.out and "rivae serve" in captured.out
    said = captured.err.splitlines()
    assert said[0] == "first: opening synth", "before anything that takes time"
    assert said[1:3] == ["first: preparing initialise", "first: initialise epoch 1/4 step 1/1"]
    assert said[-2].startswith("first: joint epoch 4/4 · loss ")
    run = Run(root / "first")
    assert run.status.state == "finished" and run.config.dataset.settings == {"n_pairs": 150}
    assert run.config.method.settings["joint_epochs"] == 2


def test_train_as_json_is_one_value(root, capsys):
    assert train_synth("--seeds", "0,2", "--json", "--quiet") == 0
    captured = capsys.readouterr()
    rows = json.loads(captured.out)
    assert captured.err == ""
    assert [row["run"] for row in rows] == ["synth-rivae-s0", "synth-rivae-s2"]
    assert all(row["state"] == "finished" for row in rows)
    assert rows[0]["validation"]["median_rank"] > 0
    assert rows[0]["path"] == str(root / "synth-rivae-s0")
    assert Run(root / "synth-rivae-s2").config.seed == 2
    assert Run(root / "synth-rivae-s2").status.batch == ["synth-rivae-s0", "synth-rivae-s2"]


def test_other_methods_presets_and_options(root, capsys):
    words = ["train", "synth", "--method", "cos-sim-lvm", "--preset", "paper", "--name", "c"]
    words += ["--device", "cpu", "--set", "epochs=2", "--set", "dataset.n_pairs=150"]
    assert main([*words, "--set", "training.select=best", "--set", "head_hidden=[4,4]"]) == 0
    config = Run(root / "c").config
    assert config.method.name == "cos-sim-lvm" and config.method.preset == "paper"
    assert config.method.settings["head_hidden"] == [4, 4] and config.training.select == "best"
    assert config.training.clip_norm is None


def test_seeds_with_patience_train_one_by_one(root):
    assert train_synth("--seeds", "0-1", "--quiet", training__patience=1) == 0
    assert [run.status.batch for run in list_runs([root])] == [[], []]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["imagenet"], "data set 'imagenet'.* synth"),
        (["synth", "--method", "gan"], "method 'gan'"),
        (["synth", "--preset", "good"], "preset 'good': .*default or paper"),
        (["synth", "--set", "axis=1"], "rivae .*'axis': .*embedder"),
        (["synth", "--set", "dataset.size=1"], "synth .*'size': .*n_pairs"),
        (["synth", "--set", "training.gpu=1"], "training .*'gpu': .*device"),
        (["synth", "--set", "joint_epochs=many"], "'joint_epochs' of rivae: "),
        (["synth", "--set", "eta"], "'eta'.* --set key=value"),
        (["synth", "--set", "net.width=3"], r"'net.width': .*method\., dataset\."),
        (["synth", "--device", "tpu"], "'device' of training: 'tpu'"),
        (["synth", "--name", "A b"], "'A b'.* 80"),
        (["synth", "--seeds", "x"], "'x'.* 3, 0-9 or 0,2,5"),
        (["synth", "--set", "dataset.n_pairs=1"], "'n_pairs' of synth: .* 30"),
        (["sprites", "--set", "embedder.kind=mlp"], r"'embedder.kind': .*method\., dataset\."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_train_refuses_leaves_nothing(words, reason, root, capsys):
    assert re.search(reason, refused(capsys, "train", *words))
    assert not root.exists() or list(root.iterdir()) == []


def test_errors_as_json(capsys):
    assert main(["train", "imagenet", "--json"]) == 1
    assert "'imagenet'" in json.loads(capsys.readouterr().out)["error"]


def test_a_taken_name(root, capsys):
    assert train_synth("--name", "a", "--quiet") == 0
    capsys.readouterr()
    sentence = refused(capsys, "train", "synth", "--name", "a")
    assert re.search("run named a .*--name.* resume", sentence)


def test_a_diverging_run_ends_with_1_and_the_reason(root, capsys):
    words = ["train", "synth", "--name", "bad", *changes(learning_rate=1e12), "--quiet"]
    assert "raise eta" in refused(capsys, *words)
    assert Run(root / "bad").status.state == "failed"


def test_one_bad_seed_does_not_cost_the_seeds_after_it(root, capsys):
    # With patience the seeds train one by one; the name of the first one is taken.
    assert train_synth("--name", "n-s0", "--quiet") == 0
    capsys.readouterr()
    words = ["--seeds", "0-1", "--name", "n", "--quiet", "--json"]
    assert train_synth(*words, training__patience=1) == 1
    captured = capsys.readouterr()
    rows = json.loads(captured.out)
    assert rows[0]["run"] == "n-s1" and rows[0]["state"] == "finished"
    assert rows[1]["run"] == "n-s0" and "already exists" in rows[1]["error"]
    assert captured.err.startswith("rivae: n-s0: a run named n-s0 already exists")


# Stopping and resuming.


def interrupted_at(monkeypatch, epoch):
    from rivae.cli.train import ProgressLine

    show = ProgressLine.__call__

    def stop(self, row):
        show(self, row)
        if row.get("epoch") == epoch:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(ProgressLine, "__call__", stop)


def test_a_polite_kill_says_how_to_go_on(root, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGTERM)
    assert train_synth("--name", "whole", "--quiet") == 0
    interrupted_at(monkeypatch, 3)
    assert train_synth("--name", "half") == 130
    assert capsys.readouterr().err.endswith("stopped: `rivae resume half` continues from here\n")
    assert Run(root / "half").status.state == "interrupted"
    monkeypatch.undo()
    monkeypatch.setenv("RIVAE_RUNS", str(root))
    assert signal.getsignal(signal.SIGTERM) is before
    assert main(["resume", "half", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["state"] == "finished"
    assert files_of(Run(root / "half")) == files_of(Run(root / "whole"))


def test_stopped_between_seeds_it_names_those_not_begun(root, monkeypatch, capsys):
    interrupted_at(monkeypatch, 2)
    assert train_synth("--seeds", "0-2", "--name", "n", training__patience=5) == 130
    hint = capsys.readouterr().err.splitlines()[-1]
    assert hint == "stopped: `rivae resume n-s0` continues from here; not started yet: n-s1, n-s2"
    assert [run.id for run in list_runs([root])] == ["n-s0"]


def test_what_resume_refuses(root, capsys):
    assert train_synth("--name", "done", "--quiet") == 0
    capsys.readouterr()
    assert "run 'x'" in refused(capsys, "resume", "x")
    assert re.match("run done .*finished", refused(capsys, "resume", "done"))


@pytest.mark.slow
def test_sigterm_from_outside(root, repo_root):
    words = ["train", "synth", "--name", "t", "--quiet", *changes(joint_epochs=100_000)]
    env = {**os.environ, "PYTHONPATH": str(repo_root)}
    process = subprocess.Popen(
        [sys.executable, "-m", "rivae", *words], env=env, stderr=subprocess.PIPE, text=True
    )
    run = Run(root / "t")
    until(lambda: len(run.metrics()) >= 4 or process.poll() is not None, "it trains")
    assert run.status.state == "running"
    process.terminate()
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert said.endswith("stopped: `rivae resume t` continues from here\n")
    assert run.status.state == "interrupted"


# Measuring.


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_numbers_that_cannot_be_kept_are_shown_all_the_same(root, monkeypatch, capsys, number):
    """The true reason and what helps against it, before the work and after; nothing is lost."""
    reason, written = os.strerror(number), []

    def refuse(path, *args):
        if not path.is_relative_to(root):
            return written.append((path, *args))
        raise OSError(number, reason)

    for name in ("one", "two"):
        untrained_run(root, name)
    found = {"retrieval": {"recall_at_1": {"score": 0.25}}}
    monkeypatch.setattr(
        "rivae.evaluation.of_run.evaluate",
        lambda *args, **settings: Evaluation.model_validate(found),
    )
    monkeypatch.setattr("rivae.runs.evaluation_file.write_json", refuse)
    monkeypatch.setattr("rivae.runs.evaluation_file.require_room", refuse)
    assert main(["evaluate", "one", "two"]) == 1
    said = capsys.readouterr()
    assert said.out.count("0.250") == 2 and "written to" not in said.out
    before, last = said.err.splitlines()[0:-1], said.err.splitlines()[-1]
    for line in (next(line for line in before if ADVICE[number] in line), last):
        assert ADVICE[number] in line
    assert [path.name for path, _ in written] == ["one-evaluation.json", "two-evaluation.json"]
    assert str(written[1][0]) in last and written[1][1]["retrieval"] == found["retrieval"]
    assert len(last) <= 300
    assert main(["evaluate", "one", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"one": found}


def test_an_evaluation_survives_a_folder_that_fills_up_meanwhile(root, monkeypatch, tmp_path):
    """From Python: refused before the work where that is known, else kept and named."""
    run = untrained_run(root, "one")
    result = Evaluation.model_validate({"retrieval": {"recall_at_1": {"score": 0.25}}})
    run.require_evaluation_room()
    assert not list(run.path.glob(".*room*"))
    monkeypatch.chdir(tmp_path)
    (run.path / "evaluation.json").mkdir()  # what a rename cannot replace
    with pytest.raises(RunError) as said:
        run.write_evaluation(result, or_elsewhere=True)
    kept = tmp_path / "one-evaluation.json"
    assert str(kept) in str(said.value) and read_evaluation(kept).score("recall_at_1") == 0.25
    with pytest.raises(RunError):
        run.write_evaluation(result)
    assert list(tmp_path.glob("*evaluation*")) == [kept]
    with pytest.raises(RunError, match=ADVICE[errno.ENOENT]):
        Run(root / "gone").require_evaluation_room()


def test_a_demo_run_is_measured_and_stays_as_it_is(root, monkeypatch, capsys):
    path = untrained_run(root, "one").path
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", root)
    found = Evaluation.model_validate({"retrieval": {"recall_at_1": {"score": 0.25}}})
    monkeypatch.setattr("rivae.evaluation.of_run.evaluate", lambda *args, **settings: found)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert main(["evaluate", "one"]) == 0
    said = capsys.readouterr().out
    assert "0.250" in said and COMES_ALONG.format("one") in said
    after = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert after == before


@pytest.mark.parametrize("command", ["evaluate", "traverse", "resume", "delete"])
def test_a_name_of_any_length_is_one_sentence(command, capsys):
    assert main([command, "x" * 5000]) == 1
    said = capsys.readouterr().err
    assert "run 'xxx" in said and len(said) < 300
