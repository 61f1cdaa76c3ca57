"""A visit from page to page: what is looked at goes along, stays in use, and comes back."""

import io
from urllib.parse import parse_qs, urlsplit

import pytest

from rivae.app.explore.panels import BOTH

pytestmark = pytest.mark.slow


def link(page):
    address = urlsplit(page.evaluate("location.href"))
    return address.path, {k: v[0] for k, v in parse_qs(address.query).items()}


def go(page, name):
    """A click on a place, or on a tab of one."""
    bar = page.locator(".st-key-places, .st-key-tabs")
    bar.get_by_role("link", name=name, exact=True).last.click()


def drawing():
    """A picture of one's own: a ring."""
    from PIL import Image, ImageDraw

    image = Image.new("L", (60, 60))
    ImageDraw.Draw(image).ellipse((18, 8, 42, 52), outline=255, width=6)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return {"name": "ring.png", "mimeType": "image/png", "buffer": buffer.getvalue()}


def test_run_query_and_z_go_along_and_one_page_is_one_step_back(explore, trained_run, until):
    page = explore.open(trained_run, q=40, z="1_0.5").page
    ids, here = explore.ids(), link(page)
    both = {"run": trained_run, "q": "40"}
    go(page, "Strips")
    strips = {**both, "dims": "reliable"}
    until(lambda: link(page) == ("/traverse", strips), "Strips have both")
    until(lambda: page.title() == f"Strips · {trained_run}", "the tab says what it shows")
    go(page, "Combinations")
    until(lambda: link(page) == ("/steer", both), "Combinations have both")
    page.go_back()
    until(lambda: link(page) == ("/traverse", strips), "one step back")
    page.go_back()
    until(lambda: link(page) == here, "two steps back")
    explore.settled()
    assert explore.ids() == ids
    go(page, "Strips")
    until(lambda: link(page)[0] == "/traverse", "there again")
    until(lambda: page.title() == f"Strips · {trained_run}", "the page is through")
    go(page, "Live")
    until(lambda: link(page) == here, "z as well")
    page.reload()
    explore.settled()
    assert explore.ids() == ids


def test_an_item_is_watched_while_a_slider_is_dragged(explore, trained_run, until):
    # The code of buttons comes with the first one, here or with what else happens to be shown.
    page, late, code_of_buttons = explore.page, [], "**/static/js/Button.*.js"
    page.route(code_of_buttons, lambda route: late.append(route))
    explore_page = explore.open(trained_run, q="mean")
    ids = explore_page.ids()
    dock, place = page.locator(".st-key-dock"), page.get_by_test_id("watched")

    def look_at(tile):
        explore_page.tiles.nth(tile).focus()
        page.keyboard.press("Enter")
        dock.get_by_role("button", name="Close").focus()
        page.keyboard.press("Enter")
        dock.wait_for(state="detached")
        focused = "document.activeElement.shadowRoot?.activeElement?.dataset.rank"
        until(lambda: page.evaluate(focused) == str(tile + 1), "the focus returns to the tile")

    # Escape works before it has come.
    explore_page.tiles.nth(1).focus()
    page.keyboard.press("Enter")
    dock.wait_for()
    until(lambda: late, "the code of buttons is on its way")
    assert not dock.get_by_role("button", name="Close").count()
    page.keyboard.press("Escape")
    for request in late:
        request.continue_()
    dock.wait_for(state="detached")
    page.unroute(code_of_buttons)

    look_at(4)
    explore_page.tiles.nth(2).focus()
    page.keyboard.press("Enter")
    dock.get_by_text(BOTH.format("z")).wait_for()
    assert place.inner_text() == "The open item is number 3"
    assert place.evaluate("node => node.scrollWidth <= node.clientWidth"), "nothing is cut off"

    def said() -> str:
        now = explore_page.ids()
        return f"number {now.index(ids[2]) + 1}" if ids[2] in now else "not among the results"

    for _ in explore_page.drag(1, [0.1]):  # nothing covers the slider
        until(lambda: explore_page.ids() != ids, "other pictures, the item still open")
        # The last answers of the way may come between the two readings.
        until(lambda: said() in place.inner_text(), "its place while z moves")
    page.keyboard.press("Escape")
    dock.wait_for(state="detached")
    look_at(6)  # the slider has the focus, in the same component

    page.get_by_test_id("query-random").click()
    until(lambda: link(page)[1]["q"] != "mean", "another query")
    marks = page.locator('[data-change="new"], [data-testid="left-items"] [data-id]')
    until(lambda: marks.count() == 0, "another query is no drag")


def test_an_uploaded_query_survives_a_reload(explore_page, until):
    page = explore_page.page
    page.get_by_test_id("query-gallery").click()
    page.locator("input[type=file]").set_input_files(drawing())
    until(lambda: link(page)[1].get("q", "").startswith("upload_"), "the address names it")
    page.get_by_test_id("query").get_by_text("your picture").wait_for()
    ids, values = explore_page.ids(), [explore_page.value(dim) for dim in (1, 2, 3)]
    page.reload()
    explore_page.settled()
    page.get_by_test_id("query").get_by_text("your picture").wait_for()
    assert explore_page.ids() == ids
    assert [explore_page.value(dim) for dim in (1, 2, 3)] == values
    assert page.get_by_test_id("reset-all").is_visible()
    assert page.locator(".moved").count() == 0, "no slider is displaced"
