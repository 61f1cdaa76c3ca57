"""The Metrics page in a real browser: clicks on charts and headings, the address, back."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.slow


def link(page):
    address = page.evaluate("location.href")
    return {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}


@pytest.fixture
def tables(page, app_server):
    page.goto(f"{app_server}/metrics?show=tables&data=Sprites")
    page.get_by_test_id("result-table").nth(1).wait_for()
    return page


def names(page):
    return (
        page.get_by_test_id("result-table")
        .first.locator("tbody th span:first-child")
        .all_inner_texts()
    )


def test_a_heading_sorts_by_mouse_and_keyboard_and_back_undoes(tables, until):
    before = names(tables)
    table = tables.get_by_test_id("result-table").first
    heading = table.get_by_role("button", name="paper, R@1 ↑")
    heading.click()
    until(lambda: "sort" in link(tables), "the address follows")
    until(lambda: names(tables) not in ([], before), "another order")
    once, sorted_link = names(tables), link(tables)
    until(lambda: table.locator("th[aria-sort=descending]").count() == 1, "screen readers know")
    assert "paper" in table.locator("th[aria-sort=descending]").inner_text()
    # The heading still has the focus, so that the keyboard can go on.
    tables.keyboard.press("Enter")
    until(lambda: link(tables)["sort"].startswith("-"), "the address follows the key")
    until(lambda: names(tables) not in ([], before, once), "the other way round")
    tables.reload()
    until(lambda: names(tables) not in ([], before, once), "a reload keeps the order")
    tables.go_back()
    until(lambda: link(tables) == sorted_link, "each click is one step of the history")
    until(lambda: names(tables) == once, "back undoes the last click")


# Playwright's evaluate counts as a visitor's hand, so the page itself says how many steps it added.
STEP = """addEventListener(EVENT, async () => {
  await import(URL.createObjectURL(new Blob([CODE], { type: "text/javascript" })))
  const before = history.length
  history.pushState({}, "", "?sort=a")
  console.log(`steps: ${history.length - before}`)
})"""


@pytest.mark.parametrize(("event", "steps"), [("load", 0), ("click", 1)])
def test_a_click_before_the_pages_code_is_a_step(page, app_server, repo_root, event, steps):
    code = (repo_root / "assets" / "components" / "page.js").read_text()
    page.add_init_script(f"const EVENT = '{event}', CODE = {json.dumps(code)}\n{STEP}")
    with page.expect_console_message(lambda said: said.text.startswith("steps")) as said:
        page.goto(f"{app_server}/_stcore/health")
        if event == "click":
            page.mouse.click(200, 200)
    assert said.value.text == f"steps: {steps}"


def test_alpha_moves_the_curves_while_the_button_is_down(page, app_server, until):
    page.goto(f"{app_server}/metrics?run=demo-synth&open_paper=true")
    slider, mouse = page.get_by_test_id("steps"), page.mouse
    legend = page.locator(".legendtext")
    legend.filter(has_text="D = ").first.wait_for()
    slider.scroll_into_view_if_needed()
    before, box = legend.all_text_contents(), slider.bounding_box()
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] * 0.66, y)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 0.1, y, steps=4)
    until(lambda: legend.all_text_contents() != before, "other scores, the button still down")
    assert "alpha" not in link(page), "the address waits for the release"
    mouse.up()
    until(lambda: "alpha" in link(page), "the address follows the release")


def click_point(page, nth=1):
    """The second cell of the first chart."""
    cell = page.locator(".js-plotly-plot").first.locator(".barlayer .point path").nth(nth)
    cell.wait_for(state="attached")
    box = cell.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def in_view(part):
    """Whether its head is in the upper third of the window, or all of it inside; with the focus."""
    return part.evaluate("""part => {
        const { top, bottom } = part.getBoundingClientRect()
        const shown = top >= 0 && (top < innerHeight / 3 || bottom <= innerHeight)
        return shown && part === document.activeElement
    }""")


def test_the_verdict_and_the_map_are_on_the_first_screen(page, app_server):
    page.set_viewport_size({"width": 1440, "height": 900})
    asked = []
    page.on("request", lambda request: asked.append(request.url.lower()))
    page.goto(f"{app_server}/metrics?run=demo-kitchen")
    chart = page.get_by_test_id("heat")
    chart.wait_for()
    seen = page.locator(".st-key-verdict h2").all_inner_texts()
    assert seen == ["Finds?", "Separates?", "Reliable?", "From labels?"]
    bars = page.locator(".st-key-verdict .score-bars > div")
    assert bars.count() == 7 and all("seed 0" in t for t in titles(bars)[:6])
    box = chart.bounding_box()
    assert box["y"] + box["height"] <= 900, "without scrolling"
    assert not page.locator(".js-plotly-plot").count(), "what is folded is not drawn"
    assert asked and not [url for url in asked if "plotly" in url], "nor is its script sent"


def titles(parts):
    return parts.evaluate_all("parts => parts.map((part) => part.title)")


def test_a_click_on_a_cell_opens_the_plot_behind_it(page, app_server, until):
    page.goto(f"{app_server}/metrics?run=demo-synth")
    cells = page.get_by_test_id("heat").locator("td[data-row]")
    cells.nth(1).click()
    until(lambda: "cell" in link(page), "the address names the cell")
    j, k = map(int, link(page)["cell"].split("_"))
    # The first axis of this run follows the second factor, and the other way round.
    axis, factor = f"z{j} · shared {3 - j}", f"shared {k}"
    page.get_by_role("heading", name=f"Behind {axis} and {factor}").wait_for()
    page.get_by_text(f"{factor} against z{j}").first.wait_for()
    page.locator(".rv-sheet img").nth(6).wait_for()
    opened = page.locator(".st-key-detail_metrics")
    until(lambda: in_view(opened), "what a click opens comes into view, and has the focus")
    page.reload()
    page.get_by_role("heading", name=f"Behind {axis} and {factor}").wait_for()
    page.get_by_role("button", name="Close").click()
    until(lambda: "cell" not in link(page), "closed")
    cells.and_(page.locator("[tabindex='0']")).focus()  # where Tab stops
    for key in ("End", "ArrowUp", "Home", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    until(lambda: link(page).get("cell", "").endswith(f"_{k}"), "the same column by the keyboard")
    assert link(page)["cell"] != f"{j}_{k}", "of the other axis"
    page.set_viewport_size({"width": 1360, "height": 700})
    page.goto(f"{app_server}/traverse?run=demo-synth&view=Correlations")
    click_point(page)
    page.get_by_text("shared 1 against z2").first.wait_for()
    opened = page.locator(".st-key-detail_traverse")
    until(lambda: in_view(opened), "on Traverse, too")
