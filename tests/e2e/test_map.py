"""The map of Explore: the query moves on it, a hand moves the query, a lasso drives the grid."""

import json

import pytest

from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, Run

pytestmark = pytest.mark.slow


class Map:
    """The map beside the grid."""

    def __init__(self, explore_page, until):
        self.explore, self.page, self.until = explore_page, explore_page.page, until
        self.page.get_by_test_id("map-open").click()
        self.page.get_by_test_id("map-query").wait_for()
        self.element = self.page.get_by_test_id("map")

    def place(self):
        """The middle of the query's point, in pixels."""
        box = self.page.get_by_test_id("map-query").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def axes(self):
        """Numbers of the axes to the right and upwards, from 1."""
        lists = (self.page.get_by_test_id(f"map-{name}") for name in "xy")
        return [int(chosen.input_value()) + 1 for chosen in lists]

    def draw(self, *corners):
        """A lasso with corners in shares of the map."""
        box = self.element.bounding_box()
        points = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
        self.page.keyboard.down("Shift")
        self.page.mouse.move(*points[0])
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*point, steps=6)
        self.page.mouse.up()
        self.page.keyboard.up("Shift")

    def count(self):
        return self.page.get_by_test_id("map-count").inner_text()


@pytest.fixture
def shown(explore_page, until):
    return Map(explore_page, until)


def test_the_querys_point_follows_the_sliders_and_they_follow_it_and_an_open_map_stays(
    shown, until
):
    right, up = shown.axes()
    before = shown.place()
    for _ in shown.explore.drag(right, [0.9]):
        until(lambda: shown.place()[0] != before[0], "the point moves while the button is down")
        assert shown.place()[1] == pytest.approx(before[1], abs=1)
    list(shown.explore.drag(up, [0.9]))
    until(lambda: shown.place()[1] < before[1] - 5, "more is higher")
    shown.page.get_by_test_id("reset-all").click()
    until(lambda: shown.place() == pytest.approx(before, abs=1), "home")
    until(lambda: "z=" not in shown.page.evaluate("location.href"), "the address, too")
    start, ids = [shown.explore.value(n) for n in (right, up)], shown.explore.ids()
    x, y = shown.place()
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + 60, y - 40, steps=5)
    until(lambda: shown.explore.ids() != ids, "other items while the button is down")
    shown.page.mouse.up()
    moved = [shown.explore.value(n) for n in (right, up)]
    assert moved[0] > start[0] and moved[1] > start[1]
    until(lambda: "z=" in shown.page.evaluate("location.href"), "the address has it")
    page = shown.page
    page.reload()
    shown.explore.settled()
    shown.element.wait_for()
    page.get_by_test_id("map-open").click()
    shown.element.wait_for(state="hidden")
    page.reload()
    shown.explore.settled()
    assert not shown.element.is_visible()


def test_keys_move_the_map_a_lasso_drives_the_grid_and_a_click_alone_opens_an_item(shown, until):
    x, y = shown.place()
    shown.element.focus()
    shown.page.keyboard.press("ArrowRight")
    until(lambda: shown.place()[0] < x - 20, "the map moved to the left")
    shown.page.keyboard.press("0")
    until(lambda: shown.place() == pytest.approx((x, y), abs=1), "back")
    found = json.loads(
        shown.page.evaluate(
            "() => fetch(performance.getEntriesByType('resource').map(e => e.name)"
            ".find(name => name.includes('/axis-'))).then(r => r.arrayBuffer())"
            ".then(b => JSON.stringify(new Uint16Array(b).length))"
        )
    )
    assert f"{found:,} items" == shown.count()
    before, everything = shown.explore.ids(), shown.count()
    shown.draw((0.1, 0.1), (0.5, 0.1), (0.5, 0.9), (0.1, 0.9), (0.1, 0.1))
    until(lambda: shown.count() != everything, "some items are chosen")
    chosen = int(shown.count().split(" of ")[0].replace(",", ""))
    until(
        lambda: str(chosen) in shown.page.get_by_test_id("count").inner_text(), "the grid says so"
    )
    with shown.page.expect_download() as saved:
        shown.page.get_by_test_id("map-csv").click()
    rows = saved.value.path().read_text().splitlines()
    assert len(rows) == chosen + 1
    assert {str(i) for i in shown.explore.ids()} <= {row.split(",")[0] for row in rows[1:]}
    shown.page.get_by_test_id("map-clear").click()
    until(lambda: shown.count() == everything, "all items")
    until(lambda: shown.explore.ids() == before, "the grid as it was")
    box, everything = shown.element.bounding_box(), shown.count()
    lit = shown.page.locator(".lights circle").first.bounding_box()
    x, y = lit["x"] + lit["width"] / 2, lit["y"] + lit["height"] / 2
    item = (x - box["x"]) / box["width"], (y - box["y"]) / box["height"]
    right = item[0] + (0.3 if item[0] < 0.5 else -0.3)
    shown.draw(item, (right, item[1]), (right, 0.05), (0.5, 0.5), item)
    until(lambda: shown.count() != everything, "some items are chosen")
    shown.page.wait_for_timeout(500)
    assert not shown.page.locator(".st-key-dock").is_visible()
    shown.page.mouse.click(x, y)
    shown.page.locator(".st-key-dock").wait_for()  # as a click does


def test_a_layout_is_computed_while_the_page_is_used_and_chosen_on(explore, until):
    shown = Map(explore.open("demo-kitchen"), until)
    page, place, up = shown.page, shown.place(), shown.axes()[1]
    page.get_by_test_id("map-x").select_option("layout")
    for _ in shown.explore.drag(up, [0.2]):
        until(lambda: shown.place() != place, "the page is used meanwhile")
    page.locator(".query-point.fixed").wait_for()
    assert not page.get_by_test_id("map-y").is_visible()
    page.get_by_test_id("map-colour").select_option("density")
    until(lambda: page.get_by_test_id("map-legend").inner_text() != "", "what the colours mean")
    middle = shown.place()
    for _ in shown.explore.drag(1, [0.9]):
        until(lambda: shown.place() != middle, "the middle of what is found moves")
    everything = shown.count()
    shown.draw((0.04, 0.04), (0.5, 0.04), (0.5, 0.96), (0.04, 0.96))
    until(lambda: shown.count() != everything, "some items are chosen")
    chosen = int(shown.count().split(" of ")[0].replace(",", ""))
    until(
        lambda: str(chosen) in page.get_by_test_id("count").inner_text(), "the server counts alike"
    )
    page.get_by_test_id("map-x").select_option("0")
    until(lambda: shown.count() == everything, "another map has no lasso")


def test_a_lasso_says_what_it_holds_and_its_items_can_be_labelled(page, app_server, explore, until):
    shown = Map(explore.open("demo-kitchen"), until)
    shown.draw((0.05, 0.05), (0.45, 0.05), (0.45, 0.45), (0.05, 0.45))
    about = page.get_by_test_id("map-about")
    until(lambda: about.locator("figure").count() > 3, "factors of the chosen items")
    first = about.locator("figcaption").first.inner_text()
    across, up = (page.get_by_test_id(f"map-{name}").locator("option:checked") for name in "xy")
    assert any(first in each.inner_text() for each in (across, up)), (
        "what was chosen by differs most"
    )
    assert about.locator(".terms span").count() > 2
    n = shown.count().split(" ")[0]
    page.get_by_test_id("map-label").click()
    page.get_by_text(f"{n} items", exact=True).wait_for()
    field = page.locator(".st-key-label_new_name input")
    field.fill("from-the-map")
    field.press("Enter")
    page.locator(".st-key-label_new_make button").click()
    page.get_by_text("from-the-map").first.wait_for()


def test_without_webgl_one_sentence_stands_in_the_maps_place(explore_page, until):
    page = explore_page.page
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.reload()
    explore_page.settled()
    page.get_by_test_id("map-open").click()
    said = page.locator(".map .error")
    until(lambda: "WebGL" in said.inner_text(), "what is missing")
    before = explore_page.ids()
    for _ in explore_page.drag(1, [0.05]):
        until(lambda: explore_page.ids() != before, "the sliders still work")


def test_words_tags_and_factors_hold_while_a_slider_is_dragged_and_stand_in_the_link(
    explore, until
):
    page = explore.open("demo-kitchen").page
    word = explore.tiles.nth(2).get_attribute("aria-label").split()[1]
    everything = explore.ids()
    page.get_by_test_id("only").fill(word)
    until(lambda: explore.ids() != everything, "other items")

    having = set(Explorer.open(Run(DEMO_ROOT / "demo-kitchen")).find(word).tolist())

    def all_have_it():
        return set(explore.ids()) <= having

    until(all_have_it, "every item has the word")
    count = page.get_by_test_id("count")
    until(lambda: count.inner_text() == f"10 of {len(having)}", "they are counted")
    before = explore.ids()
    for _ in explore.drag(1, [0.8]):
        until(lambda: explore.ids() != before, "the items follow the slider")
        assert all_have_it(), "while the button is down, too"
    until(lambda: "z=" in page.evaluate("location.href"), "the address has the place")
    assert f"only={word}" in page.evaluate("location.href")
    ids = explore.ids()
    page.reload()
    explore.settled()
    assert explore.ids() == ids and page.get_by_test_id("only").input_value() == word
    page.get_by_test_id("only").fill("nothing has this word")
    until(lambda: explore.tiles.count() == 0, "no item")
    page.get_by_test_id("only").fill("")
    until(lambda: explore.tiles.count() == 10, "all items again")
    condition = page.locator("datalist option").evaluate_all("all => all.map((one) => one.value)")[
        0
    ]
    having = set(Explorer.open(Run(DEMO_ROOT / "demo-kitchen")).find(condition).tolist())
    only, error = page.get_by_test_id("only"), page.get_by_test_id("explore-error")
    only.fill(condition)
    until(lambda: set(explore.ids()) <= having, "every item meets it")
    until(lambda: count.inner_text() == f"10 of {len(having)}", "they are counted")
    known = explore.ids()
    only.fill(f"{condition} #nosuchtag")
    until(lambda: "#nosuchtag" in error.inner_text(), "it says what is wrong")
    assert explore.ids() == known
    until(lambda: "nosuchtag" in page.evaluate("location.href"), "the address has it")
    page.reload()
    explore.settled()
    assert "#nosuchtag" in error.inner_text()
    only.fill(condition)
    until(lambda: not error.inner_text() and explore.ids() == known, "well again")
