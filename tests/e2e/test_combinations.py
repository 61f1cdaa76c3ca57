"""Combinations as a newcomer meets them: a quiet first screen, a tour from three flags, axes of
one's own in rows, links and tours."""

import io
import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image

from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import axes_by_key, reliable_first
from rivae.exploring.tours import list_tours, read_tour
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import AddedAxis, AxisSpec, change_added
from tests.conftest import KITCHEN_AXES

pytestmark = pytest.mark.slow
PROBE = Path(__file__).parents[2] / "benchmarks" / "first_screens.js"
KITCHEN = "demo-kitchen"
WIDTHS = ("clientWidth", "naturalWidth")


@pytest.fixture(scope="module")
def explorer():
    return Explorer.open(Run(DEMO_ROOT / KITCHEN))


def param(page, name):
    return parse_qs(urlsplit(page.evaluate("location.href")).query).get(name, [""])[0]


def test_the_first_screen_is_quiet_and_its_pictures_large(page, app_server, explorer):
    page.add_init_script(PROBE.read_text(encoding="utf-8"))
    page.goto(f"{app_server}/steer?run={KITCHEN}")
    page.get_by_test_id("tile").nth(9).wait_for()
    page.locator("[data-testid=cloud] text").first.wait_for()
    pictures = page.get_by_test_id("tile").locator("img")
    for width, height in ((1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(500)
        controls, words, _, _ = page.evaluate("counted()")
        assert controls <= 25 and words <= 60
        assert min(pictures.evaluate_all("all => all.map(i => i.clientWidth)")) >= 104
    row = page.get_by_test_id("steer-row").first
    tabs = "all => all.filter(node => node.tabIndex >= 0).length"
    stops = page.get_by_test_id("steer-row").locator("button, [role=gridcell]")
    assert stops.evaluate_all(tabs) == 1, "one stop for Tab in all rows"
    more = row.get_by_test_id("cell").first.locator("button").last
    assert not more.is_visible(), "quiet"
    row.get_by_test_id("cell").first.hover()
    assert more.is_visible(), "until a hand comes near"
    heads = page.get_by_role("columnheader")
    axes = [axes_by_key(explorer)[key] for key in reliable_first(explorer)[:2]]
    for head, axis in zip(heads.all()[:2], axes, strict=True):
        assert " ".join(head.inner_text().split()).startswith(f"{axis['left']} ↔ {axis['right']}")


@pytest.mark.parametrize("fine", [1, 2])
def test_pictures_are_as_sharp_as_the_screen(browser, app_server, until, fine):
    """The source has 400 px: fetched where the screen gives a tile more than what was sent."""
    source = io.BytesIO()
    Image.new("RGB", (400, 400), (30, 120, 60)).save(source, "JPEG")
    size = {"width": 1440, "height": 900}
    context = browser.new_context(viewport=size, device_scale_factor=fine)
    page, asked, held = context.new_page(), [], []

    def give(route):
        route.fulfill(body=source.getvalue(), content_type="image/jpeg")

    def serve(route):
        asked.append(route.request.url)
        if held is None:
            give(route)
        else:  # until it is known what came first
            held.append(route)

    page.route("**/api/run/picture/**", serve)
    page.goto(f"{app_server}/steer?run={KITCHEN}&axes=1~3&m=o_i")
    pictures = page.get_by_test_id("tile").locator("img")
    pictures.nth(4).wait_for()
    until(lambda: min(pictures.evaluate_all("all => all.map(i => i.naturalWidth)")) > 0, "sent")
    shown, has = (pictures.evaluate_all(f"all => all.map(i => i.{w})") for w in WIDTHS)
    first, held = held, None
    for route in first:
        give(route)
    if max(shown) * fine > 1.05 * max(has):
        until(
            lambda: pictures.evaluate_all("all => all.every(i => i.naturalWidth === 400)"), "sharp"
        )
        assert len(asked) == len(set(asked)) == 5
        page.get_by_test_id("cell").first.click()
        addresses = "all => all.map(i => i.src)"
        until(
            lambda: not {*pictures.evaluate_all(addresses)} & {*asked[:5]} and len(asked) > 5,
            "those of another level, too",
        )
    else:
        page.wait_for_timeout(1500)
        assert asked == []
    context.close()


def test_the_menu_of_a_row_is_used_by_keys(page, app_server, until):
    page.goto(f"{app_server}/steer?run={KITCHEN}&axes=1~3&m=i_o~o_i")
    page.get_by_test_id("tile").nth(9).wait_for()
    menu = page.get_by_test_id("steer-row").first.get_by_test_id("row-menu")
    menu.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")  # up is off in the first row: down, then copy
    until(lambda: param(page, "m") == "i_o~i_o~o_i", "copied")
    menu.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert menu.get_attribute("aria-expanded") == "false"
    assert menu.evaluate("node => node.getRootNode().activeElement === node")


def test_a_tour_of_three_steps_is_made_and_shown_without_any_form(
    page, app_server, app_runs, explorer, until
):
    page.goto(f"{app_server}/steer?run={KITCHEN}&axes=1~3&m=o_o~i_o~i_i")
    page.get_by_test_id("tile").nth(14).wait_for()
    known = {found.id for found in list_tours_of(app_runs)}

    def own():
        new = [found for found in list_tours_of(app_runs) if found.id not in known]
        return new[0].tour if new else None

    flags = page.get_by_test_id("row-tour")
    for n in range(3):
        flags.nth(n).click()
        until(lambda n=n: own() and len(own().steps) == n + 1, "in the tour at once")
        until(lambda n=n: flags.nth(n).get_attribute("aria-pressed") == "true", "the flag is up")
        assert page.get_by_role("dialog").count() == 0
    captions = [step.heading for step in own().steps]
    first, third = explorer.shown_names[0], explorer.shown_names[2]
    assert captions == [
        f"Less {first}, less {third}",
        f"More {first}, less {third}",
        f"More {first}, more {third}",
    ]
    caption = page.get_by_test_id("row-caption").nth(2)
    assert caption.input_value() == captions[2]
    caption.fill("Forget it")
    caption.press("Escape")
    assert caption.input_value() == captions[2]
    caption.fill("Sweet and sticky")
    caption.press("Enter")
    until(lambda: own().steps[2].heading == "Sweet and sticky", "edited in place")
    page.get_by_role("button", name="Present").click()
    heading = page.get_by_test_id("tour-heading")
    heading.wait_for()
    for caption in (*captions[:2], "Sweet and sticky"):
        until(lambda caption=caption: heading.inner_text() == caption, caption)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    until(lambda: "tour" not in page.evaluate("location.href"), "left")
    flags.nth(1).click()
    until(lambda: len(own().steps) == 2, "another press takes it out")


def list_tours_of(app_runs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVAE_RUNS", str(app_runs))
        return list_tours()


@pytest.fixture(scope="module")
def own_axes(app_runs):
    """The kitchen with an axis of one's own: desserts that are liquid."""
    folder = app_runs / "browser-own-axes"
    shutil.copytree(DEMO_ROOT / KITCHEN, folder)
    both = np.eye(KITCHEN_AXES)[0] + np.eye(KITCHEN_AXES)[5]
    axis = AddedAxis(
        "a1", "shakes", ("solid", "drinkable"), tuple(both), 0.0, tuple(0.5 * both),
        AxisSpec("words", high="shake"),
    )  # fmt: skip
    change_added(Run(folder), lambda axes, new_id: [*axes, axis] if new_id() == "a1" else axes)
    return folder.name


def test_added_axes_are_combined_named_linked_and_toured(
    page, app_server, app_runs, own_axes, explorer, until
):
    page.goto(f"{app_server}/steer?run={own_axes}&q=9&axes=3~1&m=o_i~i_i")
    rows = page.get_by_test_id("steer-row")
    rows.nth(1).get_by_test_id("tile").nth(4).wait_for()
    page.get_by_test_id("axis").nth(1).select_option(label="a1 · shakes")
    until(lambda: param(page, "axes") == "3~a1", "the link names it")
    cell = rows.first.get_by_test_id("cell").nth(1)
    assert cell.get_attribute("aria-label") == "a1 · shakes: on (drinkable)"
    shown = "tiles => tiles.map(tile => tile.dataset.id)"

    def items():
        return rows.first.get_by_test_id("tile").evaluate_all(shown)

    before = items()
    cell.press("o")
    until(lambda: param(page, "m") == "o_o~i_i", "the link follows")
    until(lambda: items() != before, "pictures")
    found = items()
    until(lambda: rows.first.locator(".cloud text").count() > 3, "words")
    rows.first.get_by_test_id("row-tour").click()
    tours = app_runs / ".tours"
    until(lambda: any('"a1"' in path.read_text() for path in tours.glob("*.json")), "written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVAE_RUNS", str(app_runs))
        made = next(p.stem for p in tours.glob("*.json") if '"a1"' in p.read_text())
        (step,) = read_tour(made).steps
    third = explorer.shown_names[2]
    assert step.row.axes == (2, "a1") and step.heading == f"Less {third}, less shakes"
    page.reload()
    rows.first.get_by_test_id("tile").nth(4).wait_for()
    assert items() == found, "the link opens the same"
    page.goto(f"{app_server}/steer?tour={made}")
    pictures = page.get_by_test_id("tour-pictures").locator("img")
    until(lambda: pictures.evaluate_all("all => all.map(i => i.dataset.id)") == found, "presented")
    slider = page.get_by_test_id("tour-slider").nth(1)
    assert float(slider.input_value()) == pytest.approx(-step.n_sigma, abs=0.05)
