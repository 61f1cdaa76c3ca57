"""The trainer: schedules, selection, and every way a run can fail with a clear state."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from rivae.base import files
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.base.files import ADVICE, locked
from rivae.data import PairedDataset, TensorView, load_dataset
from rivae.data.store import PairStore
from rivae.data.store.pixels import StorePixels
from rivae.jobs import launch
from rivae.jobs.launch import resume, train
from rivae.models.contrast_start import FitStage
from rivae.models.stages import Stage
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from rivae.training.checkpoint import load_checkpoint
from rivae.training.feed import Feed
from rivae.training.validation import validation_scores
from tests.training.tiny import SYNTH, StopAfter, files_of, smooth_settings, tiny_config


def last_of(run):
    return run.path / "checkpoints" / "last.safetensors"


# What a run writes.


def test_a_run_tells_its_whole_story(tmp_path):
    heard = []
    config = tiny_config(training={"validate_every": 2})
    (run,) = train([config], tmp_path, heard.append)
    rows = run.metrics()
    assert [row["epoch"] for row in rows] == list(range(1, 10))
    assert [row["stage"] for row in rows] == ["initialise"] * 3 + ["ivae"] * 2 + ["joint"] * 4
    assert [row["step"] for row in rows] == [3 * epoch for epoch in range(1, 10)]  # 50 // 16
    # Every second epoch of a stage and its last one; never before z means something.
    assert [row["epoch"] for row in rows if "validation" in row] == [5, 7, 9]
    scores = rows[-1]["validation"]
    assert set(scores) == {"score", "recall_at_1", "recall_at_10", "median_rank", "mcc", "r2"}
    assert 0 < scores["recall_at_1"] <= scores["recall_at_10"] <= 1
    assert {"reconstruction", "kl", "retrieval", "regulariser"} < set(rows[-1])
    assert [{**row, "seconds": 0, "total_epochs": 9} for row in rows] == [
        {**row, "seconds": 0} for row in heard
    ]
    status = run.status
    assert (status.state, status.epoch, status.total_epochs) == ("finished", 9, 9)
    assert status.started and status.updated >= status.started
    alignment = json.loads((run.path / "alignment.json").read_text())
    before, after = alignment["validation_before"], alignment["validation_after"]
    assert before["recall_at_1"] == after["recall_at_1"] == scores["recall_at_1"]


@pytest.mark.slow
def test_the_axes_end_where_the_setting_says(tmp_path):
    (run,) = train([tiny_config(axis_reach=4.0)], tmp_path)
    data = run.load_dataset()
    mu = run.load_method().encode(data.x1.batch(data.splits["train"]))[0].detach()
    quantiles = torch.quantile(mu, torch.tensor([0.005, 0.995]), dim=0)
    torch.testing.assert_close(quantiles, torch.tensor([[-4.0], [4.0]]).expand(2, 2))
    (plain,) = train([tiny_config("plain", axes="as trained")], tmp_path)
    assert not (plain.path / "alignment.json").exists()


@pytest.mark.slow
def test_rates_follow_milestones_and_cosine(tmp_path):
    settings = {"milestones": [[1, 0.5], [3, 0.1]], "schedule": "constant"}
    (run,) = train([tiny_config(joint_learning_rate=0.01, **settings)], tmp_path)
    joint = [row["learning_rate"] for row in run.metrics() if row["stage"] == "joint"]
    assert joint == pytest.approx([0.01, 0.005, 0.005, 0.0005])
    (run,) = train([tiny_config("cosine", joint_learning_rate=0.01, schedule="cosine")], tmp_path)
    joint = [row["learning_rate"] for row in run.metrics() if row["stage"] == "joint"]
    assert joint == sorted(joint, reverse=True) and joint[0] < 0.01 and joint[-1] < 1e-9


@pytest.mark.slow
def test_frozen_embedders_stay_frozen_in_stage_one(tmp_path):
    weights = []
    for name, n in (("start", 1), ("more", 5)):
        (run,) = train([tiny_config(name, ivae_epochs=n, joint_epochs=0)], tmp_path)
        weights.append(run.load_method().state_dict())
    same = {key: torch.equal(weights[0][key], weights[1][key]) for key in weights[0]}
    assert all(same[key] for key in same if key.startswith("embedder"))
    assert not any(same[key] for key in same if key.startswith("decoder"))


def test_a_stage_without_epochs_is_skipped(tmp_path):
    (run,) = train([tiny_config(init_epochs=0, ivae_epochs=0, joint_epochs=2)], tmp_path)
    assert run.status.state == "finished" and run.load_method()
    assert [row["stage"] for row in run.metrics()] == ["joint", "joint"]


# Selection and stopping.


class Scripted:
    """A validator that gives the scores of a list, one per call."""

    def __init__(self, scores):
        self.scores = list(scores)

    def __call__(self, method, data):
        return {"score": self.scores.pop(0)}


def fit_with_scores(tmp_path, scores, **training):
    # Only the last stage is validated with patience or selection in mind.
    config = tiny_config(ivae_epochs=0, joint_epochs=8, axes="as trained", training=training)
    run = Run.create(config, tmp_path)
    data = load_dataset("synth", **SYNTH)
    Trainer([TrainingJob(run, data)], Scripted(scores)).fit()
    return run


def test_best_keeps_the_weights_of_the_best_epoch(tmp_path):
    scores = [0.1, 0.2, 0.9, 0.3, 0.9, 0.1, 0.2, 0.3]
    run = fit_with_scores(tmp_path, scores, select="best")
    saved = load_checkpoint(run.path / "checkpoints" / "best.safetensors")
    assert saved.state["epoch"] == 3 + 3 and saved.state["score"] == 0.9
    kept = run.load_method().state_dict()
    assert all(torch.equal(kept[key], saved.tensors[key]) for key in kept)
    last = load_checkpoint(last_of(run)).tensors
    assert any(not torch.equal(kept[key], last[f"model/{key}"]) for key in kept)


def test_last_keeps_the_last_weights(tmp_path):
    run = fit_with_scores(tmp_path, [0.9] + [0.1] * 7)
    kept, last = run.load_method().state_dict(), load_checkpoint(last_of(run)).tensors
    assert all(torch.equal(kept[key], last[f"model/{key}"]) for key in kept)
    assert not (run.path / "checkpoints" / "best.safetensors").exists()


def test_patience_counts_validations_without_a_better_score(tmp_path):
    run = fit_with_scores(tmp_path, [0.1, 0.3, 0.2, 0.3, 0.2, 0.9, 0.9, 0.9], patience=3)
    assert len(run.metrics()) == 3 + 5
    assert run.status.state == "finished" and run.status.epoch == 8


# Failures.


@pytest.mark.parametrize("stage", ["initialise", "ivae", "joint"])
def test_a_loss_that_diverges_fails_the_run_in_one_sentence(tmp_path, monkeypatch, stage):
    from rivae.models.methods.rivae import RIVAE

    loss = RIVAE.loss

    def exploding(self, batch):
        terms = loss(self, batch)
        factor = float("inf") if batch.stage == stage and batch.progress > 0.5 else 1.0
        return {**terms, "objective": terms["objective"] * factor}

    monkeypatch.setattr(RIVAE, "loss", exploding)
    reason = rf"\({stage}\): lower the learning rate or raise eta"
    with pytest.raises(RunError, match=reason) as error:
        train([tiny_config()], tmp_path)
    run = Run(tmp_path / "run")
    assert run.status.state == "failed" and run.status.message == str(error.value)
    assert not run.ready


def test_a_weight_that_diverges_in_the_last_step_is_noticed(tmp_path, monkeypatch):
    from rivae.models.methods.rivae import RIVAE

    loss = RIVAE.loss

    def exploding(self, batch):
        terms = loss(self, batch)
        if batch.stage == "joint" and batch.progress == 1.0:
            # The value is finite, its gradient is not.
            edge = (self.decoder.out.bias * 0).abs().sqrt().sum()
            terms = {**terms, "objective": terms["objective"] + edge}
        return terms

    monkeypatch.setattr(RIVAE, "loss", exploding)
    with pytest.raises(RunError, match="a weight became infinite or NaN in epoch 9"):
        train([tiny_config()], tmp_path)
    assert Run(tmp_path / "run").status.state == "failed"


@pytest.mark.slow
def test_a_full_disk_stops_the_run_and_keeps_the_old_checkpoint(tmp_path, monkeypatch):
    config = tiny_config()
    (whole,) = train([config], tmp_path / "whole")
    write, calls = files.write_atomic, []

    def full(path, data, **options):
        calls.append(path)
        if len(calls) > 12 and path.name.startswith("last"):
            raise OSError(28, "No space left on device")
        write(path, data, **options)

    for module in ("training.checkpoint", "files", "runs.run", "runs.records"):
        monkeypatch.setattr(f"rivae.{module}.write_atomic", full)
    with pytest.raises(RunError, match=ADVICE[28]):
        train([config], tmp_path / "full")
    monkeypatch.undo()
    run = Run(tmp_path / "full" / "run")
    assert run.status.state == "failed" and ADVICE[28] in run.status.message
    saved = load_checkpoint(last_of(run))
    assert saved.note == "" and saved.state["epoch"] >= 1
    resume([run])
    assert files_of(run) == files_of(whole)


def test_a_disk_too_full_for_the_status_still_ends_in_the_sentence(tmp_path, monkeypatch):
    def full(stream):
        raise OSError(28, "No space left on device")

    config = tiny_config()
    run = Run.create(config, tmp_path)
    monkeypatch.setattr("rivae.base.files.os.fsync", full)
    with pytest.raises(RunError, match=ADVICE[28]):
        resume([run])
    monkeypatch.undo()
    assert run.status.state == "created"
    assert [p.name for p in run.path.rglob("*.tmp")] == []
    resume([run])
    assert run.status.state == "finished"


def test_data_that_cannot_be_unfolded_fail_the_run_with_the_reason(tmp_path):
    settings = {**smooth_settings(), "smooth_neighbours": 2}
    with pytest.raises(ConfigError, match="separate groups at 2 neighbours"):
        train([tiny_config(**settings)], tmp_path)
    run = Run(tmp_path / "run")
    assert run.status.state == "failed" and "groups at 2 neighbours" in run.status.message


def test_an_error_of_the_program_is_recorded_too(tmp_path, monkeypatch):
    def broken(method, data):
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr(launch, "validation_scores", broken)
    with pytest.raises(ZeroDivisionError):
        train([tiny_config()], tmp_path)
    status = Run(tmp_path / "run").status
    assert status.state == "failed"
    assert status.message == "stopped by an error of the program (ZeroDivisionError): first line"


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"training": {"device": "cuda:7"}}, ConfigError, "has no device cuda:7: use --device cpu"),
        ({"dataset": "split-digits", "embedder": {"kind": "conv"}}, ConfigError, "fewer channels"),
        ({"embedder": {"kind": "conv"}}, ConfigError, "set its kind to mlp"),
    ],
)
def test_settings_that_cannot_train_leave_no_folder(tmp_path, changes, error, reason):
    if torch.cuda.device_count() > 7 and "training" in changes:
        pytest.skip("this machine has that device")
    with pytest.raises(error, match=reason):
        train([tiny_config(**changes)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_data_that_cannot_be_loaded_leave_no_folder(tmp_path):
    config = tiny_config()
    raw = config.model_dump()
    raw["dataset"] = {"name": "split-mnist", "settings": {"folder": str(tmp_path / "nowhere")}}
    with pytest.raises(DataError):
        train([type(config).model_validate(raw)], tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_name_that_is_taken_is_refused_and_the_other_folders_are_removed(tmp_path):
    Run.create(tiny_config("b"), tmp_path)
    with pytest.raises(RunError, match=r"run named b .*--name"):
        train([tiny_config("a"), tiny_config("b", seed=1)], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


# One process at a time.


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path):
    seen = []

    def second_trainer(row):
        if not seen:
            seen.append(Run(tmp_path / "run").status.state)
            with pytest.raises(RunError, match="run run is being trained by another process"):
                resume([Run(tmp_path / "run")])

    (run,) = train([tiny_config()], tmp_path, second_trainer)
    assert seen == ["running"] and run.status.state == "finished"


def test_a_killed_run_says_interrupted_and_can_be_resumed(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train([tiny_config()], tmp_path, StopAfter(4))
    run = Run(tmp_path / "run")
    run.set_status(state="running", message="")  # what SIGKILL leaves behind
    assert run.status.state == "interrupted" and "resume it" in run.status.message
    with locked(run.lock_path):
        assert run.status.state == "running"
    resume([run])
    assert run.status.state == "finished"


# The feed.


def test_a_fit_sees_a_sample_of_its_own_in_every_epoch():
    feed = Feed([load_dataset("synth", **SYNTH)], False, torch.device("cpu"))
    generator, seen = torch.Generator().manual_seed(0), []
    for fit in (1, 2):
        stage = FitStage("fit", 1, 1e-3, 10, steps=4, fit=fit, sample=0.8)
        epochs = [torch.cat(list(feed.batches(stage, [generator]))) for _ in range(2)]
        assert stage.epoch_steps(50) == 4
        assert torch.equal(epochs[0].sort().values, epochs[1].sort().values)
        assert not torch.equal(*epochs)
        seen.append(set(epochs[0].tolist()))
    assert len(seen[0]) == len(seen[1]) == 40 and seen[0] != seen[1]


def test_an_epoch_shows_every_row_once_in_a_new_order():
    data = load_dataset("synth", **SYNTH)
    feed = Feed([data], False, torch.device("cpu"))
    generator = torch.Generator().manual_seed(0)
    stage = Stage("stage", 1, 1e-3, batch_size=10)
    epochs = [torch.cat(list(feed.batches(stage, [generator]))) for _ in range(2)]
    for epoch in epochs:
        assert torch.equal(epoch.sort().values, torch.arange(50))
    assert not torch.equal(*epochs)
    stage = replace(stage, batch_size=16)
    assert stage.epoch_steps(50) == len(list(feed.batches(stage, [generator]))) == 3
    stage = replace(stage, batch_size=1000)
    assert stage.epoch_steps(50) == 1
    assert next(feed.batches(stage, [generator])).shape == (50,)
    rows = data.splits["train"][[4, 2]]
    assert torch.equal(feed.gather("x2", torch.tensor([4, 2])), data.x2.batch(rows))


def test_pictures_are_served_as_numbers_from_0_to_1():
    data = load_dataset("split-digits")
    feed = Feed([data], False, torch.device("cpu"))
    batch = feed.gather("x1", torch.arange(9))
    assert batch.dtype == torch.float32 and batch.max() == 1
    assert torch.equal(batch, data.x1.batch(data.splits["train"][:9]))


def test_pictures_of_an_import_are_served_as_its_view_serves_them(small_store):
    x1 = StorePixels(PairStore(small_store), 20)
    x2 = TensorView(torch.zeros(len(x1), 1))
    splits = {
        name: np.array(rows)
        for name, rows in (("train", [7, 1199, 3]), ("validation", [2]), ("test", [4]))
    }
    data = PairedDataset(name="import", settings={}, x1=x1, x2=x2, splits=splits)
    served = Feed([data], False, torch.device("cpu")).gather("x1", torch.tensor([2, 0]))
    assert torch.equal(served, x1.batch([3, 7])) and served.max() > 0


def test_validation_without_rows_or_factors(tmp_path):
    (run,) = train([tiny_config()], tmp_path)
    data, method = run.load_dataset(), run.load_method()
    data.splits["validation"] = data.splits["validation"][:0]
    assert validation_scores(method, data) == {}
