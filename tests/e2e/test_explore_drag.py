"""What the whole project is about: pictures change while a slider is dragged."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from rivae.exploring.words.axis_names import change_names
from rivae.runs import Run
from rivae.runs.axis_names import AxisName

# Far from one to the next: places near each other may have the same items.
SWEEP = [0.35, 0.1, 0.6, 0.2, 0.8, 0.3, 0.95, 0.5]

COUNT_RELEASES = """() => {
    window.releases = 0
    for (const name of ["mouseup", "pointerup"])
        window.addEventListener(name, () => { window.releases += 1 }, true)
}"""

# Of the panel: the items shown, those marked as new, those listed as dropped.
MARKED = """panel =>
  ["[data-testid=tile]", "[data-change=new]", "[data-testid=left-items] [data-id]"].map(
    what => [...panel.querySelectorAll(what)].map(tile => Number(tile.dataset.id)))"""


def link(page):
    address = page.evaluate("location.href")  # page.url would only change while events are handled
    return {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}


def test_pictures_change_while_the_button_is_down_drawn_named_and_marked(explore_page, until):
    page, before = explore_page.page, explore_page.ids()
    page.evaluate(COUNT_RELEASES)
    seen = [before]
    for _ in explore_page.drag(1, [0.05, *SWEEP]):
        until(lambda: explore_page.ids() != seen[-1], "other pictures, the button still down")
        # Read at once: the way of a drag is asked about as well, and its last answers may come now.
        now, new, gone = map(set, page.get_by_test_id("explore").evaluate(MARKED))
        assert new == now - set(before) and gone == set(before) - now
        pictures = explore_page.tiles.locator("img")
        assert pictures.count() == 10
        drawn = pictures.evaluate_all("all => all.map(img => img.naturalWidth)")
        assert all(width > 0 for width in drawn)
        assert all(pictures.evaluate_all("all => all.map(img => img.alt)"))
        seen.append(explore_page.ids())
        assert page.evaluate("window.releases") == 0
        assert "z" not in link(page), "the address waits for the release"
    assert len(set(seen)) > 4 and set().union(*seen) - set(before), "new pictures were among them"
    assert page.evaluate("window.releases") > 0


@pytest.mark.slow
def test_the_link_has_the_release_for_back_forward_a_reload_and_elsewhere(
    explore_page, until, browser
):
    page, start, at_first = explore_page.page, explore_page.ids(), explore_page.value(1)
    list(explore_page.drag(1, [0.1]))
    until(lambda: "z" in link(page), "the address follows the release")
    value, ids = explore_page.value(1), explore_page.ids()
    assert ids != start
    page.go_back()
    until(lambda: explore_page.value(1) == at_first, "the slider goes back")
    until(lambda: explore_page.ids() == start, "the pictures go back")
    page.go_forward()
    until(lambda: explore_page.value(1) == value, "the slider goes forward")
    until(lambda: explore_page.ids() == ids, "the pictures go forward")
    page.reload()
    explore_page.settled()
    assert explore_page.value(1) == value
    assert explore_page.ids() == ids
    context = browser.new_context(viewport={"width": 1360, "height": 900})
    other = context.new_page()
    other.goto(page.evaluate("location.href"))
    explore_page.tiles = other.get_by_test_id("tile")
    explore_page.tiles.nth(9).wait_for()
    assert explore_page.ids() == ids
    context.close()


@pytest.mark.slow
def test_a_slider_speaks_and_is_moved_by_keys_typed_and_locked(explore_page, until):
    page, ids = explore_page.page, explore_page.ids()
    home = explore_page.value(1), explore_page.value(2)
    slider = page.get_by_role("slider", name="z1", exact=True)
    assert re.search(r"s\.d\. (below|above) the mean", slider.get_attribute("aria-valuetext"))
    for key, n_presses, sign in (("ArrowRight", 40, 1), ("ArrowLeft", 40, -1), ("PageUp", 2, 1)):
        explore_page.slider(1).focus()
        for _ in range(n_presses):
            page.keyboard.press(key)
        assert (explore_page.value(1) - home[0]) * sign > 0, key
        until(lambda: explore_page.ids() != ids, "other pictures")
        until(lambda: "z" in link(page), "the address follows the keys")
        page.keyboard.press("Delete")
        until(lambda: explore_page.ids() == ids, "Delete brings the query back")
        assert explore_page.value(1) == home[0], key
        until(lambda: "z" not in link(page), "the address follows Delete")
    wanted = float(slider.get_attribute("max")) * 0.9
    page.get_by_test_id("precise").click()
    page.get_by_test_id("number-1").fill(f"{wanted:.2f}")
    page.keyboard.press("Enter")
    until(lambda: explore_page.ids() != ids, "other pictures")
    assert float(slider.input_value()) == pytest.approx(round(wanted, 2))
    for dim in (1, 2):
        list(explore_page.drag(dim, [0.1]))
    moved = explore_page.value(1)
    explore_page.slider(1).focus()
    page.keyboard.press("l")
    page.get_by_test_id("reset-all").click()
    until(lambda: explore_page.value(2) == home[1], "the free slider goes home")
    assert explore_page.value(1) == moved != home[0]
    until(lambda: link(page).get("lock") == "1", "the lock is in the address")


def test_right_is_more_of_what_an_axis_is_named_after(explore, trained_run, app_runs, until):
    """A slider is turned where its property falls as z grows; links keep z itself."""
    run = Run(app_runs / trained_run)
    n = run.config.method.settings["n_components"]
    falling = AxisName(0, "sweet", -1, low="savory")
    change_names(run, n, {0: falling})
    try:
        page, explorer = explore.page, explore.open(trained_run)
        row = page.get_by_test_id("dim-row").filter(has_text="sweet")
        assert row.inner_text().split() == ["savory", "sweet"]
        home = explorer.value(1)
        explorer.slider(1).focus()
        page.keyboard.press("ArrowRight")
        until(lambda: explorer.value(1) > home, "a step to the right")
        until(lambda: "z" in link(page), "z in the address")
        axis, z = link(page)["z"].split("_")
        assert axis == "1" and float(z) == pytest.approx(-explorer.value(1), abs=0.01)
    finally:
        change_names(run, n, {0: None})
