"""An exported page: what it holds, what it refuses, and that it searches as Python does."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import ImageColor

from rivae.api.run import load_run
from rivae.base.errors import ConfigError, RivaeError
from rivae.cli import main
from rivae.exploring.axis_card import examples
from rivae.exploring.effects import EffectMeasure, shown_effects
from rivae.exploring.explorer import Explorer
from rivae.exploring.steering import SteerRow
from rivae.exploring.tours import Tour, TourStep
from rivae.exploring.words.item_words import item_words
from rivae.figures.axis_clouds import axis_clouds
from rivae.figures.clouds import SMALLEST, describe_word, relation_color
from rivae.figures.page import content, document
from rivae.figures.page.model import STEPS, followed, layers_of, points_of
from rivae.figures.page.opening import opened_at
from rivae.figures.palette import LIGHT
from rivae.runs import find_run
from rivae.runs.selections import keep_selection

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028 ${1} `\\ &amp; <!--"


@pytest.fixture(scope="module")
def digits() -> Explorer:
    return Explorer.open(find_run("demo-digits"))


def block(page: str, name: str) -> Any:
    """A JSON block of a page as a browser reads it: up to the first end of a script."""
    found = re.search(
        rf'<script type="application/json" id="{name}">(.*?)</script', page, re.DOTALL
    )
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def hostile(digits: Explorer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose titles, texts, factors, axes and tours want to run scripts."""
    row = int(digits.search_rows[3])
    tour = Tour(
        HOSTILE.replace("\u2028", " "),
        (
            TourStep(
                "Far",
                HOSTILE.replace("\u2028", " "),
                "demo-digits",
                row,
                SteerRow((0,), ("on",)),
                2.0,
            ),
        ),
    )
    told = content.content_of(digits, "demo-digits", [tour])
    told["title"] = told["about"] = HOSTILE
    told["sentences"] = [HOSTILE] * 3
    told["items"]["titles"] = [HOSTILE] * len(told["items"]["titles"])
    told["items"]["texts"] = [HOSTILE] * len(told["items"]["texts"])
    for dim in told["dims"]:
        dim.update(name=HOSTILE, given=HOSTILE, left=HOSTILE, right=HOSTILE, about=HOSTILE)
    path = tmp_path_factory.mktemp("page") / "page.html"
    document.write_page(path, document.document(told, opened_at(digits)).encode())
    return path


def test_data_never_end_a_block_and_come_back_as_they_were(hostile: Path) -> None:
    page = hostile.read_text(encoding="utf-8")
    told = block(page, "data")
    assert told["items"]["titles"][0] == told["dims"][0]["name"] == HOSTILE
    assert "onerror=alert" not in page.replace(html.escape(HOSTILE), "").replace(
        "\\u003c", "<"
    ) or ("<img src=x" not in page)
    assert page.lower().count("</script") == 5  # theme, data, seen, worker, script


def test_the_policy_names_each_script_and_nothing_else(hostile: Path) -> None:
    page = hostile.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    scripts = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1] and "http" not in policy[1]
    assert policy[1].startswith("default-src 'none'")


def test_points_keep_48_bits_and_equal_points_stay_equal() -> None:
    points = np.random.default_rng(0).standard_normal((50, 5)) * [1e-6, 1, 1, 1e6, 0]
    points[7] = points[3]
    kept = points_of(points)

    def numbers(name: str, kind: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(kept[name]), kind).astype(float)

    codes = numbers("high", "<u4") * 65536 + numbers("rest", "<u2")
    back = numbers("low", "<f8") + codes.reshape(50, 5) * numbers("step", "<f8")
    assert np.all(np.abs(back - points) <= 2 * np.ptp(points, axis=0) / STEPS)
    assert (back[7] == back[3]).all()


def test_the_layers_give_the_decoders_last_hidden_layer(digits: Explorer) -> None:
    model = digits.retriever.model
    z = np.random.default_rng(1).standard_normal((9, model.n_components))
    np.testing.assert_allclose(followed(layers_of(model, "x"), z), model.hidden(z), rtol=1e-12)


def test_a_decoder_that_is_no_sequence_of_layers_is_refused(
    digits: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = digits.retriever.model
    exact = model.hidden
    monkeypatch.setattr(model, "hidden", lambda z: exact(z) + 1e-3)
    with pytest.raises(ConfigError, match="a Strange cannot be explored"):
        layers_of(model, "Strange")


@pytest.mark.slow
def test_size_is_told_warned_of_and_bounded(
    digits: Explorer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    target = tmp_path / "page.html"
    assert main(["export", "demo-digits", str(target), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == target.stat().st_size and told["items"] == len(digits.search_rows)
    assert abs(content.estimated_size(digits) / told["bytes"] - 1) < 0.3
    assert main(["export", "demo-digits", str(target)]) == 1  # it is there
    assert "already exists" in capsys.readouterr().err
    assert main(["export", "demo-digits", str(tmp_path / "b.html"), "--dry-run"]) == 0
    assert not (tmp_path / "b.html").exists()
    monkeypatch.setattr(content, "MANY", 100)
    assert "make a large page" in content.check_size(digits)
    monkeypatch.setattr(content, "MOST", 200)
    with pytest.raises(ConfigError, match="more than the 200"):
        content.content_of(digits, "demo-digits", [])


@pytest.mark.slow
@pytest.mark.browser
def test_the_card_of_an_axis_has_its_clouds_and_runs_as_its_slider_does(
    tmp_path: Path, browser: Any
) -> None:
    kitchen = Explorer.open(find_run("demo-kitchen"))
    words = item_words(kitchen.data)
    kitchen_page = tmp_path / "kitchen.html"
    told = content.content_of(kitchen, "demo-kitchen", [])
    for state in told["cards"][0]["words"]["states"]:
        for word in state["cloud"]["words"]:
            word[0] = word[5] = HOSTILE
    document.write_page(kitchen_page, document.document(told, opened_at(kitchen)).encode())
    page = browser.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(kitchen_page.as_uri())
    page.get_by_test_id("tile").nth(9).wait_for()
    page.get_by_test_id("about-1").click()
    assert page.get_by_test_id("clouds").locator("text").first.text_content().startswith(HOSTILE)
    page.keyboard.press("Escape")
    page.get_by_test_id("about-2").click()
    clouds = page.get_by_test_id("clouds")
    assert clouds.locator("svg").count() == 3
    made = axis_clouds(kitchen, 1, words)
    assert made is not None
    shown = clouds.locator("svg").nth(2).locator("text.related title").all_text_contents()
    assert shown == [
        describe_word(made, 2, w)
        for w, word in enumerate(made.counts.words)
        if made.of(word) == "related" and made.size(2)[w] >= SMALLEST
    ]
    colours = clouds.locator("text.related").first.evaluate("node => getComputedStyle(node).fill")
    assert colours == "rgb({}, {}, {})".format(*ImageColor.getrgb(relation_color("related", LIGHT)))
    assert trouble == []
    page.close()


@pytest.mark.browser
def test_an_axis_that_is_shown_turned_has_its_factors_the_way_its_slider_goes(
    hostile: Path, digits: Explorer, browser: Any
) -> None:
    measure = EffectMeasure(digits.retriever)
    turned, effects = next(
        (j, each)
        for j in np.flatnonzero(digits.signs < 0).tolist()
        if (each := shown_effects(measure, digits, j)).is_measurable.any()
    )
    change = effects.to_dict()["changes"][0]["change"]
    page = browser.new_page()
    page.goto(hostile.as_uri())
    page.get_by_test_id("tile").nth(9).wait_for()
    page.get_by_test_id(f"about-{turned + 1}").click()
    row = page.get_by_test_id("dialog").get_by_role("row").first
    assert row.locator("td").nth(1).text_content() == f"{change:.2f}".replace("-", "−")
    assert page.get_by_text(effects.sentence).count() == 1
    shown = page.get_by_test_id("dialog").locator(".step").first.locator("button").count()
    assert shown == 4
    low = page.get_by_test_id("dialog").locator(".step").first.locator("img").first
    address = low.get_attribute("src")
    told = block(hostile.read_text(encoding="utf-8"), "data")
    first = told["items"]["ids"].index(examples(digits, turned)[0][0])
    assert address == told["items"]["pictures"][first]
    page.close()


@pytest.mark.slow
@pytest.mark.browser
def test_it_opens_from_disk_and_finds_what_python_finds(
    hostile: Path, digits: Explorer, browser: Any
) -> None:
    run = load_run("demo-digits")
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    told = block(hostile.read_text(encoding="utf-8"), "data")
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.on(
        "request", lambda asked: trouble.append(asked.url) if asked.url.startswith("http") else None
    )
    try:
        page.goto(hostile.as_uri())
        page.get_by_test_id("tile").nth(9).wait_for()
        assert page.locator("img[src=x]").count() == 0
        rng = np.random.default_rng(5)
        z = digits.mean + 2 * digits.std * rng.standard_normal((1_000, digits.n_components))
        ask = "some => Promise.all(some.map((z) => rivae.topk(z, 10)))"
        found = page.evaluate(ask, z.tolist())
        assert found == [digits.topk(one, 10).ids.tolist() for one in z]

        # And nothing where Python finds nothing.
        good = [0.0] * digits.n_components
        for asked, k in [
            (good[1:], 3), ([*good, 0.0], 3), ([], 3), ("word", 3), (["1"] * 10, 3),
            ([True] * 10, 3), ([1.0, True, *good[2:]], 3), ([1.0, "1", *good[2:]], 3),
            ([None, *good[1:]], 3), ([1e13, *good[1:]], 3), ([1e308] * 10, 3), ([-1e200] * 10, 3),
            ([[0.0]] * 10, 3), (7, 3), (good, 0), (good, -2), (good, 2.5), (good, "3"),
            (good, True), (good, None), ([float("nan")] * 10, 3), ([float("inf"), *good[1:]], 3),
            (good, float("nan")), (good, float("inf")),
        ]:  # fmt: skip
            said = page.evaluate(
                "([z, k]) => rivae.topk(z, k).then((ids) => ids.length, (e) => e.message)",
                [asked, k],
            )
            assert isinstance(said, str) and said, (asked, k)
            with pytest.raises((RivaeError, ValueError)):
                run.topk(asked, k)
        assert page.evaluate("z => rivae.topk(z)", good) == run.topk(good).ids.tolist()
        many = page.evaluate("z => rivae.topk(Float64Array.from(z), 1e6)", good)
        assert many == run.topk(good, 10**6).ids.tolist()

        # A drag, another query, an axis, the map and the tour.
        page.get_by_test_id("fold").click()
        page.get_by_test_id("slider-1").press("PageUp")
        page.get_by_test_id("slider-1").press("PageUp")
        page.get_by_text(told["cards"][0]["effects"]).wait_for()
        page.locator("[data-change=new], [data-change=up], [data-change=down]").first.wait_for()
        page.get_by_test_id("tile").nth(4).click()
        page.get_by_test_id("use-as-query").click()
        page.get_by_test_id("about-2").click()
        assert page.get_by_test_id("dialog").locator(".step").count() == 5
        page.keyboard.press("Escape")
        page.get_by_test_id("tour").click()
        want = float(digits.mean[0] + 2 * digits.std[0])
        page.get_by_test_id("tour-card").wait_for()
        page.locator(f'.query .muted:has-text("item {int(digits.search_rows[3])}")').wait_for()
        assert abs(page.evaluate("rivae.z()")[0] - want) < 1e-3
        assert trouble == []
    finally:
        context.close()


@pytest.mark.slow
def test_a_page_names_the_regions_and_chooses_among_kept_selections(
    digits: Explorer,
    browser: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Any,
) -> None:
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    assert digits.run is not None
    rows = np.random.default_rng(0).choice(digits.search_rows, 25, replace=False)
    keep_selection(digits.run, rows, HOSTILE.replace("\u2028", " ")[:60])
    told = content.content_of(digits, "demo-digits", [])
    path = tmp_path / "page.html"
    document.write_page(path, document.document(told, opened_at(digits)).encode())
    context = browser.new_context(offline=True)
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    try:
        page.goto(path.as_uri())
        page.get_by_test_id("tile").nth(9).wait_for()
        page.get_by_test_id("map-open").click()
        known = {region["name"] for found in told["columns"]["names"].values() for region in found}
        names = page.get_by_test_id("map-names").locator("text")
        until(lambda: names.count() > 0, "names of regions")
        shown = names.evaluate_all("nodes => nodes.map(node => node.firstChild.data)")
        assert set(shown) <= known
        chip = page.get_by_test_id("selection-choose")
        assert "<img" in chip.inner_text()
        chip.click()
        tiles = page.get_by_test_id("tile")
        found = "tiles => tiles.map(tile => Number(tile.dataset.id))"
        until(lambda: set(tiles.evaluate_all(found)) <= set(rows.tolist()), "only these")
        assert page.get_by_test_id("selection-rename").count() == 0, "a page keeps nothing"
        assert not page.get_by_test_id("map-keep").is_visible()
        assert trouble == []
    finally:
        context.close()
