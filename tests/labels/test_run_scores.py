"""Scores of several runs beside each other: which labels count, which factors, and who is ahead."""

import math
import shutil
import types

import numpy as np
import pytest

from rivae.base.config import RunConfig
from rivae.base.files import write_json
from rivae.labels.coverage import Coverage
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import family, keep_plan
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.labels.run_scores import (
    correlation_rows,
    current_levels,
    planned_rows,
    ranks,
    score_rows,
    scored_factors,
)
from rivae.labels.scores import NAMES, ScoredDims, label_scores
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row
from rivae.metrics.base import MetricResult
from rivae.runs import Run
from tests.labels.making import event
from tests.labels.test_scores import FACTORS, labels_of, world
from tests.training.tiny import untrained_run


@pytest.fixture
def store(tmp_path):
    with LabelStore(f"sqlite:///{tmp_path / 'labels.db'}") as opened:
        yield opened


@pytest.fixture
def data(tmp_path):
    return untrained_run(tmp_path).load_dataset()


def a_plan(data, name, order):
    return LabelPlan(
        id=name,
        created="2026-03-01T12:00:00+00:00",
        dataset=data.name,
        fingerprint=data.items_key,
        n_queries=None,
        guideline=read_guideline().version,
        runs=[PlanRun(id="good", model="0123456789abcdef", n_items=len(order))],
        random_state=0,
        order=order,
        repeats=[],
    )


def test_labels_count_with_verdicts_in_their_place(store, data):
    key = keys_by_row(data, [3, 4, 5])
    store.append([
        event("ann", key[3], 1), event("bob", key[3], 5), event("ann", key[4], 2),
        event("ann", key[3], 3, action="adjudicate", n=1),
        event("ann", key[5], 4, action="adjudicate", n=2),
    ])  # fmt: skip
    found = current_levels(store, data, [3, 4, 5])
    got = {(r.annotator, r.item): r.level for r in found.itertuples()}
    assert got == {("ann", 3): 3, ("bob", 3): 3, ("ann", 4): 2, ("ann", 5): 4}
    assert current_levels(store, data, [7]).empty


def test_rows_of_every_plan_on_the_data(store, data):
    assert planned_rows(store, data).tolist() == []
    guide = read_guideline()
    keep_plan(store, a_plan(data, "one", [9, 2]), guide)
    keep_plan(store, a_plan(data, "two", [2, 30]), guide)
    other = types.SimpleNamespace(name=data.name, items_key="f" * 16)
    keep_plan(store, a_plan(other, "other-data", [5]), guide)
    assert planned_rows(store, data).tolist() == [2, 9, 30]


def derived(run, name, parent):
    shutil.copytree(run.path, run.path.with_name(name))
    config = RunConfig(**{**run.config.model_dump(), "name": name, "parent": parent})
    write_json(run.path.with_name(name) / "config.json", config.model_dump())
    return Run(run.path.with_name(name))


def test_a_family_has_children_of_children_and_no_strangers(tmp_path):
    run = untrained_run(tmp_path)
    child, grandchild = derived(run, "child", "good"), derived(run, "grandchild", "child")
    stranger, broken = derived(run, "stranger", "elsewhere"), derived(run, "broken", "good")
    (broken.path / "config.json").write_text("{")
    broken = Run(broken.path)
    runs = [stranger, grandchild, broken, child, run]
    assert [r.id for r in family(["missing", "good"], runs)] == ["good", "child", "grandchild"]
    assert [r.id for r in family(["child", "good", "child"], runs)] == [
        "child",
        "good",
        "grandchild",
    ]


def cover(*queries):
    n = len(queries)
    return Coverage(9, (9,) * n, (0,) * n, (1.0,) * n, queries)


def test_factors_with_enough_whole_queries_of_some_run_count():
    assert scored_factors("abc", [cover(5, 4, 0), cover(0, 3, 0)], 20) == ("a",)
    assert scored_factors("abc", [cover(2, 3, 0)], 3) == ("b",)
    assert scored_factors("abc", [], 20) == ()


def scored(value, low, high):
    result = MetricResult(name="informativeness", score=value, n=1)
    return ScoredDims((0,), {"informativeness": result}, {"informativeness": (low, high)})


NAN = math.nan


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ({"a": (0.5, 0.4, 0.6), "b": (0.8, 0.7, 0.9)}, {"b": 1, "a": 2}),
        ({"a": (0.5, 0.4, 0.6), "b": (0.6, 0.55, 0.9)}, {}),
        ({"a": (0.5, 0.4, 0.6), "b": (0.6, 0.55, 0.7), "c": (0.1, 0.0, 0.2)}, {"c": 3}),
        ({"a": (0.5, 0.4, 0.6)}, {}),
        ({"a": (0.5, 0.4, 0.6), "b": (0.9, NAN, NAN)}, {}),  # no interval: nobody is ahead
        ({"a": (0.5, 0.4, 0.6), "b": (0.8, 0.7, 0.9), "c": (NAN, NAN, NAN)}, {"b": 1, "a": 2}),
    ],
)
def test_a_rank_needs_an_interval_of_its_own(runs, expected):
    found = {name: scored(*numbers) for name, numbers in runs.items()}
    assert ranks(found, "informativeness") == expected


def test_rows_of_a_file_have_the_numbers_and_what_moved_them():
    found, rows, levels = world()
    scores = label_scores(found, labels_of(rows, levels), FACTORS, n_selected=2, n_bootstrap=20)
    table = score_rows("r", scores)
    assert [row["score"] for row in table] == ["D", "C", "I"] * 2
    for row, name in zip(table[:3], NAMES, strict=True):
        assert row["value"] == scores.every.results[name].score
        assert (row["low"], row["high"]) == scores.every.intervals[name]
    assert table[0]["over"] == "every dimension" and "2 dimensions" in table[3]["over"]
    assert len(table[3]["dimensions"].split()) == 2 and table[0]["alpha"] == 10
    assert table[0]["labelled"] == table[0]["needed"] and table[0]["annotators"] == 1
    cells = correlation_rows("r", scores, [f"z{j + 1}" for j in range(5)])
    assert len(cells) == 15 and cells[0]["factor"] == FACTORS[0] and cells[0]["dimension"] == "z1"
    np.testing.assert_allclose(
        [cell["abs_corr"] for cell in cells], scores.table.absolute.T.ravel()
    )
