"""SIGKILL at any moment: between two writes, in the middle of one, before the first.

Most kills happen in a forked child that kills itself at a counted file operation, which reaches
every moment that matters; one run is killed from outside through the real command line.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys

import pytest

from rivae.jobs.launch import make_config, resume, train
from rivae.runs import Run, find_run, list_runs
from tests.training.tiny import ALWAYS, SYNTH, files_of, tiny_config
from tests.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")

SHORTEST = {"init_epochs": 1, "ivae_epochs": 2, "joint_epochs": 2}


def count_file_operations(act):
    """Call ``act(n)`` before and after every sync, link, rename and replacement of a file."""
    calls = 0

    def tick():
        nonlocal calls
        calls += 1
        act(calls)

    def watched(function):
        def call(*args, **kwargs):
            tick()
            result = function(*args, **kwargs)
            tick()
            return result

        return call

    os.fsync, os.link = watched(os.fsync), watched(os.link)
    for name in ("replace", "rename", "unlink"):
        setattr(pathlib.Path, name, watched(getattr(pathlib.Path, name)))


def in_child(action):
    """Run ``action`` in a forked child; returns how it ended, as ``os.waitpid`` says."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def train_killed_at(configs, root, operation):
    def action():
        def kill(n):
            if n == operation:
                os.kill(os.getpid(), signal.SIGKILL)

        count_file_operations(kill)
        train(configs, root)

    return in_child(action)


def operations_of(configs, root):
    """How many moments there are, counted in a child that is not killed."""
    log = root / "count"
    root.mkdir()

    def action():
        seen = []
        count_file_operations(seen.append)
        train(configs, root)
        log.write_text(str(len(seen)))

    assert in_child(action) == 0
    return int(log.read_text())


def kill_and_resume_everywhere(configs, tmp_path, n_moments):
    whole = [files_of(run) for run in train(configs, tmp_path / "whole")]
    total = operations_of(configs, tmp_path / "counted")
    assert total > 50
    # Drawn, because equal steps would fall on the same step of every save.
    moments = [1, *sorted(random.Random(1).sample(range(2, total), n_moments - 2)), total]
    begun = 0
    for moment in moments:
        root = tmp_path / str(moment)
        root.mkdir()
        ended = train_killed_at(configs, root, moment)
        assert os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL
        runs = list_runs([root])
        if len(runs) < len(configs):
            # Killed while the folders were made: what there is resumes, the rest starts anew.
            assert not any(run.metrics() for run in runs)
            continue
        begun += 1
        assert all(run.status.state in ("created", "interrupted", "finished") for run in runs)
        open_runs = [run for run in runs if run.status.state != "finished"]
        if open_runs:
            resume(open_runs[:1])  # one of a batch brings the others along
        for config, expected in zip(configs, whole, strict=True):
            run = Run(root / config.name)
            assert run.status.state == "finished"
            assert files_of(run) == expected, f"killed at file operation {moment} of {total}"
            left = {path.name for path in run.path.rglob("*.tmp")}
            assert not left or run not in open_runs
    assert begun > n_moments / 2


@pytest.mark.slow
def test_one_run_killed_between_any_two_file_operations(tmp_path):
    config = tiny_config(training={"select": "best"}, **SHORTEST)
    kill_and_resume_everywhere([config], tmp_path, 10)


@pytest.mark.slow(rare=True)
def test_a_batch_of_seeds_killed_between_any_two_file_operations(tmp_path):
    configs = [tiny_config(f"s{seed}", seed=seed, **SHORTEST) for seed in (3, 4)]
    kill_and_resume_everywhere(configs, tmp_path, 9)


@pytest.mark.slow
def test_killed_between_the_last_epoch_and_the_end_of_its_stage(tmp_path):
    # Early stopping is decided from the checkpoint again, and must not train one epoch more.
    settings = {"joint_epochs": 40, "joint_learning_rate": 1e-9, "schedule": "constant"}
    config = tiny_config(training={"patience": 2}, **{**SHORTEST, **settings})
    (whole,) = train([config], tmp_path / "whole")
    n = len(whole.metrics())
    assert n < 30

    def action():
        save = Run.set_status

        def kill_after_saving(run, **changes):
            save(run, **changes)
            if changes.get("epoch") == n and changes.get("stage") == "joint":
                os.kill(os.getpid(), signal.SIGKILL)

        Run.set_status = kill_after_saving
        train([config], tmp_path / "killed")

    assert os.WTERMSIG(in_child(action)) == signal.SIGKILL
    run = Run(tmp_path / "killed" / config.name)
    assert len(run.metrics()) == n and not run.ready
    resume([run])
    assert files_of(run) == files_of(whole)


def wait_for_rows(run, n, process):
    def written():
        assert process.poll() is None, "training ended before it could be killed"
        return len(run.metrics()) >= n

    until(written, "training writes rows", every=0.005)


# "A killed trainer goes on" of the dispatcher is the one that every suite runs.
@pytest.mark.slow(rare=True)
def test_the_command_line_killed_from_outside_and_resumed(tmp_path, repo_root):
    settings = {"init": "cos-sim-lvm", "init_epochs": 4, "ivae_epochs": 6, "joint_epochs": 30}
    settings |= {"batch_size": 16, "anchor": "null"}
    env = {**os.environ, "RIVAE_RUNS": str(tmp_path / "cli"), "PYTHONPATH": str(repo_root)}
    words = ["train", "synth", "--quiet", "--name", "killed"]
    for group, values in (("dataset", SYNTH), ("method", settings), ("training", ALWAYS)):
        for key, value in values.items():
            words += ["--set", f"{group}.{key}={value}"]
    run = Run(tmp_path / "cli" / "killed")
    process = subprocess.Popen([sys.executable, "-m", "rivae", *words], env=env, cwd=tmp_path)
    wait_for_rows(run, 15, process)
    assert run.status.state == "running"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run.status.state == "interrupted" and "resume it" in run.status.message
    done = subprocess.run(
        [sys.executable, "-m", "rivae", "resume", "killed", "--quiet"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("killed: finished, validation R@1")

    config = make_config(
        "synth", name="killed", dataset_settings=SYNTH, method_settings=settings, training=ALWAYS
    )
    (whole,) = train([config], tmp_path / "whole")
    assert files_of(find_run("killed", [tmp_path / "cli"])) == files_of(whole)
