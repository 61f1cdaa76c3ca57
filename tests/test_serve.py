"""The launcher: ports and messages."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rivae import serve
from rivae.errors import ConfigError


def listener(address="127.0.0.1"):
    server = socket.socket()
    server.bind((address, 0))
    server.listen()
    return server, server.getsockname()[1]


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_a_taken_port_is_passed_over(address):
    server, port = listener(address)
    with server:
        assert not serve.is_free(port)
        assert port < serve.free_port(port) < port + serve.PORTS_TRIED


def test_a_free_port_is_kept():
    server, port = listener()
    server.close()
    assert serve.free_port(port) == port


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_no_port_number(port):
    with pytest.raises(ConfigError, match="is no port number"):
        serve.free_port(port)


def test_all_ports_taken(monkeypatch):
    monkeypatch.setattr(serve, "is_free", lambda port, address: False)
    with pytest.raises(ConfigError, match="no port from 65500 to 65535"):
        serve.free_port(65500)


def test_a_foreign_address_is_one_sentence(repo_root):
    done = subprocess.run(
        [sys.executable, "-m", "rivae.serve", "--address", "192.0.2.1"],
        cwd=repo_root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "192.0.2.1" in done.stderr


def test_runs_are_looked_for_where_the_user_stands(monkeypatch, tmp_path: Path):
    monkeypatch.delenv("RIVAE_RUNS", raising=False)
    assert serve.environment(tmp_path)["RIVAE_RUNS"] == str(tmp_path / "runs")
    monkeypatch.setenv("RIVAE_RUNS", "mine")
    assert serve.environment(tmp_path)["RIVAE_RUNS"] == str(tmp_path / "mine")
    monkeypatch.delenv("RIVAE_RESULTS", raising=False)
    assert "RIVAE_RESULTS" not in serve.environment(tmp_path)
    monkeypatch.setenv("RIVAE_RESULTS", "results")
    assert serve.environment(tmp_path)["RIVAE_RESULTS"] == str(tmp_path / "results")


def test_labels_are_kept_where_the_user_stands_or_in_a_database(monkeypatch, tmp_path: Path):
    monkeypatch.delenv("RIVAE_LABELS", raising=False)
    assert serve.environment(tmp_path)["RIVAE_LABELS"] == str(tmp_path / "labels" / "labels.db")
    monkeypatch.setenv("RIVAE_LABELS", "mine.db")
    assert serve.environment(tmp_path)["RIVAE_LABELS"] == str(tmp_path / "mine.db")
    monkeypatch.setenv("RIVAE_LABELS", "postgresql://me@host/labels")
    assert serve.environment(tmp_path)["RIVAE_LABELS"] == "postgresql://me@host/labels"


def test_the_command_keeps_the_app_private_by_default():
    line = serve.command(8600, extra=["--logger.level", "error"])
    assert line[line.index("--server.address") + 1] == "127.0.0.1"
    assert line[line.index("--server.port") + 1] == "8600"
    assert line[-2:] == ["--logger.level", "error"]
