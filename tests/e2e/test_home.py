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


# The browser itself takes a slider: from outside, a slow machine comes when all is over.
TAKE_WHEN_IT_MOVES = """([taken, home]) => {
    const look = () => {
        const roots = [...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot)
        const sliders = roots.flatMap(
            root => root ? [...root.querySelectorAll("[data-testid=hero] input[type=range]")] : [])
        const value = sliders.length ? Number(sliders[0].value) : home
        if (Math.abs(value - home) < 1) return requestAnimationFrame(look)
        sliders[taken - 1].focus()
        window.stopped = Number(sliders[0].value)
    }
    look()
}"""


def it_moves_by_itself_until_a_hand_takes(page, address, taken, until):
    page.emulate_media(reduced_motion="reduce")
    hero = Hero(page, address)
    home, ids = hero.value(), hero.ids()
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(f"({TAKE_WHEN_IT_MOVES})({[taken, home]})")
    hero = Hero(page, address)
    until(lambda: page.evaluate("'stopped' in window"), "it moves by itself, and is taken")
    stopped = page.evaluate("window.stopped")
    at_home = stopped == pytest.approx(home, abs=1e-3)
    assert at_home is (taken == 2), "home, unless it is the one that was taken"
    page.wait_for_timeout(300)
    assert hero.value() == stopped
    page.get_by_test_id("hero-reset").click()
    until(lambda: hero.value() == pytest.approx(home, abs=1e-3), "the query's own place")
    until(lambda: hero.ids() == ids, "the items of the query again")
    return hero


def test_nothing_moves_where_less_motion_is_wanted(page, app_server):
    page.emulate_media(reduced_motion="reduce")
    hero = Hero(page, app_server)
    home = hero.value()
    page.wait_for_timeout(2500)
    assert hero.value() == home


def test_it_moves_by_itself_until_dragged_and_explore_goes_on_from_there(page, app_server, until):
    hero = it_moves_by_itself_until_a_hand_takes(page, app_server, 1, until)
    before = hero.ids()
    hero.slider(2).focus()
    page.keyboard.press("Home")  # one question, so that other items are the last ones
    until(lambda: hero.ids() != before, "other items")
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
    page.emulate_media(reduced_motion="reduce")
    hero = Hero(page, app_server, trained_run)
    assert hero.slider().get_attribute("data-testid") == "slider-a1"
    hero.slider(1).focus()
    before = hero.ids()
    page.keyboard.press("End")
    until(lambda: hero.ids() != before, "other items")
    ids = hero.ids()
    page.get_by_test_id("hero-open").click()
    tiles = page.get_by_test_id("explore").get_by_test_id("tile")
    tiles.nth(9).wait_for()
    link = {k: v[0] for k, v in parse_qs(urlsplit(page.evaluate("location.href")).query).items()}
    assert link["add"].startswith("a1_") and "z" not in link, "the amount, not where it has led to"
    shown = "tiles => tiles.map(tile => Number(tile.dataset.id))"
    until(lambda: tiles.evaluate_all(shown)[: len(ids)] == ids, "its items again, and more")


def test_it_moves_by_itself_until_another_is_taken_and_an_item_is_the_query(
    page, app_server, until
):
    hero = it_moves_by_itself_until_a_hand_takes(page, app_server, 2, until)
    first, before = hero.query(), hero.ids()
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
