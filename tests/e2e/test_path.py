"""The path of Traverse in a browser: it plays, stops, and opens what it shows."""

import pytest


@pytest.fixture
def path(page, app_server):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&view=Path&q=1&way=30+77")
    page.get_by_test_id("path-tile").nth(2).wait_for()
    return page


def test_it_plays_to_the_end_and_nothing_plays_by_itself(path, until):
    slider, play = path.get_by_test_id("path-slider"), path.get_by_test_id("path-play")
    said = play.inner_text()
    path.wait_for_timeout(600)
    assert slider.input_value() == "0"
    play.click()
    until(lambda: int(slider.input_value()) > 2, "it moves on")
    assert play.inner_text() != said
    play.click()
    held = slider.input_value()
    path.wait_for_timeout(600)
    assert slider.input_value() == held and play.inner_text() == said
    play.click()
    until(lambda: slider.input_value() == slider.get_attribute("max"), "the end")
    until(lambda: play.inner_text() == said, "it has stopped")


def test_the_slider_and_a_click_lead_to_a_point_and_its_item(path, until):
    slider, title = path.get_by_test_id("path-slider"), path.get_by_test_id("path-title")
    first = title.inner_text()
    slider.focus()
    path.keyboard.press("End")
    until(lambda: title.inner_text() != first, "another item")
    last = path.get_by_test_id("path-tile").last
    assert title.inner_text() == last.get_attribute("aria-label")
    path.get_by_test_id("path-tile").nth(1).click()
    path.locator(".st-key-dock").wait_for()
    assert path.get_by_test_id("path-tile").nth(1).get_attribute("data-open") is not None
    with path.expect_download() as saved:
        path.get_by_role("button", name="GIF").click()
    assert saved.value.path().read_bytes()[:6] == b"GIF89a"


def test_links_and_the_way_back_restore_the_path(path, until):
    def shown():
        tiles = path.get_by_test_id("path-tile")
        return tiles.evaluate_all("tiles => tiles.map((tile) => tile.dataset.id)")

    first = shown()
    path.get_by_role("textbox", name="Way-points").fill("30")
    path.keyboard.press("Enter")
    until(lambda: shown() != first and shown(), "a shorter way")
    second = shown()
    path.reload()
    until(lambda: shown() == second, "the link holds it")
    path.go_back()
    until(lambda: shown() == first, "the way before")
