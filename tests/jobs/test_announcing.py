"""Who is told that a run has ended: a command and an address on the web, or nobody."""

import json
import shlex
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rivae.base.config import DatasetConfig, RunConfig
from rivae.jobs import announcing
from rivae.jobs.ledger import Ledger

EVENT = {"run": "mine", "state": "failed", "message": "“<b>” & it's over"}


@pytest.fixture
def listening():
    """An address that keeps what is posted to it."""
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/ended", posted
        server.shutdown()


def command(path):
    code = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_bytes(sys.stdin.buffer.read())"
    return shlex.join([sys.executable, "-c", code, str(path)])


def test_a_command_and_an_address_get_the_same_object(tmp_path, monkeypatch, listening):
    address, posted = listening
    monkeypatch.setenv(announcing.COMMAND, command(tmp_path / "told; rm x.json"))
    monkeypatch.setenv(announcing.ADDRESS, address)
    assert announcing.tell(json.dumps(EVENT).encode()) == []
    assert json.loads((tmp_path / "told; rm x.json").read_bytes()) == EVENT == posted[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (announcing.COMMAND, "no-such-command"),
        (announcing.COMMAND, "'unclosed"),
        (announcing.COMMAND, f"{shlex.quote(sys.executable)} -c 'raise SystemExit(3)'"),
        (announcing.ADDRESS, "file:///etc/passwd"),
        (announcing.ADDRESS, "http://127.0.0.1:1/"),
    ],
)
def test_what_fails_is_one_sentence(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    (sentence,) = announcing.tell(b"{}")
    assert name in sentence


def test_the_queue_tells_the_end_of_a_run_once(tmp_path, monkeypatch, until):
    told = tmp_path / "told.json"
    monkeypatch.setenv(announcing.COMMAND, command(told))
    ledger = Ledger(tmp_path / "runs")
    (job,) = ledger.add([RunConfig(name="mine", dataset=DatasetConfig(name="split-digits"))])
    job_id = getattr(job, "id", job)
    assert ledger.claim(job_id, ["cpu"]) and ledger.advance(job_id, "running")
    assert not told.exists()
    assert ledger.advance(job_id, "failed", "it's over")
    until(told.exists, "the command ran")
    wanted = {"run": "mine", "state": "failed", "message": "it's over"}
    until(lambda: told.stat().st_size and json.loads(told.read_bytes()) == wanted, "the end")
    assert not ledger.advance(job_id, "failed")
