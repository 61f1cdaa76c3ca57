"""A PostgreSQL server of the tests' own, on a free port, that can be killed and started again."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

PASSWORD = "n0t-in-messages"


def _program(name: str) -> str:
    """``name`` on the path, or where Debian keeps the newest PostgreSQL; skips without one."""
    kept = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = shutil.which(name) or (str(kept[-1]) if kept else None)
    if found is None:
        pytest.skip(f"no PostgreSQL: {name} is not on this machine")
    return found


def _user() -> str | None:
    """PostgreSQL refuses to run as root: whom it runs as instead."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


class PostgresServer:
    """Starts at once with ``settings`` ("name=value"); ``url`` lacks the name of a database."""

    def __init__(self, *settings: str) -> None:
        if importlib.util.find_spec("psycopg") is None:
            pytest.skip("no PostgreSQL: its driver psycopg is not installed")
        initdb, self._postgres = _program("initdb"), _program("postgres")
        # Not below pytest's folder, which another user than root may not enter.
        self._folder = Path(tempfile.mkdtemp(prefix="rivae-pg-"))
        self._user = _user()
        password = self._folder / "password"
        password.write_text(PASSWORD)
        if self._user is not None:
            for path in (self._folder, password):
                shutil.chown(path, self._user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.url = f"postgresql://rivae:{PASSWORD}@127.0.0.1:{self._port}"
        try:
            subprocess.run(
                [
                    initdb,
                    "-D",
                    self._folder / "data",
                    "-U",
                    "rivae",
                    "-A",
                    "scram-sha-256",
                    "-E",
                    "UTF8",
                    "--locale=C",
                    f"--pwfile={password}",
                ],
                user=self._user,
                cwd=self._folder,
                check=True,
                capture_output=True,
            )
            self.start(*settings)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def start(self, *settings: str) -> None:
        """Returns when it answers."""
        import psycopg

        options = [word for setting in settings for word in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._postgres,
                    "-D",
                    self._folder / "data",
                    "-p",
                    str(self._port),
                    "-h",
                    "127.0.0.1",
                    "-k",
                    self._folder,
                    *options,
                ],
                user=self._user,
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        for _ in range(600):
            try:
                psycopg.connect(f"{self.url}/postgres").close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError("the server did not answer within a minute")

    def stop(self) -> None:
        """At once and with nothing written, as a crash is."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(30)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def empty_database(self) -> str:
        """The URL of the one database, after everything in it was removed."""
        import psycopg

        url = f"{self.url}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            # Connections of killed processes may not have noticed yet.
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return url
