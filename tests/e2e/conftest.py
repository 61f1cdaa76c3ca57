"""Small trained runs for the browser, and what its pages show."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hands import press_thumb


class ExplorePage:
    """The Explore page as a visitor sees it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.tiles = page.get_by_test_id("tile")

    def open(self, run: str, **params: object) -> ExplorePage:
        """Go there and wait for the pictures."""
        query = "&".join(f"{k}={v}" for k, v in {"run": run, **params}.items())
        self.page.goto(f"{self.address}/explore?{query}")
        return self.settled()

    def settled(self) -> ExplorePage:
        """Wait until the grid is there."""
        self.tiles.nth(int(self.page.get_by_test_id("k").input_value()) - 1).wait_for()
        return self

    def slider(self, dim: int = 1) -> Any:
        return self.page.get_by_test_id(f"slider-{dim}")

    def value(self, dim: int = 1) -> float:
        return float(self.page.get_by_test_id(f"number-{dim}").input_value())

    def ids(self) -> tuple[int, ...]:
        """The items in the grid, best first."""
        found = self.tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")
        return tuple(found)

    def drag(self, dim: int, fractions: list[float]) -> Iterator[float]:
        """Press on the thumb, then yield after every move; the button stays down until the end.

        A move is one event: those on the way to a place would be answered as well, maybe with the
        items of the next place, and who then waits for others waits for ever.
        """
        move = press_thumb(self.page, self.slider(dim))
        try:
            for fraction in fractions:
                move(fraction, 1)
                yield fraction
        finally:
            self.page.mouse.up()


@pytest.fixture(scope="session")
def trained_run(app_runs: Path) -> str:
    """The id of a small trained run (3 dimensions) that the app shows."""
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob
    from tests.training.tiny import SMALL_RIVAE

    settings = {**SMALL_RIVAE, "n_components": 3, "dim_v": 16}
    config = RunConfig(
        name="browser-digits",
        dataset=DatasetConfig(name="split-digits"),
        method=MethodChoice(settings={**settings, "joint_epochs": 8}),
    )
    run = Run.create(config, app_runs)
    Trainer([TrainingJob(run, run.load_dataset())]).fit()
    return run.id


@pytest.fixture
def explore(page: Any, app_server: str) -> ExplorePage:
    """Explore, not yet opened: a page costs two seconds of a core."""
    return ExplorePage(page, app_server)


@pytest.fixture
def explore_page(explore: ExplorePage, trained_run: str) -> ExplorePage:
    """Explore on the small run."""
    return explore.open(trained_run, q="mean")


plan_numbers = itertools.count(1)


@pytest.fixture
def made(app_server: str, app_runs: Path, app_labels: Path, trained_run: str) -> Iterator[Any]:
    """A labelling plan of its own for every test, in the app's store."""
    from tests.app.labels_fixture import make_label_plan

    name = f"plan-{next(plan_numbers)}"
    found = make_label_plan(app_runs, app_labels, name=name, run_id=trained_run)
    yield found
    found.store.close()


@pytest.fixture
def desk(page: Any, app_server: str, made: Any) -> Any:
    """The Label page of that plan, with its pictures."""
    from tests.e2e.label_desk import open_desk

    return open_desk(page, app_server, made)
