"""The first thirty seconds: a panel that works at once, and moves by itself until it is touched."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from rivae.app.data import sources
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis, AxisScore, AxisSpec, change_added, remove_added

pytestmark = pytest.mark.slow
RUN = "demo-kitchen"


class Hero:
    """Home's panel as a visitor sees it."""

    def __init__(self, page, address, run=RUN):
        self.page = page
        page.goto(f"{address}/explore?run={run}")
        page.get_by_test_id("tile").first.wait_for()
        page.get_by_role("link", name="RIVAE").click()
        self.tiles = page.get_by_test_id("hero").get_by_test_id("tile")
        self.tiles.nth(7).wait_for()

    def slider(self, n=1):
        return self.page.get_by_test_id("hero").get_by_role("slider").nth(n - 1)

    def value(self, n=1):
        return float(self.slider(n).input_value())

    def ids(self):
        return self.tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")

    def query(self):
        return self.page.get_by_test_id("hero").get_by_label("Query").locator("b").inner_text()


@pytest.fixture
def hero(page, app_server):
    return Hero(page, app_server)


def it_moves_by_itself_until_a_hand_takes(hero, taken, until):
    home = hero.value()
    until(lambda: hero.value() != pytest.approx(home, abs=1), "it moves by itself")
    hero.slider(taken).focus()
    stopped = hero.value()
    assert (stopped == home) is (taken == 2), "home, unless it is the one that was taken"
    hero.page.wait_for_timeout(300)
    assert hero.value() == stopped
    hero.page.get_by_test_id("hero-reset").click()
    until(lambda: hero.value() == pytest.approx(home, abs=1e-3), "the query's own place")


def test_nothing_moves_where_less_motion_is_wanted(page, app_server):
    page.emulate_media(reduced_motion="reduce")
    hero = Hero(page, app_server)
    home = hero.value()
    page.wait_for_timeout(2500)
    assert hero.value() == home


def test_it_moves_by_itself_until_dragged_and_explore_goes_on_from_there(hero, until):
    it_moves_by_itself_until_a_hand_takes(hero, 1, until)
    hero.page.wait_for_timeout(500)  # the items of the query again
    page, before = hero.page, hero.ids()
    hero.slider(2).focus()
    for _ in range(2):
        page.keyboard.press("PageDown")
    until(lambda: hero.ids() != before, "other items")
    page.wait_for_timeout(1_000)  # those of the second key press, too
    moved, ids = hero.value(2), hero.ids()
    page.get_by_test_id("hero-open").click()
    page.get_by_test_id("explore").wait_for()
    address = urlsplit(page.evaluate("location.href"))
    assert address.path.endswith("/explore")
    asked = {k: v[0] for k, v in parse_qs(address.query).items()}
    assert abs(float(asked["z"].split("_")[1])) == pytest.approx(abs(moved), abs=0.05)  # a step
    tiles = page.get_by_test_id("explore").get_by_test_id("tile")
    tiles.nth(9).wait_for()
    shown = "tiles => tiles.map(tile => Number(tile.dataset.id))"
    until(lambda: tiles.evaluate_all(shown)[: len(ids)] == ids, "its items again, and more")


@pytest.fixture
def asked_for(app_runs, trained_run):
    """An axis that somebody has added to the small run, and that is the most reliable one."""
    direction = np.array([1.0, -1.0, 0.5])
    axis = AddedAxis(
        "a1", "upright", ("slanted", "upright"), tuple(direction), 0.0,
        tuple(direction / (direction @ direction)), AxisSpec("words", high="upright"),
        scores=(AxisScore("first", 0.95, 0.1, 0.9, 0.99, 50),),
    )  # fmt: skip
    run = Run(app_runs / trained_run)
    change_added(run, lambda known, new_id: [replace(axis, id=new_id())])
    yield axis
    remove_added(run, "a1")


def test_home_begins_with_the_axes_of_explore_those_that_were_added_too(
    page, app_server, trained_run, asked_for, until
):
    hero = Hero(page, app_server, trained_run)
    assert hero.slider().get_attribute("data-testid") == "slider-a1"
    hero.slider(1).focus()
    before = hero.ids()
    for _ in range(3):
        page.keyboard.press("PageUp")
    until(lambda: hero.ids() != before, "other items")
    page.wait_for_timeout(500)
    ids = hero.ids()
    page.get_by_test_id("hero-open").click()
    tiles = page.get_by_test_id("explore").get_by_test_id("tile")
    tiles.nth(9).wait_for()
    link = {k: v[0] for k, v in parse_qs(urlsplit(page.evaluate("location.href")).query).items()}
    assert link["add"].startswith("a1_") and "z" not in link, "the amount, not where it has led to"
    shown = "tiles => tiles.map(tile => Number(tile.dataset.id))"
    until(lambda: tiles.evaluate_all(shown)[: len(ids)] == ids, "its items again, and more")


def test_it_moves_by_itself_until_another_is_taken_and_an_item_is_the_query(hero, until):
    it_moves_by_itself_until_a_hand_takes(hero, 2, until)
    hero.page.wait_for_timeout(500)  # the items of the query again
    page, first, before = hero.page, hero.query(), hero.ids()
    page.get_by_test_id("hero-other").click()
    until(lambda: hero.ids() != before, "items of another query")
    second = hero.query()
    # Near items may have the query's own title, which is what is compared.
    titled = hero.tiles.evaluate_all("tiles => tiles.map(tile => tile.outerHTML)")
    hero.tiles.nth(next(i for i, html in enumerate(titled) if second not in html)).click()
    until(lambda: hero.query() != second, "the item is the query")
    assert first


def test_home_begins_with_what_was_looked_at_and_leads_to_own_pictures(page, app_server):
    page.goto(f"{app_server}/explore?run=demo-sprites")
    page.get_by_test_id("tile").first.wait_for()
    page.get_by_role("link", name="RIVAE").click()
    hero = page.get_by_test_id("hero")
    hero.get_by_text("Sprites · RIVAE").wait_for()
    page.get_by_test_id("hero-own").click()
    page.get_by_test_id("stFileUploader").get_by_text(sources.FIRST).wait_for()
