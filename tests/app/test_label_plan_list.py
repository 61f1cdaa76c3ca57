"""The list of the Plans view, and the factors of a plan in use."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from rivae.labels.kept_plans import (
    join_people,
    keep_plan,
    name_people,
    plan_guideline,
    plan_people,
    revise,
)
from tests.app.label_forms import EVIL, LEVELS, fill, press, spice, written


def test_a_plan_is_shown_with_what_everybody_did(label_plan, app):
    label_plan.label("ben", [1, 2, None])
    label_plan.label(EVIL, [3] * 10)
    label_plan.label(EVIL, [3] * 4, factor="fruit")
    label_plan.label("ben", [3] * 4, factor="no-longer-asked")
    shown = app("label", view="Plans")
    text = written(shown)
    assert "**first**" in text and "40 items · 3 hidden repeats · made 1 Mar 2026" in text
    assert "of digits" in text
    said = [p.proto.text for p in shown.at.get("progress")]
    assert len(said) == 1 and "14 of 320 " in said[0] and "(4%)" in said[0]
    numbers = {
        who: re.findall(r"[\d.]+", line.partition(": ")[2])
        for line in text.splitlines()
        for who in (EVIL, "ben")
        if line.startswith(f"{who}: ")
    }
    # Answers, their share, cannot tell, repeats, seconds.
    assert numbers == {EVIL: ["14", "4", "0", "0", "2.0"], "ben": ["3", "1", "1", "0", "2.0"]}
    assert "\\<b\\>Eve\\</b\\>" in shown.words and "\\[x\\]" in shown.words


def test_there_is_a_link_for_everybody_and_one_that_asks_for_a_name(label_plan, app):
    label_plan.label(EVIL, [3])
    shown = app("label", view="Plans")
    shown.at.multiselect(key="label_card_first_names").set_value([" Éve & co,Bob , ,Bob"]).run()
    queries = [urlsplit(code.value).query for code in shown.calm().at.code]
    names = [parse_qs(query).get("by") for query in queries if "plan=first" in query]
    assert names == [None, ["Bob"], ["Éve & co"], [EVIL]]
    assert plan_people(label_plan.store, "first") == ("Bob", "Éve & co")
    opened = app("label", **{k: v[0] for k, v in parse_qs(queries[2]).items()})
    assert opened.at.text_input(key="by").value == "Éve & co"


def test_who_joined_meanwhile_is_in_the_field_and_a_name_that_cannot_be_is_said(label_plan, app):
    store, key = label_plan.store, "label_card_first_names"
    name_people(store, "first", ["Ann, the first", "bob"])
    shown = app("label", view="Plans")
    assert shown.at.multiselect(key=key).value == ["Ann, the first", "bob"]
    join_people(store, "first", "É")
    shown.at.run()
    shown.at.multiselect(key=key).set_value(["Ann, the first", "É", "Bob", "bob"]).run()
    assert plan_people(store, "first") == ("Ann, the first", "bob", "É"), "nothing is lost"
    assert any("Bob and bob" in w for w in shown.warnings)
    shown.at.multiselect(key=key).set_value(["Ann, the first", "É"]).run()
    assert plan_people(store, "first") == ("Ann, the first", "É")


@pytest.mark.parametrize(
    ("cookie", "name"),
    [({}, ""), ({"rivae_by": "%C3%89ve%20B"}, "Éve B"), ({"rivae_by": "a%0Ab"}, "")],
)
def test_a_browser_remembers_who_labelled_last(label_plan, app, monkeypatch, cookie, name):
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", cookie)
    opened = app("label", view="Review", plan="first")
    assert opened.at.text_input(key="by").value == name
    opened = app("label", view="Review", plan="first", by="Bob")
    assert opened.at.text_input(key="by").value == "Bob", "the address comes first"


def test_its_buttons_open_the_other_views(label_plan, app):
    for which, view in (("label", "Label"), ("review", "Review")):
        shown = press(app("label", view="Plans"), f"label_card_first_{which}")
        assert shown.tab == view
        assert shown.at.session_state["plan"] == "first"


def test_a_run_that_is_gone_or_new_is_told(label_plan, app, tmp_path, monkeypatch):
    plan = label_plan.plan
    old = plan.runs[0].model_copy(update={"model": "0" * 16})
    gone = plan.runs[0].model_copy(update={"id": "gone"})
    keep_plan(
        label_plan.store,
        plan.model_copy(update={"id": "second", "runs": [old, gone]}),
        label_plan.guideline,
    )
    text = written(app("label", view="Plans"))
    assert "digits (retrained since), gone (not here)" in text


def test_damaged_plans_and_guidelines_leave_the_others_alone(label_plan, app):
    store, plan = label_plan.store, label_plan.plan
    store.keep("plan", "bad-plan", '{"id": 3}')
    store.keep("guideline", "0" * 12, "{not json")
    bad = plan.model_copy(update={"id": "bad-guideline", "guideline": "0" * 12})
    store.keep("plan", bad.id, json.dumps(bad.model_dump(mode="json")))
    elsewhere = plan.model_copy(
        update={
            "id": "elsewhere",
            "dataset": EVIL,
            "runs": [plan.runs[0].model_copy(update={"id": "gone"})],
        }
    )
    keep_plan(store, elsewhere, label_plan.guideline)
    shown = app("label", view="Plans")
    said = shown.warnings
    assert any("labelling plan (id" in w for w in said)
    assert any("a guideline (" in w for w in said)
    assert any("plan elsewhere" in w for w in said)
    keys = {b.key for b in shown.at.button}
    assert "label_card_first_label" in keys and "label_card_bad-guideline_factors" not in keys
    assert "\\<b\\>Eve" in shown.words and "<b>Eve" not in shown.words


# Factors of a plan in use


@pytest.fixture
def editor(label_plan, app):
    """The view with the factors of the plan open."""
    return press(app("label", view="Plans"), "label_card_first_factors")


def now(plan):
    return plan_guideline(plan.store, plan.plan)


def form(shown, place, chosen):
    """The key that the fields of a factor begin with."""
    start = f"label_factors_{place}_{chosen}_"
    return next(t.key for t in shown.at.text_input if t.key.startswith(start))[: -len("_id")]


def enter(shown, place, chosen, **fields):
    """Fill the form of a factor and save it."""
    own = form(shown, place, chosen)
    for name, value in fields.items():
        area = shown.at.text_area if name == "definition" else shown.at.text_input
        area(key=f"{own}_{name}").set_value(value)
    shown.at.run()
    return press(shown, f"{own}_save")


FIELDS = {
    "id": "spice",
    "name": "spiciness",
    "definition": "How hot\n it is.",
    **{f"level{k}": name for k, name in enumerate(LEVELS, 1)},
}


def test_a_factor_can_be_added_to_a_plan_in_use(editor, label_plan):
    assert f"Version {label_plan.guideline.version}" in written(editor)
    enter(editor, "first", "+", **FIELDS)
    assert now(label_plan).ids == (*label_plan.guideline.ids, "spice")
    assert now(label_plan).factor("spice").definition == "How hot it is."
    new = now(label_plan).version
    assert f"Version {new}" in written(editor) and "spiciness" in written(editor)
    own = form(editor, "first", "+")
    assert editor.at.text_input(key=f"{own}_id").value == "", "empty again"
    enter(editor, "first", "+", **{**FIELDS, "name": "again"})
    assert any("factor 'spice'" in w for w in editor.warnings)
    assert now(label_plan).version == new
    press(editor, "label_card_first_factors")
    assert not any(t.key.startswith("label_factors_first") for t in editor.at.text_input)


def test_what_somebody_else_added_meanwhile_stays(editor, label_plan):
    own = form(editor, "first", "+")
    fill(editor, f"{own}_name", "half entered")
    revise(label_plan.store, label_plan.plan, now(label_plan).with_factor(spice(id="salt")))
    editor.at.run()
    assert editor.at.text_input(key=f"{own}_name").value == "half entered"
    enter(editor, "first", "+", **FIELDS)
    assert now(label_plan).ids[-2:] == ("salt", "spice")


def test_a_factor_in_use_can_be_reworded_but_not_left_out(editor, label_plan):
    version = label_plan.guideline.version
    editor.at.selectbox(key="label_factors_first_chosen").set_value("fruit").run()
    assert "label_factors_first_remove" not in {b.key for b in editor.at.button}
    assert editor.at.text_input(key=f"{form(editor, 'first', 'fruit')}_id").disabled
    label_plan.label("ann", [1, 2], factor="fruit")
    enter(editor, "first", "fruit", name=EVIL)
    assert now(label_plan).factor("fruit").name == EVIL and now(label_plan).version != version
    assert "\\<b\\>Eve" in editor.words and "<b>Eve" not in editor.words
    assert {c.event.guideline for c in label_plan.store.current()} == {version}
    enter(editor, "first", "fruit", level2="a trace")  # the form shows what is kept now
    assert now(label_plan).factor("fruit").name == EVIL
    assert now(label_plan).factor("fruit").levels[1] == "a trace"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"id": ""}, "needs a short id"),
        ({"name": " "}, "a name"),
        ({"definition": ""}, "needs a definition"),
        ({"level3": ""}, "level 3 has no name"),
        ({"level3": "Fire"}, "two levels"),
        ({"id": "Spice!"}, "cannot be used (id"),
        ({"id": "annotator"}, "exported tables"),
        ({"example2": "../secret.png"}, "'../secret.png'"),
        ({"example2": "99999999"}, "item 99999999"),
    ],
)
def test_a_wrong_factor_is_one_sentence_and_keeps_what_was_entered(
    editor, label_plan, fields, sentence
):
    own = form(editor, "first", "+")
    enter(editor, "first", "+", **{**FIELDS, **fields})
    assert [sentence in w for w in editor.warnings] == [True]
    assert now(label_plan).version == label_plan.guideline.version
    for name, value in {**FIELDS, **fields}.items():
        area = editor.at.text_area if name == "definition" else editor.at.text_input
        assert area(key=f"{own}_{name}").value == value


def test_an_example_can_be_an_item_number(editor, label_plan):
    row = label_plan.rows[3]
    enter(editor, "first", "+", **FIELDS, example2=str(row))
    assert now(label_plan).factor("spice").examples == {2: label_plan.keys[row]}
    editor.at.selectbox(key="label_factors_first_chosen").set_value("spice").run()
    pictures = [h.value for h in editor.calm().at.html if "2  mild" in h.value]
    assert len(pictures) == 1 and "data:image" in pictures[0]
    assert any(f">{row}<" in h.value for h in editor.at.html), "items to choose from"
