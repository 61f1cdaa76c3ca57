"""Label stores on SQLite and on a PostgreSQL server that the tests start themselves."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

PASSWORD = "n0t-in-messages"


def _program(name: str) -> str | None:
    """``name`` on the path, or where Debian keeps the newest PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(found[-1]) if found else None)


def _user() -> str | None:
    """PostgreSQL refuses to run as root: whom it runs as instead."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a running server without the name of a database."""
    initdb, postgres = _program("initdb"), _program("postgres")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("no PostgreSQL: its driver psycopg is not installed")
    if initdb is None or postgres is None:
        pytest.skip("no PostgreSQL: neither initdb nor postgres is on this machine")
    import psycopg

    # Not below pytest's folder, which another user than root may not enter.
    folder = Path(tempfile.mkdtemp(prefix="rivae-pg-"))
    server = None
    try:
        (folder / "password").write_text(PASSWORD)
        user = _user()
        if user is not None:
            for path in (folder, folder / "password"):
                shutil.chown(path, user)
        data = folder / "data"
        subprocess.run(
            [initdb, "-D", data, "-U", "rivae", "-A", "scram-sha-256", "-E", "UTF8",
             "--locale=C.UTF-8", f"--pwfile={folder / 'password'}"],
            user=user, cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [postgres, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder],
                user=user, cwd=folder, stdout=log, stderr=log,
            )  # fmt: skip
        url = f"postgresql://rivae:{PASSWORD}@127.0.0.1:{port}"
        for _ in range(600):
            try:
                psycopg.connect(f"{url}/postgres").close()
                break
            except psycopg.OperationalError:
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.1)
        yield url
    finally:
        if server is not None:
            # At once: writing 50 databases to the disk, only to remove them, takes half a minute.
            server.send_signal(signal.SIGQUIT)
            server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(
    params=[
        "sqlite",
        # One server for all of them: they stay in one process.
        pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql")),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'labels.db'}"
    import psycopg

    server = request.getfixturevalue("postgres_server")
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    return f"{server}/{name}"
