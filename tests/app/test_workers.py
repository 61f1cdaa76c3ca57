"""Workers answer drags as the app does; one that is killed is not missed."""

import asyncio
import json
import os
import signal

import pytest

from rivae.app import server
from rivae.app.serve import WORKERS, environment
from rivae.app.shell import web
from rivae.app.work.workers import Workers, from_environment
from rivae.base.errors import ConfigError
from tests.app.asgi import outcome, post
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="socket files and signals of Linux and macOS"
)
QUESTION = {"run": "digits", "z": [0.3, -1.0, 0.5], "k": 7, "side": 2, "seq": 4}


@pytest.fixture
def asked(run_folder, monkeypatch):
    """Two workers, and a function that asks them in one event loop."""
    monkeypatch.setenv("RIVAE_RUNS", str(run_folder))
    workers = Workers(2)
    workers.start()

    def ask(question, path=web.TOPK_PATH):
        return outcome(workers.answer(path, json.dumps(question).encode()))

    yield workers, ask
    workers.stop()


async def are_all_answered(workers):
    """Whether both workers answer two hundred questions at once, of which every second is given up;
    each answer is that of its own question.
    """
    numbers = range(200)
    posted = [json.dumps(QUESTION | {"seq": n}).encode() for n in numbers]
    asking = [asyncio.create_task(workers.answer(web.TOPK_PATH, question)) for question in posted]
    await asyncio.sleep(0.03)
    for task in asking[1::2]:
        task.cancel()
    replies = {n: await asking[n] for n in numbers[::2]}
    assert all(reply is None or json.loads(reply[1])["seq"] == n for n, reply in replies.items())
    return all(replies.values())


@pytest.mark.slow
def test_an_answer_is_the_apps_a_killed_worker_is_replaced_and_one_ends_with_the_app(asked, runs):
    workers, ask = asked
    assert ask(QUESTION) is None, "none is ready yet"
    status, body = until(lambda: ask(QUESTION), "one is ready")
    assert status == 200 and body == post(web.TOPK_PATH, QUESTION).body
    status, body = ask(QUESTION | {"run": "no-such"})
    assert status == 404 and "no-such" in json.loads(body)["error"]
    assert ask([])[0] == 400
    until(lambda: all(worker.is_ready for worker in workers.all), "both are ready")
    for _ in range(2):  # the second time over the same connections
        until(lambda: outcome(are_all_answered(workers)), "all are answered")
    killed = workers.all[0].process
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert until(lambda: ask(QUESTION), "the other one answers")[0] == 200
    first = workers.all[0]
    until(lambda: first.process is not killed and first.is_ready, "it is replaced")
    processes = [worker.process for worker in workers.all]
    workers._stopped.set()  # so that nothing replaces one
    processes[1].stdin.close()
    assert processes[1].wait(PATIENCE_S) is not None, "it ends with the app, however that ends"
    workers.stop()
    assert all(process.poll() is not None for process in processes)
    assert not workers.all[0].socket.parent.exists()


def test_the_app_answers_what_no_worker_can(runs, monkeypatch):
    told = []

    class Busy:
        async def answer(self, path, question):
            told.append(path)

    alone = post(web.TOPK_PATH, QUESTION)
    monkeypatch.setattr(server, "_workers", Busy())
    assert post(web.TOPK_PATH, QUESTION).body == alone.body and told == [web.TOPK_PATH]


def test_how_many(monkeypatch, tmp_path):
    monkeypatch.delenv(WORKERS, raising=False)
    assert from_environment() is None and WORKERS not in environment(tmp_path)
    for cores in (1, 2, 3, 64):
        monkeypatch.setattr("joblib.cpu_count", lambda n=cores: n)
        if cores > 1:
            monkeypatch.setenv(WORKERS, environment(tmp_path, workers=cores - 1)[WORKERS])
            assert len(from_environment().all) == cores - 1
        for wrong in (-1, cores, 10 * cores):
            with pytest.raises(ConfigError, match=f"{wrong} workers.* from 0 to {cores - 1}$"):
                environment(tmp_path, workers=wrong)
