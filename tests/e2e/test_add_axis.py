"""Add an axis in the browser: typed, kept, dragged, reloaded, removed."""

import numpy as np
import pytest

from rivae.exploring.axes.placed import AxisPlaces
from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import added_axes, remove_added
from tests.conftest import KITCHEN_AXES
from tests.hands import press_thumb

pytestmark = pytest.mark.slow
RUN = "demo-kitchen"


@pytest.fixture
def run(app_runs, monkeypatch):
    """The demo kitchen, whose axes lie beside the runs of the app."""
    monkeypatch.setenv("RIVAE_RUNS", str(app_runs))
    kitchen = Run(DEMO_ROOT / RUN)
    yield kitchen
    for axis in added_axes(kitchen):
        remove_added(kitchen, axis.id)


def drag_on_the_map(page, until):
    """The map knows the axis; its query point moves both axes at once."""
    page.get_by_test_id("map-open").click()
    right, up = (page.get_by_test_id(f"map-{name}") for name in "xy")
    until(lambda: right.locator("option[value=a1]").count() == 1, "the axis is listed")
    until(lambda: right.input_value() == "a1", "what somebody asked for comes first")
    other = int(up.input_value()) + 1
    page.get_by_test_id("map").scroll_into_view_if_needed()
    point = page.locator(".query-point .hold")

    def middle():
        box = point.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    page.locator(".query-point path").hover()  # on top of it; waits until it lies still
    stage = page.get_by_test_id("map").bounding_box()
    numbers = [page.get_by_test_id(f"number-{name}") for name in ("a1", f"{other}")]
    before = [number.input_value() for number in numbers]
    aimed = stage["x"] + 0.4 * stage["width"], stage["y"] + 0.6 * stage["height"]
    page.mouse.down()
    page.mouse.move(*aimed, steps=4)
    page.mouse.up()
    moved = [*zip(numbers, before, strict=True)]
    until(lambda: all(one.input_value() != was for one, was in moved), "both follow")
    until(lambda: "add=a1_" in page.evaluate("location.href"), "the link has the amount")
    assert middle() == pytest.approx(aimed, abs=4), "the point stays where it was let go"
    page.get_by_test_id("map-open").click()


def test_an_axis_is_typed_kept_dragged_reloaded_and_removed(explore, run, until):
    explorer = Explorer.open(run)
    row = int(explorer.search_rows[5])
    page = explore.open(RUN, q=row).page
    page.get_by_test_id("add-axis").click()
    high = page.get_by_label("More of")
    high.fill("soup, broth <b>")
    high.press("Enter")
    page.get_by_role("button", name="Keep").click()
    slider = page.get_by_test_id("slider-a1")
    slider.wait_for()
    (axis,) = added_axes(run)
    assert axis.name == "soup, broth <b>"
    (placed,) = AxisPlaces(explorer.retriever).of(run)
    before, seen = explore.ids(), set()
    move = press_thumb(page, slider)
    try:
        for share in (0.9, 0.1, 0.7):
            move(share, 4)
            until(lambda: explore.ids() not in seen | {before}, "other pictures, held down")
            seen.add(explore.ids())
    finally:
        page.mouse.up()
    until(lambda: "add=a1_" in page.evaluate("location.href"), "the link names the axis")
    address = page.evaluate("location.href")
    amount = float(address.split("add=a1_")[1].split("&")[0])
    z = np.round(explorer.encode(row), 4) + amount * np.array(axis.moves)
    wanted = tuple(explorer.topk(np.round(z, 4), 10).ids.tolist())
    until(lambda: explore.ids() == wanted, "what a search along the direction finds")
    value = float(page.get_by_test_id("number-a1").input_value())
    assert value == pytest.approx(float(axis.at(z[None])[0]), abs=0.02)
    others = {n: explore.value(n) for n in range(1, KITCHEN_AXES + 1)}
    shown = dict(enumerate(explorer.signs * z, 1))
    assert all(others[n] == pytest.approx(shown[n], abs=0.011) for n in others)
    drag_on_the_map(page, until)
    page.goto(address)
    explore.settled()
    page.get_by_test_id("slider-a1").wait_for()
    assert explore.ids() == wanted and {n: explore.value(n) for n in others} == others
    assert float(page.get_by_test_id("number-a1").input_value()) == value

    # Only this: here the named axes of z say all that the new one says.
    assert placed.moves_alone == ()
    page.get_by_test_id("only-this").check()
    until(lambda: "alone=1" in page.evaluate("location.href"), "the link keeps the switch")
    assert slider.is_disabled() and "Only this" in slider.get_attribute("title")
    page.get_by_test_id("only-this").uncheck()
    assert slider.is_enabled()

    page.get_by_test_id("about-a1").click()
    page.get_by_role("button", name="Remove").click()
    until(lambda: page.get_by_test_id("slider-a1").count() == 0, "its slider goes")
    assert added_axes(run) == ()
