"""Explore's first screen: few axes, large pictures, one sentence, before and after."""

import pytest

from tests.conftest import KITCHEN_AXES

pytestmark = pytest.mark.slow

KITCHEN = "demo-kitchen"
WIDTHS = "all => all.map((one) => one.getBoundingClientRect().width)"
TOPS = "all => all.map((one) => [one.offsetTop, one.offsetLeft + one.offsetWidth])"


@pytest.fixture
def kitchen(explore):
    return explore.open(KITCHEN)


def shown_axes(page):
    return page.get_by_test_id("dim-row").filter(visible=True)


def test_few_axes_are_shown_without_numbers_until_they_are_asked_for_or_a_link_moves_one(kitchen):
    page = kitchen.page
    few = shown_axes(page).count()
    fold, number = page.get_by_test_id("fold"), page.get_by_test_id("number-1")
    assert few <= 8 and fold.get_attribute("aria-expanded") == "false"
    assert "z1" not in page.get_by_test_id("sliders").inner_text()
    dots = page.get_by_test_id("sliders").get_by_test_id("sure").filter(visible=True)
    assert dots.first.get_attribute("title").startswith("Reliable: .")
    fold.click()
    assert shown_axes(page).count() == KITCHEN_AXES
    page.get_by_test_id("precise").click()
    assert number.is_visible() and page.get_by_test_id("jump").is_visible()
    page.reload()  # both are kept in the browser
    kitchen.settled()
    assert shown_axes(page).count() == KITCHEN_AXES and number.is_visible()
    fold.click()
    page.get_by_test_id("precise").click()
    assert shown_axes(page).count() == few and not number.is_visible()
    hidden = page.get_by_test_id("dim-row").filter(visible=False)
    dim = hidden.first.get_attribute("data-dim")
    kitchen.open(KITCHEN, z=f"{dim}_1")
    assert page.get_by_test_id(f"slider-{dim}").is_visible()


def test_a_word_behind_a_name_finds_its_axis_and_one_that_finds_none_may_become_one(kitchen):
    page = kitchen.page
    page.get_by_test_id("find-axis").fill("SWEET")
    assert "matches: " in shown_axes(page).first.inner_text()
    page.get_by_test_id("find-axis").fill("umami")
    assert shown_axes(page).count() == 0
    assert "No axis is about “umami”" in page.get_by_test_id("no-axis").inner_text()
    page.get_by_test_id("want-axis").click()
    more = page.locator(".st-key-dock").get_by_label("More of")
    more.wait_for()
    assert more.input_value() == "umami"


def test_a_sentence_tells_what_the_axis_in_hand_changes_and_before_is_shown_while_held(
    kitchen, until
):
    page, before = kitchen.page, kitchen.ids()
    button = page.get_by_test_id("before")
    said, grid = page.get_by_test_id("said"), page.get_by_test_id("grid")
    assert button.is_disabled() and said.inner_text().startswith("Drag an axis")
    top = grid.bounding_box()["y"]
    list(kitchen.drag(1, [0.95]))
    until(lambda: kitchen.ids() != before, "other pictures")
    until(lambda: "items new" in said.inner_text(), "the sentence")
    assert said.inner_text().startswith("More ") and "Reliable: ." in said.inner_text()
    assert grid.bounding_box()["y"] == pytest.approx(top, abs=1), "nothing shifts"
    page.wait_for_timeout(600)  # the last answer of the way
    after, z = kitchen.ids(), kitchen.value(1)
    page.keyboard.down("b")
    until(lambda: kitchen.ids() == before, "before")
    assert button.get_attribute("aria-pressed") == "true" and kitchen.value(1) == z
    page.keyboard.up("b")
    until(lambda: kitchen.ids() == after, "after")
    assert button.get_attribute("aria-pressed") == "false"
    new = page.locator("[data-change=new]").evaluate_all(
        "all => all.map((one) => Number(one.dataset.id))"
    )
    assert set(new) == set(after) - set(before), "marks compare with before"
    button.hover()
    page.mouse.down()
    until(lambda: kitchen.ids() == before, "before, by the button")
    page.mouse.up()
    until(lambda: kitchen.ids() == after, "and after")
    button.focus()
    page.keyboard.down(" ")
    until(lambda: kitchen.ids() == before, "before, by the keyboard")
    page.keyboard.up(" ")
    until(lambda: kitchen.ids() == after, "and after")
    page.get_by_test_id("only").fill("b")
    assert button.get_attribute("aria-pressed") == "false", "a letter is a letter"


def test_an_analysts_three_questions_are_answered_on_one_screen(kitchen, until):
    """Which axis is sweetness, what else does it change, can I trust it?"""
    page, said = kitchen.page, kitchen.page.get_by_test_id("said")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_test_id("find-axis").fill("sweet")
    row = shown_axes(page).first
    assert row.locator(".poles").inner_text().split("\n")[-1] == "dessert", "which one"
    before = kitchen.ids()
    list(kitchen.drag(int(row.get_attribute("data-dim")), [0.9]))
    until(lambda: "measurably" in said.inner_text(), "the effects")
    sentence = said.inner_text()
    assert sentence.startswith("More dessert: ") and "nothing else changes" in sentence
    assert "Reliable: ." in sentence and "chance ." in sentence, "whether to trust it"
    assert kitchen.ids() != before
    for width, height in ((1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        for part in (row, said, kitchen.tiles.first):
            box = part.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= height, "without scrolling"
    assert "/explore?" in page.evaluate("location.href")


def test_pictures_are_large_at_every_width_with_the_map_and_an_item_open(kitchen, until):
    page = kitchen.page

    def all_are_large(least):
        widths = page.locator("[data-testid=tile] .pic").evaluate_all(WIDTHS)
        return len(widths) == 10 and min(widths) >= least

    def at_every_width(what):
        for width in (390, 1024, 1280, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            least = 150 if width < 760 else 160
            until(lambda least=least: all_are_large(least), f"{what} at {width}")
            yield width

    def last_row_is_full():
        ends = page.get_by_test_id("tile").evaluate_all(TOPS)
        last = [right for top, right in ends if top == ends[-1][0]]
        return max(last) >= max(right for _, right in ends) - 2

    for width in at_every_width("large"):
        if width >= 1280:  # tiles move to their places
            until(last_row_is_full, f"no hole in the last row at {width}")
    page.get_by_test_id("map-open").click()
    page.get_by_test_id("map-query").wait_for()
    list(at_every_width("with the map"))
    page.set_viewport_size({"width": 390, "height": 800})
    kitchen.tiles.first.click()
    page.locator(".st-key-dock").wait_for()
    for width in at_every_width("with an item at the side"):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
