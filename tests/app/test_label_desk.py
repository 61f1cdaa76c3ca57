"""The Label view without a browser: what the panel is sent, what becomes of what it sends."""

import json
import re
import urllib.request
import uuid
from urllib.error import HTTPError

import pytest

from rivae.app.label.desk import NO_NAME
from rivae.app.shared.labels import NO_SUCH_PLAN
from rivae.labels.kept_plans import join_people, name_people, plan_people
from tests.app.label_forms import EVIL
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.xdist_group("app label desk")  # its runs are trained once


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
    assert "label_begin_start" in {button.key for button in shown.at.button}


@pytest.mark.parametrize("view", ["Label", "Axes", "Review", "Plans", "New"])
def test_a_plan_that_is_not_there_is_said(page, view):
    shown = page(plan="nothing", view=view)
    assert NO_SUCH_PLAN.format("nothing") in shown.words


@pytest.mark.parametrize("view", ["Label", "Axes", "Review", "Plans", "New"])
def test_a_plan_that_is_not_there_is_said_where_there_is_none(app, runs, view):
    shown = app("label", plan="nothing", view=view)
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


def test_another_page_of_the_annotator_is_shown_before_it_is_replaced(page, label_plan):
    shown = page()
    seen = shown.panel()["seen"]
    (theirs,) = label_plan.label("Ana", [5])
    at = label_plan.plan.order.index(label_plan.rows[0])
    mine = event(at, 2, factor=theirs.factor, seen=seen, after="")
    shown.report("send", {**batch(mine), "seen": seen})
    answer = shown.panel()["answer"]
    assert list(answer["overtaken"]) == [mine["id"]] and not answer["stored"]
    assert answer["fresh"]["done"][0][at] == "5" and answer["seen"] == answer["fresh"]["seen"]
    again = event(at, 2, factor=theirs.factor, seen=answer["seen"], after="")
    shown.report("send", {**batch(again), "seen": answer["seen"]})
    answer = shown.panel()["answer"]
    assert again["id"] in answer["stored"] and "fresh" not in answer


def test_a_page_that_comes_into_view_asks_what_others_stored(page, label_plan):
    shown = page()
    ask = {"plan": "first", "by": "Ana", "seen": shown.panel()["seen"]}
    shown.report("look", ask)
    assert "fresh" not in shown.panel()["news"]
    label_plan.label("Ana", [4])
    shown.report("look", ask)
    news = shown.panel()["news"]
    assert "4" in news["fresh"]["done"][0] and news["seen"] > ask["seen"]
    for junk in (7, {}, {"plan": "gone", "by": "Ana", "seen": 0}, {**ask, "seen": "x"}):
        shown.report("look", junk)
        assert shown.components


def test_a_batch_does_not_rebuild_the_desk(page):
    shown = page()
    before = shown.panel()["rev"]
    shown.report("send", batch(event()))
    assert shown.panel()["rev"] == before


def test_coming_back_rebuilds_the_desk(page, label_plan):
    shown = page()
    before = shown.panel()["rev"]
    shown.report("send", batch(event(0, 4)))
    here = dict(shown.params)
    shown.follow(**here, view="Review")
    assert shown.tab == "Review" and not shown.components
    shown.follow(**here)
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


# A plan that several share


def asked(label_plan, shown, k=0):
    """The rows that the panel asks a question of, in turn."""
    sent = shown.panel()
    order = sent["order"] or range(len(label_plan.plan.order))
    again = set(label_plan.plan.repeats)
    return [
        label_plan.plan.order[at]
        for at in order
        if at not in again and sent["done"][k][at] in (".", "s")
    ]


def test_one_alone_is_asked_everything(page, label_plan):
    for names in ([], ["Ana"]):
        name_people(label_plan.store, "first", names)
        assert page().panel()["order"] is None


def test_two_share_a_plan_and_each_is_told_the_share(page, label_plan):
    name_people(label_plan.store, "first", ["Ana", EVIL])
    mine, theirs = (asked(label_plan, page(by=by)) for by in ("Ana", EVIL))
    both = [row for row in mine if row in theirs]
    assert mine[: len(both)] == theirs[: len(both)] == both, "first"
    assert sorted({*mine, *theirs}) == label_plan.rows
    shown = page()
    numbers = re.findall(r"\d+", shown.panel()["shares"])
    assert numbers == [str(len(both)), str(len(mine) - len(both))]
    assert shown.panel()["shares"] in shown.words and "<b>" not in shown.panel()["shares"]


def test_somebody_new_is_asked_whether_to_share(page, label_plan):
    name_people(label_plan.store, "first", ["Bea", "Cid"])
    shown = page()
    assert not shown.components and "Bea" in shown.words
    shown.at.button(key="label_whole_share").click().run()
    assert plan_people(label_plan.store, "first") == ("Ana", "Bea", "Cid")
    assert 0 < len(asked(label_plan, shown)) < len(label_plan.rows)
    name_people(label_plan.store, "first", ["Bea", "Cid"])
    shown = page()
    shown.at.button(key="label_whole_all").click().run()
    assert shown.panel()["order"] is None
    assert plan_people(label_plan.store, "first") == ("Bea", "Cid")


def test_who_joins_while_a_page_is_open_changes_the_share_and_loses_nothing(page, label_plan):
    plan, factors = label_plan.plan, label_plan.guideline.ids
    name_people(label_plan.store, "first", ["Ana", "Bea"])
    shown = page()
    rows = asked(label_plan, shown)
    mine = [
        event(plan.order.index(row), 3, factor=factors[0], seen=shown.panel()["seen"], after="")
        for row in rows[-3:]
    ]
    join_people(label_plan.store, "first", "Cid")
    before = shown.panel()["rev"]
    shown.report("send", {**batch(*mine), "seen": shown.panel()["seen"]})
    sent = shown.panel()
    assert set(sent["answer"]["stored"]) == {one["id"] for one in mine}, "confirmed at once"
    assert sent["rev"] > before and len(sent["order"]) < len(rows)
    assert {one["at"] for one in mine} <= set(sent["order"]), "what has an answer stays"
    others = [asked(label_plan, page(by=by), k) for by in ("Bea", "Cid") for k in range(2)]
    assert not {row for some in others for row in some} & set(rows[-3:])
    ours = [*asked(label_plan, page(), 1), *others[1], *others[3]]
    assert set(ours) == set(label_plan.rows)


def test_what_somebody_who_stopped_answered_is_not_asked_again(page, label_plan):
    name_people(label_plan.store, "first", ["Ana", "Bea"])
    theirs = asked(label_plan, page(by="Bea"))
    shared = set(theirs) & set(asked(label_plan, page()))
    own = [row for row in theirs if row not in shared]
    label_plan.store.append([label_plan.event("Bea", row, 2) for row in own[:4]])
    name_people(label_plan.store, "first", ["Ana", "Cid"])
    first = [set(asked(label_plan, page(by=by), 0)) for by in ("Ana", "Cid")]
    second = [set(asked(label_plan, page(by=by), 1)) for by in ("Ana", "Cid")]
    assert not set.union(*first) & set(own[:4])
    assert set.union(*second) == set(label_plan.rows) and first[0] & first[1] == shared


# Routes


@pytest.fixture(scope="module")
def plan_server(start_app, run_folder, tmp_path_factory):
    from tests.app.labels_fixture import make_label_plan

    folder = tmp_path_factory.mktemp("label-server")
    made = make_label_plan(run_folder, folder / "labels.db")
    made.store.close()
    with start_app(run_folder, folder / "server.log") as address:
        yield f"{address}/rivae/api/run/label"


def get(address):
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return answer.headers["content-type"], answer.read()


@pytest.mark.slow
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
@pytest.mark.slow
def test_what_is_not_there_is_one_sentence(plan_server, path):
    with pytest.raises(HTTPError) as caught:
        get(f"{plan_server}/{path}")
    assert caught.value.code in (400, 404)
    body = caught.value.read()
    if b"{" in body:
        assert json.loads(body)["error"]


@pytest.mark.parametrize("typed", ["ana", "ANA", "Ａｎａ"])
def test_a_name_like_a_known_one_is_asked_about(page, label_plan, typed):
    label_plan.label("Ana", [1])
    shown = page(by=typed)
    assert not shown.components, "nothing is labelled before it is answered"
    shown.at.button(key="label_same_0").click().run()
    shown.calm()
    assert shown.panel()["by"] == "Ana"
    shown = page(by=typed)
    shown.at.button(key="label_same_new").click().run()
    shown.calm()
    assert shown.panel()["by"] == typed
    assert page(by="Bea").components


def test_no_verdict_is_given_under_a_name_like_a_known_one(page, label_plan):
    label_plan.label("Ana", [1, 1])
    label_plan.label("Bea", [5, 5])
    shown = page(by="bea", view="Review")
    button = next(b for b in shown.at.button if b.key.startswith("label_review_") and "_3" in b.key)
    button.click().run()
    assert not label_plan.store.current("adjudication") and "Bea" in shown.words
    shown.at.button(key="label_same_0").click().run()
    next(b for b in shown.at.button if b.key == button.key).click().run()
    (verdict,) = label_plan.store.current("adjudication")
    assert verdict.event.annotator == "Bea"
