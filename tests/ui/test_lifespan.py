"""What the server does when it starts: it goes on with a queue, and with nothing else."""

import logging

import pytest

from rivae.jobs.ledger import Ledger
from rivae.ui.lifespan import go_on_with_queue
from tests.training.tiny import tiny_config


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Nothing is started: for which folders a dispatcher was asked for."""
    calls = []
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    monkeypatch.setattr("rivae.jobs.dispatcher.ensure_dispatcher", calls.append)
    return calls


def test_a_queue_is_gone_on_with(started, tmp_path):
    ledger = Ledger(tmp_path)
    job = ledger.add([tiny_config("waits")])[0]
    go_on_with_queue()
    assert started == [tmp_path]
    ledger.cancel(job.id)
    go_on_with_queue()
    assert started == [tmp_path], "what is over needs no dispatcher"


def test_without_a_queue_nothing_is_made(started, tmp_path):
    go_on_with_queue()
    assert not started and not list(tmp_path.iterdir())


def test_a_damaged_queue_does_not_stop_the_server(started, tmp_path, caplog):
    (tmp_path / ".jobs").mkdir()
    (tmp_path / ".jobs" / "ledger.db").write_bytes(b"no database" * 500)
    with caplog.at_level(logging.WARNING, "rivae.ui.lifespan"):
        go_on_with_queue()
    assert not started and "not gone on with" in caplog.text
