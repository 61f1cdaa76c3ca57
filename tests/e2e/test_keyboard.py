"""From one page to another and to an answer with the keyboard alone."""

import re

import pytest

from rivae.app.metrics.run import ANY_RANGE

pytestmark = pytest.mark.slow

FOCUSED = """() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  const own = node.matches("a, button, input") ? node.innerText : ""
  return `${node.dataset.testid || ""}|${node.getAttribute("aria-label") || own}`
}"""
MAX_STEPS = 120
MOVED = r", (new|up \d+|down \d+)$"  # the end of a tile's label


@pytest.fixture
def keys(page, app_server, until):
    class Keys:
        def press(self, *names):
            for name in names:
                page.keyboard.press(name)

        def focused(self):
            return page.evaluate(FOCUSED)

        def to(self, part, key="Tab"):
            """Press ``key`` until what has the focus is named so."""
            passed = []
            for _ in range(MAX_STEPS):
                passed.append(self.focused())
                if part in passed[-1]:
                    return
                page.keyboard.press(key)
            pytest.fail(f"no {key} leads to {part} but to {passed[-40:]}")

        def shown(self, name):
            return page.get_by_test_id(name)

    # Pages keep their run; Home has none, and leads to the newest.
    page.goto(f"{app_server}/words?run=demo-kitchen")
    page.locator("[data-testid=clouds] text").first.wait_for()
    return Keys()


def test_explore_is_steered_narrowed_and_opened_by_keys(page, keys, until):
    keys.to("Explore")
    keys.press("Enter")
    page.wait_for_url("**/explore*")
    keys.shown("tile").first.wait_for()
    tiles = keys.shown("tile")

    def ids():
        return tiles.evaluate_all("all => all.map((one) => one.dataset.id)")

    first = ids()
    keys.to("slider-1")
    keys.press(*["Shift+ArrowRight"] * 3)
    until(lambda: ids() != first, "the grid follows the arrow keys")
    keys.press("Delete")
    until(lambda: ids() == first, "Delete leads back")
    keys.to("only|")
    page.keyboard.type("#easy fruit > 3")
    until(lambda: keys.shown("only").input_value() == "#easy fruit > 3", "what was typed stays")
    until(lambda: keys.shown("count").inner_text().startswith("10 of "), "they are counted")
    until(lambda: ids() != first, "fewer items are searched")
    keys.to("tile|")
    opened = keys.focused()
    keys.press("Enter")
    page.locator(".st-key-dock_close button").wait_for()
    keys.press("Escape")
    page.locator(".st-key-dock").wait_for(state="detached")
    # But for how it moved, which may have been told since.
    until(
        lambda: re.sub(MOVED, "", keys.focused()) == re.sub(MOVED, "", opened), "the focus is back"
    )


def test_a_strip_an_axis_and_a_cell_are_reached_by_keys(page, keys, until):
    keys.to("Strips")
    keys.press("Enter")
    page.wait_for_url("**/traverse*")
    keys.shown("shot").first.wait_for()
    keys.to("shot|")
    keys.press("ArrowRight", "Enter")
    page.locator(".st-key-dock_close button").wait_for()
    keys.press("Escape")
    page.locator(".st-key-dock").wait_for(state="detached")
    keys.to("Evidence", "Shift+Tab")
    keys.press("Enter")
    page.locator(".st-key-open_paper summary").focus()
    keys.press("Enter")
    page.locator(".st-key-open_paper [data-testid=stPageLink] a").wait_for()
    keys.to(ANY_RANGE)
    keys.press("Enter")
    page.wait_for_url("**/traverse?*view=Correlations*")
    page.locator(".barlayer .point").first.wait_for()
    keys.to("Explore", "Shift+Tab")
    keys.press("Enter")
    keys.to("Combinations")
    keys.press("Enter")
    page.wait_for_url("**/steer*")
    keys.shown("tile").first.wait_for()
    before = keys.shown("tile").evaluate_all("all => all.map((one) => one.dataset.id)")
    keys.to("cell")
    keys.press("Space")
    until(
        lambda: (
            keys.shown("tile").evaluate_all("all => all.map((one) => one.dataset.id)") != before
        ),
        "another combination",
    )


def test_words_of_a_cloud_are_reached_and_chosen_by_keys(page, keys):
    word = "document.activeElement.shadowRoot?.activeElement?.dataset.word"
    for _ in range(MAX_STEPS):
        if page.evaluate(word):
            break
        page.keyboard.press("Tab")
    first = page.evaluate(word)
    keys.press("ArrowRight")
    assert page.evaluate(word) not in (None, first)
    keys.press("Enter")
    page.get_by_test_id("gallery-tile").first.wait_for()


def test_a_held_enter_presses_a_button_once_and_sends_a_form_once(page, keys):
    counts = page.evaluate(
        """() => {
          const counts = window.heldCounts = { click: 0, submit: 0 }
          const form = document.body.appendChild(document.createElement("form"))
          form.innerHTML = "<input id=held-field><button type=button id=held-button>go</button>"
          form.onsubmit = (event) => { event.preventDefault(); counts.submit += 1 }
          form.querySelector("button").onclick = () => { counts.click += 1 }
          return counts
        }"""
    )
    assert counts == {"click": 0, "submit": 0}
    for place in ("held-button", "held-field"):
        page.locator(f"#{place}").focus()
        for _ in range(9):
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")
    assert page.evaluate("window.heldCounts") == {"click": 1, "submit": 1}
    for _ in range(3):
        page.keyboard.down(" ")
    page.keyboard.up(" ")
    assert page.locator("#held-field").input_value() == "   ", "a text is written"
