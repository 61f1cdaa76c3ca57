"""A probe of real steps: which stages, which settings, what follows, and that nothing stays."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from rivae.app.forms.estimate import STEPS, Estimate, StageTime, estimate_key, lengths_of, probe
from rivae.base.errors import DataError
from rivae.jobs.launch import make_config
from tests.training.tiny import smooth_settings, tiny_config
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    """Where a probe may write; it must be empty afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.glob("rivae*")), "nothing is left behind"


@pytest.mark.parametrize(
    ("method", "stages"),
    [
        (
            "rivae",
            {
                "initialise": "init_epochs",
                "unfold-heads": "unfold_epochs",
                "ivae": "ivae_epochs",
                "joint": "joint_epochs",
            },
        ),
        ("dcca", {"initialise": "init_epochs", "g": "g_epochs", "joint": "joint_epochs"}),
        (
            "rbi-vae",
            {"initialise": "init_epochs", "bi-vae": "model_epochs", "joint": "joint_epochs"},
        ),
        ("bi-vae", {"bi-vae": "epochs"}),
        ("info-nce-ica", {"info-nce-ica": "epochs"}),
    ],
)
def test_every_stage_is_measured(method, stages):
    config = tiny_config(method=method)
    found = probe(config)
    assert {stage.name: stage.setting for stage in found.stages} == stages
    for stage in found.stages:
        assert stage.epochs == lengths_of(config)[stage.setting]
        assert (stage.step_s > 0) == (stage.epochs > 0), stage
    assert found.n_pairs == 50 and found.memory > 100e6 and found.card_memory is None


def test_smooth_starts_and_unfolded_heads_are_measured():
    seen = []
    config = tiny_config(**smooth_settings(), unfold_epochs=2, unfold_neighbours=12)
    found = probe(config, lambda stage, share: seen.append((stage, share)))
    assert [stage.name for stage in found.stages if stage.step_s > 0] == [
        "unfold",
        "unfold-heads",
        "ivae",
        "joint",
    ]
    shares = [share for _, share in seen]
    assert shares == sorted(shares) and {"unfold", "joint", "validation"} <= {s for s, _ in seen}


def test_about_twenty_steps_of_a_stage_are_done(monkeypatch):
    from rivae.models.methods.rivae import RIVAE

    steps = []
    real = RIVAE.loss
    monkeypatch.setattr(RIVAE, "loss", lambda self, b: steps.append(b.stage) or real(self, b))
    probe(tiny_config(joint_epochs=90_000, ivae_epochs=0, init_epochs=90_000))
    assert {name: steps.count(name) for name in set(steps)} == {"initialise": STEPS, "joint": STEPS}


def test_what_cannot_be_opened_is_one_sentence(monkeypatch):
    monkeypatch.delenv("RIVAE_MNIST", raising=False)
    with pytest.raises(DataError, match="split-mnist needs the folder"):
        probe(make_config("split-mnist", name="x"))


def test_interrupted_it_leaves_nothing():
    def interrupt(stage, share):
        if stage == "joint":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probe(tiny_config(), interrupt)


# What follows


@pytest.fixture
def measured():
    one = StageTime("one", "init_epochs", 10, 5, 0.1, 2.0, validated=False)
    two = StageTime("two", "joint_epochs", 4, 10, 0.2, 0.0, validated=True)
    return Estimate(
        (one, two),
        start_s=3.0,
        validate_s=1.0,
        save_s=0.0,
        validate_every=3,
        checkpoint_seconds=1.0,
        n_pairs=50,
        device="cpu",
        memory=10**9,
        card_memory=None,
    )


def test_the_whole_is_its_parts(measured):
    # 10 x 5 x .1 + 2; 4 x 10 x .2 and validations after epochs 3 and 4; three at the end
    assert measured.seconds() == pytest.approx(3 + (5 + 2) + (8 + 2) + 3)
    assert measured.seconds({"joint_epochs": 40}) == pytest.approx(3 + 7 + (80 + 14) + 3)
    assert measured.seconds({"init_epochs": 0}) == pytest.approx(3 + 10 + 3)


def test_checkpoints_are_kept_no_more_often_than_said(measured):
    slow = replace(measured, save_s=0.05)
    # Epochs of .5 s: every second one is followed by a checkpoint; of 2 s: every one.
    assert slow.seconds() - measured.seconds() == pytest.approx(5 * 0.05 + 4 * 0.05)
    # Where one takes .5 s, they wait until they cost a twentieth: every 20th epoch, every 5th.
    slower = replace(measured, save_s=0.5)
    assert slower.seconds() - measured.seconds() == pytest.approx((10 / 20 + 4 / 5) * 0.5)


def test_it_goes_through_json(measured):
    assert Estimate.from_dict(json.loads(json.dumps(measured.to_dict()))) == measured


def test_which_runs_are_alike():
    key = estimate_key(tiny_config())
    assert key == estimate_key(tiny_config("other", seed=3, joint_epochs=99))
    assert key != estimate_key(tiny_config(unfold_epochs=1)), "a stage that was not measured"
    assert key != estimate_key(tiny_config(batch_size=8))
    assert key != estimate_key(tiny_config(training={"validate_every": 2}))


# Its process


def start(config, folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "rivae.app.work.tasks", "rivae.app.train.work:estimate"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process.stdin as stream:
        json.dump({"config": config.model_dump_json()}, stream)
    process.stdin = None
    return process


@pytest.mark.slow
def test_the_process_hands_over_what_it_found(own_temporary_folder):
    process = start(tiny_config(), own_temporary_folder)
    lines = [json.loads(line) for line in process.communicate(timeout=PATIENCE_S)[0].splitlines()]
    assert process.returncode == 0 and lines[-1]["done"]
    assert [s.name for s in Estimate.from_dict(lines[-1]["result"]).stages][-1] == "joint"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "said"),
    [({"embedder": {"kind": "conv"}}, "conv"), ({"smooth_neighbours": 60, "init": "smooth"}, "60")],
)
def test_the_process_says_what_is_wrong(settings, said, own_temporary_folder):
    process = start(tiny_config(**settings), own_temporary_folder)
    last = json.loads(process.communicate(timeout=PATIENCE_S)[0].splitlines()[-1])
    assert process.returncode == 1 and said in last["error"] and "\n" not in last["error"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_the_process_stops_when_asked(own_temporary_folder):
    config = make_config("sprites", name="x", method_settings={"init": "none", "anchor": None})
    process = start(config, own_temporary_folder)
    while "ivae" not in process.stdout.readline():
        assert process.poll() is None
    assert list(own_temporary_folder.glob("rivae*")), "it is at work"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
