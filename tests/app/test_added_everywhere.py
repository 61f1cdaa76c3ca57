"""An axis that was added to a run is an axis in every view of Explore: strips, words, Home."""

import json
import shutil
from urllib.parse import parse_qsl

import numpy as np
import pytest

from rivae.app.home.hero import telling_axes
from rivae.app.panels.links import ExploreLink
from rivae.app.shared.axes import GONE
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import axis_names
from rivae.exploring.sliders import reliable_first
from rivae.figures.axis_clouds import shown_states
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import AddedAxis, AxisScore, AxisSpec, change_added
from tests.app.conftest import App
from tests.conftest import KITCHEN_AXES

DIRECTION = np.eye(KITCHEN_AXES)[1] - np.eye(KITCHEN_AXES)[4]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with the kitchen and an axis of one's own, the most reliable one."""
    folder = tmp_path_factory.mktemp("runs")
    shutil.copytree(DEMO_ROOT / "demo-kitchen", folder / "own")
    stored = json.loads((folder / "own" / "config.json").read_text())
    (folder / "own" / "config.json").write_text(json.dumps({**stored, "name": "own"}))
    scores = (AxisScore("first", 0.999, 0.1, 0.99, 1.0, 50),)
    axis = AddedAxis(
        "a1", "soup", ("dry", "soup"), tuple(DIRECTION), 0.3,
        tuple(DIRECTION / 2), AxisSpec("words", high="soup"), scores=scores,
    )  # fmt: skip
    change_added(Run(folder / "own"), lambda known, new_id: new_id() and [axis])
    return folder


@pytest.fixture
def explorer(runs, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(runs))
    return Explorer.open(Run(runs / "own"))


@pytest.mark.slow
def test_strips_lead_to_the_place_where_an_item_was_found(explorer):
    row = int(explorer.search_rows[2])
    page = App().open("traverse", run="own", q=str(row), dims="a1~z2")
    first, second = page.panel(0)["strips"]
    assert (first["left"], first["right"]) == ("dry", "soup") and "z2" in second["axis"]
    point = next(point for point in first["points"] if not point["query"])
    page.report("open", {"item": point["ids"][0], "moved": point["moved"]})
    (query,) = [query for name, query in page.links if name == "explore"]
    link, _ = ExploreLink.read(dict(parse_qsl(query)))
    assert not link.changes and point["moved"][0] == "a1"
    there = explorer.encode(row) + link.added["a1"] * DIRECTION / 2
    assert there @ DIRECTION + 0.3 == pytest.approx(point["moved"][1], abs=1e-3)
    assert int(explorer.topk(there, 1).ids[0]) == point["ids"][0]
    (code,) = page.snippets
    assert "dims=['a1', 1]" in code


@pytest.mark.slow
def test_a_plane_leads_to_the_place_where_an_item_was_found(explorer):
    row = int(explorer.search_rows[4])
    shown = App().open("traverse", run="own", q=str(row), view="Plane", a="a1", b="z2", points="7")
    plane = shown.panel(0)["plane"]
    assert (plane["x"]["left"], plane["x"]["right"]) == ("dry", "soup")
    across, up = plane["x"]["moved"][5], plane["y"]["moved"][1]
    item = plane["ids"][5][1]
    shown.report("open", {"item": item, "moved": [*across, *up]})
    (query,) = [query for name, query in shown.links if name == "explore"]
    link, _ = ExploreLink.read(dict(parse_qsl(query)))
    there = explorer.encode(row) + link.added["a1"] * DIRECTION / 2
    there[1] = link.changes[1]
    places = [there @ DIRECTION + 0.3, there[1]]
    assert places == pytest.approx([across[1], up[1]], abs=1e-3), "z2 moves along a1 as well"
    assert int(explorer.topk(there, 1).ids[0]) == item
    (code,) = shown.snippets
    assert "['a1', 1]" in code or "('a1', 1)" in code
    order, names = reliable_first(explorer), axis_names(explorer)
    fresh = App().open("traverse", run="own", view="Plane", dims="reliable").panel(0)["plane"]
    assert [fresh[side]["axis"] for side in "xy"] == [names[key] for key in order[:2]]


@pytest.mark.slow
def test_what_is_new_begins_with_it_and_links_of_before_do_not(explorer):
    order, names = reliable_first(explorer), axis_names(explorer)
    assert telling_axes(explorer) == order[:3]
    fresh = App().open("traverse", run="own", dims="reliable").panel(0)["strips"]
    assert [strip["axis"] for strip in fresh] == [names[key] for key in order[:4]]
    linked = App().open("traverse", run="own", q="1").panel(0)["strips"]
    assert all(strip["right"] != "soup" for strip in linked)
    words = App().open("words", run="own", dim="reliable")
    assert words.at.selectbox(key="dim_widget").value == order[0]
    most = int(explorer.effects.argmax())
    assert App().open("words", run="own").at.selectbox(key="dim_widget").value == most


@pytest.mark.parametrize("part", ["Clouds", "Contrast"])
def test_words_along_it(explorer, part):
    page = App().open("words", run="own", dim="a1", part=part)
    page.calm()
    (code,) = page.snippets
    assert "shown_states(run.explorer, 'a1', 2)" in code


def test_the_items_of_its_clouds_are_those_at_its_ends(explorer):
    states, (place,) = shown_states(explorer, "a1", 2.0), explorer.added_axes
    rows = explorer.search_rows[:20]
    z = explorer.retriever.encode(rows)[0]
    for s, sigmas in enumerate((-2, 0, 2)):
        to = place.mean + sigmas * place.std
        assert states.values[s] == pytest.approx(to)
        for q in (0, 7, 19):
            reading = z[q] @ DIRECTION + 0.3
            there = z[q] + (to - reading) * DIRECTION / 2
            assert states.ids[q, s].tolist() == explorer.topk(there, 10).ids.tolist()
    positions = explorer.retriever.latents(explorer.search_rows) @ DIRECTION + 0.3
    np.testing.assert_allclose(explorer.shown_positions("a1"), positions, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("page", "name"), [("traverse", "dims"), ("words", "dim")])
def test_an_axis_that_is_gone_is_named_and_the_others_are_shown(explorer, page, name):
    assert not App().open(page, run="own", **{name: "a1"}).warnings
    (said,) = (
        App().open(page, run="own", **{name: "z2~a9~<b>" if page == "traverse" else "a9"}).warnings
    )
    assert said.startswith(GONE.partition("{")[0]) and "a9" in said and "a1" not in said
