"""Guesses of the password over real connections: what a request says of itself changes nothing,
unless it comes from a proxy that was named.
"""

import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from websockets.sync.client import connect

from rivae.app import serve
from rivae.app.passwords import FREE_TRIES, HERE
from rivae.app.shell import access
from rivae.base.proxies import PROXIES
from tests.conftest import free_port
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow

SCRIPT = """
import streamlit as st
from rivae.base.errors import ConfigError
from rivae.app.passwords import Brake
from rivae.app.shell import access

@st.cache_resource
def brake():
    return Brake(lambda: 0.0)  # no time passes: the machine may be slow

access._brake = brake()
try:
    access.enter(st.query_params["guess"])
    st.text("open")
except ConfigError as error:
    st.text("waits" if "try again in" in str(error) else "wrong")
"""
APP = """
import streamlit as st
from rivae.app.shell.middleware import build_gate

app = st.App("script.py", middleware=build_gate())
"""


@contextmanager
def asked(folder, until, proxies=()):
    """A function that tries a password over a connection of its own, of ``rivae serve``."""
    port = free_port()
    (folder / ".streamlit").mkdir(exist_ok=True)
    (folder / ".streamlit" / "secrets.toml").write_text('[rivae]\npassword = "correct horse"\n')
    (folder / "script.py").write_text(SCRIPT)
    (folder / "app.py").write_text(APP)
    env = serve.environment(folder, proxies=proxies)
    line = serve.command(port, headless=True)
    line[line.index("run") + 1] = str(folder / "app.py")

    def guess(password, source="127.0.0.1", **headers):
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with connect(
            f"ws://127.0.0.1:{port}/_stcore/stream",
            additional_headers=named,
            source_address=(source, 0),
            open_timeout=PATIENCE_S,  # of a busy machine
        ) as socket:
            asks = BackMsg()
            asks.rerun_script.query_string = f"guess={password}"
            socket.send(asks.SerializeToString())
            while True:
                message = ForwardMsg.FromString(socket.recv(timeout=PATIENCE_S))
                if message.delta.new_element.HasField("text"):
                    return message.delta.new_element.text.body

    def listens():
        return not serve.is_free(port)

    with (folder / "log").open("w") as log:
        app = subprocess.Popen(line, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        until(listens, "the app listens")
        yield guess
    finally:
        app.terminate()
        app.wait()


def test_a_guess_cannot_say_where_it_comes_from(tmp_path, until, monkeypatch):
    monkeypatch.delenv(PROXIES, raising=False)
    with asked(tmp_path, until) as guess:
        said = [guess(f"no{n}", X_Forwarded_For=f"203.0.113.{n}") for n in range(25)]
        assert said == ["wrong"] * FREE_TRIES + ["waits"] * (25 - FREE_TRIES)
        assert guess("no", X_Forwarded_For="203.0.113.99, 198.51.100.1") == "waits"
        assert guess("correct horse", X_Forwarded_For="127.0.0.1") == "waits"
        assert guess("correct horse") == guess("correct horse", source="127.0.0.9") == "waits"


def test_a_named_proxy_says_where_a_guess_comes_from(tmp_path, until):
    with asked(tmp_path, until, proxies=["127.0.0.1", "10.0.0.0/8"]) as guess:
        for n in range(5):  # the visitor's addition stands left, the proxy's word right
            said = guess("no", X_Forwarded_For=f"192.0.2.{n}, 203.0.113.9, 10.1.2.3")
            assert said == ("wrong" if n < FREE_TRIES else "waits")
        assert guess("correct horse", X_Forwarded_For="203.0.113.8") == "open"
        assert guess("correct horse", X_Forwarded_For="203.0.113.9") == "waits"
        assert guess("correct horse") == "open"


def test_where_the_server_believes_everybody_who_says_something_is_one(monkeypatch):
    """As under ``streamlit run app.py``, which names nobody."""
    visitor = SimpleNamespace(headers={"X-Forwarded-For": "203.0.113.1"}, ip_address="203.0.113.1")
    monkeypatch.setattr(access.st, "context", visitor)
    for told, one in (("*", True), (None, True), ("", False), ("127.0.0.1", False)):
        monkeypatch.setenv(PROXIES, told or "")
        if told is None:
            monkeypatch.delenv(PROXIES)
        assert (access._source() != visitor.ip_address) is one
    monkeypatch.delenv(PROXIES)
    visitor.headers = {}
    assert access._source() == visitor.ip_address
    visitor.ip_address = None
    assert access._source() == HERE
