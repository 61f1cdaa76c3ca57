"""The Label page in a real browser: keys become labels, whatever happens in between."""

from urllib.parse import unquote

import pytest

from rivae.app.label.annotator import COOKIE
from rivae.labels.store import LabelStore
from tests.app.labels_fixture import make_label_plan
from tests.e2e.label_desk import burst, levels, marks, open_desk, saved, who

pytestmark = pytest.mark.slow


def test_a_sheet_is_labelled_by_keyboard_alone(desk, made, until):
    keys = [str(i % 6) for i in range(24)]
    for key in keys:
        desk.keyboard.press(key)
    saved(desk, until)
    again = set(made.plan.repeats)
    expected = [None if key == "0" else int(key) for key in keys]
    given = levels(made)
    for at, level in enumerate(expected):
        if at not in again:
            assert given[at] == level, f"position {at}"
    assert "This sheet is labelled" in desk.get_by_test_id("sheet-over").inner_text()
    desk.keyboard.press("3")  # nothing is in sight that could be meant
    assert len(made.store.events(annotator=who(made))) == 24
    before = desk.get_by_test_id("where").inner_text()
    desk.keyboard.press("Enter")
    until(lambda: desk.get_by_test_id("where").inner_text() != before, "the next sheet")
    assert set(marks(desk)) == {"."}


def test_an_item_is_enlarged_by_mouse_and_key_and_the_bar_is_in_view(desk, made, until):
    desk.set_viewport_size({"width": 1440, "height": 900})
    zoom, tiles = desk.get_by_test_id("zoom"), desk.get_by_test_id("label-tile")
    tiles.nth(2).hover()
    zoom.wait_for()
    assert desk.get_by_test_id("zoom-picture").get_attribute("src").endswith("/picture/2")
    box, tile = zoom.bounding_box(), tiles.nth(2).bounding_box()
    assert box["width"] > 2 * tile["width"] and box["x"] > tile["x"] + tile["width"]
    desk.mouse.move(5, 5)
    zoom.wait_for(state="hidden")
    desk.keyboard.press("z")
    zoom.wait_for()
    desk.keyboard.press("4")  # labelling goes on, and what is enlarged with it
    until(
        lambda: desk.get_by_test_id("zoom-picture").get_attribute("src").endswith("/picture/1"),
        "the enlarged item follows the cursor",
    )
    box = zoom.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 900
    desk.keyboard.press("Escape")
    zoom.wait_for(state="hidden")
    burst(desk, "3" * 23)
    saved(desk, until)
    bar = desk.get_by_test_id("next").bounding_box()
    assert bar["y"] >= 0 and bar["y"] + bar["height"] <= 900
    assert desk.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_unsure_and_does_not_apply_are_answers_too(desk, made, until):
    keys = ["Shift+Digit2", "n", "Shift+Digit4", "3"]
    for key in keys:
        desk.keyboard.press(key)
    scale = desk.locator(".scale-row")
    scale.locator("[data-level='1']").click(modifiers=["Shift"])
    scale.locator("[data-level='n']").click()
    desk.keyboard.press("Shift+Digit5")  # there is no level above it
    saved(desk, until)
    until(lambda: marks(desk).startswith("bnd3an."), "what was pressed")
    found = [e.event for e in made.store.events(annotator=who(made))]
    assert [(e.action, e.level) for e in found] == [
        ("unsure", 2), ("inapplicable", None), ("unsure", 4), ("label", 3), ("unsure", 1),
        ("inapplicable", None),
    ]  # fmt: skip
    desk.reload()
    desk.get_by_test_id("desk").wait_for()
    until(lambda: marks(desk).startswith("bnd3an."), "the answers are there after a reload")
    for expected in ("bnd3a..", "bnd3...", "bnd....", "bn....."):
        desk.keyboard.press("Backspace")
        until(lambda e=expected: marks(desk).startswith(e), f"back to {expected}")


def test_ten_keys_in_one_burst_are_ten_labels(desk, made, until):
    burst(desk, "1234512345")
    saved(desk, until)
    found = [e.event for e in made.store.events(annotator=who(made))]
    assert [e.level for e in found] == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
    assert len({(e.item, e.repeat) for e in found}) == 10
    assert all(e.guideline == made.guideline.version for e in found)


def test_undo_goes_back_as_far_as_there_is_anything(desk, made, until):
    burst(desk, "3332")
    saved(desk, until)
    desk.reload()
    desk.get_by_test_id("desk").wait_for()
    until(lambda: marks(desk).startswith("3332."), "the labels are there after a reload")
    desk.keyboard.press("5")
    for expected in ("3332.", "333..", "33...", "3....", "....."):
        desk.keyboard.press("Backspace")
        until(lambda e=expected: marks(desk).startswith(e), f"back to {expected}")
    desk.keyboard.press("Backspace")  # there is nothing left
    saved(desk, until)
    assert set(levels(made)) == {"."}
    assert len([e for e in made.store.events() if e.event.plan == made.plan.id]) == 10


def test_undo_goes_beyond_what_the_page_was_given(page, app_server, made, until):
    from rivae.labels.desk import HISTORY

    rows = [made.rows[i % 30] for i in range(HISTORY + 30)]
    made.store.append([made.event(who(made), row, 1 + i % 5) for i, row in enumerate(rows)])
    open_desk(page, app_server, made)
    burst(page, ["Backspace"] * (HISTORY + 10))
    saved(page, until)
    burst(page, ["Backspace"] * 9)
    saved(page, until)
    until(lambda: len(made.store.events(annotator=who(made))) == 2 * HISTORY + 30 + 19, "undone")
    now = [e.event for e in made.store.current(annotator=who(made))]
    assert sorted(e.item for e in now) == sorted(made.keys[row] for row in rows[:11])
    assert marks(page).count(".") < 24


@pytest.fixture
def kitchen_plan(repo_root, app_server, app_labels):
    made = make_label_plan(
        repo_root / "assets" / "demo", app_labels, name="kitchen", run_id="demo-kitchen"
    )
    yield made
    made.store.close()


def test_suggestions_are_opt_in_and_count_once_confirmed(page, app_server, kitchen_plan, until):
    made = kitchen_plan
    open_desk(page, app_server, made)
    guesses = page.locator(".badge.guess")
    assert guesses.count() == 0
    open_desk(page, app_server, made, tags="true")
    until(lambda: guesses.count() >= 2, "some dishes have tags about wateriness")
    assert made.store.events(annotator=who(made)) == [], "shown is not given"
    tile = page.get_by_test_id("label-tile").filter(has=guesses).first
    at = int(tile.get_attribute("data-at"))
    guess = int(tile.locator(".badge").inner_text()[0])
    tile.click()
    page.keyboard.press("Enter")
    other = page.get_by_test_id("label-tile").filter(has=guesses).first
    other.click()
    page.keyboard.press("0")
    page.locator(f'[data-at="{at}"]').click()
    page.keyboard.press("2")  # a change of mind, with no suggestion in sight
    saved(page, until)
    found = [e.event for e in made.store.events(annotator=who(made))]
    assert [(e.level, e.suggested) for e in found] == [(guess, True), (None, True), (2, False)]
    assert found[0].item == made.keys[made.plan.order[at]]


def test_flag_repeat_and_focus(desk, made, until):
    desk.keyboard.press("4")
    desk.keyboard.press(" ")
    desk.keyboard.press("f")
    desk.keyboard.press("ArrowLeft")
    desk.keyboard.press("f")
    desk.keyboard.press("f")
    saved(desk, until)
    assert levels(made)[:3] == [4, 4, "."]
    flagged = [
        c.event.item
        for c in made.store.current("flag", annotator=who(made))
        if c.event.plan == made.plan.id
    ]
    assert flagged == [made.keys[made.plan.order[2]]]
    desk.get_by_test_id("mode-focus").click()
    rows = desk.get_by_test_id("focus-factor")
    assert rows.count() == len(made.guideline.factors)
    for key in "23":
        desk.keyboard.press(key)
    saved(desk, until)
    at = int(desk.get_by_test_id("focus-picture").get_attribute("data-at"))
    given = [levels(made, factor=f)[at] for f in made.guideline.ids]
    assert [level for level in given if level != "."][-2:] == [2, 3]


def test_the_guideline_and_the_keys_cover_the_desk(desk):
    overlay = desk.get_by_test_id("overlay")
    desk.keyboard.press("g")
    overlay.wait_for()
    assert "dry" in overlay.inner_text()
    desk.keyboard.press("3")  # nothing is labelled behind it
    desk.keyboard.press("Escape")
    desk.keyboard.press("?")
    assert "cannot tell" in overlay.inner_text()
    desk.keyboard.press("?")
    assert not overlay.is_visible() and set(marks(desk)) == {"."}


def test_coming_back_goes_on_where_it_was_left(desk, made, until):
    burst(desk, "12")
    saved(desk, until)
    desk.locator(".st-key-places").get_by_role("link", name="Evidence").click()
    until(lambda: not desk.get_by_test_id("desk").count(), "another page")
    desk.locator(".st-key-places").get_by_role("link", name="Label").click()
    desk.get_by_test_id("desk").wait_for()
    until(lambda: marks(desk).startswith("12."), "the labels are there")
    desk.keyboard.press("3")
    saved(desk, until)
    assert levels(made)[:3] == [1, 2, 3]


def test_two_annotators_do_not_see_each_other(desk, made, browser, app_server, until):
    burst(desk, "111")
    saved(desk, until)
    context = browser.new_context()
    try:
        other = open_desk(context.new_page(), app_server, made, by="Bea")
        assert set(marks(other)) == {"."}
        remembered = [unquote(c["value"]) for c in context.cookies() if c["name"] == COOKIE]
        assert remembered == [who(made, "Bea")], "a link without a name need not ask for it"
        burst(other, "55")
        saved(other, until)
    finally:
        context.close()
    assert levels(made)[:3] == [1, 1, 1] and levels(made, "Bea")[:3] == [5, 5, "."]


def test_a_page_tells_nothing_about_where_an_item_comes_from(desk, made):
    shown = desk.content() + desk.get_by_test_id("desk").inner_text()
    sent = desk.evaluate("performance.getEntriesByType('resource').map(r => r.name).join(' ')")
    for secret in (made.plan.runs[0].id, "rank", "repeat"):
        assert secret not in sent
        assert secret not in shown.replace(desk.url, "")


def test_an_unusable_name_is_one_sentence(page, app_server, made):
    page.goto(f"{app_server}/label?plan={made.plan.id}&by=a%E2%80%8Bb")
    page.get_by_text("invisible character").wait_for()
    assert not page.get_by_test_id("desk").count()


def test_labels_survive_the_death_of_the_server(
    browser, start_app, app_runs, trained_run, tmp_path, until
):
    from tests.conftest import free_port

    port, database, log = free_port(), tmp_path / "labels.db", tmp_path / "server.log"
    made = make_label_plan(app_runs, database, name="lasting", run_id=trained_run)
    servers, context = [], browser.new_context()
    page = context.new_page()
    try:
        with start_app(app_runs, log, database, port, servers) as address:
            open_desk(page, address, made)
            burst(page, "123")
            saved(page, until)
            burst(page, "45")
            # In the middle of a burst, without a chance to say goodbye.
            servers[0].kill()
            burst(page, "12345")
            saying = page.get_by_test_id("saved")
            until(lambda: "kept in this browser" in saying.inner_text(), "it says so")
        page.close()  # the tab as well
        page = context.new_page()
        with start_app(app_runs, log, database, port) as address:
            open_desk(page, address, made)
            saved(page, until)
            assert marks(page).startswith("1234512345")
    finally:
        context.close()
    events = [e.event.level for e in made.store.events(annotator=who(made))]
    assert events == [1, 2, 3, 4, 5] * 2, "all of them, once, in their order"
    with LabelStore(database) as store:
        assert store.last() == 10
    made.store.close()
