"""Strips and planes in a browser: a click opens an item, arrow keys walk, and Explore goes on."""

from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.slow


def shots(page):
    found = page.get_by_test_id("shot")
    found.first.wait_for()
    return found


def test_a_click_on_a_strip_docks_the_item_and_explore_goes_on_from_there(page, app_server, until):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&q=1")
    shot = shots(page).nth(2)
    until(lambda: shot.locator("img").evaluate("img => img.naturalWidth") > 100, "it is fetched")
    shot.click()
    dock = page.locator(".st-key-dock")
    dock.get_by_text("Ingredients", exact=True).wait_for()
    assert shot.get_attribute("data-open") is not None
    page.keyboard.press("Escape")
    dock.wait_for(state="detached")
    until(lambda: shot.get_attribute("data-open") is None, "nothing is open")
    shot.click()
    dock.get_by_role("link").click()
    page.get_by_test_id("tile").first.wait_for()
    address = parse_qs(urlsplit(page.evaluate("location.href")).query)
    assert address["q"] == ["1"] and len(address["z"][0].split("~")) == 1
    assert page.get_by_test_id("tile").first.get_attribute("data-id") == shot_id(page, app_server)


def shot_id(page, app_server):
    """The item of the strip that was clicked above."""
    page.goto(f"{app_server}/traverse?run=demo-kitchen&q=1")
    return shots(page).nth(2).get_attribute("data-id")


def test_arrow_keys_walk_over_a_plane_and_tab_passes_it_in_one_step(page, app_server, until):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&view=Plane&points=7")
    found = shots(page)
    assert found.count() == 49
    first = found.first
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.shadowRoot?.activeElement === node"
    at = found.nth(8)
    until(lambda: at.evaluate(f"node => {focused}"), "one down, one to the right")
    assert found.evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1
    page.keyboard.press("Enter")
    page.locator(".st-key-dock").wait_for()
