"""The Map, a view of its own: it follows a dragged axis and shows the pictures of what is found."""

import pytest

pytestmark = pytest.mark.slow

KITCHEN = "/explore?run=demo-kitchen&q=1&view=Map"


@pytest.fixture
def shown(page, app_server):
    page.goto(app_server + KITCHEN)
    page.get_by_test_id("map-hit").nth(9).wait_for()
    return page


def hits(page):
    """The items whose pictures lie on the map, best first."""
    ids = "nodes => nodes.filter(n => !n.hidden).map(n => Number(n.dataset.id))"
    return page.get_by_test_id("map-hit").evaluate_all(ids)


def boxes(page):
    return [one.bounding_box() for one in page.get_by_test_id("map-hit").all()]


def tiles(page):
    return page.get_by_test_id("tile").evaluate_all("nodes => nodes.map(n => Number(n.dataset.id))")


def press(page, slider):
    """Holds a slider's thumb down; returns the slider's box."""
    box = page.get_by_test_id(slider).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    return box


def test_the_map_fills_its_place_holds_pictures_apart_follows_a_drag_and_goes_on_as_live(
    shown, until
):
    width, height = shown.viewport_size["width"], shown.viewport_size["height"]
    stage = shown.get_by_test_id("map").bounding_box()
    assert stage["width"] > 0.6 * width and stage["height"] > 0.55 * height
    assert stage["y"] + stage["height"] < height, "all of it is in sight"
    assert hits(shown) == tiles(shown)
    assert not shown.get_by_test_id("tile").first.is_visible()
    for one in boxes(shown):
        assert stage["x"] <= one["x"] and one["x"] + one["width"] <= stage["x"] + stage["width"]
        assert stage["y"] <= one["y"] and one["y"] + one["height"] <= stage["y"] + stage["height"]
    found = boxes(shown)
    for i, a in enumerate(found):
        for b in found[:i]:
            gaps = [abs(a[side] - b[side]) for side in "xy"]
            assert max(gaps) >= a["width"] - 2, (a, b)
    before, query = hits(shown), shown.get_by_test_id("map-query")
    axis = int(shown.get_by_test_id("map-x").input_value()) + 1
    stage, place = shown.get_by_test_id("map").bounding_box(), query.bounding_box()
    box = press(shown, f"slider-{axis}")
    for share in (0.02, 0.98):
        shown.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        until(lambda at=place: query.bounding_box() != at, "the query moves under the hand")
        place = query.bounding_box()
        middle = place["x"] + place["width"] / 2
        assert stage["x"] < middle < stage["x"] + stage["width"]
    until(lambda: hits(shown) != before and hits(shown) == tiles(shown), "other items lie on it")
    shown.mouse.up()
    until(lambda: "z=" in shown.evaluate("location.href"), "the address has z")
    assert "view=Map" in shown.evaluate("location.href")
    found = hits(shown)
    shown.locator(".st-key-to_Live a").first.click()
    shown.get_by_test_id("tile").first.wait_for()
    until(lambda: "view=" not in shown.evaluate("location.href"), "Live has the bare address")
    assert tiles(shown) == found and not shown.get_by_test_id("map").is_visible()
    shown.locator(".st-key-to_Map a").first.click()
    until(lambda: hits(shown) == found, "hits == ids")


def test_a_click_opens_an_item_a_lasso_searches_among_some_and_a_query_out_of_sight_is_marked(
    shown, until
):
    shown.get_by_test_id("map-hit").first.click()
    shown.locator(".st-key-dock").wait_for()
    shown.keyboard.press("Escape")
    shown.locator(".st-key-dock").wait_for(state="hidden")
    box, before = shown.get_by_test_id("map").bounding_box(), hits(shown)
    corners = [(0.05, 0.4), (0.5, 0.4), (0.5, 0.95), (0.05, 0.95), (0.05, 0.4)]
    points = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    shown.get_by_test_id("map-lasso").click()
    shown.mouse.move(*points[0])
    shown.mouse.down()
    for point in points[1:]:
        shown.mouse.move(*point, steps=6)
    shown.mouse.up()
    until(lambda: hits(shown) and hits(shown) != before, "others, inside the lasso")
    assert " of " in shown.get_by_test_id("map-count").inner_text()
    shown.get_by_test_id("map-about").locator(".shares").first.wait_for()
    element = shown.get_by_test_id("map")
    element.focus()
    for _ in range(12):
        shown.keyboard.press("+")
        shown.keyboard.press("ArrowRight")
    marker = shown.locator(".query-point.beyond")
    marker.wait_for()
    stage, place = element.bounding_box(), marker.bounding_box()
    assert stage["x"] <= place["x"] + 1
    assert place["x"] + place["width"] <= stage["x"] + stage["width"] + 1
