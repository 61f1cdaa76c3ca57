"""What a command says while it works: at once, then now and then, and nothing where unwanted."""

import io
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rivae.base.errors import DataError
from rivae.cli import main
from rivae.cli.common import OPENING_CHECKPOINT, OPENING_DATA, OPENING_RUN, Steps
from rivae.cli.train import ProgressLine
from rivae.runs import Run
from rivae.training import Position, Trainer
from rivae.training.models import TrainingJob
from tests.training.tiny import tiny_config


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so."""

    class Clock:
        now = 1000.0

    monkeypatch.setattr("time.monotonic", lambda: Clock.now)
    return Clock


@pytest.fixture
def terminal(monkeypatch):
    """Standard error seems to be a narrow terminal."""
    monkeypatch.setattr("rivae.cli.common.sys", SimpleNamespace(stderr=Terminal()))
    monkeypatch.setenv("COLUMNS", "60")
    return sys.modules["rivae.cli.common"].sys.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at(step, epoch=0, steps=100):
    return Position("joint", epoch, 4, step, steps)


def test_outside_of_a_terminal_a_line_every_half_minute(clock, capsys):
    line = ProgressLine(Steps("", file_s=30), "long")
    line.watch(Position("joint", 0, 4, 0, 0))
    for step in range(100):
        line.watch(at(step))
        clock.now += 1
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["long: preparing joint", "long: joint epoch 1/4 step 1/100"]
    assert [line.split(" · ")[0] for line in said[2:]] == [
        f"long: joint epoch 1/4 step {step}/100" for step in (31, 61, 91)
    ]
    assert said[2].endswith(" · 1 steps/s · about 6 min left"), "370 steps at one a second"


def test_in_a_terminal_one_line_that_fits(clock, terminal):
    line = ProgressLine(Steps(""), "a-name-of-a-run")
    for step in range(20):
        line.watch(at(step))
        clock.now += 0.05
    line(
        {
            "epoch": 1,
            "total_epochs": 4,
            "stage": "joint",
            "objective": 0.25,
            "validation": {"recall_at_1": 0.5, "median_rank": 2.0},
        }
    )
    clock.now += 1
    line.watch(at(0, epoch=1))
    line.steps.close()
    written = terminal.getvalue()
    assert "\n" not in written and written.endswith("\r\033[K")
    lines = written.split("\r\033[K")[1:-1]
    assert 5 < len(lines) < 14, "several times a second, not every step"
    assert all(len(shown) < 60 for shown in lines)


def test_notes_and_the_end_stay(clock, terminal):
    line = ProgressLine(Steps(""), "r")
    line.watch(at(0))
    line({"note": "the last checkpoint was damaged"})
    line({"epoch": 4, "total_epochs": 4, "stage": "joint", "objective": 0.25})
    written = terminal.getvalue()
    assert "\r\033[Kr: the last checkpoint was damaged\n" in written
    assert "r: joint epoch 4/4 · loss 0.250\n" in written


def test_quiet_says_nothing(capsys):
    steps = Steps("r", quiet=True)
    steps("reading")
    steps.keep("done")
    assert capsys.readouterr().err == ""


def test_a_trainer_tells_where_it_is_before_it_works(tmp_path):
    config = tiny_config(init_epochs=0, ivae_epochs=0, joint_epochs=2, batch_size=25)
    run = Run.create(config, tmp_path)
    told, done = [], []

    def tick():
        done.append(told[-1])

    Trainer([TrainingJob(run, run.load_dataset())], tick=tick, watch=told.append).fit()
    joint = [t for t in told if t.stage == "joint"]
    assert joint[0] == Position("joint", 0, 2, 0, 0), "while it is prepared"
    assert done == [Position("joint", e, 2, s, 2) for e in (0, 1) for s in (0, 1)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "synth"], "synth-rivae: opening synth"),
        (["resume", "made"], f"made: {OPENING_CHECKPOINT}"),
        (["evaluate", "made"], f"made: {OPENING_RUN}"),
        (["traverse", "made"], f"made: {OPENING_RUN}"),
        (["choose", "made", "other", "third"], f"choose: {OPENING_DATA}"),
    ],
)
def test_the_first_word_comes_before_the_work(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    for name in ("made", "other", "third"):
        Run.create(tiny_config(name), tmp_path)

    def stop(*args, **kwargs):
        raise DataError("the data lie on a slow disk")

    monkeypatch.setattr(Run, "load_dataset", stop)
    monkeypatch.setattr("rivae.jobs.launch.open_dataset", stop)
    assert main(words) == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first == said and last == "rivae: the data lie on a slow disk"
    assert main([*words, "--json"]) == 1
    assert capsys.readouterr().err.splitlines() == ["rivae: the data lie on a slow disk"]


def test_the_command_line_starts_without_torch():
    line = "import sys, rivae.cli; print(sorted({'torch', 'pandas', 'sklearn'} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
