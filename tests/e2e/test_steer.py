"""The Steer page and a tour in a real browser: cells repaint their row, keys step, words follow."""

import json
import shutil
from urllib.parse import parse_qs, urlsplit

import pytest

from rivae.exploring.steering import SteerRow
from rivae.exploring.tours import Tour, TourStep, to_bytes
from rivae.exploring.words.axis_names import change_names
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.axis_names import AXIS_NAMES, AxisName
from tests.conftest import KITCHEN_AXES

pytestmark = pytest.mark.slow

NAMED = json.loads((DEMO_ROOT / "demo-kitchen" / AXIS_NAMES).read_text())["axes"]
DESSERT = next(axis["dim"] for axis in NAMED if axis["name"] == "dessert")


def link(page):
    address = page.evaluate("location.href")
    return {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}


def ids(row):
    tiles = row.get_by_test_id("tile")
    return tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")


SLOWED = """() => {
  const passOn = window.fetch
  window.answered = []
  window.fetch = async (address, options) => {
    if (!String(address).includes("/rivae/api/run/steer")) return passOn(address, options)
    await new Promise((done) => setTimeout(done, 500))
    const reply = await passOn(address, options)
    answered.push(reply.status)
    return reply
  }
}"""


@pytest.fixture
def steer(page, app_server, trained_run):
    page.goto(f"{app_server}/steer?run={trained_run}&q=12&axes=1~2&m=o_o~i_i")
    page.get_by_test_id("tile").nth(9).wait_for()
    return page


def test_a_cell_repaints_its_row_alone_the_address_follows_and_what_is_taken_back_is_not_asked(
    steer, until
):
    first, second = (steer.get_by_test_id("steer-row").nth(n) for n in (0, 1))
    before, other = ids(first), ids(second)
    cell = first.get_by_test_id("cell").first
    cell.click()
    until(lambda: ids(first) != before, "other pictures in this row")
    assert ids(second) == other
    assert cell.get_attribute("aria-label") == "z1: on"
    until(lambda: link(steer).get("m") == "i_o~i_i", "the address follows")
    steer.keyboard.press("-")
    assert cell.locator(".mark").inner_text() == "+1.5"
    steer.keyboard.press("ArrowRight")
    steer.keyboard.press("q")
    until(lambda: link(steer).get("m") == "1.5_q~i_i", "keys count as well")
    steer.keyboard.press("Alt+ArrowDown")
    until(lambda: link(steer).get("m") == "i_i~1.5_q", "the row moves")
    shown = [ids(first), ids(second)]
    steer.reload()
    steer.get_by_test_id("tile").nth(9).wait_for()
    assert [ids(first), ids(second)] == shown
    steer.go_back()
    until(lambda: link(steer).get("m") == "1.5_q~i_i", "back undoes the last change")
    until(lambda: [ids(first), ids(second)] == shown[::-1], "the rows as they were")
    steer.evaluate(SLOWED)
    cell = second.get_by_test_id("cell").first
    names = [cell.get_attribute("aria-label")]
    for _ in range(3):
        cell.click()
        names.append(cell.get_attribute("aria-label"))
    assert names[0] == names[3] and len(set(names)) == 3
    until(lambda: steer.evaluate("answered.length") == 1, "the first change is answered")
    steer.wait_for_timeout(1_500)
    assert steer.evaluate("answered") == [200]
    assert steer.get_by_test_id("steer-error").inner_text() == ""


def test_a_tour_is_stepped_through_with_keys(steer, until, app_runs):
    run, row = link(steer)["run"], SteerRow((0, 2), ("on", -1.5))
    steps = [
        TourStep(f"Step <b>{n}</b>", "Say this.", name, 12, row, 3.0)
        for n, name in enumerate((run, run, "gone"), 1)
    ]
    (app_runs / ".tours").mkdir(exist_ok=True)
    (app_runs / ".tours" / "show.json").write_bytes(to_bytes(Tour("Show", tuple(steps))))
    steer.reload()
    steer.get_by_role("button", name="Tours").click()
    steer.get_by_role("button", name="Show").click()
    heading, stage = steer.get_by_test_id("tour-heading"), steer.get_by_test_id("tour-stage")
    heading.wait_for()
    assert heading.inner_text() == "Step <b>1</b>"
    until(lambda: stage.get_attribute("data-state") == "shown", "pictures")
    pictures = steer.get_by_test_id("tour-pictures").locator("img")
    until(lambda: all(pictures.evaluate_all("p => p.map(i => i.naturalWidth > 0)")), "drawn")
    assert steer.get_by_test_id("tour-setting").locator("li").count() == 2
    assert steer.get_by_test_id("tour-full").is_visible()

    def drawn():
        return [p.get_attribute("data-id") for p in pictures.all()]

    before, sliders = drawn(), steer.get_by_test_id("tour-slider")
    assert [float(s.input_value()) for s in sliders.all()] == [3.0, -1.5]
    sliders.first.focus()
    for _ in range(100):
        steer.keyboard.press("ArrowLeft")
    until(lambda: drawn() != before, "the pictures follow the slider")
    assert "moved" in stage.get_attribute("class"), "the words stand back until they follow"
    until(lambda: "moved" not in stage.get_attribute("class"), "words of where it rests")
    assert heading.inner_text() == "Step <b>1</b>", "arrows move the slider, not the tour"
    stage.focus()

    def at(number, key):
        steer.keyboard.press(key)
        until(lambda: heading.inner_text() == f"Step <b>{number}</b>", f"{key} to {number}")

    at(2, "ArrowRight")
    assert stage.get_attribute("data-state") == "shown", "the next step was fetched ahead"
    at(3, " ")
    error = steer.get_by_test_id("tour-error")
    until(lambda: "no run 'gone'" in error.inner_text(), "one sentence")
    at(1, "Home")
    at(3, "End")
    at(1, "Home")
    until(lambda: drawn() == before, "the step as it was made")
    at(3, "End")
    at(2, "ArrowLeft")
    until(lambda: link(steer).get("step") == "2", "the address keeps the step")
    steer.keyboard.press("f")
    until(lambda: steer.evaluate("Boolean(document.fullscreenElement)"), "full screen")
    steer.keyboard.press("f")
    until(lambda: not steer.evaluate("Boolean(document.fullscreenElement)"), "window again")
    steer.keyboard.press("Escape")
    until(lambda: "tour" not in link(steer), "left")
    steer.get_by_test_id("tile").nth(9).wait_for()
    until(lambda: steer.get_by_test_id("tour").count() == 0, "the stage is gone")


# What is shown with every frame from a key to the end of the glide: items, and the first slider.
GLIDED = """async (key) => {
  const find = (id) => [...document.querySelectorAll("*")].map((one) => one.shadowRoot)
    .filter(Boolean).map((root) => root.querySelector(`[data-testid=${id}]`)).find(Boolean)
  const stage = find("tour-stage")
  const pictures = () => [...find("tour-pictures").querySelectorAll("img")]
  const frame = () => new Promise(requestAnimationFrame)
  const seen = []
  const ids = () => pictures().map((i) => i.dataset.id).join()
  const look = () => seen.push([ids(), Number(find("tour-slider").value)])
  look()
  stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
  const glides = "gliding" in stage.dataset
  do {
    await frame()
    look()
  } while ("gliding" in stage.dataset)
  await frame()
  look()
  return [glides, seen]
}"""


def test_a_tour_glides_from_step_to_step_and_back_but_not_for_who_wants_no_motion(
    page, app_server, app_runs, until
):
    """On, off and on again of the kitchen's first axis; then the same with a query of its own."""
    places = [(1, "on"), (1, "off"), (30, "on")]
    steps = tuple(
        TourStep(f"Step {n}", "", "demo-kitchen", query, SteerRow((0,), (level,)), 2.0)
        for n, (query, level) in enumerate(places, 1)
    )
    (app_runs / ".tours").mkdir(exist_ok=True)
    (app_runs / ".tours" / "glide.json").write_bytes(to_bytes(Tour("Glide", steps)))

    def is_ahead(answer):
        asked = answer.request.post_data or ""
        return '"key":"1"' in asked and '"card":true' in asked

    def opened():
        with page.expect_response(is_ahead) as ahead:  # the next step
            page.goto(f"{app_server}/steer?tour=glide")
            stage = page.get_by_test_id("tour-stage")
            until(lambda: stage.get_attribute("data-state") == "shown", "pictures")
        ahead.value.finished()
        page.wait_for_timeout(300)  # and is read

    def moved(key):
        glides, seen = page.evaluate(GLIDED, key)
        assert glides
        return [ids for n, (ids, _) in enumerate(seen) if not n or ids != seen[n - 1][0]], [
            value for _, value in seen
        ]

    opened()
    there, values = moved("ArrowRight")
    between = set(there[1:-1]) - {there[0], there[-1]}
    assert len(between) >= 3, "other pictures on the way"
    assert values[0] == -values[-1] != 0 and len(set(values)) > 4
    assert sorted(values, reverse=values[0] > 0) == values, "the thumb goes with z"
    page.wait_for_load_state("networkidle")
    back, _ = moved("ArrowLeft")
    assert back[0] == there[-1] and back[-1] == there[0] and between & set(back)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")  # in the middle of a glide
    heading = page.get_by_test_id("tour-heading")
    until(lambda: heading.inner_text() == "Step 3", "the last step")
    assert page.get_by_test_id("tour-count").inner_text().split()[::2] == ["3", "3"]
    page.emulate_media(reduced_motion="reduce")
    opened()
    glides, seen = page.evaluate(GLIDED, "ArrowRight")
    assert not glides and {ids for ids, _ in seen} <= {there[0], there[-1]}


@pytest.fixture(scope="module")
def falling(app_runs):
    """The kitchen, with its dessert axis named after what falls as z grows, and a tour of two of
    its settings.
    """
    folder = app_runs / "browser-falling"
    shutil.copytree(DEMO_ROOT / "demo-kitchen", folder)
    name = AxisName(DESSERT, "savoriness", -1, low="dessert", high="savory")
    change_names(Run(folder), KITCHEN_AXES, {DESSERT: name})
    steps = tuple(
        TourStep(f"Step {n}", "", folder.name, 1, SteerRow((DESSERT, 2), (level, "on")), 2.0)
        for n, level in enumerate(("on", "off"), 1)
    )
    (app_runs / ".tours").mkdir(exist_ok=True)
    (app_runs / ".tours" / "turned.json").write_bytes(to_bytes(Tour("Turned", steps)))
    return folder.name


def words(place):
    """What a cloud says: its words, and where each lies."""
    found = place.locator(".cloud text")
    return found.evaluate_all("words => words.map(word => word.firstChild.data)")


def test_right_and_on_are_more_of_a_falling_name_in_rows_and_tours(
    page, app_server, falling, until
):
    page.goto(f"{app_server}/steer?run={falling}&q=1&axes={DESSERT + 1}~3&m=i_i~o_i&n=2")
    rows = page.get_by_test_id("steer-row")
    rows.nth(1).get_by_test_id("tile").nth(4).wait_for()
    cells = [row.get_by_test_id("cell").first for row in rows.all()]
    poles = [row.locator(".pole").first for row in rows.all()]
    assert [cell.get_attribute("aria-label") for cell in cells] == [
        f"−z{DESSERT + 1} · savoriness: off (dessert)",
        f"−z{DESSERT + 1} · savoriness: on (savory)",
    ]
    assert [pole.inner_text() for pole in poles] == ["dessert", "savory"]
    until(lambda: all(words(row) for row in rows.all()), "words of both rows")
    sweet, savory = (set(words(row)) for row in rows.all())
    assert any("chocolate" in word for word in sweet - savory)

    page.get_by_role("button", name="Tours").click()
    page.get_by_role("button", name="Turned").click()
    stage, slider = page.get_by_test_id("tour-stage"), page.get_by_test_id("tour-slider").first
    until(lambda: words(stage), "words of the step")
    assert set(words(stage)) == sweet, "the same setting, the same words"
    assert float(slider.input_value()) == -2
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    pictures = page.get_by_test_id("tour-pictures").locator("img")
    shown = [p.get_attribute("data-id") for p in pictures.all()]
    page.mouse.move(box["x"] + box["width"] / 6, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 5 / 6, y, steps=8)
    until(lambda: [p.get_attribute("data-id") for p in pictures.all()] != shown, "while it is held")
    until(lambda: set(words(stage)) == savory, "the words of where the thumb rests")
    page.mouse.up()
    assert "moved" not in stage.get_attribute("class")
    setting = page.get_by_test_id("tour-setting").locator("li").first
    assert setting.get_attribute("aria-label").startswith(f"−z{DESSERT + 1} · savoriness: +2")
    page.keyboard.press("Escape")
    until(lambda: page.get_by_test_id("tour").count() == 0, "left")


def test_a_cell_keeps_its_place_and_words_keep_apart(page, app_server, falling, until):
    page.goto(f"{app_server}/steer?run={falling}&q=1&axes={DESSERT + 1}~3&m=i_i~o_i&n=2")
    row = page.get_by_test_id("steer-row").first
    until(lambda: words(row), "words")
    cell = row.get_by_test_id("cell").first
    before = cell.bounding_box()
    cell.focus()
    page.keyboard.press("q")  # a level without a pole
    until(lambda: row.locator(".pole").first.inner_text() == "", "no pole")
    assert cell.bounding_box() == before

    def letters():
        """Of every word the box around its letters and its underline: left, top, right, bottom."""
        return row.locator(".cloud text").evaluate_all("""words => words.map(word => {
            const [box, { d, f }] = [word.getBoundingClientRect(), word.getScreenCTM()]
            const [size, y] = ["font-size", "y"].map((name) => d * Number(word.getAttribute(name)))
            const line = f + y
            const high = /[A-Zbdfhklti]/.test(word.firstChild.data) ? 0.68 : 0.5
            return [box.left + 1, line - high * size, box.right - 1, line + 0.13 * size]
        })""")

    boxes = letters()
    assert len(boxes) > 8
    for i, (left, up, right, down) in enumerate(boxes):
        for other in boxes[:i]:
            beside, below = right < other[0] or other[2] < left, down < other[1] or other[3] < up
            assert beside or below
