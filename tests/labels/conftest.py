"""Every test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.labels.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.remove()


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
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.empty_database()
