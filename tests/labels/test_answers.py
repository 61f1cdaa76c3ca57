"""The answers "unsure" and "not applicable", from the store to files and back."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rivae.base.errors import LabelError
from rivae.labels.agreement import agreement, far_apart, pairwise_kappa, self_agreement
from rivae.labels.desk import CANNOT_TELL, NOT_APPLICABLE, UNSURE, desk
from rivae.labels.events import from_record
from rivae.labels.formats import FORMS, SUFFIXES, answer_cell, export, read_answer
from rivae.labels.intake import read_labels
from rivae.labels.merge import import_labels
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.labels.store import LabelStore
from rivae.labels.table import check_labels, level_table
from tests.labels.making import FACTORS, event, random_events

UNSURE_23 = {"action": "unsure", "level": 2}
NO_FACTOR = {"action": "inapplicable", "level": None}


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


@pytest.mark.parametrize("level", [None, 0, 5, 2.5, True])
def test_unsure_names_the_lower_of_two_levels(level):
    with pytest.raises(LabelError):
        event(level=level, action="unsure")
    assert [event(level=low, action="unsure").value for low in (1, 4)] == [1.5, 4.5]


def test_not_applicable_has_no_level():
    with pytest.raises(LabelError):
        event(level=3, action="inapplicable")
    assert event(**NO_FACTOR).value is None


def test_an_answer_replaces_one_of_another_kind(store):
    for answer in ({"level": 5}, UNSURE_23, NO_FACTOR, {"level": None}, UNSURE_23):
        store.append([event("ann", 1, **answer)])
        (now,) = store.current("label")
        assert (now.event.action, now.event.level) == (
            answer.get("action", "label"),
            answer["level"],
        )
    assert store.levels() == [("ann", "kitchen:1", "greenness", 2.5)]


def test_progress_keeps_them_apart(store):
    answers = [{"level": 3}, {"level": None}, UNSURE_23, UNSURE_23, NO_FACTOR]
    store.append([event("ann", i, **answer) for i, answer in enumerate(answers)])
    (row,) = store.progress()
    assert (row.labelled, row.cannot_tell, row.unsure, row.not_applicable) == (5, 1, 2, 1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_a_file_comes_back_byte_for_byte(form, seed, tmp_path):
    events = random_events(np.random.default_rng(seed), 300, ("unsure", "inapplicable"))
    assert {"unsure", "inapplicable"} <= {e.action for e in events}
    contents = []
    for n in range(3):
        path = tmp_path / f"{n}{SUFFIXES[form]}"
        with LabelStore(tmp_path / f"{n}.db") as store:
            if n:
                said = import_labels(store, tmp_path / f"{n - 1}{SUFFIXES[form]}")
                assert said.n_conflicts == 0
            else:
                store.append(events)
            export(store, path, form)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] == contents[2]
    assert form == "events" or (b" or " in contents[0] and b"not applicable" in contents[0])


def test_cells_say_what_was_answered():
    for answer in (
        {"level": 4},
        {"level": None},
        NO_FACTOR,
        *({"action": "unsure", "level": low} for low in range(1, 5)),
    ):
        said = event(**answer)
        assert read_answer(answer_cell(said)) == (said.action, said.level)
    assert read_answer(" Not  Applicable ") == ("inapplicable", None)


@pytest.mark.parametrize("cell", ["2 or 4", "3 or 2", "5 or 6", "2-3", "2.5", "or 3", "n/a"])
def test_a_cell_that_is_no_answer_is_refused(cell):
    with pytest.raises(LabelError):
        read_answer(cell)


def test_a_verdict_has_one_level(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("annotator,item,factor,level,kind\nann,kitchen:1,fruit,2 or 3,adjudication\n")
    with pytest.raises(LabelError, match="row 1"):
        read_labels(path)


def test_the_desk_shows_them(store):
    plan = LabelPlan(
        id="p",
        created="2026-01-01",
        dataset="kitchen",
        fingerprint="0" * 16,
        runs=[PlanRun(id="r", model="0" * 16, n_items=4)],
        n_queries=None,
        random_state=0,
        order=[0, 1, 2, 3],
        repeats=[],
    )
    keys = [f"kitchen:{i}" for i in range(4)]
    answers = [UNSURE_23, NO_FACTOR, {"level": None}]
    store.append([event("ann", i, **answer, plan="p") for i, answer in enumerate(answers)])
    shown = desk(store, plan, keys, FACTORS, "ann")
    assert shown.done[1] == f"{UNSURE[1]}{NOT_APPLICABLE}{CANNOT_TELL}."


def table(*rows) -> pd.DataFrame:
    return level_table(((w, str(i), f, v) for w, i, f, v in rows), {str(i): i for i in range(50)})


def test_agreement_is_measured_on_single_levels():
    sure = [("ann", i, "fruit", 1 + i % 5) for i in range(20)]
    sure += [("bob", i, "fruit", 1 + i % 5) for i in range(20)]
    ranges = [("ann", 30, "fruit", 2.5), ("bob", 30, "fruit", 5), ("ann", 31, "fruit", None)]
    with_ranges = table(*sure, *ranges)
    assert agreement(with_ranges, ["fruit"]) == agreement(table(*sure), ["fruit"])
    assert pairwise_kappa(with_ranges, ["fruit"])["n"].tolist() == [20]
    again = table(("ann", 0, "fruit", 1), ("ann", 1, "fruit", 1.5))
    assert self_agreement(with_ranges, again, ["fruit"])["n"].tolist() == [1]
    assert far_apart(with_ranges)["gap"].tolist() == [2.5]


def test_a_level_between_two_is_a_range_and_nothing_else_is():
    rows = {"annotator": ["a"], "item": [1], "factor": ["fruit"]}
    assert check_labels(pd.DataFrame(rows | {"level": [4.5]}))["level"].tolist() == [4.5]
    for level in (0.5, 5.5, 2.25):
        with pytest.raises(Exception, match="level"):
            check_labels(pd.DataFrame(rows | {"level": [level]}))


def test_an_event_of_a_file_keeps_its_kind():
    for answer in (UNSURE_23, NO_FACTOR):
        said = event(**answer)
        assert from_record(json.loads(json.dumps(said.record()))) == said
        assert replace(said, repeat=True).kind == "repeat"
