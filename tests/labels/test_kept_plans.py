"""Plans in the store: kept once, with the guideline that is followed now."""

from datetime import UTC, datetime

import pytest

from rivae.base.errors import ConfigError, LabelError
from rivae.labels.guideline import label_factor, read_guideline
from rivae.labels.kept_plans import (
    TAKEN,
    delete_plan,
    deleted_plans,
    keep_plan,
    kept_plan,
    name_plan,
    plan_guideline,
    plan_names,
    plans_of_run,
    restore_plan,
    revise,
)
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.labels.store import LabelStore
from tests.labels.making import event


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


def a_plan(name="first", version=""):
    return LabelPlan(
        id=name,
        created="2026-03-01T12:00:00+00:00",
        dataset="kitchen",
        fingerprint="0123456789abcdef",
        runs=[PlanRun(id="r", model="0123456789abcdef", n_items=3)],
        n_queries=None,
        guideline=version or read_guideline().version,
        random_state=0,
        order=[4, 2, 9],
        repeats=[],
    )


def spice():
    return label_factor(
        id="spice",
        name="spice",
        definition="How hot it is.",
        levels=["none", "mild", "medium", "hot", "fire"],
    )


def test_a_plan_comes_back_as_it_was(store):
    keep_plan(store, a_plan(), read_guideline())
    keep_plan(store, a_plan(), read_guideline())
    assert plan_names(store) == ["first"] and kept_plan(store, "first") == a_plan()


def test_another_plan_cannot_take_its_name(store):
    keep_plan(store, a_plan(), read_guideline())
    other = a_plan().model_copy(update={"order": [1, 2, 3]})
    with pytest.raises(LabelError, match="first"):
        keep_plan(store, other, read_guideline())
    assert kept_plan(store, "first") == a_plan()


def test_a_deleted_plan_leaves_the_lists_and_comes_back(store):
    for name in ("first", "second"):
        keep_plan(store, a_plan(name), read_guideline())
    store.append([event(plan="first")])
    for _ in range(2):
        delete_plan(store, "first", now=datetime(2026, 1, 2, tzinfo=UTC))
        assert plan_names(store) == ["second"] and plans_of_run(store, "r") == ["second"]
        assert deleted_plans(store) == [("first", datetime(2026, 1, 2, tzinfo=UTC))]
        for again in (kept_plan, delete_plan):
            with pytest.raises(LabelError, match=r"'first' was deleted: .*restore --plan first"):
                again(store, "first")
        with pytest.raises(LabelError, match="already"):
            name_plan(store, a_plan(), "first", read_guideline())
        assert len(store.current()) == 1, "labels stay"
        restore_plan(store, "first")
        assert plan_names(store) == ["first", "second"] and deleted_plans(store) == []
        assert kept_plan(store, "first") == a_plan()
    for name in ("first", "none"):
        with pytest.raises(LabelError, match=r"no deleted labelling plan is named"):
            restore_plan(store, name)


def test_what_is_not_there_is_one_sentence(store):
    with pytest.raises(LabelError, match="no labelling plan 'nothing'"):
        kept_plan(store, "nothing")
    with pytest.raises(LabelError, match="another guideline"):
        keep_plan(store, a_plan(version="0" * 12), read_guideline())


def test_a_factor_can_be_added_to_a_plan_in_use(store):
    plan, food = a_plan("a" * 80), read_guideline()
    keep_plan(store, plan, food)
    assert plan_guideline(store, plan) == food
    more = food.with_factor(spice())
    revise(store, plan, more)
    revise(store, plan, more)  # nothing new
    assert plan_guideline(store, plan) == more
    again = more.with_factor(spice().model_copy(update={"definition": "How hot it looks."}))
    revise(store, plan, again)
    assert plan_guideline(store, plan) == again
    assert store.guideline(food.version) == food, "labels keep the version they followed"
    with pytest.raises(LabelError, match="spice is in use"):
        revise(store, plan, food)


def test_revisions_of_plans_with_like_names_stay_apart(store):
    for name in ("a", "ab"):
        keep_plan(store, a_plan(name), read_guideline())
    revise(store, a_plan("ab"), read_guideline().with_factor(spice()))
    assert plan_guideline(store, a_plan("a")) == read_guideline()


def test_a_plan_gets_a_free_name_and_a_guideline(store):
    more = read_guideline().with_factor(spice())
    named = name_plan(store, a_plan("preview"), "kitchen-1", more)
    assert (named.id, named.guideline, named.order) == ("kitchen-1", more.version, [4, 2, 9])
    keep_plan(store, named, more)
    with pytest.raises(LabelError, match=TAKEN.format("kitchen-1")):
        name_plan(store, named, "kitchen-1", more)


@pytest.mark.parametrize("name", ["", "A", "a b", "-a", "a" * 81, "<b>", "a\n", "../a"])
def test_what_cannot_name_a_plan(store, name):
    with pytest.raises(ConfigError, match="cannot name a plan"):
        name_plan(store, a_plan(), name, read_guideline())
