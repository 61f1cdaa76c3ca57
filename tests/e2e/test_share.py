"""Share in the browser: a page is made, opens from disk as the app was left, and follows a drag."""

import pytest

from rivae.api.run import load_run
from rivae.app.shell import keys

pytestmark = pytest.mark.slow

MAKE, STOP, DOWNLOAD = (f".st-key-{keys.SHARE_PAGE}{n} button" for n in ("", "_stop_0", "_file"))

# What tells the axes and their ranges, as they stand; and where they are.
AXES = """nodes => nodes.map((node) => {
  const slider = node.querySelector("input[type=range]")
  const poles = [...node.querySelectorAll(".poles span")].map((end) => end.textContent)
  const [name, isSeen] = [node.getAttribute("aria-label"), node.getClientRects().length > 0]
  const locked = node.className.includes("locked")
  return [node.dataset.dim, name, ...poles, Number(slider.min), Number(slider.max), isSeen, locked]
})"""

VALUES = 'nodes => nodes.map((node) => Number(node.querySelector("input[type=range]").value))'


def values(explore):
    """Where the thumbs are: as the hand put them, or as z in four decimals says."""
    return explore.page.get_by_test_id("dim-row").evaluate_all(VALUES)


def near(wanted):
    return pytest.approx(wanted, abs=0.05)


def shown(explore):
    """What of a panel an exported page keeps."""
    page = explore.page
    texts = ("order", "span", "k", "only")
    return {
        "axes": page.get_by_test_id("dim-row").evaluate_all(AXES),
        "ids": explore.ids(),
        **{name: page.get_by_test_id(name).input_value() for name in texts},
        "query": page.get_by_test_id("query").locator(".about b").inner_text(),
    }


@pytest.fixture
def with_axis(app_runs, trained_run, monkeypatch):
    """The small run with an axis that was added to it."""
    monkeypatch.setenv("RIVAE_RUNS", str(app_runs))
    run = load_run(trained_run)
    axis = run.add_axis(items=run.explorer.search_rows[:12].tolist())
    yield trained_run, axis
    run.remove_axis(axis.id)


def test_a_shared_page_opens_as_the_app_was_left_and_follows_a_drag(
    browser, page, explore_page, with_axis, until, tmp_path
):
    run, axis = with_axis
    explore_page.open(run, q=40, span=4, k=8, lock=2)
    page.get_by_test_id(f"slider-{axis.id}").wait_for()
    page.get_by_test_id("order").select_option("effect")
    for dim, share in ((axis.id, 0.7), (1, 0.6), (3, 0.4)):
        for _ in explore_page.drag(dim, [share]):
            pass
        page.wait_for_url(f"**/*{dim}_*")
    page.reload()
    page.get_by_test_id("tile").first.wait_for()
    explore_page.settled()
    left, at = shown(explore_page), values(explore_page)

    page.get_by_role("button", name="Share").click()
    page.locator(MAKE).click()
    page.locator(STOP).click()
    page.locator(MAKE).wait_for()
    assert page.locator(DOWNLOAD).count() == 0, "the making can be stopped"
    page.locator(MAKE).click()
    page.locator(STOP).wait_for()
    ready = page.locator(DOWNLOAD)
    ready.wait_for()
    with page.expect_download() as saved:
        ready.click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)

    context = browser.new_context(offline=True, viewport={"width": 1360, "height": 900})
    try:
        alone = context.new_page()
        trouble = []
        alone.on("pageerror", lambda error: trouble.append(str(error)))
        alone.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        alone.goto(file.as_uri())
        alone.get_by_test_id("tile").first.wait_for()
        it = type(explore_page)(alone, "").settled()
        assert shown(it) == left and values(it) == near(at)
        said = alone.get_by_test_id("what").inner_text()
        assert run in said and len(said.split(". ")) == 3
        before, seen = it.ids(), set()
        for _ in it.drag(1, [0.1, 0.95, 0.5]):
            until(lambda: it.ids() not in seen | {before}, "other pictures, held down")
            seen.add(it.ids())
        alone.get_by_test_id("reset-all").click()
        page.keyboard.press("Escape")
        page.get_by_test_id("reset-all").click()
        until(lambda: values(it) == near(values(explore_page)), "both are at the query")
        assert values(it) != near(at) and shown(it)["axes"] == shown(explore_page)["axes"]
        assert trouble == []
    finally:
        context.close()
