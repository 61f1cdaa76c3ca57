"""From Live with a moved slider to the words of what it shows, in a real browser."""

from pathlib import Path

import pytest

from tests.waiting import IDLE

pytestmark = pytest.mark.slow
PROBE = Path(__file__).parents[2] / "benchmarks" / "first_screens.js"
KITCHEN = "demo-kitchen"


def ids(page, kind):
    return page.get_by_test_id(kind).evaluate_all("all => all.map(tile => tile.dataset.id)")


def test_words_open_on_the_results_of_a_moved_slider_and_their_first_screens_are_quiet(
    page, app_server, until
):
    page.add_init_script(PROBE.read_text(encoding="utf-8"))
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{app_server}/explore?run={KITCHEN}&q=33&k=6")
    slider = page.get_by_test_id("slider-1")
    slider.wait_for()
    before = ids(page, "tile")
    slider.focus()
    page.keyboard.press("End")
    until(lambda: ids(page, "tile") != before, "other results")
    until(lambda: "z=" in page.evaluate("location.search"), "the address follows")
    found = ids(page, "tile")
    page.get_by_role("link", name="Words", exact=True).click()
    clouds = page.get_by_test_id("clouds")
    clouds.locator("text").first.wait_for()
    assert page.get_by_test_id("cloud-2").count() == 0, "one cloud: of the results"
    assert ids(page, "cloud-dish") == found
    until(lambda: page.locator(".js-plotly-plot").count() == 1, "and the contrast beside it")
    address = page.evaluate("location.href")
    page.goto(address)  # as a link
    clouds.locator("text").first.wait_for()
    assert ids(page, "cloud-dish") == found
    is_quiet(page)
    page.goto(f"{app_server}/words?run={KITCHEN}")
    page.get_by_test_id("cloud-2").locator("text").first.wait_for()
    is_quiet(page)


def is_quiet(page):
    """The first screen: few controls, few words."""
    page.locator(IDLE).wait_for()
    controls, words, _, _ = page.evaluate("counted()")
    assert controls <= 25 and words <= 60
