"""Every page in a real browser: nothing throws, it asks this machine alone, both themes are drawn,
axe finds nothing that leaves anybody out, the Tab key reaches all, and a narrow window holds it.
"""

from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.waiting import IDLE

pytestmark = pytest.mark.slow

KITCHEN, OTHER = "demo-kitchen", "demo-kitchen-cos-sim-lvm"
# Each page, and what is there once it is drawn. Combinations are below, the map in test_selections.
PAGES = {
    "": "[data-testid=tile]",
    f"explore?run={KITCHEN}": "[data-testid=tile]",
    f"traverse?run={KITCHEN}": "[data-testid=shot]",
    f"traverse?run={KITCHEN}&view=Correlations": ".js-plotly-plot .barlayer .point",
    f"traverse?run={KITCHEN}&view=Plane": "[data-testid=shot]",
    f"traverse?run={KITCHEN}&view=Path&way=30+77": "[data-testid=path-tile]",
    f"traverse?run={KITCHEN}&view=Axis": "[data-testid=gallery-tile]",
    f"words?run={KITCHEN}": "[data-testid=clouds] text",
    f"words?run={KITCHEN}&part=Results&z=1_6": "[data-testid=clouds] text",
    f"words?run={KITCHEN}&part=Axis+names": ".st-key-words_name_0 input",
    f"compare?runs={KITCHEN}%2C{OTHER}": "[data-testid=tile]",
    "label": "[data-testid=stButtonGroup]",
    f"metrics?run={KITCHEN}": "[data-testid=heat]",
    "metrics?show=tables": "[data-testid=result-table]",
    "train": "[data-testid=stHeading]",
    "data": "[data-testid=stFileUploader]",
}
LOADED = f"(() => {{ {Axe().axe_script} }})()"
OF_COLOURS = ("color-contrast", "link-in-text-block")
# Streamlit's own: its place for files has a role that says nothing and a name that says it all.
STREAMLITS = {("presentation-role-conflict", "stFileUploaderDropzone")}

# What a keyboard can use: each element as a number and its name. Of radio buttons the Tab key
# reaches one and the arrow keys the others; a file's own input stands behind a button.
# Streamlit lends a table its tools while the pointer is on it: what they do, Share does.
CONTROLS = """() => {
  const usable = "a[href], button, input, select, textarea, summary, [tabindex]"
  const all = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot)
      if (node.matches(usable)) all.push(node)
    }
  }
  walk(document)
  if (!window.numbered) addEventListener("focusin", (e) => { window.met = e.composedPath()[0] })
  window.numbered = new Map(all.map((node, n) => [node, n]))
  const has = (node) => {
    const { width, height } = node.getBoundingClientRect()
    const isSeen = width && height && getComputedStyle(node).visibility !== "hidden"
    if (node.closest("[data-testid=stElementToolbar]")) return false
    if (node.tagName !== "SUMMARY" && node.closest("details:not([open])")) return false
    const isOther = node.type === "file" || [node.type, node.getAttribute("role")].includes("radio")
    return isSeen && !isOther && !node.disabled && node.tabIndex >= 0
  }
  return all.filter(has).map((node) => [numbered.get(node), node.outerHTML.slice(0, 120)])
}"""
# What is drawn anew right under the focus leaves it on the body, as the end of the page does.
FOCUSED = """() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  if (node === document.body && window.met && !window.met.isConnected) node = window.met
  window.met = null
  const known = numbered.get(node) ?? (node === document.body ? "end" : "new")
  return [known, node.outerHTML.slice(0, 120)]
}"""
SPARE = 30  # elements that appear on the way


def violations(page, rules):
    page.evaluate(f"window.axe || {LOADED}")
    found = page.evaluate(
        """async (rules) => {
          // Selectors of what it finds take a fifth of its time; the HTML says enough.
          const usual = { resultTypes: ["violations"], selectors: false }
          const only = rules.length ? { runOnly: rules } : {}
          const { violations } = await axe.run({ ...usual, ...only })
          return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html]))
        }""",
        list(rules),
    )
    return [
        (rule, html[:160])
        for rule, html in found
        if not any(rule == own and part in html for own, part in STREAMLITS)
    ]


def settled(page):
    """Wait until pictures and charts are there; the controls of the page by their number."""
    controls: dict[int, str] = {}
    for _ in range(60):
        before = controls
        page.wait_for_timeout(500)
        page.locator(IDLE).wait_for()  # while Python runs there is a button that stops it
        if (controls := dict(page.evaluate(CONTROLS))) == before:
            break
    return controls


def is_dark(paint):
    return max(int(v) for v in paint.strip("rgba()").split(",")[:3]) < 80


def nothing_is_found_light_or_dark(page, until):
    """Every rule in the light; in the dark those that look at colours. A look takes a second of a
    core or more, so that each waits for a page that is drawn.
    """
    settled(page)
    ground = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    for scheme, rules in (("light", ()), ("dark", OF_COLOURS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        until(lambda dark=scheme == "dark": is_dark(page.evaluate(ground)) is dark, scheme)
        for _ in range(20):  # what Python draws follows the scheme a moment later
            page.wait_for_timeout(250)
            page.locator(IDLE).wait_for()
            if not (found := violations(page, rules)):
                break
        assert not found, scheme


def the_tab_key_reaches_everything_and_gets_out_again(page):
    controls = settled(page)
    assert len(controls) > 10
    reached = []
    while len(reached) < len(controls) + SPARE:
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if reached[-1][0] == "end":
            break
    assert reached[-1][0] == "end", "the focus is caught"
    known, drawn_anew = ({part[k] for part in reached} for k in (0, 1))
    missed = {what for n, what in controls.items() if n not in known}
    assert not missed - drawn_anew


def a_narrow_window_holds_the_page(page, until):
    page.set_viewport_size({"width": 420, "height": 800})
    page.wait_for_timeout(500)
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    until(lambda: page.evaluate(wide) <= 0, "no scrolling sideways")


def nobody_is_left_out(page, until):
    nothing_is_found_light_or_dark(page, until)
    the_tab_key_reaches_everything_and_gets_out_again(page)
    assert page.title()
    assert page.locator("img:not([alt])").count() == 0
    before = page.viewport_size
    a_narrow_window_holds_the_page(page, until)
    page.set_viewport_size(before)
    assert page.get_by_test_id("stException").all_inner_texts() == []


@pytest.fixture
def own(page, app_server):
    """The page, which asks no other machine for anything."""
    hosts = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    yield page
    assert hosts - {urlsplit(app_server).netloc, ""} == set()  # "": pictures inside an answer


@pytest.mark.parametrize("path", PAGES)
def test_a_page_leaves_nobody_out(own, app_server, until, path):
    """In one test, because drawing the page takes longer than looking at it."""
    own.goto(f"{app_server}/{path}")
    own.locator(PAGES[path]).first.wait_for(state="attached")
    nobody_is_left_out(own, until)


def test_a_tour_in_the_making_and_on_show_leaves_nobody_out(own, app_server, until):
    own.goto(f"{app_server}/steer?run={KITCHEN}&axes=1~3&m=o_i~i_i")
    own.get_by_test_id("tile").nth(9).wait_for()
    for flag in own.get_by_test_id("row-tour").all():
        flag.click()
        until(lambda flag=flag: flag.get_attribute("aria-pressed") == "true", "the flag is up")
    own.get_by_role("link").first.focus()
    own.keyboard.press("Shift+Tab")  # out of the page, from where Tab begins
    nobody_is_left_out(own, until)
    own.get_by_role("button", name="Present").click()
    stage = own.get_by_test_id("tour-stage")
    until(lambda: stage.get_attribute("data-state") == "shown", "pictures")
    own.emulate_media(color_scheme="light", reduced_motion="reduce")
    nothing_is_found_light_or_dark(own, until)
