"""The search box of Explore: words find items, and a dropped or pasted picture is the query."""

import base64
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, Run
from tests.hands import drop, png

pytestmark = pytest.mark.slow


@pytest.fixture
def kitchen():
    return Explorer.open(Run(DEMO_ROOT / "demo-kitchen"))


def test_words_find_items_and_the_keyboard_takes_one(explore, kitchen, until):
    page = explore.open("demo-kitchen").page
    wanted = kitchen.best("chocolate pudding", 7)
    box, hits = page.get_by_test_id("search"), page.get_by_test_id("hit")
    box.press_sequentially("chocolate pudding")
    until(lambda: hits.count() == len(wanted), "the items found")
    marked = [text.lower() for text in hits.first.locator("mark").all_inner_texts()]
    assert any(text.startswith("chocolate") for text in marked)
    assert hits.nth(0).get_attribute("aria-selected") == "true"
    box.press("ArrowDown")
    assert hits.nth(1).get_attribute("aria-selected") == "true"
    assert box.get_attribute("aria-activedescendant") == hits.nth(1).get_attribute("id")
    box.press("Enter")
    until(
        lambda: f"q={wanted[1].row}" in page.evaluate("location.href"),
        "the second one is taken",
    )
    assert not page.get_by_test_id("hits").is_visible() and box.input_value() == ""
    row = int(kitchen.search_rows[7])
    box.press_sequentially(str(row))
    until(lambda: hits.count() >= 1, "the item of that number")
    hits.first.click()
    until(lambda: f"q={row}" in page.evaluate("location.href"), "it is the query")
    box.press_sequentially("nothing has this")
    page.get_by_test_id("hits").wait_for()
    until(lambda: hits.count() == 0, "no item")
    box.press("Escape")
    assert not page.get_by_test_id("hits").is_visible()


def test_a_picture_that_is_dropped_or_pasted_is_the_query_and_what_is_none_is_told(
    explore, kitchen, until
):
    page = explore.open("demo-kitchen").page

    def give(box, name, content):
        drop(page.get_by_test_id(box), name, content)

    def query():
        return parse_qs(urlsplit(page.evaluate("location.href")).query).get("q", [""])[0]

    error = page.get_by_test_id("explore-error")
    give("query", "bad.png", base64.b64encode(b"nothing").decode())
    until(lambda: error.inner_text(), "one sentence")
    before = query()
    row = int(kitchen.search_rows[20])
    dish, wide = png(kitchen.data.picture(row, 1)), png(Image.new("RGB", (3000, 40), "white"))
    # A large one is made smaller.
    for box, name, content in (
        ("query", "mine.png", dish),
        ("query", "wide.png", wide),
        ("search", "", dish),
    ):
        give(box, name, content)
        until(lambda b=before: b != query() and "upload_" in query(), "the picture is the query")
        if content == dish:
            until(lambda: explore.ids()[0] == row, "it finds its own dish")
        before = query()
