"""The Label view without a browser: what the panel is sent, what becomes of what it sends."""

import json
import urllib.request
import uuid
from urllib.error import HTTPError

import pytest

from rivae.ui.label.desk import NO_NAME
from rivae.ui.shared.labels import NO_SUCH_PLAN


@pytest.fixture
def page(app, label_plan):
    return lambda **params: app("label", **{"plan": "first", "by": "Ana", **params})


def event(at=0, level=3, **rest):
    record = {
        "id": str(uuid.uuid4()),
        "time": "2026-03-01T12:00:00.000Z",
        "at": at,
        "level": level,
        "factor": "wateriness",
        "action": "label",
        "seconds": 1,
        "suggested": False,
        "undoes": "",
        "guideline": "",
    }
    return {**record, **rest}


def batch(*events, plan="first", by="Ana"):
    return {"batch": "b1", "plan": plan, "by": by, "events": list(events)}


def test_nobody_labels_without_a_name(page):
    shown = page(by="")
    assert not shown.components and NO_NAME in shown.words


def test_a_name_that_cannot_be_kept_is_one_sentence(page):
    shown = page(by="a\u200bb")
    assert not shown.components and "invisible character" in shown.words


def test_without_a_plan_the_page_leads_to_one(app, runs):
    shown = app("label", by="Ana")
    assert not shown.components
    assert shown.at.segmented_control(key="view").value == "Plans" or "plan" in shown.words.lower()


def test_a_plan_that_is_not_there_is_said(page):
    shown = page(plan="nothing")
    assert NO_SUCH_PLAN.format("nothing") in shown.words


def test_the_panel_is_blind(page, label_plan):
    sent = json.dumps(page().panel())
    label_plan.label("Bea", [5, 5, 5])
    assert json.dumps(page().panel()["done"]) == json.dumps(["." * len(label_plan.plan.order)] * 8)
    for secret in ("digits", "Bea", "repeat", "rank", label_plan.plan.fingerprint):
        assert secret not in sent


def test_own_labels_are_there_again(page, label_plan):
    made = label_plan.label("Ana", [1, None, 3])
    sent = page().panel()
    rows = label_plan.rows[:3]
    first = [label_plan.plan.order.index(row) for row in rows]
    assert [sent["done"][0][at] for at in first] == ["1", "0", "3"]
    assert [step[0] for step in sent["steps"]] == [e.id for e in made] and not sent["older"]


def test_what_the_panel_sends_is_stored_and_confirmed(page, label_plan):
    shown, one, two = page(), event(0, 4), event(1, None)
    shown.report("send", batch(one, two))
    answer = shown.panel()["answer"]
    assert answer["stored"] == {one["id"]: 1, two["id"]: 2} and not answer["error"]
    assert answer["batch"] == "b1"
    assert [c.event.level for c in label_plan.store.current()] == [4, None]
    shown.report("send", batch(one, two))
    assert label_plan.store.last() == 2, "sent again, stored once"


def test_a_batch_does_not_rebuild_the_desk(page):
    shown = page()
    before = shown.panel()["rev"]
    shown.report("send", batch(event()))
    assert shown.panel()["rev"] == before


def test_coming_back_rebuilds_the_desk(page, label_plan):
    shown = page()
    before = shown.panel()["rev"]
    shown.report("send", batch(event(0, 4)))
    shown.at.segmented_control(key="view").set_value("Review").run()
    shown.at.segmented_control(key="view").set_value("Label").run()
    shown.calm()
    assert shown.panel()["rev"] > before and shown.panel()["done"][0][0] == "4"


def test_a_hidden_repeat_is_marked_by_the_server(page, label_plan):
    at = label_plan.plan.repeats[0]
    page().report("send", batch(event(at, 2)))
    (stored,) = label_plan.store.events()
    assert stored.event.repeat and stored.event.plan == "first"


@pytest.mark.parametrize(
    "junk",
    [
        None,
        7,
        "x",
        [],
        {},
        {"plan": "first"},
        {"plan": 1, "by": 2, "events": []},
        {"plan": "first", "by": "Ana", "events": None},
        {"plan": "gone", "by": "Ana", "events": [1]},
        {"plan": "first", "by": "Ana", "events": [{"id": "x"}]},
    ],
)
def test_junk_stores_nothing_and_breaks_nothing(page, label_plan, junk):
    shown = page().report("send", junk)
    assert label_plan.store.last() == 0
    shown.report("older", junk)
    assert shown.components


def test_older_steps_are_handed_over(page, label_plan):
    made = label_plan.label("Ana", [1, 2])
    shown = page().report("older", {"plan": "first", "by": "Ana", "ask": "q"})
    history = shown.panel()["history"]
    assert history["ask"] == "q" and [s[0] for s in history["steps"]] == [e.id for e in made]


def test_older_steps_of_a_plan_that_is_gone_are_one_sentence(page):
    shown = page().report("older", {"plan": "gone", "by": "Ana", "ask": "q"})
    assert "no labelling plan 'gone'" in shown.panel()["history"]["error"]


def test_a_factor_that_is_added_appears(page, label_plan):
    from rivae.labels.guideline import label_factor
    from rivae.labels.kept_plans import revise

    shown = page()
    evil = "<img src=x onerror=alert(1)>"
    factor = label_factor(
        id="spice", name=evil, definition="How hot.", levels=["a", "b", "c", "d", "e"]
    )
    revise(label_plan.store, label_plan.plan, label_plan.guideline.with_factor(factor))
    shown.at.run()
    assert [f["id"] for f in shown.panel()["factors"]][-1] == "spice"
    assert shown.panel()["factors"][-1]["name"] == evil, "the panel writes text as text"


# Routes


@pytest.fixture(scope="module")
def plan_server(start_app, run_folder, tmp_path_factory):
    from tests.ui.labels_fixture import make_label_plan

    folder = tmp_path_factory.mktemp("label-server")
    made = make_label_plan(run_folder, folder / "labels.db")
    made.store.close()
    with start_app(run_folder, folder / "server.log") as address:
        yield f"{address}/rivae/api/label"


def get(address):
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.headers["content-type"], answer.read()


def test_pictures_and_texts_by_position(plan_server):
    kind, content = get(f"{plan_server}/first/picture/0")
    assert kind.startswith("image/") and len(content) > 100
    kind, content = get(f"{plan_server}/first/texts/0/24")
    assert json.loads(content) == {}, "digits have no texts, and their factors are not told"
    kind, content = get(f"{plan_server}/first/examples")
    found = json.loads(content)
    assert set(found["wateriness"]) == {"1", "2", "3", "4", "5"}
    assert found["wateriness"]["1"].startswith("data:image/")


@pytest.mark.parametrize(
    "path",
    [
        "first/picture/9999",
        "nothing/picture/0",
        "..%2f..%2fetc/picture/0",
        "first/texts/0/0",
        "first/texts/0/49",
        "first/texts/999/1",
        "%3Cb%3E/examples",
    ],
)
def test_what_is_not_there_is_one_sentence(plan_server, path):
    with pytest.raises(HTTPError) as caught:
        get(f"{plan_server}/{path}")
    assert caught.value.code in (400, 404)
    body = caught.value.read()
    if b"{" in body:
        assert json.loads(body)["error"]
