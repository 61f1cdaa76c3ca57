"""How the Explore panel asks: one question at a time, the newest wins, late answers are dropped."""

import json

import pytest

from tests.waiting import until

# Stands between the panel and the network: slows questions down, counts them, spoils answers.
BETWEEN = """
window.wire = { delay: 0, now: 0, most: 0, asked: [], spoil: null }
const passOn = window.fetch
window.fetch = async (address, options) => {
  if (!String(address).includes("/rivae/api/run/topk")) return passOn(address, options)
  wire.asked.push(JSON.parse(options.body))
  wire.most = Math.max(wire.most, ++wire.now)
  try {
    if (wire.delay) await new Promise((done) => setTimeout(done, wire.delay))
    if (wire.spoil) return new Response(...wire.spoil)
    return await passOn(address, options)
  } finally {
    wire.now -= 1
  }
}
"""


@pytest.fixture
def panel(page, server):
    page.add_init_script(BETWEEN)
    page.goto(f"{server}/explore?run=digits&q=12")
    page.get_by_test_id("tile").nth(9).wait_for()
    page.wait_for_timeout(300)
    return page


def ids(page):
    tiles = page.get_by_test_id("tile")
    return tiles.evaluate_all("tiles => tiles.map(tile => Number(tile.dataset.id))")


def asked(page):
    return page.evaluate("wire.asked")


def key(page, name, times=1):
    page.get_by_test_id("slider-1").focus()
    for _ in range(times):
        page.keyboard.press(name)


def expected(digits, z, k=10):
    import numpy as np

    return [int(i) for i in digits.topk(np.array(z, dtype=float), k).ids]


@pytest.mark.slow
def test_one_question_at_a_time_and_the_last_value_is_asked(panel, digits):
    panel.evaluate("wire.delay = 150")
    key(panel, "PageUp", 12)
    value = float(panel.get_by_test_id("number-1").input_value())
    until(lambda: panel.evaluate("wire.now") == 0 and len(asked(panel)) > 1, "all is answered")
    panel.wait_for_timeout(400)
    questions = asked(panel)
    assert panel.evaluate("wire.most") == 1
    assert len(questions) < 12
    assert questions[-1]["z"][0] == pytest.approx(value, abs=0.006)
    until(
        lambda: ids(panel) == expected(digits, questions[-1]["z"]),
        "the pictures of the last question",
    )
    numbers = [q["seq"] for q in questions]
    assert numbers == sorted(set(numbers))


@pytest.mark.slow
def test_an_answer_that_comes_after_a_new_query_is_dropped(panel, digits):
    panel.evaluate("wire.delay = 2500")
    key(panel, "PageUp", 3)
    title = panel.get_by_test_id("query").locator("b")
    before = title.text_content()
    panel.get_by_test_id("query-random").click()
    until(lambda: title.text_content() != before, "another query")
    z = [float(panel.get_by_test_id(f"slider-{j}").input_value()) for j in (1, 2, 3)]
    panel.wait_for_timeout(3200)
    assert ids(panel) == expected(digits, [round(v, 4) for v in z])


@pytest.mark.slow
def test_known_pictures_are_not_asked_for_again(panel):
    shown = set(ids(panel))
    key(panel, "ArrowRight")
    until(lambda: asked(panel), "a question")
    assert shown <= set(asked(panel)[0]["have"])


@pytest.mark.slow
def test_without_the_route_the_session_answers(panel, digits):
    panel.evaluate("""wire.spoil = ["<!doctype html>", {headers: {"content-type": "text/html"}}]""")
    before = ids(panel)
    key(panel, "PageUp", 3)
    until(lambda: ids(panel) != before, "other pictures")
    assert panel.get_by_test_id("explore-error").text_content() == ""


@pytest.mark.slow
def test_a_refusal_is_shown_and_goes_away(panel):
    refusal = json.dumps(json.dumps({"error": "no run 'digits'"}))
    head = '{status: 404, headers: {"content-type": "application/json"}}'
    panel.evaluate(f"wire.spoil = [{refusal}, {head}]")
    key(panel, "PageUp")
    error = panel.get_by_test_id("explore-error")
    until(lambda: error.text_content() == "no run 'digits'", "the refusal")
    panel.evaluate("wire.spoil = null")
    key(panel, "PageUp")
    until(lambda: error.text_content() == "", "it goes away")


@pytest.mark.slow
def test_a_screen_reader_is_told_once_things_rest(panel):
    live = panel.get_by_role("status")
    key(panel, "PageUp", 4)
    until(lambda: "Best match" in (live.text_content() or ""), "it is spoken")
