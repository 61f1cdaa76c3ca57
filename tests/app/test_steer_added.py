"""Combinations over axes that were added to a run: state, link, questions, files, and the way from
Live."""

import json
import shutil

import numpy as np
import pytest

from rivae.app.explore import state as explore
from rivae.app.explore.panels import to_steer
from rivae.app.panels.links import ExploreLink
from rivae.app.panels.steer_link import SteerLink
from rivae.app.steer import state
from rivae.app.steer.answers import answer
from rivae.app.steer.panels import sheet
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import caption, reliable_first
from rivae.exploring.steering import SteerRow, base_point, moved, steer
from rivae.exploring.tours import Tour, TourStep, from_bytes, to_bytes
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import AddedAxis, AxisScore, AxisSpec, change_added
from tests.conftest import KITCHEN_AXES


def axis(number, name, direction, **more):
    return AddedAxis(
        f"a{number}", name, ("dry", name), tuple(direction), 0.0,
        tuple(direction / (direction @ direction)), AxisSpec("words", high=name), **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The kitchen with two axes of one's own, the first of them reliable."""
    folder = tmp_path_factory.mktemp("own") / "own"
    shutil.copytree(DEMO_ROOT / "demo-kitchen", folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "name": "own"}))
    eye = np.eye(KITCHEN_AXES)
    scores = (AxisScore("first", 0.8, 0.1, 0.7, 0.9, 50),)
    axes = axis(1, "soup", eye[0] + eye[5], scores=scores), axis(2, "tart", eye[2] - eye[8])

    def add(known, new_id):
        assert [new_id(), new_id()] == ["a1", "a2"]
        return [*known, *axes]

    change_added(Run(folder), add)
    return Explorer.open(Run(folder))


def test_axes_stand_by_verdict_and_added_ones_among_them(own):
    order = reliable_first(own)
    assert set(order) == {*range(KITCHEN_AXES), "a1", "a2"}
    assert order.index("a1") < order.index(6), "reliable ones come before the weak one"
    assert order[-1] == "a2", "nothing says how reliable it is"


def test_a_link_with_added_axes_is_a_matrix_and_comes_back(own):
    link = SteerLink("own", 30, ("a2", 0), 1.5, (("on", "off"), (0.5, "query")))
    shown, notes = state.from_link(own, "own", link, 0)
    assert (shown.axes, shown.rows, notes) == (("a2", 0), link.rows, [])
    assert state.to_link(shown) == link
    gone = SteerLink("own", 30, ("a9", 0), rows=(("on", "off"),))
    shown, (said,) = state.from_link(own, "own", gone, 0)
    assert shown.axes == (0,) and shown.rows == (("off",),) and "ignores them: a9" in said
    sent = state.payload(own, shown, "key", "")
    assert sent["dims"]["a1"]["right"] == "soup" and set(sent["order"]) == set(sent["dims"])
    view = {"rev": shown.rev, "axes": ["a1"], "rows": [["on"]], "n_sigma": 2}
    assert state.commit(own, shown, view).axes == ("a1",)
    with pytest.raises(ConfigError, match="no added axis a9"):
        state.commit(own, shown, view | {"axes": ["a9"]})


@pytest.mark.slow
def test_a_row_is_answered_with_pictures_words_and_where_it_stands(own, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(own.run.path.parent))
    part = {
        "key": "k", "run": "own", "query": 30, "axes": [0, "a1"], "levels": ["off", 1.5],
        "n_sigma": 2,
    }  # fmt: skip
    row = SteerRow((0, "a1"), ("off", 1.5))
    (found,) = answer({"seq": 1, "parts": [part]}, lambda *_: own)["parts"]
    expected = steer(own, base_point(own, 30), [row], 2.0)[0]
    assert [item[0] for item in found["items"]] == expected.tolist()
    assert found["at"] == [-2.0, 1.5] and found["axes"][1]["name"] == "a1 · soup"
    (said,) = answer({"seq": 1, "parts": [part], "cloud": True}, lambda *_: own)["parts"]
    assert said["cloud"]["words"]
    assert caption(own, row) == f"Less {own.shown_names[0]}, more soup (+1.5 s.d.)"
    wrong = answer({"seq": 1, "parts": [part | {"axes": [0, "a9"]}]}, lambda *_: own)["parts"]
    assert "no added axis a9" in wrong[0]["error"]


@pytest.mark.slow
def test_the_files_and_the_python_have_them(own):
    link = SteerLink("own", 30, ("a1", 2), 1.5, (("on", "off"), ("off", "query")))
    shown, _ = state.from_link(own, "own", link, 0)
    made = sheet(own, shown)
    ids = steer(own, base_point(own, 30), shown.steer_rows, 1.5)
    assert [row["item"] for row in made.rows] == ids.ravel().tolist()
    assert made.rows[0]["a1 · soup"] == "on"
    step = TourStep("Soup", "", "own", 30, shown.steer_rows[0], 1.5)
    assert from_bytes(to_bytes(Tour("Tour", (step,)))).steps == (step,)


def test_an_exported_page_shows_steps_over_added_axes(own):
    from rivae.figures.page.content import _tour

    rows = [SteerRow(("a1", 2), ("on", "off")), SteerRow(("a9",), ("on",))]
    query = int(own.search_rows[3])
    steps = tuple(TourStep("Step", "", "own", query, row, 1.5) for row in rows)
    (shown,) = _tour(own, "own", Tour("Tour", steps))["steps"]
    z = moved(own, own.encode(query)[None], rows[0], 1.5)[0]
    np.testing.assert_allclose(shown["z"], z, atol=1e-4)


def test_axes_moved_in_live_become_columns_with_the_point_as_a_row(own):
    link = ExploreLink("own", query=30, added={"a1": 4.0}, changes={})
    shown, _ = explore.from_link(own, "own", link, 0)
    steered = to_steer(own, shown)
    assert steered.axes == ("a1",), "not every axis of z that it moved"
    row = SteerRow(steered.axes, steered.rows[1])
    z = moved(own, np.array([shown.base]), row, steered.n_sigma)[0]
    np.testing.assert_allclose(z, shown.z, atol=0.05)
    both = ExploreLink("own", query=30, added={"a1": 4.0}, changes={1: 3.0})
    assert to_steer(own, explore.from_link(own, "own", both, 0)[0]).axes == (1, "a1")
