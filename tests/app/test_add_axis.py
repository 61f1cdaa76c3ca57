"""Add an axis on Explore: asked for, looked at, kept as a slider, named by links, removed."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from rivae.app.explore import adding, state
from rivae.app.explore import page_keys as explore_keys
from rivae.app.panels.answers import rounded
from rivae.app.panels.links import ExploreLink
from rivae.app.shell import access, keys
from rivae.exploring.axes import finder
from rivae.exploring.axes.adding import keep_axes, named_directions, typed_spec
from rivae.exploring.explorer import Explorer
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.added_axes import added_axes, restore_added
from tests.conftest import KITCHEN_AXES

KITCHEN = DEMO_ROOT / "demo-kitchen"
NAME = f"{explore_keys.AXIS_NAME}_draft"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("axes")
    shutil.copytree(KITCHEN, folder / "kitchen")
    config = json.loads((folder / "kitchen" / "config.json").read_text())
    (folder / "kitchen" / "config.json").write_text(json.dumps({**config, "name": "kitchen"}))
    return folder


@pytest.fixture(scope="module", autouse=True)
def few_rows():
    """So few that axes wait for nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "MAX_FIT", 900)
        patch.setattr(finder, "MAX_HELD", 300)
        yield


@pytest.fixture
def run(folder):
    (folder / "kitchen" / "added_axes.json").unlink(missing_ok=True)
    return Run(folder / "kitchen")


@pytest.fixture(scope="module")
def explorer(folder):
    return Explorer.open(Run(folder / "kitchen"))


@pytest.fixture
def kept(run, explorer):
    """Two axes that were added, the second along the first and z2."""
    soup = adding._finder.__wrapped__("key", explorer).draft(
        typed_spec("soup broth"), "soup", named_directions(run, KITCHEN_AXES)
    )
    other = np.array(soup.reads) + 0.3 * np.eye(KITCHEN_AXES)[1]
    moves = np.array(soup.moves) / float(other @ np.array(soup.moves))
    second = replace(soup, name="<b>other</b>", reads=tuple(other), moves=tuple(moves))
    return keep_axes(run, [soup, second])


@pytest.fixture
def shown(folder, run, app, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    return app


def click(page, end):
    page.at.button(key=f"{explore_keys.AXIS_NAME}_{end}").click().run()
    return page.calm()


def type_words(page, high, low=""):
    page.at.text_input(key=explore_keys.AXIS_HIGH).set_value(high)
    page.at.text_input(key=explore_keys.AXIS_LOW).set_value(low)
    return click(page, "words")


@pytest.mark.slow
def test_an_axis_of_words_is_tried_named_and_kept_and_removed_and_back(shown, run):
    page = shown("explore", run="kitchen", q="3")
    assert page.panel()["adds"] and page.panel()["addedAxes"] == []
    page.report("add", {"view": {}, "within": None, "only": ""})
    type_words(page, "xyzzy", "cake")
    assert any("xyzzy" in warning for warning in page.warnings)
    assert page.at.text_input(key=explore_keys.AXIS_LOW).value == "cake", "nothing is lost"
    type_words(page, "soup, broth", "cake, cookie")
    assert not page.warnings and "cake, cookie" in page.words
    assert any("chance" in html for html in page.drawn)
    page.at.text_input(key=NAME).set_value("<b>soupy</b>")
    click(page, "draft_keep")
    (axis,) = added_axes(run)
    assert axis.name == "<b>soupy</b>" and axis.poles == ("cake, cookie", "<b>soupy</b>")
    (slider,) = page.panel()["addedAxes"]
    assert (slider["id"], slider["given"]) == ("a1", "<b>soupy</b>")
    assert not any("<b>soupy" in html for html in page.drawn)
    page.report("about", {"view": {}, "added": "a1"})
    name = f"{explore_keys.AXIS_NAME}_a1_{axis.created}"
    page.at.text_input(key=name).set_value("soups").run()
    (axis,) = added_axes(run)
    assert (axis.name, axis.poles[1]) == ("soups", "soups"), "its high end had the name"
    assert page.calm().panel()["addedAxes"][0]["given"] == "soups"
    page.at.text_input(key=name).set_value("  ").run()
    assert page.calm().warnings and added_axes(run) == (axis,)
    click(page, "remove")
    assert added_axes(run) == () and page.panel()["addedAxes"] == []
    click(page, "undo")
    assert added_axes(run) == (axis,) and page.panel()["addedAxes"][0]["id"] == "a1"
    restore_added(run, axis)
    assert len(added_axes(run)) == 1


@pytest.mark.parametrize(
    ("high", "low", "says"),
    [
        ("", "", "1 to 300"),
        ("   ", "cake", "1 to 300"),
        ("cake", "cake", "equal"),
        ("the", "", "nearly all"),
        ("\u8c46\u8150", "", "\u8c46"),
        ("chocolat", "", "chocolate"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(shown, high, low, says):
    page = shown("explore", run="kitchen", q="3")
    page.report("add", {"view": {}, "within": None, "only": ""})
    type_words(page, high, low)
    (warning,) = page.warnings
    assert says in warning and "\n" not in warning


@pytest.mark.slow
def test_a_factor_and_chosen_items_give_an_axis(shown, run):
    page = shown("explore", run="kitchen", q="3")
    page.report("add", {"view": {}, "within": None, "only": "soup"})
    click(page, "try")
    click(page, "draft_keep")
    page.report("add", {"view": {}, "within": None, "only": ""})
    page.at.segmented_control(key=f"{explore_keys.AXIS_FROM}_0").set_value(adding.COLUMN).run()
    click(page, "try")
    click(page, "draft_keep")
    examples, column = added_axes(run)
    assert examples.spec.kind == "examples" and len(examples.spec.items) > 3
    assert column.spec.kind in ("tag", "factor") and column.scores
    assert [one["id"] for one in page.panel()["addedAxes"]] == ["a1", "a2"]


def test_proposals_are_found_in_the_background_and_kept_one_by_one(shown, run, monkeypatch):
    tasks = []
    monkeypatch.setattr(adding.work, "begin", lambda of, what: tasks.append((of.id, what)))
    page = shown("explore", run="kitchen", q="3")
    page.report("add", {"view": {}, "within": None, "only": ""})
    page.at.segmented_control(key=f"{explore_keys.AXIS_FROM}_0").set_value(adding.PROPOSALS).run()
    click(page, "propose")
    assert tasks == [("kitchen", "propose")]
    axes = [
        adding._finder.__wrapped__("key", Explorer.open(run)).draft(typed_spec(line))
        for line in ("soup", "cake")
    ]
    monkeypatch.setattr(adding.work, "proposed", lambda of: axes)
    page.at.run()
    buttons = [b.key for b in page.calm().at.button if str(b.key).endswith("_keep")]
    assert len(buttons) == 2
    page.at.button(key=buttons[0]).click().run()
    discard = [b.key for b in page.calm().at.button if str(b.key).endswith("_discard")]
    assert len(discard) == 1 and [axis.name for axis in added_axes(run)] == ["soup"]
    page.at.button(key=discard[0]).click().run()
    assert not [b for b in page.calm().at.button if str(b.key).endswith("_keep")]


def test_a_visitor_without_the_right_adds_and_does_not_remove(shown, kept, run, monkeypatch):
    monkeypatch.setattr(access, "login", lambda: access.Login("password", "secret"))
    page = shown("explore", run="kitchen", q="3")
    page.report("about", {"view": {}, "added": "a1"})
    assert page.at.button(key=f"{explore_keys.AXIS_NAME}_remove").disabled
    assert page.at.text_input(key=f"{explore_keys.AXIS_NAME}_a1_{kept[0].created}").disabled
    page.report("add", {"view": {}, "within": None, "only": ""})
    type_words(page, "soup, broth")
    click(page, "draft_keep")
    assert len(added_axes(run)) == 3


def test_a_link_names_added_axes_and_opens_the_same_state(shown, kept, explorer):
    page = shown("explore", run="kitchen", q="7", add="a1_2.5~a2_-1~a9_1", alone="1", z="3_1.5")
    assert "a9" in page.at.session_state[keys.EXPLORE.notice]
    base = np.array(page.state.base)
    expected = rounded(base + 2.5 * np.array(kept[0].moves) - np.array(kept[1].moves))
    assert page.state.z == (*expected[:2], 1.5, *expected[3:])
    assert page.state.added == {"a1": 2.5, "a2": -1.0} and page.state.only_this
    sent = page.panel()
    assert sent["added"] == {"a1": 2.5, "a2": -1.0} and sent["onlyThis"]
    assert sent["first"]["ids"] == explorer.topk(np.array(page.state.z), 10).ids.tolist()
    link = state.to_link(explorer, page.state)
    assert link.changes == {2: 1.5} and dict(link.added) == page.state.added
    again, notes = state.from_link(explorer, "kitchen", ExploreLink.read(link.write())[0], 0)
    assert (again.z, again.added, again.only_this) == (page.state.z, page.state.added, True)
    assert notes == []


def test_the_browsers_rounding_is_no_change_of_z(kept, explorer):
    start, _ = state.from_link(explorer, "kitchen", ExploreLink(query=7), 0)
    amount = 3.3333
    z = np.array(start.base) + amount * np.array(kept[0].moves) + 4e-5
    view = ExploreLink.sent(start) | {
        "rev": start.rev, "z": [round(float(v), 4) for v in z], "added": {"a1": amount, "a2": 0},
        "only_this": False, "by_effect": True, "whole": start.whole,
    }  # fmt: skip
    after = state.commit(start, view, lambda: state.moves_of(explorer))
    link = state.to_link(explorer, after)
    assert link.changes == {} and link.write()["add"] == "a1_3.3333"
    assert state.from_link(explorer, "kitchen", link, 0)[0].z == after.z
    for bad in ([1], {"a1": "x"}, {"z1": 1.0}, {"a1": 1e9}, {"a1": True}):
        with pytest.raises(state.ConfigError):
            state.commit(start, view | {"added": bad}, lambda: state.moves_of(explorer))
