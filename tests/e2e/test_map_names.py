"""What lies where: names of the map's regions, and pictures in the place of dots."""

import json
import re

import pytest

pytestmark = pytest.mark.slow

KITCHEN = "/explore?run=demo-kitchen&q=1&view=Map"
HOSTILE = "<img src=x onerror=window.broken=1>"


BOXES = (
    "nodes => nodes.map(n => n.getBoundingClientRect())"
    ".map(b => [b.left, b.top, b.right, b.bottom])"
)


def region(level, x, y, name, z):
    terms = [{"term": name, "here": 30, "elsewhere": 3, "z": z}]
    known = {"level": level, "x": x, "y": y, "n": 50, "others": 500}
    return {**known, "terms": terms, "name": name}


def opened(page, address, found=None):
    """The map; with ``found`` as the names of its regions where they are given."""
    if found is not None:
        answer = json.dumps(found)
        page.route(
            re.compile(r"/rivae/api/run/map/.*/names\."),
            lambda route: route.fulfill(body=answer, content_type="application/json"),
        )
    page.goto(address + KITCHEN)
    page.get_by_test_id("map-hit").nth(9).wait_for()
    page.get_by_test_id("map-names").locator("text").first.wait_for(state="attached")
    return page


def shown(page):
    """The boxes of the names in sight, by name."""
    script = """nodes => nodes.filter(n => n.getAttribute('visibility') !== 'hidden').map(n => {
      const b = n.getBoundingClientRect()
      return [n.firstChild.data, [b.left, b.top, b.right, b.bottom]] })"""
    return dict(page.get_by_test_id("map-names").locator("text").evaluate_all(script))


def zoom(page, times):
    page.get_by_test_id("map").focus()
    for _ in range(times):
        page.keyboard.press("+")


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


def apart(boxes):
    return not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_kitchens_regions_have_names_that_cover_nothing_and_a_drag_asks_for_none(
    page, app_server, until
):
    opened(page, app_server)
    hits = page.get_by_test_id("map-hit")

    def settled():
        boxes = [hits.nth(i).bounding_box() for i in range(hits.count())]
        squares = [(b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]) for b in boxes]
        names = list(shown(page).values())
        return names and apart(names) and not any(overlap(n, s) for n in names for s in squares)

    until(settled, "names lie beside the pictures of what is found")
    assert "%" in page.get_by_test_id("map-names").locator("title").first.text_content()
    page.wait_for_timeout(700)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    box = page.get_by_test_id("slider-1").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.2, 0.5, 0.8, 0.3):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=3)
    assert shown(page)
    page.mouse.up()
    assert [url for url in asked if "/names." in url] == []


def test_smaller_regions_are_named_when_near_and_a_crowd_does_not_overlap(page, app_server, until):
    crowd = [region(0, 0.3 + i / 400, 0.3, f"crowded {i}", 9 - i / 9) for i in range(40)]
    near = [region(1, 0.5, 0.5, "near", 5), region(2, 0.51, 0.52, "nearest", 5)]
    opened(page, app_server, [region(0, 0.5, 0.5, "far", 5), *crowd, *near])
    until(lambda: "crowded 0" in shown(page), "the clearest comes first")
    names = shown(page)
    assert not {"near", "nearest"} & set(names) and len(names) < len(crowd)
    assert apart(list(names.values()))
    zoom(page, 3)
    until(lambda: "near" in shown(page) and "nearest" not in shown(page), "near")
    zoom(page, 3)
    until(lambda: "nearest" in shown(page), "nearest")
    assert apart(list(shown(page).values()))


def test_an_axis_that_is_turned_round_turns_the_names_and_a_hostile_word_stays_one(
    page, app_server, until
):
    sides = [region(0, 0.2, 0.97, "left", 5), region(0, 0.8, 0.97, "right", 5)]
    opened(page, app_server, [*sides, region(0, 0.3, 0.1, HOSTILE, 5)])
    names = until(lambda: len(shown(page)) == 3 and shown(page), "all three")
    assert HOSTILE in names, "as it is written"
    assert page.evaluate("window.broken") is None
    right = page.get_by_test_id("map-x").locator("option:checked").inner_text()
    assert (names["left"][0] < names["right"][0]) != right.startswith("−")


def test_near_there_are_pictures_that_cover_nothing_and_move_with_the_map_unfetched(
    page, app_server, until
):
    opened(page, app_server)
    pictures = page.locator(".map-pictures image")
    assert pictures.count() == 0, "from afar all items are dots"
    zoom(page, 4)
    until(lambda: pictures.count() > 5, "pictures in sight")
    page.wait_for_timeout(700)
    boxes = pictures.evaluate_all(BOXES)
    assert apart(boxes)
    assert all("/thumbnail/" in one.get_attribute("href") for one in pictures.all())
    response = page.request.get(app_server + pictures.first.get_attribute("href"))
    assert response.ok and response.headers["content-type"].startswith("image/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    box = page.get_by_test_id("map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = pictures.first.bounding_box()
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y + 20, steps=4)
    after = pictures.first.bounding_box()
    assert after["x"] - before["x"] == pytest.approx(-30, abs=2)
    assert after["y"] - before["y"] == pytest.approx(20, abs=2)
    assert [url for url in asked if "/rivae/api/run/map/" in url] == []
    page.mouse.up()
