"""The Label page under held keys, with skipped items, and open twice."""

import pytest

from tests.e2e.label_desk import burst, levels, marks, open_desk, saved, who

pytestmark = pytest.mark.slow


def held(page, key, times=9):
    """One press of a key that is held: the browser repeats it."""
    for _ in range(times):
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_a_held_key_acts_once_and_only_arrows_repeat(desk, made, until):
    held(desk, "3")
    saved(desk, until)
    assert len(made.store.events(annotator=who(made))) == 1 and marks(desk).startswith("3..")
    for key, n in ((" ", 2), ("0", 3), ("s", 4), ("f", 5)):
        held(desk, key)
        saved(desk, until)
        assert len(made.store.events(annotator=who(made))) == n, key
    held(desk, "Backspace")
    saved(desk, until)
    assert [e.event.action for e in made.store.events(annotator=who(made))].count("undo") == 1
    before = desk.locator("[data-testid=label-tile][aria-current=true]").get_attribute("data-at")
    held(desk, "ArrowRight", 3)
    after = desk.locator("[data-testid=label-tile][aria-current=true]").get_attribute("data-at")
    assert int(after) == int(before) + 3
    while set(marks(desk)) & {".", "s"}:
        tile = desk.locator("[data-testid=label-tile]:not([data-mark='2'])").first
        tile.click()
        desk.keyboard.press("2")
        if not desk.locator("[data-testid=label-tile]:not([data-mark='2'])").count():
            break
    saved(desk, until)
    desk.get_by_test_id("next").wait_for()
    held(desk, "Enter")
    assert desk.get_by_test_id("where").inner_text().startswith("25 to")


def test_skipped_items_come_back_when_nothing_else_is_left(desk, made, until):
    n = len(made.plan.order)
    desk.keyboard.press("s")
    assert "1 skipped" in desk.get_by_test_id("pace").inner_text()
    desk.get_by_test_id("tool-S").click()
    desk.keyboard.press("Backspace")  # the second one is no longer skipped
    desk.keyboard.press("4")
    while int(desk.get_by_test_id("desk").get_attribute("data-waiting")) or marks(desk).count("."):
        burst(desk, ["4"] * marks(desk).count("."))
        burst(desk, ["Enter"])
        saved(desk, until)
    assert marks(desk)[0] == "s" and set(levels(made)[1:]) <= {4, "."}
    skips = made.store.current("skip", annotator=who(made))
    assert [s.event.item for s in skips] == [made.keys[made.plan.order[0]]]
    assert "1 skipped" in desk.get_by_test_id("pace").inner_text()
    assert f"{n - 1}/{n}" in desk.get_by_test_id(f"factor-{made.guideline.ids[0]}").inner_text()


def test_a_second_page_is_shown_what_the_first_stored_before_it_replaces_it(
    desk, made, browser, app_server, until
):
    context = browser.new_context()  # another device
    try:
        other = open_desk(context.new_page(), app_server, made)
        burst(desk, "333")
        saved(desk, until)
        burst(other, "45")
        asked = other.get_by_test_id("meanwhile")
        asked.wait_for()
        saved(other, until)
        assert levels(made)[:3] == [3, 3, 3], "nothing is replaced unseen"
        until(lambda: marks(other).startswith("333."), "the second page shows what is stored")
        words = other.get_by_test_id("meanwhile-words").inner_text()
        assert "item 1" in words and "item 2" in words and "4" in words and "5" in words
        other.get_by_test_id("meanwhile-replace").click()
        saved(other, until)
        assert levels(made)[:3] == [4, 5, 3] and not asked.is_visible()
        # The first page has not seen that. Its undo is about what it shows: item 3.
        desk.keyboard.press("Backspace")
        saved(desk, until)
        until(lambda: marks(desk).startswith("45.."), "and it sees the rest now")
        assert levels(made)[:3] == [4, 5, "."]
        # Undo in the second page: its own answers, in their order.
        other.keyboard.press("Backspace")
        saved(other, until)
        assert levels(made)[:3] == [4, 3, "."]
    finally:
        context.close()


def test_an_undo_of_what_another_page_changed_undoes_nothing(
    desk, made, browser, app_server, until
):
    burst(desk, "2")
    saved(desk, until)
    context = browser.new_context()
    try:
        other = open_desk(context.new_page(), app_server, made)
        until(lambda: marks(other).startswith("2."), "the label is there")
        other.get_by_test_id("label-tile").first.click()
        other.keyboard.press("5")
        saved(other, until)
        desk.keyboard.press("Backspace")
        desk.get_by_test_id("meanwhile").wait_for()
        until(lambda: marks(desk).startswith("5."), "what is stored is shown")
        assert levels(made)[0] == 5
        desk.keyboard.press("Backspace")  # it is shown now, and is taken back
        saved(desk, until)
        assert levels(made)[0] == 2
    finally:
        context.close()
