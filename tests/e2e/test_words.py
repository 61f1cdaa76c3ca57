"""The Words page in a real browser: one word in all clouds, its items, names on the sliders."""

from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bars(app_runs, small_store):
    """A run on pictures with recipes that was not trained; it retrieves something all the same."""
    from rivae.jobs.launch import make_config
    from rivae.models.registry import build_method
    from rivae.runs import Run

    place = {"store": str(small_store), "image_size": 16}
    config = make_config("pairs", name="browser-bars", dataset_settings=place)
    run = Run.create(config, app_runs)
    data, choice = run.load_dataset(), config.method
    run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    run.set_status(state="finished")
    return run.id


def test_a_word_lights_up_in_all_clouds_and_lists_its_items(page, app_server, bars, until):
    page.goto(f"{app_server}/words?run={bars}&dim=z2&width=1σ")
    first = page.get_by_test_id("cloud-1")
    word = first.locator("text").first
    word.wait_for()
    name = word.evaluate("node => node.lastChild.textContent")
    word.hover()
    lit = page.get_by_test_id("clouds").locator("text.same")
    until(lambda: lit.count() >= 1, "the word lights up")
    assert {t.split(":")[0] for t in lit.locator("title").all_text_contents()} == {name}
    word.click()
    page.get_by_role("heading", name=f"{name} at μ − 1σ").wait_for()
    page.get_by_test_id("gallery-tile").first.click()
    page.get_by_text("Ingredients", exact=True).wait_for()
    address = parse_qs(urlsplit(page.evaluate("location.href")).query)
    assert (address["dim"], address["width"]) == (["z2"], ["1σ"])


def test_a_name_stands_on_the_slider(page, app_server, bars):
    page.goto(f"{app_server}/words?run={bars}&part=Axis+names")
    field = page.locator(".st-key-words_name_0 input")
    field.wait_for()
    field.fill("<b>light</b>")
    field.press("Enter")
    page.locator(".st-key-words_name_0_remove button").wait_for()
    page.get_by_role("link", name="Live", exact=True).click()
    row = page.locator("[data-dim='1']")
    row.wait_for()
    assert "<b>light</b>" in row.locator(".poles").inner_text()
    assert row.get_by_role("slider").get_attribute("aria-label").endswith("<b>light</b>")
