"""The Compare page in a browser: every column follows the thumb, by the axis that belongs to it."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.hands import press_thumb
from tests.waiting import until

RUNS = "digits,digits-turned"


class ComparePage:
    """The page as a visitor sees it."""

    def __init__(self, page):
        self.page = page
        self.asked = []
        page.on("request", self.note)

    def note(self, request):
        if "/rivae/api/run/topk" in request.url:
            self.asked.append(request.post_data_json)

    def ids(self, column):
        tiles = self.page.get_by_test_id(f"run-{column}").get_by_test_id("tile")
        return tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")

    def link(self):
        address = self.page.evaluate("location.href")
        return {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}

    def drag(self, factor, to):
        """Press on the thumb and move it; the button stays down."""
        move = press_thumb(self.page, self.page.get_by_test_id(f"slider-{factor}"))
        move(to, 6)


@pytest.fixture
def compare(page, server):
    page.goto(f"{server}/compare?runs={RUNS}&q=12&span=10")
    page.get_by_test_id("run-2").get_by_test_id("tile").nth(5).wait_for()
    page.wait_for_timeout(300)
    return ComparePage(page)


@pytest.mark.slow
def test_both_columns_follow_the_thumb_before_it_is_released(compare):
    before = compare.ids(1)
    assert compare.ids(2) == before
    compare.drag(1, 0.97)
    until(lambda: compare.ids(1) != before, "other pictures, the button still down")
    until(lambda: compare.ids(2) == compare.ids(1), "the turned run finds the same")
    assert "f" not in compare.link(), "the address waits for the release"
    first, second = compare.asked[-1]["runs"]
    assert (first["run"], second["run"]) == ("digits", "digits-turned")
    start_1, start_2 = compare.asked[0]["runs"][0]["z"], compare.asked[0]["runs"][1]["z"]
    moved = [
        [a - b for a, b in zip(z, start, strict=True)]
        for z, start in ((first["z"], start_1), (second["z"], start_2))
    ]
    assert moved[0][0] > 0 and moved[1][1] < 0, "z1 of the one is z2 (−) of the other"
    assert moved[1][1] == pytest.approx(-2 * moved[0][0], rel=1e-3), "each in its own range"
    compare.page.mouse.up()
    until(lambda: "f" in compare.link(), "the address follows the release")


@pytest.mark.slow
def test_reload_and_back(compare):
    start = compare.ids(2)
    compare.drag(2, 0.97)
    compare.page.wait_for_timeout(600)
    assert "factor" not in compare.link(), "a thumb that is held commits nothing"
    compare.page.mouse.up()
    until(lambda: compare.link().get("factor") == "2", "the factor in hand is in the link")
    until(lambda: compare.ids(2) != start, "other pictures")
    compare.page.wait_for_load_state("networkidle")  # the answer to the last value is there
    compare.page.wait_for_timeout(500)
    moved = compare.ids(2)
    compare.page.get_by_text("B · digits-turned: z3").wait_for()
    compare.page.reload()
    compare.page.get_by_test_id("run-2").get_by_test_id("tile").nth(5).wait_for()
    until(lambda: compare.ids(2) == moved, "the reload brings it back")
    compare.page.go_back()
    until(lambda: compare.ids(2) == start, "back undoes the drag")


@pytest.mark.slow
def test_a_click_on_a_tile_makes_it_the_query(compare):
    item = compare.ids(1)[3]
    compare.page.get_by_test_id("run-1").get_by_test_id("tile").nth(3).click()
    until(lambda: compare.link().get("q") == str(item), "the item is the query")
    assert compare.page.get_by_test_id("stException").count() == 0
