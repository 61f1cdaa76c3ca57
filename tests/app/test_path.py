"""The path of Traverse without a browser: its way-points, and what an address may say of them."""

import pytest

from rivae.app.panels.codec import unread
from rivae.app.shell import keys
from rivae.app.traverse import page_keys as traverse_keys
from rivae.app.traverse.path import KINDS
from rivae.exploring import paths
from rivae.exploring.paths import MAX_STOPS


def test_a_path_begins_at_the_query_and_leads_to_its_opposite(app, digits):
    shown = app("traverse", run="digits", view="Path", q="12")
    frames, stops = shown.panel()["frames"], shown.panel()["stops"]
    assert len(frames) == 24 and stops == [0, 23]
    start = frames[0]["moved"]
    assert start[::2] == list(range(digits.n_components))
    assert start[1::2] == pytest.approx(digits.encode(12).tolist(), abs=1e-3)
    assert {str(frame["id"]) for frame in frames} == set(shown.panel()["items"])


def test_way_points_are_typed_added_and_linked(app):
    shown = app("traverse", run="digits", view="Path", q="12")
    shown.at.text_input(key=traverse_keys.WAY_TEXT).set_value("40, 41 nonsense").run()
    assert shown.calm().params[traverse_keys.WAY] in ("40 41", ["40 41"])
    assert len(shown.panel()["stops"]) == 3
    shown.at.button(key=traverse_keys.WAY_ADD).click().run()
    assert len(shown.calm().panel()["stops"]) == 4
    again = app("traverse", **shown.params)
    assert again.panel()["frames"] == shown.panel()["frames"]


@pytest.mark.parametrize("text", ["", "x", "9" * 40, "99999999"])
def test_without_a_way_point_one_is_asked_for(app, text):
    shown = app("traverse", run="digits", view="Path", q="12", **{traverse_keys.WAY: text})
    assert shown.at.text_input(key=traverse_keys.WAY_TEXT).value == ""
    assert len(shown.at.info) == 1
    said = shown.warnings
    assert said == (unread([traverse_keys.WAY]) if text else [])


@pytest.mark.parametrize("text", ["x 40 99999999", "40 -", "99999999,40"])
def test_the_good_part_of_a_link_is_walked_and_the_rest_is_named(app, text):
    shown = app("traverse", run="digits", view="Path", q="12", **{traverse_keys.WAY: text})
    whole = app("traverse", run="digits", view="Path", q="12", **{traverse_keys.WAY: "40"})
    assert shown.panel()["frames"] == whole.panel()["frames"]
    assert shown.warnings == unread([traverse_keys.WAY])
    assert not whole.at.warning


def test_from_the_average_a_path_leads_to_the_first_searched_item(app, digits):
    """The average is its own opposite: its path would show one picture."""
    frames = app("traverse", run="digits", view="Path", q="mean").panel()["frames"]
    first = int(digits.search_rows[0])
    assert first != digits.topk(digits.mean, 1).ids[0]
    assert frames[-1]["moved"][1::2] == pytest.approx(digits.encode(first).tolist(), abs=1e-3)
    assert frames[0]["moved"] != frames[-1]["moved"]


def test_way_points_are_those_of_one_run(app):
    shown = app("traverse", run="digits", view="Path", q="12", **{traverse_keys.WAY: "40 41"})
    shown.at.selectbox(key=keys.TRAVERSE_RUN).set_value("synth").run()
    assert traverse_keys.WAY not in shown.calm().params
    assert len(shown.panel()["stops"]) == 2


def test_a_path_is_found_once_for_all_clicks_on_it(app, monkeypatch):
    calls, through = [], paths._through
    monkeypatch.setattr(paths, "_through", lambda *args: calls.append(args) or through(*args))
    link = {traverse_keys.WAY: "44", traverse_keys.WAY_KIND: list(KINDS)[1]}
    shown = app("traverse", run="digits", view="Path", q="17", **link)
    frame = shown.panel()["frames"][5]
    shown.report("open", {"item": frame["id"], "moved": frame["moved"]})
    assert shown.calm().panel()["open"] == frame["id"] and len(calls) == 1


def test_a_leg_that_no_items_lead_along_is_named(app, monkeypatch):
    way = {traverse_keys.WAY: "45 46", traverse_keys.WAY_KIND: list(KINDS)[1]}
    whole = app("traverse", run="digits", view="Path", q="18", **way)
    through = paths._through
    monkeypatch.setattr(paths, "_through", lambda *args: (through(*args)[0], [1]))
    shown = app("traverse", run="digits", view="Path", q="19", **way)
    (said,) = {each.value for each in shown.at.caption} - {each.value for each in whole.at.caption}
    assert "2" in said and "3" in said and "1" not in said


def test_too_many_way_points_are_cut(app):
    link = {traverse_keys.WAY: " ".join(map(str, range(20)))}
    shown = app("traverse", run="digits", view="Path", q="12", kind=list(KINDS)[1], **link)
    assert len(shown.panel()["stops"]) == MAX_STOPS
    assert shown.at.button(key=traverse_keys.WAY_ADD).disabled


def test_a_click_opens_the_item_and_leads_on(app):
    from urllib.parse import parse_qsl

    from rivae.app.panels.links import ExploreLink

    shown = app("traverse", run="digits", view="Path", q="12")
    frame = shown.panel()["frames"][7]
    shown.report("open", {"item": frame["id"], "moved": frame["moved"]})
    assert shown.calm().panel()["open"] == frame["id"]
    (query,) = [query for page, query in shown.links if page == "explore"]
    changes = ExploreLink.read(dict(parse_qsl(query)))[0].changes
    assert list(changes.values()) == pytest.approx(frame["moved"][1::2], abs=1e-3)
