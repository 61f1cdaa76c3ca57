"""Selections on the map: kept, named in place, chosen among, taken away and brought back."""

import pytest

from rivae.runs.selections import read_selections
from tests.e2e.test_accessibility import nobody_is_left_out

pytestmark = pytest.mark.slow

KITCHEN = "/explore?run=demo-kitchen&q=1&view=Map"
HOSTILE = "<b>my</b> 'items' & more"
LEFT = [(0.05, 0.4), (0.4, 0.4), (0.4, 0.95), (0.05, 0.95)]
RIGHT = [(0.6, 0.1), (0.9, 0.1), (0.9, 0.6), (0.6, 0.6)]


@pytest.fixture
def kept(app_runs):
    """What is on the disk; nothing at first."""
    folder = app_runs / "selections"
    for file in folder.glob("*.json"):
        file.unlink()

    def now():
        return [one for file in folder.glob("*.json") for one in read_selections(file)]

    return now


@pytest.fixture
def shown(page, app_server, kept):
    page.goto(app_server + KITCHEN)
    page.get_by_test_id("map-hit").nth(9).wait_for()
    return page


def draw(page, corners):
    box = page.get_by_test_id("map").bounding_box()
    points = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    page.keyboard.down("Shift")
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=6)
    page.mouse.up()
    page.keyboard.up("Shift")


def keep(page, corners, until):
    n = chips(page).count()
    draw(page, corners)
    page.get_by_test_id("map-keep").click()
    until(lambda: chips(page).count() == n + 1, "it has a chip")


def chips(page):
    return page.get_by_test_id("selection-choose")


def chosen(page):
    count = page.get_by_test_id("map-count").inner_text()
    return int(count.split(" of ")[0].replace(",", "")) if " of " in count else None


def focused(page):
    deepest = "let a = document.activeElement; while (a.shadowRoot) a = a.shadowRoot.activeElement"
    return page.evaluate(f"() => {{ {deepest}; return a.dataset.testid }}")


def test_two_lassos_are_kept_chosen_among_renamed_removed_and_brought_back(shown, kept, until):
    keep(shown, LEFT, until)
    until(lambda: chosen(shown) is None, "the next one can be drawn")
    keep(shown, RIGHT, until)
    first, second = kept()
    assert first.mark != second.mark and not set(first.rows) & set(second.rows)
    chips(shown).first.click()
    until(lambda: chosen(shown) == len(first.rows), "only these")
    until(lambda: "only=%40s1" in shown.evaluate("location.href"), "the link names it")
    hits = shown.get_by_test_id("map-hit").evaluate_all(
        "nodes => nodes.filter(n => !n.hidden).map(n => Number(n.dataset.id))"
    )
    assert set(hits) <= set(first.rows)
    assert not shown.get_by_test_id("map-keep").is_visible(), "it is kept already"
    about = shown.get_by_test_id("map-about")
    about.locator(".shares").first.wait_for()
    assert "%" in about.locator(".terms span").first.get_attribute("title")
    shown.get_by_test_id("selection-rename").click()
    shown.get_by_test_id("selection-field").fill(HOSTILE)
    shown.keyboard.press("Enter")
    until(lambda: [one.name for one in kept()] == [HOSTILE, second.name], "on the disk")
    until(lambda: HOSTILE in chips(shown).first.inner_text(), "as it was typed")
    shown.get_by_test_id("selection-remove").click()
    until(lambda: kept() == [second], "gone")
    until(
        lambda: chosen(shown) is None and "only=" not in shown.evaluate("location.href"),
        "all items again",
    )
    shown.get_by_test_id("selection-undo").click()
    until(lambda: {one.id for one in kept()} == {"s1", "s2"}, "back")
    shown.reload()
    until(lambda: chips(shown).count() == 2, "both are there again")


def test_a_link_opens_a_selection_to_be_labelled_and_compared_and_one_to_none_says_so(
    page, app_server, kept, until
):
    page.goto(app_server + KITCHEN)
    page.get_by_test_id("map-hit").nth(9).wait_for()
    keep(page, LEFT, until)
    n = len(kept()[0].rows)
    page.goto(app_server + KITCHEN + "&only=@s1")
    until(lambda: chosen(page) == n, "its items")
    assert chips(page).first.get_attribute("aria-pressed") == "true"
    page.get_by_test_id("map-label").click()
    page.get_by_text(f"{n} items", exact=True).wait_for()
    page.goto(app_server + KITCHEN + "&only=@s9")
    until(lambda: page.get_by_text("s9").count() > 0, "a sentence")
    page.goto(app_server + "/compare?runs=demo-kitchen,demo-kitchen-cos-sim-lvm")
    page.get_by_test_id("map-open").click()
    chips(page).first.click()
    counts = page.get_by_test_id("map-count")
    until(lambda: all(text.startswith(f"{n} of ") for text in counts.all_inner_texts()), "both")


def test_a_map_with_selections_leaves_nobody_out_and_keys_choose_rename_and_remove(
    shown, kept, until
):
    keep(shown, LEFT, until)
    keep(shown, RIGHT, until)
    chips(shown).first.click()
    shown.get_by_test_id("selection-remove").click()
    until(lambda: len(kept()) == 1 and chips(shown).count() == 1, "removed")
    chips(shown).first.click()
    until(lambda: chosen(shown) is not None, "chosen among")
    until(lambda: "only=" in shown.evaluate("location.href"), "the link names it")
    shown.reload()  # the Tab key begins at the top
    until(lambda: chips(shown).count() == 1, "drawn again")
    until(lambda: chosen(shown) is not None, "chosen among, still")
    shown.locator("[data-testid=map-names] text").first.wait_for(state="attached")
    nobody_is_left_out(shown, until)
    chips(shown).first.focus()
    shown.keyboard.press("Enter")
    until(lambda: chosen(shown) is None, "all items again")
    shown.keyboard.press("Enter")
    until(lambda: chosen(shown) is not None, "chosen among")
    assert focused(shown) == "selection-choose", "the focus stays"
    shown.keyboard.press("Tab")
    assert focused(shown) == "selection-rename"
    shown.keyboard.press("Enter")
    assert focused(shown) == "selection-field"
    shown.keyboard.type("by keys")
    shown.keyboard.press("Enter")
    until(lambda: kept()[0].name == "by keys", "renamed")
    until(lambda: focused(shown) == "selection-rename", "the focus comes back")
    shown.keyboard.press("Enter")
    shown.keyboard.type("not this")
    shown.keyboard.press("Escape")
    shown.keyboard.press("Tab")
    assert focused(shown) == "selection-remove"
    assert kept()[0].name == "by keys"
    shown.keyboard.press("Enter")
    until(lambda: kept() == [], "removed")


def test_two_tabs_lose_nothing_and_one_selection_against_another_is_an_axis(
    shown, app_server, kept, until
):
    other = shown.context.new_page()
    other.goto(app_server + KITCHEN)
    other.get_by_test_id("map-hit").nth(9).wait_for()
    keep(shown, LEFT, until)
    draw(other, RIGHT)
    other.get_by_test_id("map-keep").click()
    until(lambda: len(kept()) == 2, "both are on the disk")
    until(lambda: chips(other).count() == 2, "this tab shows that of the other")
    other.get_by_test_id("add-axis").click()
    dock = other.locator(".st-key-dock")
    dock.wait_for()
    dock.get_by_text("Selections", exact=True).click()
    dock.locator(".st-key-axis_against input").click()
    other.get_by_role("option").last.click()
    dock.locator(".st-key-axis_name_try button").click()
    names = {one.name for one in kept()}
    until(lambda: dock.locator(".st-key-axis_name_draft input").count() == 1, "a draft")
    assert dock.locator(".st-key-axis_name_draft input").input_value() in names
    other.close()
