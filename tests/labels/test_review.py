"""A review of a plan: progress, what was said, how it agrees, verdicts, uploaded files."""

import math

import pytest

from rivae.base.errors import LabelError, RivaeError
from rivae.labels import merge, review
from rivae.labels.agreement import Agreement
from rivae.labels.formats import events_jsonl
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan, kept_plans
from rivae.labels.merge import import_content, known_factors
from rivae.labels.review import (
    AnnotatorShare,
    alpha_rows,
    own_rows,
    pair_rows,
    plan_progress,
    progress_rows,
)
from rivae.labels.store import LabelStore
from rivae.labels.verdicts import (
    Case,
    decide,
    far_cases,
    flagged_cases,
    levels_of,
    take_back,
    verdicts,
)
from tests.labels.making import event, undo
from tests.labels.test_kept_plans import a_plan

FACTORS = ("greenness", "fruit")
KEYS = {f"kitchen:{i}": i for i in range(12)}


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


def said_of(store):
    return review.read_answers(store, KEYS, FACTORS, 3)


def labelled(store, who, levels, **parts):
    store.append([event(who, i, level, **parts) for i, level in enumerate(levels)])


# Review


def test_only_the_plans_items_and_factors_are_read(store):
    labelled(store, "bob", [1, None], seconds_shown=3.0)
    labelled(store, "ann", [5], factor="fruit")
    store.append(
        [
            event("ann", 99, 1),
            event("ann", 0, 1, factor="wateriness"),
            event("ann", 1, 4, repeat=True),
            event("ann", 1, None, factor="", action="flag"),
            event("bob", 2, None, factor="wateriness", action="flag"),
        ]
    )
    said = said_of(store)
    rows = said.labels.itertuples(index=False, name=None)
    assert [(a, i, f, x if x == x else None) for a, i, f, x in rows] == [
        ("ann", 0, "fruit", 5),
        ("bob", 0, "greenness", 1),
        ("bob", 1, "greenness", None),
    ]
    assert said.again["level"].tolist() == [4] and said.annotators == ("ann", "bob")
    assert said.flags.to_numpy().tolist() == [[1, "", "ann"]]
    rows = progress_rows(said, {"greenness": "Green"})
    assert [(r["annotator"], r["factor"], r["labelled"]) for r in rows] == [
        ("ann", "Green", 0),
        ("ann", "fruit", 1),
        ("bob", "Green", 2),
    ]
    assert rows[2]["mean seconds"] == 3.0 and rows[2]["cannot tell"] == 1
    assert rows[2]["share"] == 2 / 12 and math.isnan(rows[0]["mean seconds"])


def test_the_digest_follows_labels_and_nothing_else(store):
    labelled(store, "ann", [1, 2])
    first = said_of(store).digest
    decide(store, "kitchen:0", "greenness", 5, "eve")
    store.append([event("ann", 1, None, factor="", action="flag"), event("ann", 99, 1)])
    assert said_of(store).digest == first
    changed = event("ann", 0, 2)
    store.append([changed])
    assert said_of(store).digest != first
    store.append([undo(changed)])
    assert said_of(store).digest == first
    store.append([event("ann", 0, 1, repeat=True)])
    assert said_of(store).digest != first


def test_agreement_is_measured_before_verdicts(store):
    labelled(store, "ann", [1, 2, 3, 4, 5, 1])
    labelled(store, "bob", [1, 2, 3, 4, 2, 1])
    before = review.measure_agreement(said_of(store), n_bootstrap=50)
    decide(store, "kitchen:4", "greenness", 3, "eve")
    after = review.measure_agreement(said_of(store), n_bootstrap=50)
    assert after.alphas[0] == before.alphas[0] and after.apart.equals(before.apart)
    assert 0.6 < after.alphas[0].alpha < 1
    assert [r["shared items"] for r in alpha_rows(after, {})] == [6, 0]
    assert [(r["first"], r["second"], r["shared items"]) for r in pair_rows(after, {})] == [
        ("ann", "bob", 6)
    ]
    assert own_rows(after, {}) == []


@pytest.mark.parametrize(
    ("alpha", "low", "words"),
    [
        (0.9, 0.85, "reliable"),
        (0.9, 0.7, "reliable (at the low end tentative)"),
        (0.7, 0.68, "tentative"),
        (0.7, 0.2, "tentative (at the low end not reliable)"),
        (0.8, math.nan, "reliable"),
        (0.667, math.nan, "tentative"),
        (-0.2, math.nan, "not reliable"),
        (math.nan, math.nan, "every label is the same level: nothing to compare"),
    ],
)
def test_an_alpha_is_read_against_the_two_marks(alpha, low, words):
    assert review.reading(Agreement("f", alpha, low, 1.0, 9, 2)) == words


def test_what_is_missing_is_one_sentence(store):
    assert "Nobody" in review.why_no_agreement(said_of(store))
    labelled(store, "ann", [1, 2])
    assert "second annotator" in review.why_no_agreement(said_of(store))
    store.append([event("bob", 5, 1), event("bob", 0, None)])
    assert "same items" in review.why_no_agreement(said_of(store))
    store.append([event("bob", 1, 1)])
    assert review.why_no_agreement(said_of(store)) == ""


# Items to look at


def test_items_far_apart_the_widest_first(store):
    labelled(store, "ann", [1, 1, 3])
    labelled(store, "bob", [3, 5, 4])
    labelled(store, "bob", [1], factor="fruit")
    labelled(store, "ann", [4], factor="fruit")
    said = said_of(store)
    agreed = review.measure_agreement(said, n_bootstrap=10)
    assert far_cases(agreed) == [
        Case(1, "greenness", 4),
        Case(0, "fruit", 3),
        Case(0, "greenness", 2),
    ]
    assert far_cases(agreed, "fruit") == [Case(0, "fruit", 3)]
    assert levels_of(said.labels, Case(1, "greenness")) == [("ann", 1), ("bob", 5)]


def test_flags_of_an_item_and_of_a_factor(store):
    store.append(
        [
            event("ann", 1, None, factor="", action="flag"),
            event("ann", 2, None, factor="fruit", action="flag"),
            event("bob", 2, None, factor="", action="flag"),
            event("cid", 2, None, factor="", action="flag"),
        ]
    )
    said = said_of(store)
    assert flagged_cases(said) == [
        Case(2, "", 0, ("bob", "cid")),
        Case(1, "", 0, ("ann",)),
        Case(2, "fruit", 0, ("ann",)),
    ]
    assert flagged_cases(said, "fruit") == [
        Case(2, "fruit", 0, ("ann", "bob", "cid")),
        Case(1, "fruit", 0, ("ann",)),
    ]
    assert [case.row for case in flagged_cases(said, "greenness")] == [2, 1]
    assert levels_of(said.labels, Case(2, "fruit")) == []


# Verdicts


def test_the_last_verdict_stands_and_taking_it_back_brings_the_one_before(store):
    place = ("kitchen:0", "greenness")
    decide(store, *place, 2, "eve", guideline="0123456789ab", plan="first")
    last = decide(store, *place, None, "dan")
    found = verdicts(store, KEYS)[place].event
    assert found == last and found.level is None
    with pytest.raises(LabelError, match="only dan can undo this verdict"):
        take_back(store, last.id, "eve")
    take_back(store, last.id, "dan")
    assert verdicts(store, KEYS)[place].event.annotator == "eve"
    assert verdicts(store, ["kitchen:1"]) == {}


@pytest.mark.parametrize("name", ["", " eve", "e\nve", "x" * 81])
def test_a_verdict_needs_a_name(store, name):
    with pytest.raises(LabelError, match="name"):
        decide(store, "kitchen:0", "greenness", 2, name)
    assert store.last() == 0


def test_only_verdicts_are_taken_back(store):
    own = event("eve", 0, 2)
    store.append([own])
    for event_id in (own.id, "nothing"):
        with pytest.raises(LabelError, match="no such verdict"):
            take_back(store, event_id, "eve")


# Files


def test_the_content_of_a_file_is_looked_at_and_added(store, tmp_path):
    with LabelStore(tmp_path / "elsewhere.db") as elsewhere:
        labelled(elsewhere, "ann", [1, 2, 3])
        content = "".join(events_jsonl(elsewhere)).encode()
    assert import_content(store, "../../a b.jsonl", content, dry_run=True).added == 3
    assert store.last() == 0
    assert import_content(store, "../../a b.jsonl", content).added == 3
    assert import_content(store, "again.jsonl", content).known == 3


def test_a_file_speaks_of_the_factors_of_the_plans(store):
    assert known_factors(store, kept_plans(store)) is None
    text = b"annotator,item,factor,level\nann,kitchen:1,saltiness,3\n"
    assert import_content(store, "a.csv", text, dry_run=True).added == 1
    keep_plan(store, a_plan(), read_guideline())
    assert known_factors(store, kept_plans(store)) == frozenset(read_guideline().ids)
    with pytest.raises(
        LabelError, match=r"a.csv, row 1: 'saltiness' is no factor of the plans here"
    ):
        import_content(store, "a.csv", text)


@pytest.mark.parametrize("name", ["x.exe", "", "...", "a" * 300, "x.csv/"])
def test_a_file_of_another_kind_changes_nothing(store, name):
    with pytest.raises(RivaeError):
        import_content(store, name, b"annotator,item,factor,level\nann,a:1,fruit,1\n")
    assert store.last() == 0


def test_a_file_that_is_too_large_is_not_read(store, monkeypatch):
    monkeypatch.setattr(merge, "MAX_MEGABYTES", 1)
    with pytest.raises(LabelError, match="at most 1 MB"):
        import_content(store, "a.csv", b"x" * (2**20 + 1))


PLAN_KEYS = ("kitchen:1", "kitchen:2", "kitchen:3", "kitchen:2")  # the last is a hidden repeat


def test_a_plan_that_nobody_began(store):
    found = plan_progress(store, PLAN_KEYS, ("greenness", "fruit"))
    assert (found.needed, found.answered, found.shares) == (6, 0, ())


def test_answers_are_counted_once_per_item_and_factor(store):
    wrong = event("ann", 3, 1, seconds_shown=9.0)
    store.append([
        event("ann", 1, 2, seconds_shown=2.0), event("ann", 1, 4, n=1, seconds_shown=4.0),
        event("ann", 2, None, n=2, seconds_shown=2.0),
        event("ann", 2, 3, n=3, repeat=True, seconds_shown=50.0),
        wrong, undo(wrong),
        event("ann", 9, 1, n=4), event("ann", 1, 1, factor="spice", n=5),  # asked nowhere here
        event("bob", 1, 5, seconds_shown=1.0), event("bob", 3, 5, factor="fruit"),
        event("bob", 2, 5, factor="fruit"), event("cleo", 1, None, action="skip"),
    ])  # fmt: skip
    found = plan_progress(store, PLAN_KEYS, ("greenness", "fruit"))
    assert found.needed == 6
    assert found.answered == 4, "items 1 and 2 by greenness, 2 and 3 by fruit"
    bob, ann = found.shares
    assert (bob.annotator, bob.answers, bob.repeats) == ("bob", 3, 0)
    assert ann == AnnotatorShare("ann", answers=2, cannot_tell=1, repeats=1, seconds=3.0)


def test_one_annotator_alone(store):
    store.append([event("ann", 1, 2), event("ann", 2, 2)])
    assert plan_progress(store, PLAN_KEYS, ("greenness",)).answered == 2
