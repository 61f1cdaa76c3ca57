"""A stored evaluation is found again to the digit, and refuses what does not fit."""

import json

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.evaluation.of_run import evaluate
from rivae.evaluation.replay import replay
from rivae.metrics.correlation import correlation_table
from rivae.metrics.measures.digits import transition_table
from rivae.retrieval.retriever import Retriever
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.evaluation_file import AGAIN, read_evaluation
from tests.test_evaluation import FactorReader, grid_data

QUICK = {"n_search_sets": 1, "null_permutations": 0, "null_permutations_slow": 0, "n_queries": 10}


@pytest.fixture(scope="module")
def measured():
    data, method = grid_data(), FactorReader()
    report = evaluate(method, data, traversal="data", random_state=4, **QUICK)
    return Retriever(method, data, data.splits["test"]), data, report


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("other", [False, True])
def test_the_items_behind_a_table_give_its_numbers(measured, dim, other):
    retriever, data, report = measured
    found = replay(retriever, data, report, dim, other=other)
    again = correlation_table(found, data.factors, data.factor_specs)
    stored = report.along[other].correlation
    np.testing.assert_allclose(again.absolute[0], stored.absolute[dim], atol=1e-9)
    np.testing.assert_allclose(again.undefined[0], stored.undefined_share[dim], atol=1e-9)


def test_a_demo_run_is_found_again():
    run = Run(DEMO_ROOT / "demo-synth")
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, data.splits["test"])
    found = replay(retriever, data, run.evaluation, 1)
    again = correlation_table(found, data.factors, data.factor_specs)
    stored = run.evaluation.along[0].correlation.absolute[1]
    np.testing.assert_allclose(again.absolute[0], stored, atol=1e-4)


@pytest.mark.parametrize("other", [False, True])
def test_digit_transitions_are_found_again(other):
    run = Run(DEMO_ROOT / "demo-digits")
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, data.splits["test"])
    found = replay(retriever, data, run.evaluation, 3, other=other)
    again = transition_table(data.factors[found.ids[..., 0], 0])
    stored = run.evaluation.along[other].digits.transitions.table[3]
    np.testing.assert_allclose(again[0], stored, atol=0.01)


@pytest.mark.parametrize(
    "change",
    [
        {"settings": None},
        {"settings": {}},
        {"settings": {"n_queries": "many", "random_state": 0}},
        {"traversal": {"range": "nowhere"}},
        {"traversal": {"range": [1, 0]}},
        {"traversal": None},
        {"prior": {"mean": [0], "std": [1], "n": 3}, "traversal": {"range": "sigma"}},
        {"prior": {"mean": [0, None], "std": [1, 1], "n": 3}, "traversal": {"range": "sigma"}},
    ],
)
def test_a_report_of_something_else_is_one_sentence(measured, change):
    retriever, data, report = measured
    stored = report.document()
    if not change.keys() & {"settings"}:
        change = {"settings": {**stored["settings"], **change}}
    with pytest.raises(DataError, match=AGAIN):
        replay(retriever, data, read({**stored, **change}), 0)


def read(document):
    return read_evaluation(json.dumps(document).encode())


@pytest.mark.parametrize(
    "ends", [{"low": [0]}, {"high": [1, None]}, {"n_points": 10**9}, {"n_points": None}]
)
def test_stored_ends_that_do_not_fit_are_refused(measured, ends):
    retriever, data, report = measured
    older = report.document()
    for name in ("low", "high"):
        del older["settings"]["prior"][name]
    exact, stored = (replay(retriever, data, r, 0).values for r in (report, read(older)))
    np.testing.assert_allclose(stored, exact)
    older["correlation"]["values"] |= ends
    with pytest.raises(DataError, match=AGAIN):
        replay(retriever, data, read(older), 0)


def test_a_dimension_that_is_not_there(measured):
    retriever, data, report = measured
    with pytest.raises(DataError, match=AGAIN):
        replay(retriever, data, report, 2)
