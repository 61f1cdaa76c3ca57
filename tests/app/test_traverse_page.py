"""The Traverse page without a browser: strips, plane, card of an axis, and what a click opens."""

from urllib.parse import parse_qsl

import pytest

from rivae.app.panels.links import ExploreLink
from rivae.runs.axis_names import AxisName


@pytest.mark.slow
@pytest.mark.parametrize("view", ["Strips", "Correlations", "Plane"])
@pytest.mark.parametrize("run", ["digits", "synth"])
@pytest.mark.parametrize("values", ["Data", "3 s.d.", "Paper"])
def test_every_view_of_every_data_set_opens(app, run, view, values):
    shown = app("traverse", run=run, view=view, range=values)
    assert shown.tab == view
    assert not shown.at.warning
    assert any("rivae" in code for code in shown.snippets), "no snippet"


def test_a_query_can_be_chosen_for_a_traversal(app):
    shown = app("traverse", run="synth", q="5")
    before = shown.panel()
    shown.at.number_input(key="traverse_query").set_value(6).run()
    shown.calm()
    assert shown.params["q"] in ("6", ["6"])
    assert shown.panel() != before and shown.panel()["own"] == 6
    shown.at.button(key="traverse_average").click().run()
    shown.calm()
    assert shown.params["q"] in ("mean", ["mean"])


def test_a_strip_opens_its_items_and_leads_on_from_where_they_were_found(app):
    shown = app("traverse", run="digits", q="3")
    strips = shown.panel()["strips"]
    points = [point for strip in strips for point in strip["points"]]
    assert [point["share"] for point in strips[0]["points"]] == sorted(
        point["share"] for point in strips[0]["points"]
    )
    other = next(p for p in points if p["ids"][0] != 3 and p["moved"][0] == 1)
    shown.report("open", {"item": other["ids"][0], "moved": other["moved"]})
    assert shown.panel()["open"] == other["ids"][0]
    (query,) = [query for page, query in shown.links if page == "explore"]
    changes = ExploreLink.read(dict(parse_qsl(query)))[0].changes
    assert changes == {1: pytest.approx(other["moved"][1], abs=1e-3)}
    shown.at.button(key="traverse_item_use").click().run()
    shown.calm()
    assert shown.at.query_params["q"] == str(other["ids"][0]) and shown.panel()["open"] is None


@pytest.mark.parametrize(
    "said",
    [{}, {"item": 2, "moved": "z"}, {"item": -1, "moved": [0, 1]}, {"item": True, "moved": []}]
    + [
        {"item": 2, "moved": moved}
        for moved in ([0, "x"], [0, 1e99], [-1, 0.0], [0.5, 1], ["b1", 1.0], ["a1", True])
    ],
)
def test_what_no_strip_reports_opens_nothing(app, said):
    shown = app("traverse", run="digits")
    shown.report("open", said)
    assert shown.calm().panel()["open"] is None


def test_a_plane_shows_the_more_of_a_named_axis_to_the_right(app, digits, monkeypatch):
    plain = app("traverse", run="digits", view="Plane", a="z1", b="z2").panel()["plane"]
    name = AxisName(0, "slant", -1, low="upright")
    monkeypatch.setattr(type(digits), "known_names", [name, *[None] * (digits.n_components - 1)])
    turned = app("traverse", run="digits", view="Plane", a="z1", b="z2").panel()["plane"]
    assert turned["ids"] == plain["ids"][::-1] and turned["x"]["left"] == "upright"
    assert turned["x"]["moved"] == plain["x"]["moved"][::-1]
    assert turned["here"][0] == len(plain["ids"]) - 1 - plain["here"][0]


@pytest.mark.parametrize("name", ["Custom", "Free"])  # "Free" in links of earlier versions
def test_an_empty_range_of_ones_own_is_explained(app, name):
    shown = app("traverse", run="synth", range=name, **{"from": "3.0", "to": "1.0"})
    assert any("From" in warning.value for warning in shown.at.warning)


def test_traverse_starts_where_explore_was(app):
    shown = app("explore", run="synth", q="9")
    shown.open("traverse")
    assert shown.at.number_input(key="traverse_query").value == 9


def test_two_equal_dimensions_make_no_plane(app):
    shown = app("traverse", run="synth", view="Plane", a="z1", b="z1")
    assert any("different" in info.value for info in shown.at.info)


def test_a_bad_traverse_link_is_explained(app):
    shown = app("traverse", run="synth", q="99999999", view="Nothing")
    assert any("no item" in warning.value for warning in shown.at.warning)


@pytest.mark.slow
def test_an_axis_has_a_card_and_the_next_one_is_a_click_away(app):
    shown = app("traverse", run="digits", view="Axis", axis="z2")
    assert shown.at.selectbox(key="axis_widget").value == 1
    groups = [shown.panel(n) for n in range(len(shown.components)) if "ids" in shown.panel(n)]
    assert len(groups) == 5
    shown.report("pick", groups[0]["ids"][0])
    shown.at.button(key="axis_1").click().run()
    shown.calm()
    assert shown.at.selectbox(key="axis_widget").value == 2
    assert shown.at.query_params["q"] == str(groups[0]["ids"][0])


@pytest.mark.parametrize("report", [{"axis": 1}, {"axis": 99}, {"axis": "1"}, {}])
def test_explore_opens_an_axis_at_the_side_with_a_way_to_its_card(app, report):
    shown = app("explore", run="digits")
    shown.report("about", {**report, "view": {}})
    shown.calm()
    links = [link.proto.query_string for link in shown.at.get("page_link")]
    to_card = [text for text in links if "axis=z2" in text and "view=Axis" in text]
    assert len(to_card) == (report == {"axis": 1})
    assert bool(to_card) == bool(shown.panel()["docked"])


def test_strips_without_a_link_show_the_most_reliable_axes_first_and_a_link_what_it_did():
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.sliders import sliders_of
    from rivae.runs import DEMO_ROOT, Run
    from tests.app.conftest import App

    explorer = Explorer.open(Run(DEMO_ROOT / "demo-kitchen-cos-sim-lvm"))
    axes = sliders_of(explorer)
    effects = {axis["name"]: effect for axis, effect in zip(axes, explorer.effects, strict=True)}
    verdicts = {axis["name"]: axis["held"]["verdict"] if axis["held"] else "" for axis in axes}
    order = ["sure", "plane", "unsure", ""]

    def strips(**params):
        page = App().open("traverse", **params)
        return page, [strip["axis"] for strip in page.panel(0)["strips"]]

    run = "demo-kitchen-cos-sim-lvm"
    _, fresh = strips(run=run, dims="reliable")
    at = [order.index(verdicts[name]) for name in fresh]
    assert at == sorted(at) and at[0] == min(order.index(v) for v in verdicts.values())
    _, linked = strips(run=run)
    assert linked == sorted(effects, key=lambda name: -effects[name])[:4]
    page, _ = strips(view="Strips")
    assert page.params["dims"] == "reliable"


def test_the_querys_own_picture_is_captioned_with_its_own_value():
    from tests.app.conftest import App

    page = App().open("traverse", run="demo-kitchen", q="1", dims="reliable")
    for strip in page.panel(0)["strips"]:
        (own,) = [point for point in strip["points"] if point["query"]]
        assert own["ids"][0] == 1
        low, high = (float(end.replace("−", "-")) for end in strip["span"].split(" to "))
        value = float(own["value"].replace("−", "-"))
        assert abs((value - low) / (high - low) - strip["at"]) < 0.01
