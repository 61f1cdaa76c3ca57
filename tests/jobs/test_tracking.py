"""Metrics for TensorBoard and MLflow: what is written, and that nothing there stops a training."""

import logging
import math
import signal
import sys
from types import SimpleNamespace

import pytest

from rivae.cli import main
from rivae.jobs import process
from rivae.jobs.ledger import Ledger
from rivae.jobs.tracking import Tracking, numbers_of
from rivae.runs import Run
from tests.training.tiny import files_of, tiny_config

ROW = {
    "epoch": 3,
    "stage": "joint",
    "step": 12,
    "learning_rate": 0.005,
    "objective": -1.5,
    "kl": 2.0,
    "retrieval": math.nan,
    "validation": {"score": 0.4},
    "seconds": 0.1,
    "total_epochs": 9,
}
NUMBERS = {
    "step": 12.0,
    "learning_rate": 0.005,
    "joint/objective": -1.5,
    "joint/kl": 2.0,
    "validation/score": 0.4,
    "seconds": 0.1,
}


def scalars(folder):
    """(name, epoch) -> value of all event files in a folder, as TensorBoard reads them."""
    from tensorboardX.proto.event_pb2 import Event

    found, purged = {}, []
    for path in sorted(folder.glob("events.*"), key=lambda path: path.stat().st_mtime_ns):
        data, at = path.read_bytes(), 0
        while at < len(data):
            length = int.from_bytes(data[at : at + 8], "little")
            event = Event.FromString(data[at + 12 : at + 12 + length])
            at += 12 + length + 4
            if event.HasField("session_log"):  # what was written from here on counts no more
                purged.append(event.step)
                found = {key: value for key, value in found.items() if key[1] < event.step}
            for value in event.summary.value:
                found[value.tag, event.step] = value.simple_value
    return found, purged


def test_the_numbers_of_a_row():
    assert dict(numbers_of(ROW)) == NUMBERS


def test_nothing_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("RIVAE_TRACKING", raising=False)
    tracking = Tracking(Run(tmp_path / "run"), tiny_config())
    tracking(ROW)
    tracking.finish(complete=True)
    assert list(tmp_path.iterdir()) == []


def test_tensorboard_reads_what_was_written(tmp_path):
    pytest.importorskip("tensorboardX", reason="tensorboardX is an optional package")
    tracking = Tracking(Run(tmp_path / "a"), tiny_config(), f"tensorboard:{tmp_path}/tb")
    tracking({"note": "nothing was saved yet"})
    for epoch in (1, 2, 3):
        tracking({**ROW, "epoch": epoch})
    tracking.finish(complete=False)
    again = Tracking(Run(tmp_path / "a"), tiny_config(), f"tensorboard:{tmp_path}/tb")
    again({**ROW, "epoch": 3, "kl": 9.0})
    again.finish(complete=True)
    found, purged = scalars(tmp_path / "tb" / "a")
    assert {epoch for _, epoch in found} == {1, 2, 3} and purged[-1] == 3
    assert found["joint/kl", 2] == 2.0 and found["joint/kl", 3] == 9.0
    assert found["validation/score", 1] == pytest.approx(0.4)


@pytest.mark.slow
def test_a_trainer_writes_for_tensorboard_and_trains_the_same(tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX", reason="tensorboardX is an optional package")
    handler = signal.getsignal(signal.SIGTERM)
    roots = [tmp_path / "without", tmp_path / "with"]
    for root, target in zip(roots, ("", f"tensorboard:{tmp_path}/tb"), strict=True):
        monkeypatch.setenv("RIVAE_TRACKING", target)
        ledger = Ledger(root)
        job = ledger.add([tiny_config()])[0]
        ledger.claim(job.id, ["cpu"])
        assert process.main([str(root), job.id]) == 0
        assert ledger.job(job.id).state == "finished"
    signal.signal(signal.SIGTERM, handler)
    assert files_of(Run(roots[0] / "run")) == files_of(Run(roots[1] / "run"))
    found, _ = scalars(tmp_path / "tb" / "run")
    rows = Run(roots[1] / "run").metrics()
    for row in rows:
        name = f"{row['stage']}/objective", row["epoch"]
        assert found[name] == pytest.approx(row["objective"], rel=1e-6)


def test_the_command_line_is_tracked_as_well(tmp_path, monkeypatch, capsys):
    pytest.importorskip("tensorboardX", reason="tensorboardX is an optional package")
    monkeypatch.setenv("RIVAE_TRACKING", f"tensorboard:{tmp_path}/tb")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    words = ["--set", "dataset.n_pairs=150", "--set", "epochs=3", "--method", "cos-sim"]
    assert main(["train", "synth", "--quiet", "--name", "cli", *words]) == 0
    found, _ = scalars(tmp_path / "tb" / "cli")
    assert {epoch for name, epoch in found if name == "cos-sim/objective"} == {1, 2, 3}


@pytest.mark.parametrize(
    "target", ["tensorboard:", "wandb:x", "tensorboard:{file}/below", "mlflow:http://127.0.0.1:9"]
)
def test_a_tracker_that_fails_is_left_out_and_told_once(tmp_path, caplog, target):
    file = tmp_path / "file"
    file.touch()
    tracking = Tracking(Run(tmp_path / "a"), tiny_config(), target.format(file=file))
    with caplog.at_level(logging.WARNING, "rivae.jobs"):
        for epoch in (1, 2):
            tracking({**ROW, "epoch": epoch})
        tracking.finish(complete=True)
    assert len([r for r in caplog.records if "is left out" in r.getMessage()]) == 1


def test_a_missing_package_is_one_sentence(tmp_path, caplog, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    tracking = Tracking(Run(tmp_path / "a"), tiny_config(), f"tensorboard:{tmp_path}")
    with caplog.at_level(logging.WARNING, "rivae.jobs"):
        tracking(ROW)
    assert "install rivae-explorer[tensorboard]" in caplog.text and "Traceback" not in caplog.text


def test_mlflow_holds_settings_and_numbers_of_one_entry(tmp_path, monkeypatch):
    tracking = pytest.importorskip("mlflow.tracking", reason="mlflow is large, and optional")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "ml").as_uri()
    for epochs in ((1, 2), (2, 3)):  # the second time resumed
        listener = Tracking(Run(tmp_path / "a"), tiny_config("a"), f"mlflow:{uri}")
        for epoch in epochs:
            listener({**ROW, "epoch": epoch})
        listener.finish(complete=epochs == (2, 3))
    client = tracking.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("rivae").experiment_id
    (entry,) = client.search_runs([experiment])
    assert entry.info.status == "FINISHED" and entry.info.run_name == "a"
    assert entry.data.params["method.name"] == "rivae" and entry.data.params["seed"] == "0"
    history = client.get_metric_history(entry.info.run_id, "joint/kl")
    assert {metric.step for metric in history} == {1, 2, 3}


def test_mlflow_continues_in_the_entry_of_an_earlier_version(tmp_path, monkeypatch):
    config, resumed = tiny_config("a"), []
    tags = {"rivae.run": "a", "rivae.config": config.model_dump_json()}  # as every version wrote
    entry = SimpleNamespace(data=SimpleNamespace(tags=tags), info=SimpleNamespace(run_id="7"))
    client = SimpleNamespace(
        get_experiment_by_name=lambda name: SimpleNamespace(experiment_id="1"),
        search_runs=lambda experiments, query: [entry],
        update_run=lambda run_id, status: resumed.append(run_id),
        log_batch=lambda run_id, metrics: None,
    )
    modules = {
        "mlflow": SimpleNamespace(),
        "mlflow.tracking": SimpleNamespace(MlflowClient=lambda tracking_uri: client),
        "mlflow.entities": SimpleNamespace(Metric=lambda *values: values),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    Tracking(Run(tmp_path / "a"), config, "mlflow:http://server")(ROW)
    assert resumed == ["7"]
