"""The Label page in a real browser: keys become labels, whatever happens in between."""

import itertools

import pytest

from rivae.labels.store import LabelStore
from tests.ui.labels_fixture import make_label_plan

names = itertools.count(1)


@pytest.fixture
def made(app_server, app_runs, app_labels, trained_run):
    """A plan of its own for every test, in the app's store."""
    found = make_label_plan(app_runs, app_labels, name=f"plan-{next(names)}", run_id=trained_run)
    yield found
    found.store.close()


@pytest.fixture
def desk(page, app_server, made):
    return open_desk(page, app_server, made)


def who(made, name="Ana"):
    """A name of its own for every test: labels of the same items under another plan count too."""
    return f"{name}-{made.plan.id}"


def open_desk(page, address, made, by="Ana", **more):
    extra = "".join(f"&{name}={value}" for name, value in more.items())
    page.goto(f"{address}/label?plan={made.plan.id}&by={who(made, by)}{extra}")
    page.get_by_test_id("desk").wait_for()
    page.get_by_test_id("label-tile").first.locator("img").wait_for()
    return page


def saved(page, until):
    until(lambda: page.get_by_test_id("saved").inner_text() == "All saved", "all labels saved")


def levels(made, annotator="Ana", factor=None, kind="label"):
    """The current levels of the plan's items by position (first sights only)."""
    factor = factor or made.guideline.ids[0]
    found = {
        c.event.item: c.event.level
        for c in made.store.current(kind, annotator=who(made, annotator), factor=factor)
        if c.event.plan == made.plan.id
    }
    return [found.get(made.keys[row], ".") for row in made.plan.order]


def burst(page, keys):
    """All keys within one task of the browser: quicker than any finger."""
    page.evaluate(
        """keys => {
          for (const key of keys) window.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }))
        }""",
        list(keys),
    )


def marks(page):
    tiles = page.get_by_test_id("label-tile")
    return tiles.evaluate_all("t => t.filter(x => !x.hidden).map(x => x.dataset.mark).join('')")


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
    desk.get_by_role("link", name="Metrics").click()
    until(lambda: not desk.get_by_test_id("desk").count(), "another page")
    desk.get_by_role("link", name="Label").click()
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


@pytest.mark.slow
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
            until(lambda: "kept in this browser" in saying.inner_text(), "it says so", 30)
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
