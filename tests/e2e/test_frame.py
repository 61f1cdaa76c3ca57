"""The bar of every page: places, tabs, one search, undo and redo."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.waiting import IDLE

pytestmark = pytest.mark.slow


def link(page):
    address = urlsplit(page.evaluate("location.href"))
    return address.path, {k: v[0] for k, v in parse_qs(address.query).items()}


def test_undo_and_redo_step_through_changes_but_leave_texts_alone(explore, trained_run, until):
    page = explore.open(trained_run, q=40).page
    first, ids = link(page), explore.ids()
    for _ in explore.drag(1, [0.9]):
        pass
    until(lambda: "z" in link(page)[1], "the move is in the address")
    moved = link(page)
    page.keyboard.press("Control+z")
    until(lambda: link(page) == first, "undone")
    until(lambda: explore.ids() == ids, "the pictures are those of before")
    page.keyboard.press("Control+Shift+z")
    until(lambda: link(page) == moved, "redone")
    page.get_by_test_id("undo").click()
    until(lambda: link(page) == first, "undone by the button")
    field = page.get_by_test_id("search")
    field.fill("abc")
    field.press("Control+z")
    assert link(page) == first, "in a text Ctrl-Z is the text's own"


def test_one_search_finds_an_item_an_axis_and_a_view(page, app_server, until):
    page.goto(f"{app_server}/explore?run=demo-kitchen&q=40")
    page.get_by_test_id("tile").first.wait_for()
    page.get_by_test_id("find-all").wait_for()  # what listens may come after the pictures
    page.keyboard.press("Control+k")
    text = page.get_by_test_id("find-all-text")
    text.wait_for()
    hits = page.get_by_test_id("all-hit")
    text.fill("strips")
    hits.filter(has_text="Explore: Strips").click()
    until(
        lambda: link(page) == ("/traverse", {"dims": "reliable", "run": "demo-kitchen", "q": "40"}),
        "the view",
    )
    page.get_by_test_id("shot").first.wait_for()
    page.get_by_test_id("find-all").click()
    title = page.evaluate("document.title")
    assert title == "Strips · demo-kitchen"
    text.fill("berries")
    item = hits.filter(has=page.locator("img")).first
    item.wait_for()
    item.click()
    until(lambda: link(page)[0] == "/explore" and link(page)[1]["q"] != "40", "the item")
    page.keyboard.press("Control+z")
    until(lambda: link(page)[0] == "/traverse", "back where it was looked for")


def test_query_and_view_survive_every_switch(page, app_server, until):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&q=12&range=Paper&points=7&view=Plane")
    page.get_by_test_id("shot").first.wait_for()
    here = link(page)
    places, tabs = page.locator(".st-key-places"), page.locator(".st-key-tabs")
    places.get_by_role("link", name="Evidence").click()
    until(lambda: link(page) == ("/metrics", {"run": "demo-kitchen"}), "the evidence of this run")
    assert not tabs.get_by_role("link", name="Correlations").count(), "it is a fold of this view"
    page.locator(".st-key-open_paper summary").click()
    page.locator(".st-key-open_paper [data-testid=stPageLink] a").click()
    wanted = {"view": "Correlations", "q": "12", "range": "Paper"}
    until(lambda: wanted.items() <= link(page)[1].items(), "another page of the place")
    places.get_by_role("link", name="Explore").click()
    until(lambda: link(page) == here, "the view of before, with its query")
    page.get_by_test_id("shot").first.wait_for()
    tabs.get_by_role("link", name="Path").click()
    until(lambda: link(page)[1].get("view") == "Path", "the same page, another view")
    assert link(page)[1]["q"] == "12"
    page.get_by_test_id("find-all").click()
    page.get_by_test_id("find-all-text").fill("plane")
    page.get_by_test_id("all-hit").filter(has_text="Explore: Plane").click()
    until(lambda: link(page)[1].get("view") == "Plane", "the search leads to a view, too")
    assert link(page)[1]["q"] == "12"


LEFT = (
    "explore?run=demo-kitchen&q=12&z=2_0.5",
    "steer?run=demo-kitchen&q=12&levels=1q",
    "traverse?run=demo-kitchen&q=12&range=Paper&points=7&view=Plane",
    "words?run=demo-kitchen&q=12&part=Results",
    "metrics?run=demo-kitchen&show=tables",
)


def test_a_place_that_is_clicked_twice_opens_as_it_was_left(page, app_server, until):
    places = page.locator(".st-key-places")

    def arrived(at):
        page.locator(f".st-key-at_place_{at}").wait_for()
        page.locator(IDLE).wait_for()

    for address in LEFT:
        page.goto(f"{app_server}/{address}")
        at = "Evidence" if address.startswith("metrics") else "Explore"
        arrived(at)
        left = link(page)
        places.get_by_role("link", name="Train").click()
        arrived("Train")
        # The second click reaches the link of the page that is left, whose address is a bare one.
        places.get_by_role("link", name=at).dblclick()
        arrived(at)
        until(lambda left=left: link(page) == left, f"{left} as it was left")
