"""What the server does while it lives: it goes on with a queue, and with nothing else."""

import asyncio
import logging
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from rivae.app.server import NOT_RESUMED, lifespan, resume_queue
from rivae.jobs import dispatcher, locks
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder
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
    resume_queue()
    assert started == [tmp_path]
    ledger.cancel(job.id)
    resume_queue()
    assert started == [tmp_path], "what is over needs no dispatcher"


def test_without_a_queue_nothing_is_made(started, tmp_path):
    resume_queue()
    assert not started and not list(tmp_path.iterdir())


def test_a_damaged_queue_does_not_stop_the_server(started, tmp_path, caplog):
    (tmp_path / ".jobs").mkdir()
    (tmp_path / ".jobs" / "ledger.db").write_bytes(b"no database" * 500)
    with caplog.at_level(logging.WARNING, "rivae.app.server"):
        resume_queue()
    assert not started and NOT_RESUMED.removesuffix("%s") in caplog.text


class Failing:
    """A dispatcher's process that has ended."""

    def __init__(self, code):
        self.code = code

    def poll(self):
        return self.code


def test_one_that_fails_by_itself_is_tried_again_more_and_more_rarely(started, tmp_path):
    Ledger(tmp_path).add([tiny_config("waits")])
    for code, soon in ((-signal.SIGKILL, True), (0, True), (1, False)):
        dispatcher._started[jobs_folder(tmp_path)] = Failing(code)
        assert resume_queue() is soon
    assert len(started) == 3


@pytest.mark.skipif(os.name != "posix", reason="needs flock")
def test_a_dispatcher_that_dies_is_replaced_while_the_server_lives(until, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    monkeypatch.setenv("RIVAE_CPU_SLOTS", "1")
    # What else the server does at its start is not looked at here.
    monkeypatch.setattr("rivae.app.server.importlib", SimpleNamespace(import_module=print))
    monkeypatch.setitem(sys.modules, "rivae.app.shell.first_runs", SimpleNamespace(warm=print))
    ledger, folder = Ledger(tmp_path), jobs_folder(tmp_path)
    at_work, waits = ledger.add([tiny_config("works"), tiny_config("waits")])
    ledger.claim(at_work.id, ["cpu"])
    killed = []

    def found():
        """The dispatcher's process, where it is another one than those that were killed."""
        process = dispatcher._started.get(folder.resolve())
        is_new = process is not None and process.pid not in killed
        return process if is_new and dispatcher.is_dispatching(tmp_path) else None

    def kill():
        process = until(found, "it dispatches")
        killed.append(process.pid)
        os.kill(process.pid, signal.SIGKILL)

    def watch():
        return [t for t in threading.enumerate() if t.name == "rivae-queue"]

    async def serve():
        async with lifespan(None):
            await asyncio.to_thread(kill)
            await asyncio.to_thread(kill)  # the one that was started instead
            await asyncio.to_thread(until, found, "another dispatches", 120)
            assert not any(Path(f"/proc/{pid}").exists() for pid in killed), "no zombies"

    with locks.hold(locks.lock_path(folder, at_work.id, "rank0")):  # it is being trained
        try:
            # In a thread of its own: that of the tests may run a loop already, for a browser.
            with ThreadPoolExecutor(1) as server:
                server.submit(asyncio.run, serve()).result()
            until(lambda: not watch(), "nobody watches any more")
            assert len(set(killed)) == 2 and ledger.job(waits.id).state == "queued"
        finally:
            if (last := dispatcher._started.pop(folder.resolve(), None)) is not None:
                last.kill()
                last.wait()


def test_the_trash_is_emptied_at_the_start_and_later_only_the_date_is_noted(monkeypatch):
    import threading

    from rivae.app import server
    from rivae.jobs import deletion

    looks, stop = [], threading.Event()

    def note():
        looks.append("noted")
        stop.set()

    monkeypatch.setattr(server, "DATE_S", 0.0)
    monkeypatch.setattr(deletion, "purge_all", lambda: looks.append("emptied"))
    monkeypatch.setattr(deletion, "note_date", note)
    server.watch_dates(stop)
    assert looks == ["emptied", "noted"]
