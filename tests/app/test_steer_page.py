"""The Steer page without a browser: what its panel is sent, what its reports and the address do."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from rivae.app.panels.steer_link import SteerLink
from rivae.exploring.steering import SteerRow, base_point, steer
from rivae.exploring.tours import (
    TourStep,
    add_tour,
    list_tours,
    read_tour,
    to_bytes,
    tours_folder,
    trash_of_tours,
)
from rivae.runs.trash import RESTORED

SIGMA = SteerLink().n_sigma


@pytest.fixture(autouse=True)
def no_tours(runs):
    yield
    shutil.rmtree(tours_folder(), ignore_errors=True)


def param(app, name):
    value = app.params[name]
    return value[0] if isinstance(value, list) else value


def view(app, **changes):
    sent = app.at.session_state["steer_state"]
    now = {
        "rev": sent.rev,
        "axes": list(sent.axes),
        "rows": [list(r) for r in sent.rows],
        "n_sigma": sent.n_sigma,
    }
    return {**now, **changes}


def step(**changes):
    usual = {
        "heading": "Round <b>digits</b>",
        "note": "First line.\nSecond.",
        "run": "digits",
        "query": 12,
        "row": SteerRow((0, 2), ("on", "query")),
        "n_sigma": 3.0,
    }
    return TourStep(**{**usual, **changes})


def test_without_a_matrix_all_combinations_of_the_two_strongest_axes(app, digits):
    sent = app("steer", run="digits").panel()
    order = sorted(range(3), key=lambda j: (-digits.effects[j], j))
    assert sent["axes"] == order[:2] and sent["order"] == order
    assert sent["rows"] == [["off", "off"], ["off", "on"], ["on", "off"], ["on", "on"]]
    sigma, query = sent["nSigma"], sent["queryId"]
    assert 1 <= sigma <= SIGMA and sent["wordKind"] == ""
    rows = [SteerRow(tuple(order[:2]), tuple(levels)) for levels in sent["rows"]]
    expected = steer(digits, base_point(digits, query), rows, sigma)
    shown = [[item[0] for item in row["items"]] for row in sent["first"]]
    assert shown == expected.tolist()
    # It begins where the data lie, unless even the least of the ways leads out of them.
    assert {row["where"] for row in sent["first"]} == {"inside"} or sigma == 1


def test_the_address_holds_the_matrix(app):
    page = app("steer", run="digits", q="12", axes="3~1", n="2", m="o_i~q_-1.5")
    sent = page.panel()
    assert (sent["axes"], sent["rows"], sent["nSigma"]) == (
        [2, 0],
        [["off", "on"], ["query", -1.5]],
        2,
    )
    page.report("commit", view(page, rows=[["on", "on"]], n_sigma=4))
    assert param(page, "m") == "i_i" and param(page, "n") == "4"
    again = app("steer", **{name: param(page, name) for name in page.params})
    assert again.panel()["rows"] == [["on", "on"]] and again.panel()["nSigma"] == 4
    page.follow(run="digits", q="12", axes="3~1", n="2", m="o_i~q_-1.5")
    assert page.panel()["rows"] == [["off", "on"], ["query", -1.5]]


def test_a_strangers_link_is_used_as_far_as_it_goes(app):
    page = app("steer", run="digits", q="99999999", axes="1~99", m="o_i", n="x")
    assert page.panel()["axes"] == [0] and page.panel()["rows"] == [["off"]]
    notice = page.warnings[0]
    assert "no item 99999999" in notice and "z99 is ignored" in notice and ": n." in notice


@pytest.mark.parametrize(
    "wrong",
    [
        {"axes": [7]},
        {"axes": "1"},
        {"axes": [0, 0]},
        {"rows": []},
        {"rows": [["on"]]},
        {"rows": [["on", "maybe"]]},
        {"rows": [["on", 1e9]]},
        {"n_sigma": 0},
        {"n_sigma": None},
        {"rows": [["on", "on"]] * 33},
    ],
)
def test_a_report_that_the_panel_cannot_send_changes_nothing(app, wrong):
    page = app("steer", run="digits", axes="1~2")
    before = page.at.session_state["steer_state"]
    page.report("commit", view(page, **wrong))
    assert page.at.session_state["steer_state"] == before
    assert len(page.at.warning) == 1


def test_a_report_from_before_is_left_out(app):
    page = app("steer", run="digits", axes="1~2")
    before = page.at.session_state["steer_state"]
    page.report("commit", view(page, rev=1, rows=[["on", "on"]]))
    assert page.at.session_state["steer_state"] == before


def test_another_query_keeps_the_matrix(app, digits):
    page = app("steer", run="digits", q="12", axes="1~2", m="o_i")
    page.report("choose", {"how": "row", "id": 40, "view": view(page)})
    assert param(page, "q") == "40" and page.panel()["rows"] == [["off", "on"]]
    page.report("choose", {"how": "average", "view": view(page)})
    assert param(page, "q") == "mean"
    page.report("choose", {"how": "row", "id": 10**8, "view": view(page)})
    assert param(page, "q") == "mean" and "item 100000000" in page.warnings[0]
    page.report("choose", {"how": "gallery", "view": view(page)})
    page.report("pick", True, n=1)  # no number, though Python takes it for one
    assert param(page, "q") == "mean" and page.at.session_state["steer_choosing"]
    page.report("pick", 41, n=1)
    assert param(page, "q") == "41" and not page.at.session_state["steer_choosing"]


def test_the_query_of_explore_is_taken_over(app):
    page = app("explore", run="digits", q="33")
    page.open("steer")
    assert page.panel()["run"] == "digits" and page.panel()["queryId"] == 33


def test_a_picture_opens_the_item(app, digits):
    page = app("steer", run="digits", q="12")
    page.report("pick", {"id": 40, "view": view(page)})
    assert digits.title(40) in page.words.replace("\\", "")
    page.at.button(key="steer_use").click().run()
    page.calm()
    assert param(page, "q") == "40"


def test_questions_are_answered_through_the_session_where_there_is_no_route(app):
    page = app("steer", run="digits", q="12")
    part = {"key": "k", "run": "digits", "query": 12, "axes": [0], "levels": ["on"], "n_sigma": 3}
    page.report("ask", {"seq": 7, "parts": [part]})
    assert page.panel()["answer"]["seq"] == 7 and page.panel()["answer"]["parts"][0]["items"]
    page.report("ask_words", {"seq": 2, "parts": [part], "cloud": True})
    assert "no texts" in page.panel()["words"]["parts"][0]["note"]
    page.report("ask", {"seq": 8, "parts": []})
    assert "'parts'" in page.panel()["answer"]["error"]


def test_a_run_that_cannot_be_opened_is_a_sentence(app):
    assert "no-such-run" in app("steer", run="no-such-run").at.warning[0].value


# tours


def flag(page, row):
    page.report("add", {"row": row, "view": view(page)})
    assert page.calm()


def test_a_flagged_row_is_in_the_tour_at_once_and_out_again(app):
    page = app("steer", run="digits", q="12", axes="1~2", m="o_i~q_0.5", n="2")
    assert page.panel()["tour"] == []
    flag(page, 1)
    (found,) = list_tours()
    row = SteerRow((0, 1), ("query", 0.5))
    half = TourStep("More z2 (+0.5 s.d.)", "", "digits", 12, row, 2.0)
    assert found.tour.title.startswith("Tour of ") and found.tour.steps == (half,)
    flag(page, 0)
    both = read_tour(found.id).steps
    assert [each.heading for each in both] == [half.heading, "Less z1, more z2"]
    sent = page.panel()["tour"]
    assert [step["levels"] for step in sent] == [["query", 0.5], ["off", "on"]]
    assert sent[0] == {
        "run": "digits", "query": 12, "asks": "first", "axes": [0, 1], "levels": ["query", 0.5],
        "n_sigma": 2.0, "heading": half.heading,
    }  # fmt: skip
    flag(page, 1)
    assert read_tour(found.id).steps == both[1:]
    page.at.button(key="trash_tour_undo").click().run()
    assert page.calm() and read_tour(found.id).steps == both, "with its texts"


def test_the_caption_of_a_flagged_row_is_edited_in_place(app):
    page = app("steer", run="digits", q="12", axes="1~2", m="o_i~q_0.5", n="2")
    flag(page, 0)
    flag(page, 1)
    (found,) = list_tours()

    def captioned(row, text):
        page.report("caption", {"row": row, "caption": text, "view": view(page)})
        return [step.heading for step in read_tour(found.id).steps]

    own = [step.heading for step in found.tour.steps]
    assert captioned(1, "  Half\nway ") == [own[0], "Half way"] and page.calm()
    assert [step["heading"] for step in page.panel()["tour"]] == [own[0], "Half way"]
    assert captioned(1, " ") == own and page.calm(), "by itself again"
    assert captioned(0, "x" * 121) == own and "120" in page.warnings[0]
    assert captioned(7, "Nowhere") == own and captioned(0, None) == own
    page.at.button(key="trash_tour_undo").click().run()
    assert [step.heading for step in read_tour(found.id).steps] == [own[0], "Half way"]


def test_another_visitors_tour_is_added_to_only_when_it_was_taken_in_hand(app):
    other = add_tour("Theirs", [step()])
    page = app("steer", run="digits", axes="1~2", m="o_i")
    flag(page, 0)
    assert read_tour(other.id).steps == (step(),) and len(list_tours()) == 2
    page.at.button(key=f"steer_tour_field_{other.id}_edit").click().run()
    flag(page, 0)
    assert len(read_tour(other.id).steps) == 2 and len(list_tours()) == 2
    page.at.button(key=f"steer_tour_field_{other.id}_new").click().run()
    flag(page, 0)
    assert len(list_tours()) == 3


def test_tours_are_renamed_reordered_and_deleted_in_place(app):
    add_tour("One", [step(heading="First"), step(heading="Second")])
    page = app("steer", run="digits")
    page.at.button(key="steer_tour_field_one_edit").click().run()

    def field(end):
        fields = (*page.at.text_input, *page.at.text_area, *page.at.button)
        return next(each for each in fields if each.key and each.key.endswith(end))

    field("_heading").set_value("The first").run()
    field("_note").set_value("Look.\nHere.").run()
    title = next(f for f in page.at.text_input if f.label == "Title")
    title.set_value("Two").run()
    assert page.calm() and read_tour("one").title == "Two"
    first = read_tour("one").steps[0]
    assert (first.heading, first.note) == ("The first", "Look.\nHere.")
    field("_down").click().run()
    assert [s.heading for s in read_tour("one").steps] == ["Second", "The first"]
    field("_remove").click().run()
    assert [s.heading for s in read_tour("one").steps] == ["The first"]
    field("one_delete").click().run()
    assert page.calm() and list_tours() == [] and "Deleted **one**" in page.words
    page.at.button(key="trash_tour_undo").click().run()
    assert page.calm() and read_tour("one").title == "Two"
    assert any(RESTORED.format("one") in toast.value for toast in page.at.toast)


def test_a_tour_is_imported_whole_or_not_at_all(app):
    page = app("steer", run="digits")
    content = to_bytes(replace(add_tour("Kept", [step()]), title="From afar"))
    page.at.file_uploader[0].upload("tour.json", content, "application/json").run()
    page.calm()
    assert {f.tour.title for f in list_tours()} == {"Kept", "From afar"}
    bad = json.loads(content)
    bad["steps"][0]["levels"] = ["on", 1e9]
    page = app("steer", run="digits")
    page.at.file_uploader[0].upload("t.json", json.dumps(bad).encode(), "application/json").run()
    page.calm()
    assert len(list_tours()) == 2 and "steps / 0 / levels" in page.words.replace("\\", "")


def test_a_damaged_tour_is_named_and_can_be_deleted(app):
    tours_folder().mkdir(exist_ok=True)
    (tours_folder() / "bad.json").write_text("{")
    page = app("steer", run="digits")
    assert page.warnings[0].startswith("bad")
    page.at.button(key="steer_tour_field_bad_bad").click().run()
    assert page.calm() and list_tours() == []
    later = app("steer", run="digits")  # the list of what was deleted, in another session
    later.at.button(key=f"trash_tour_{trash_of_tours().entry('bad').id}").click().run()
    assert later.calm() and (tours_folder() / "bad.json").read_text() == "{"


def test_presenting_puts_the_tour_into_the_address(app):
    add_tour("One", [step(), step(heading="Second", run="gone")])
    page = app("steer", run="digits", q="12")
    page.at.button(key="steer_tour_field_one_shortcut").click().run()
    page.calm()
    assert {name: param(page, name) for name in page.params} == {"tour": "one", "step": "1"}
    sent = page.panel()
    assert [s["heading"] for s in sent["steps"]] == ["Round <b>digits</b>", "Second"]
    assert sent["steps"][0]["levels"] == ["on", "query"] and sent["steps"][0]["axes"] == [0, 2]
    assert sent["step"] == 1
    page.report("step", 2)
    assert param(page, "step") == "2" and page.panel()["step"] == 2
    part = {**sent["steps"][1], "key": "1"}
    page.report("ask", {"seq": 1, "parts": [part], "card": True})
    assert "run 'gone'" in page.panel()["answer"]["parts"][0]["error"]
    page.report("leave", True)
    assert "tour" not in page.params and param(page, "q") == "12"
    assert page.panel()["run"] == "digits"


@pytest.mark.parametrize("tour", ["gone", "../x", "", "empty"])
def test_a_tour_that_cannot_be_shown_is_a_sentence(app, tour):
    add_tour("Empty")
    page = app("steer", tour=tour, step="9")
    assert len(page.at.warning) + len(page.at.info) == 1
    page.at.button[0].click().run()
    assert page.calm() and "tour" not in page.params


def test_a_step_beyond_the_tour_is_the_first(app):
    add_tour("One", [step()])
    assert app("steer", tour="one", step="99").panel()["step"] == 1


def test_the_export_makes_the_matrix(app, digits):
    from rivae.app.steer.panels import sheet

    page = app("steer", run="digits", q="mean", axes="1~2", m="o_i")
    made = sheet(digits, page.at.session_state["steer_state"])
    row = SteerRow((0, 1), ("off", "on"))
    ids = steer(digits, np.asarray(digits.mean), [row], SIGMA)[0]
    assert [row["item"] for row in made.rows] == ids.tolist()
    assert any("steering_sheet(" in code for code in page.snippets)
