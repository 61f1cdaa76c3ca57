"""Every test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rivae.labels.early.sample import make_early_plan
from rivae.labels.guideline import read_guideline
from rivae.labels.plan import LabelPlan
from tests.labels.early import Opened, opened_kitchen
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


@pytest.fixture(scope="session")
def kitchen() -> Opened:
    """The run, its traversal, its ground and the true levels of its items."""
    return opened_kitchen()


@pytest.fixture(scope="session")
def early_plan(kitchen: Opened) -> LabelPlan:
    """A plan of 90 minutes for the kitchen."""
    return make_early_plan([kitchen[0]], "early", minutes=90, guideline=read_guideline().version)
