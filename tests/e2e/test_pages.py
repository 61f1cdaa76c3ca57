"""Every page in a real browser: nothing throws, every picture has words, both themes are drawn."""

from urllib.parse import urlsplit

import pytest

PAGES = [
    "",
    "explore",
    "traverse",
    "steer",
    "compare",
    "metrics",
    "words",
    "label",
    "data",
    "train",
]


def visit(page, address, name, run):
    page.goto(f"{address}/{name}?run={run}" if name else address)
    page.get_by_test_id("stApp").wait_for()
    running = page.locator('[data-testid="stApp"][data-test-script-state="running"]')
    page.wait_for_timeout(500)
    running.wait_for(state="detached", timeout=60_000)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_an_error_a_request_to_another_machine_or_scrolling_sideways(
    page, app_server, trained_run, name
):
    """In a narrow window, where all that is in the way is seen."""
    hosts = set()
    page.set_viewport_size({"width": 420, "height": 800})
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    visit(page, app_server, name, trained_run)
    assert page.get_by_test_id("stException").all_inner_texts() == []
    assert page.title()
    unnamed = page.locator("img:not([alt])")
    assert unnamed.count() == 0
    page.wait_for_timeout(1000)
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1]
    assert hosts - {urlsplit(app_server).netloc, ""} == set()  # "": pictures inside an answer


@pytest.mark.parametrize("name", ["explore", "traverse", "metrics"])
def test_a_run_that_does_not_exist_is_a_sentence(page, app_server, name):
    visit(page, app_server, name, "no-such-run")
    assert page.get_by_test_id("stException").all_inner_texts() == []
    assert page.get_by_text("no-such-run").first.is_visible()


@pytest.mark.parametrize("width", [1280, 420])
def test_a_page_that_stops_half_way_has_its_bar_and_its_name(page, app_server, width):
    page.set_viewport_size({"width": width, "height": 800})
    visit(page, app_server, "explore", "no-such-run")
    page.get_by_role("heading", name="Explore", level=1).wait_for(state="attached")
    page.get_by_test_id("find-all").wait_for()
    places = page.locator(".st-key-places").get_by_role("link")
    assert places.count() == 5
    assert all(places.nth(n).bounding_box()["height"] >= 32 for n in range(5))


def test_home_leads_to_explore_with_one_click(page, app_server, trained_run):
    visit(page, app_server, "", trained_run)
    card = page.get_by_test_id("stMain")
    card.get_by_role("link", name="Explore").or_(
        card.get_by_role("button", name="Explore")
    ).first.click()
    page.get_by_test_id("tile").nth(9).wait_for()


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_both_themes(page, app_server, trained_run, scheme, dark):
    page.emulate_media(color_scheme=scheme)
    visit(page, app_server, "explore", trained_run)
    page.get_by_test_id("tile").nth(9).wait_for()
    paint = page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    red, green, blue = (int(v) for v in paint.strip("rgba()").split(",")[:3])
    assert (max(red, green, blue) < 80) == dark
    ink = page.get_by_test_id("tile").first.evaluate("tile => getComputedStyle(tile).color")
    shade = sum(int(v) for v in ink.strip("rgba()").split(",")[:3]) / 3
    assert (shade > 128) == dark, "words on tiles must stand out"
