"""A stopped run goes on to the same bytes as one that was never stopped."""

import pytest
import torch

from rivae.base.errors import RunError
from rivae.jobs.launch import resume, train
from rivae.runs import Run
from rivae.training.checkpoint import DAMAGED
from tests.training.tiny import (
    RIDGE,
    StopAfter,
    contrast_settings,
    files_of,
    smooth_settings,
    tiny_config,
)

pytestmark = pytest.mark.xdist_group("training resume")  # its runs are trained once

CASES = {
    "cos-sim start": tiny_config(head_start="components"),
    "smooth start": tiny_config(**smooth_settings(), ask_both_ways=True),
    "contrastive start": tiny_config(**contrast_settings()),
    "closed form, best epoch": tiny_config(**RIDGE, training={"select": "best"}),
    "cos-sim-lvm": tiny_config(method="cos-sim-lvm"),
    "dropout, bfloat16, best epoch": tiny_config(
        dataset="split-digits", training={"precision": "bf16", "select": "best"}
    ),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request, tmp_path_factory):
    """A configuration and the files of its uninterrupted run."""
    config = CASES[request.param]
    root = tmp_path_factory.mktemp("whole")
    (run,) = train([config], root)
    assert run.status.state == "finished"
    return config, files_of(run), len(run.metrics())


def stopped(config, root, n):
    with pytest.raises(KeyboardInterrupt):
        train([config], root, StopAfter(n))
    return Run(root / config.name)


@pytest.mark.slow
def test_the_same_configuration_gives_the_same_bytes(case, tmp_path):
    config, whole, _ = case
    (again,) = train([config], tmp_path)
    assert files_of(again) == whole
    assert {"model.safetensors", "metrics.jsonl", "alignment.json"} == set(whole)


@pytest.mark.slow
def test_stopped_in_every_stage_it_goes_on_to_the_same_bytes(case, tmp_path):
    config, whole, n_epochs = case
    # Of nine epochs: the first, the last of each of the three stages.
    for n in sorted({1, min(3, n_epochs), min(5, n_epochs), n_epochs}):
        root = tmp_path / str(n)
        run = stopped(config, root, n)
        assert run.status.state == "interrupted" and "resume it" in run.status.message
        assert not run.ready
        (done,) = resume([run])
        assert done.status.state == "finished" and done.status.message == ""
        assert files_of(done) == whole, f"stopped in epoch {n}"


@pytest.mark.slow
def test_stopped_again_and_again(case, tmp_path):
    config, whole, n_epochs = case
    run = stopped(config, tmp_path, 2)
    for _ in range(n_epochs):
        try:
            resume([run], StopAfter(3))
        except KeyboardInterrupt:
            continue
        break
    assert files_of(run) == whole


@pytest.mark.slow
def test_few_checkpoints_only_cost_repeated_epochs(tmp_path):
    config = tiny_config(training={"checkpoint_seconds": 1000})
    (whole,) = train([config], tmp_path / "whole")
    run = stopped(config, tmp_path / "stopped", 8)
    resume([run])
    assert files_of(run) == files_of(whole)
    epochs = [row["epoch"] for row in run.metrics()]
    assert epochs == list(range(1, len(epochs) + 1))


@pytest.mark.slow
def test_a_damaged_last_checkpoint_costs_an_epoch_and_is_told(tmp_path):
    config = tiny_config()
    (whole,) = train([config], tmp_path / "whole")
    run = stopped(config, tmp_path / "stopped", 7)
    last = run.path / "checkpoints" / "last.safetensors"
    last.write_bytes(last.read_bytes()[:-100])
    listener = StopAfter(1000)
    resume([run], listener)
    assert listener.notes == [DAMAGED.format("last.safetensors")]
    assert files_of(run) == files_of(whole)


@pytest.mark.slow
def test_without_any_checkpoint_training_begins_anew(tmp_path):
    config = tiny_config()
    (whole,) = train([config], tmp_path / "whole")
    run = Run.create(config, tmp_path / "stopped")
    run.log.append({"epoch": 1, "stage": "torn"})
    listener = StopAfter(1000)
    resume([run], listener)
    assert listener.notes == ["nothing was saved yet: training starts over"]
    assert files_of(run) == files_of(whole)


@pytest.mark.slow
def test_early_stopping_counts_on_after_a_stop(tmp_path):
    # A rate at which the score cannot improve for long.
    settings = {"joint_epochs": 60, "joint_learning_rate": 1e-9, "schedule": "constant"}
    config = tiny_config(training={"patience": 3, "select": "best"}, **settings)
    (whole,) = train([config], tmp_path / "whole")
    n = len(whole.metrics())
    assert 8 < n < 30 and whole.status.total_epochs == 65
    run = stopped(config, tmp_path / "stopped", n - 1)
    resume([run])
    assert files_of(run) == files_of(whole)


@pytest.mark.slow
def test_a_damaged_status_does_not_keep_a_run_from_going_on(tmp_path):
    config = tiny_config()
    (whole,) = train([config], tmp_path / "whole")
    run = stopped(config, tmp_path / "stopped", 5)
    (run.path / "status.json").write_text("{")
    resume([run])
    assert run.status.state == "finished" and run.status.epoch == 9
    assert files_of(run) == files_of(whole)


def test_a_finished_run_is_not_resumed(tmp_path):
    (run,) = train([tiny_config(method="cos-sim-lvm")], tmp_path)
    with pytest.raises(RunError, match=r"run run .*finished"):
        resume([run])


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path):
    run = stopped(tiny_config("a"), tmp_path, 7)
    other = stopped(tiny_config("b", method="cos-sim-lvm"), tmp_path, 2)
    last = "checkpoints/last.safetensors"
    (run.path / last).write_bytes((other.path / last).read_bytes())
    with pytest.raises(RunError, match="belongs to another configuration"):
        resume([run])
    assert run.status.state == "failed" and "another configuration" in run.status.message


@pytest.mark.slow
def test_the_number_format_follows_the_processor_and_stays_that_of_the_run(tmp_path, monkeypatch):
    known = {"amx_bf16": True}
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: known)
    config = tiny_config(dataset="split-digits", training={"precision": "auto"})
    run = stopped(config, tmp_path, 2)
    assert run.status.precision == "bf16"
    known.clear()
    known["avx512_bf16"] = True  # gains nothing alone
    resume([run])
    assert run.status.precision == "bf16" and run.status.threads == torch.get_num_threads()
    (other,) = train([config.model_copy(update={"name": "other"})], tmp_path)
    assert other.status.precision == "float32"
    assert files_of(other) != files_of(run)
