"""Maps of Compare: every run's query moves, and a lasso on one map dims the others."""

import pytest

pytestmark = pytest.mark.slow

RUNS = ("demo-kitchen", "demo-kitchen-cos-sim-lvm")


@pytest.fixture
def maps(page, app_server):
    page.goto(f"{app_server}/compare?runs={'%2C'.join(RUNS)}")
    page.get_by_test_id("tile").first.wait_for()
    page.get_by_test_id("map-open").click()
    page.get_by_test_id("map-query").nth(1).wait_for()
    return page


def places(page):
    """The middles of both queries' points, in pixels."""
    boxes = [point.bounding_box() for point in page.get_by_test_id("map-query").all()]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]


def test_each_runs_query_follows_the_slider_of_their_factor(maps, until):
    assert maps.get_by_test_id("map").count() == len(RUNS)
    before = places(maps)
    slider = maps.get_by_test_id("slider-1")
    slider.focus()
    for _ in range(40):
        maps.keyboard.press("ArrowRight")
    until(
        lambda: all(new[0] > old[0] + 3 for new, old in zip(places(maps), before, strict=True)),
        "both move to the right",
    )
    maps.get_by_test_id("map-open").click()
    until(lambda: not maps.get_by_test_id("map").first.is_visible(), "closed")


def test_a_lasso_on_one_map_shows_the_same_items_on_the_other(maps, until):
    first, second = maps.get_by_test_id("map-count").all()
    everything = second.inner_text()
    box = maps.get_by_test_id("map").first.bounding_box()
    corners = [(0.1, 0.1), (0.6, 0.1), (0.6, 0.9), (0.1, 0.9)]
    points = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    maps.keyboard.down("Shift")
    maps.mouse.move(*points[0])
    maps.mouse.down()
    for point in points[1:]:
        maps.mouse.move(*point, steps=6)
    maps.mouse.up()
    maps.keyboard.up("Shift")
    until(lambda: first.inner_text() != everything, "some items are chosen")
    assert first.inner_text() == second.inner_text()
    maps.get_by_test_id("map-clear").first.click()
    until(lambda: second.inner_text() == everything == first.inner_text(), "all items again")
