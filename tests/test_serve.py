"""The launcher: ports and messages."""

import os
import socket
from pathlib import Path

import pytest

from rivae.app import serve
from rivae.base.errors import ConfigError
from rivae.base.proxies import PROXIES, trusted_proxies


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


def test_a_port_of_all_ipv6_addresses_is_found():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert serve.free_port(20_000, "::") >= 20_000


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_no_port_number(port):
    with pytest.raises(ConfigError, match="is not a port number"):
        serve.free_port(port)


def test_all_ports_taken(monkeypatch):
    monkeypatch.setattr(serve, "is_free", lambda port, address: False)
    with pytest.raises(ConfigError, match="no port from 65500 to 65535"):
        serve.free_port(65500)


def test_a_foreign_address_is_one_sentence(capsys):
    assert serve.main(["--address", "192.0.2.1"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "192.0.2.1" in said


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


def names_of(line):
    named = enumerate(line)
    return [line[n + 1] for n, option in named if option == "--server.allowedHosts"]


def test_the_app_answers_to_loopback_and_to_what_is_named():
    usual = ["127.0.0.1", "localhost", "::1"]
    assert names_of(serve.command(8600)) == usual
    line = serve.command(8600, "192.0.2.7", hosts=["app.example.org", "*.lab.org"])
    assert names_of(line) == [*usual, "192.0.2.7", "app.example.org", "*.lab.org"]
    everywhere = serve.answered_names("0.0.0.0")
    assert socket.gethostname() in everywhere and "*" not in everywhere
    assert "0.0.0.0" not in everywhere


@pytest.mark.parametrize("name", ["http://x", "x/y", "", "*", "a b", "x:80", "é"])
def test_a_host_is_a_name(name, capsys):
    assert serve.main(["--host", name]) == 1
    assert "is not a host name" in capsys.readouterr().err


def test_files_are_named_below_where_the_user_stands_or_below_named_folders(monkeypatch, tmp_path):
    monkeypatch.delenv("RIVAE_FILES", raising=False)
    (tmp_path / "photos").mkdir()
    assert serve.environment(tmp_path)["RIVAE_FILES"] == str(tmp_path)
    named = serve.environment(tmp_path, ["photos", str(tmp_path)])["RIVAE_FILES"]
    assert named.split(os.pathsep) == [str(tmp_path / "photos"), str(tmp_path)]
    monkeypatch.setenv("RIVAE_FILES", "photos")
    assert serve.environment(tmp_path)["RIVAE_FILES"] == str(tmp_path / "photos")
    with pytest.raises(ConfigError, match="is not a folder"):
        serve.environment(tmp_path, ["nowhere"])


def test_secrets_that_others_can_read_are_told(tmp_path, capsys):
    path = tmp_path / "secrets.toml"
    serve._warn_of_open_secrets(path)
    path.write_text("")
    path.chmod(0o600)
    serve._warn_of_open_secrets(path)
    assert not capsys.readouterr().out
    path.chmod(0o644)
    serve._warn_of_open_secrets(path)
    assert "chmod 600" in capsys.readouterr().out


def test_no_proxy_is_believed_but_those_that_are_named(monkeypatch, tmp_path):
    monkeypatch.delenv(PROXIES, raising=False)
    assert serve.environment(tmp_path)[PROXIES] == ""
    named = serve.environment(tmp_path, proxies=["127.0.0.1", "2001:db8::/32"])[PROXIES].split(",")
    assert {"127.0.0.1", "2001:db8::/32"} <= set(named) and "" not in named
    monkeypatch.setenv(PROXIES, " 10.0.0.0/8 ,")
    assert "10.0.0.0/8" in serve.environment(tmp_path)[PROXIES].split(",")


def test_a_named_proxy_is_found_by_its_address_as_a_server_on_ipv6_sees_it():
    from uvicorn.middleware.proxy_headers import _TrustedHosts

    known = _TrustedHosts(trusted_proxies(["10.0.0.0/8", "192.0.2.1", "2001:db8::1"]))
    for near in ("10.9.8.7", "::ffff:10.9.8.7", "192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"):
        assert near in known
    for strange in ("11.0.0.1", "::ffff:11.0.0.1", "192.0.2.2", "127.0.0.1", "::1", "", None):
        assert strange not in known
    assert "127.0.0.1" not in _TrustedHosts(trusted_proxies([]))


@pytest.mark.parametrize("name", ["*", "0.0.0.0/0", "::/0", "proxy", "10.0.0.1/8", "", "1.2.3.4:5"])
def test_a_proxy_is_an_address_and_not_everybody(name, capsys):
    assert serve.main(["--proxy", name]) == 1
    said = capsys.readouterr().err
    assert repr(name) in said and PROXIES in said


@pytest.mark.parametrize("kind", ["option", "options", "variable", "file"])
@pytest.mark.parametrize("written", ["rivae", "/rivae/", "a/b"])
def test_the_address_leads_to_the_base_path(kind, written, monkeypatch, tmp_path):
    """Wherever Streamlit takes it from; an option beats a variable, and that a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STREAMLIT_SERVER_BASE_URL_PATH", raising=False)
    assert serve.url_of(8501, "127.0.0.1") == "http://127.0.0.1:8501"
    extra, wrong = [], "not-this-one"
    if kind == "option":
        extra = [f"--server.baseUrlPath={wrong}", f"--server.baseUrlPath={written}"]
    if kind == "options":
        extra = ["--server.baseUrlPath", written, "--server.enableCORS", "false"]
    variable = {"variable": written, "file": None}.get(kind, wrong)
    if variable is not None:
        monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", variable)
    (tmp_path / ".streamlit").mkdir()
    text = f"[server]\nbaseUrlPath = '{written if kind == 'file' else wrong}'\n"
    (tmp_path / ".streamlit" / "config.toml").write_text(text, encoding="utf-8")
    expected = f"http://127.0.0.1:8501/{written.strip('/')}"
    assert serve.url_of(8501, "127.0.0.1", extra) == expected


def test_the_address_can_be_opened(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert serve.url_of(9000, "0.0.0.0") == "http://127.0.0.1:9000"
    assert serve.url_of(9000, "::") == serve.url_of(9000, "::1") == "http://[::1]:9000"
    safe = ["--server.sslCertFile=c.pem", "--server.sslKeyFile=k.pem"]
    assert serve.url_of(9000, "example.org", safe) == "https://example.org:9000"
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[server", encoding="utf-8")
    assert serve.url_of(9000, "127.0.0.1") == "http://127.0.0.1:9000"


def test_home_folders_in_variables_are_found(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "files").mkdir()
    for name in (*serve.PLACES, *serve.OTHER_PLACES):
        monkeypatch.setenv(name, f"~/{name}")
    monkeypatch.setenv("RIVAE_FILES", "~/files")
    env = serve.environment(tmp_path / "elsewhere")
    for name in (*serve.PLACES, *serve.OTHER_PLACES):
        assert env[name] == str(tmp_path / name)
    assert env["RIVAE_FILES"] == str(tmp_path / "files")
    monkeypatch.setenv("RIVAE_RUNS", "~nobody-of-this-name/runs")
    with pytest.raises(ConfigError, match="RIVAE_RUNS"):
        serve.environment(tmp_path)
