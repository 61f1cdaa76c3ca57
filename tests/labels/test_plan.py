"""Plans: the items behind the stored metric, fair to every run, with hidden repeats far apart."""

import json
import shutil

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError, RunError
from rivae.labels.coverage import measured_traversal, needed_items
from rivae.labels.plan import (
    MIN_GAP,
    label_order,
    make_plan,
    read_plan,
)
from rivae.metrics.correlation import correlation_table
from rivae.models.registry import build_method
from rivae.retrieval.retriever import Retriever
from rivae.runs import DEMO_ROOT, Run

SYNTH = Run(DEMO_ROOT / "demo-synth")


@pytest.fixture(scope="module")
def data():
    return SYNTH.load_dataset()


@pytest.fixture(scope="module")
def plan(data):
    return make_plan([SYNTH], "first", data=data, n_queries=5, guideline="abc", random_state=3)


def test_the_items_are_those_of_the_stored_metric(data):
    found = measured_traversal(SYNTH, data)
    table = correlation_table(found, data.factors, data.factor_specs)
    stored = SYNTH.evaluation.along[0].correlation.absolute
    np.testing.assert_allclose(table.absolute, stored, atol=1e-9)
    few = measured_traversal(SYNTH, data, n_queries=5)
    assert few.ids.shape[0] == 5 and few.ids.shape[1:] == found.ids.shape[1:]
    assert set(needed_items(few)) < set(needed_items(found))


def test_a_plan_of_a_run(plan, data):
    found = needed_items(measured_traversal(SYNTH, data, n_queries=5))
    assert plan.items.tolist() == found.tolist()
    assert (plan.runs[0].id, plan.runs[0].model) == ("demo-synth", SYNTH.content_hash)
    assert plan.runs[0].n_items == len(found)
    assert (plan.guideline, plan.random_state, plan.n_queries) == ("abc", 3, 5)
    plan.check(data)
    again = make_plan([SYNTH], "first", data=data, n_queries=5, random_state=3)
    assert again.order == plan.order
    assert make_plan([SYNTH], "first", data=data, n_queries=5, random_state=4).order != plan.order


def test_a_plan_for_queries_by_the_other_view(plan, data, tmp_path):
    method = build_method("rivae", {"ask_both_ways": True, "n_components": 2}, (50,), (50,))
    retriever = Retriever(method, data, data.splits["test"], asks="second")
    shutil.copytree(SYNTH.path, tmp_path / "demo-synth")
    run = Run(tmp_path / "demo-synth")
    document = json.loads((run.path / "config.json").read_text())
    document["method"]["settings"] = method.config.model_dump(mode="json")
    (run.path / "config.json").write_text(json.dumps(document))
    run.write_model(method)
    found = make_plan([run], "recipes", data=data, n_queries=5, asks="second")
    asked = measured_traversal(run, data, retriever, n_queries=5)
    assert found.items.tolist() == needed_items(asked).tolist()
    assert found.items.tolist() != make_plan([run], "x", data=data, n_queries=5).items.tolist()
    again = read_plan(found.model_dump_json().encode())
    assert again == found and again.asks == "second"
    assert "asks" not in plan.model_dump(mode="json") and "asks" not in plan.model_dump_json()
    with pytest.raises(ConfigError, match="ask_both_ways"):
        make_plan([SYNTH], "x", data=data, n_queries=5, asks="second")


@pytest.mark.parametrize(("n", "share"), [(900, 0.05), (900, 0.1), (60, 0.08), (13, 0.1)])
def test_repeats_are_few_and_far_apart(n, share):
    order, again = label_order([[np.arange(n) * 3]], 0, share)
    assert len(order) == n + round(share * n) and len(again) == round(share * n)
    first = {}
    for position, row in enumerate(order):
        if position in again:
            assert position - first[row] >= min(MIN_GAP, n // 2)
        else:
            assert row not in first
            first[row] = position
    assert sorted(first) == list(range(0, 3 * n, 3))
    assert len(set(order[again])) == len(again)


def test_repeats_are_spread_over_the_plan():
    _, again = label_order([[np.arange(1000)]], 0, 0.1)
    counts, _ = np.histogram(again, bins=4, range=(MIN_GAP, 1100))
    assert counts.min() > 20


def test_the_first_labels_serve_every_run():
    a = [np.arange(100), np.arange(50, 150)]
    b = [np.arange(80, 120), np.arange(400, 420), np.arange(5)]
    order, again = label_order([a, b], 1)
    fresh = np.delete(order, again)
    assert sorted(fresh) == [*range(150), *range(400, 420)]
    assert sorted(fresh[:120]) == list(range(120)) and (np.diff(fresh[:120]) < 0).any()


def test_queries_become_whole_one_after_another(data):
    found = measured_traversal(SYNTH, data)
    whole = make_plan([SYNTH], "whole", data=data)
    order = np.array(whole.order)
    fresh = np.delete(order, whole.repeats)
    assert len(fresh) == len(set(fresh.tolist()))
    where = {row: i for i, row in enumerate(fresh)}
    last = [max(where[row] for row in np.unique(ids)) for ids in found.ids[..., 0]]
    # five queries are whole after half of the labels; in random order none would be
    assert sorted(last)[4] < len(fresh) / 2


def test_a_file_of_a_plan(plan, tmp_path):
    (tmp_path / "plan.json").write_text(plan.model_dump_json())
    assert read_plan(tmp_path / "plan.json") == plan


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"order": []}, "order"),
        ({"order": [-1]}, "order"),
        ({"extra": 1}, "extra"),
        ({"version": 2}, "version"),
        ({"repeats": [0]}, "wrongly marked"),
        ({"repeats": []}, "wrongly marked"),
        ({"id": "../x"}, "id"),
    ],
)
def test_a_wrong_file_is_refused(plan, change, sentence):
    content = json.dumps({**plan.model_dump(mode="json"), **change}).encode()
    with pytest.raises(DataError, match=sentence):
        read_plan(content)


def test_refusals(plan, data, tmp_path):
    with pytest.raises(DataError, match="labelling plan cannot"):
        read_plan(tmp_path / "none.json")
    with pytest.raises(DataError, match="not a labelling plan"):
        read_plan(b"{")
    with pytest.raises(DataError, match="at most 4 MB"):
        read_plan(b" " * (4 * 2**20 + 1))
    with pytest.raises(ConfigError, match="named twice"):
        make_plan([SYNTH, SYNTH], "x", data=data)
    with pytest.raises(ConfigError, match="cannot name a plan"):
        make_plan([SYNTH], "A b", data=data)
    with pytest.raises(ConfigError, match="5 to 10 %"):
        label_order([[np.arange(9)]], 0, 0.5)
    with pytest.raises(DataError, match="different data"):
        make_plan([SYNTH, Run(DEMO_ROOT / "demo-digits")], "x", data=data, n_queries=2)
    with pytest.raises(DataError, match="other data"):
        plan.check(Run(DEMO_ROOT / "demo-digits").load_dataset())


def test_a_run_without_an_evaluation_says_what_to_do(data, tmp_path):
    import shutil

    shutil.copytree(SYNTH.path, tmp_path / "demo-synth")
    (tmp_path / "demo-synth" / "evaluation.json").unlink()
    with pytest.raises(RunError, match="rivae evaluate demo-synth"):
        make_plan([Run(tmp_path / "demo-synth")], "x", data=data)
