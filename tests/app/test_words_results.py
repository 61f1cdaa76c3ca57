"""The words of what Live shows: which items they are of, what they are compared with, and when the
page opens on them."""

import json
import shutil

import numpy as np
import pytest

from rivae.app.panels.answers import ADDED_GONE
from rivae.app.panels.links import ExploreLink
from rivae.app.words.results import HERE, MORE, NO_ITEM, NONE, REST
from rivae.exploring.explorer import Explorer
from rivae.exploring.maps import among
from rivae.exploring.words.contrast import against_rest, contrast, relation_of
from rivae.exploring.words.item_words import item_words
from rivae.runs import DEMO_ROOT, Run
from tests.conftest import KITCHEN_AXES

KITCHEN = "demo-kitchen"


@pytest.fixture(scope="module")
def kitchen():
    return Explorer.open(Run(DEMO_ROOT / KITCHEN))


@pytest.fixture
def words(app, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", DEMO_ROOT)
    return lambda name="words", **params: app(name, **params)


def shown_items(page):
    (state,) = page.panel()["states"]
    return [tile[0] for tile in state["tiles"]]


def test_the_rest_is_what_is_not_shown_and_clear_words_leave_zero_out():
    sets = [("a",)] * 30 + [("b",)] * 70 + [("a", "b")] * 2
    found = against_rest(range(30), range(100), sets)
    assert found == contrast(range(30, 100), range(30), sets)
    assert relation_of(found) == {"a": "related", "b": "opposite"}
    same = against_rest([0, 30, 31], [0, 30, 31, 1, 32, 33], sets)
    assert set(relation_of(same).values()) == {"none"}


def test_the_words_are_those_of_the_point_the_filter_and_the_number_in_hand(words, kitchen):
    link = ExploreLink(
        KITCHEN, query=int(kitchen.search_rows[4]), changes={0: 6.0}, k=7, only="pie"
    )
    page = words(**link.write(), part="Results")
    z = kitchen.encode(link.query)
    z[0] = 6.0
    hits = kitchen.topk(z, 7, among(kitchen, None, "pie"))
    assert shown_items(page) == hits.ids.tolist()
    sets = item_words(kitchen.data).sets
    expected = against_rest(hits.ids.tolist(), kitchen.search_rows.tolist(), sets)
    clear = [c.word for c in expected if c.interval()[0] > 0][:5]
    numbers = 7, len(kitchen.search_rows) - 7
    said = MORE.format(*numbers, ", ".join(clear)) if clear else NONE.format(*numbers)
    assert said in page.words.replace("\\", "")
    (chart,) = page.at.get("plotly_chart")
    assert f"{HERE} against {REST}" in chart.proto.spec


def test_a_filter_that_nothing_meets_is_a_sentence(words):
    page = words(run=KITCHEN, part="Results", only="pie zebra")
    assert NO_ITEM.format("pie zebra") in page.words


def test_who_comes_with_moved_sliders_sees_the_words_of_the_results(words, kitchen):
    q = str(int(kitchen.search_rows[4]))
    live = {"run": KITCHEN, "q": q, "z": "1_6", "only": "pie", "k": "8"}
    page = words("explore", **live)
    page.open("words")
    params = {k: v[0] if isinstance(v, list) else v for k, v in page.params.items()}
    assert params["part"] == "Results" and live.items() <= params.items()
    z = kitchen.encode(int(q))
    z[0] = 6.0
    assert shown_items(page) == kitchen.topk(z, 8, among(kitchen, None, "pie")).ids.tolist()


def test_who_comes_without_finds_the_page_as_it_was(words):
    page = words("explore", run=KITCHEN, q="30")
    page.open("words")
    assert "part" not in page.params and len(page.panel()["states"]) == 3


def test_an_added_axis_is_part_of_the_point(words, tmp_path, monkeypatch):
    from rivae.runs.added_axes import AddedAxis, AxisSpec, change_added

    folder = tmp_path / "own"
    shutil.copytree(DEMO_ROOT / KITCHEN, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "name": "own"}))
    unit = np.eye(KITCHEN_AXES)[0]
    axis = AddedAxis(
        "a1", "sweet", ("", "sweet"), tuple(unit), 0.0, tuple(unit), AxisSpec("words", high="sweet")
    )
    change_added(Run(folder), lambda axes, new_id: [*axes, axis] if new_id() == "a1" else axes)
    explorer = Explorer.open(Run(folder))
    q = int(explorer.search_rows[4])
    page = words(run="own", q=str(q), add="a1_5~a7_1", part="Results")
    z = explorer.encode(q)
    z[0] += 5
    assert shown_items(page) == explorer.topk(np.round(z, 4), 10).ids.tolist()[:8]
    assert ADDED_GONE.format("a7") in page.warnings[0]
