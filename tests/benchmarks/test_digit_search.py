"""Digit transitions along any axes: on the model's own axes they are those of the results."""

import numpy as np
import pytest

from benchmarks.digit_search import centre_axes, clustered, fields, price, search_axes
from rivae.evaluation.of_run import N_QUERIES_DIGITS, evaluated_rows
from rivae.metrics.measures.digits import transition_table
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run


@pytest.fixture(scope="module")
def run():
    return find_run("demo-digits")


@pytest.fixture(scope="module")
def both(run):
    return fields(run)


def test_the_models_own_axes_give_the_transitions_of_an_evaluation(run, both):
    test, _ = both
    data = run.load_dataset()
    queries, items, *_ = evaluated_rows(data, N_QUERIES_DIGITS, 0)
    whole = Retriever(run.load_method(data), data, data.splits["test"])
    found = traverse(whole.subset(items), whole.encode(queries)[0], paper_grid(), [0, 6])
    expected = transition_table(data.factors[found.ids[..., 0], 0])
    measured = test.table(np.eye(test.anchors.shape[1]), "data", np.array([0, 6]))
    np.testing.assert_allclose(measured, expected, atol=2 / len(queries))


def test_the_reach_of_an_axis_follows_its_length_only_in_units(both):
    test, _ = both
    axes = np.eye(test.anchors.shape[1])
    for reach in ("data", 3.0):
        long = test.table(5 * axes, reach, np.array([0]), 31)
        np.testing.assert_array_equal(long, test.table(axes, reach, np.array([0]), 31))
    near = test.table(1e-6 * axes, "unit", np.array([0]), 31)
    assert near.sum() < test.table(axes, "unit", np.array([0]), 31).sum()


def test_the_same_seed_finds_the_same_axes(both):
    once, again = (
        search_axes(both[1], np.eye(10), tries=3, coverage_weight=2.0, lean=False, random_state=3)
        for _ in range(2)
    )
    np.testing.assert_array_equal(once, again)


@pytest.mark.slow
@pytest.mark.parametrize("lean", [False, True])
def test_a_search_makes_the_price_smaller_and_keeps_axes_apart(both, lean):
    field = clustered(both[1], 0)
    start = np.eye(field.anchors.shape[1])
    found = search_axes(field, start, tries=15, coverage_weight=2.0, lean=lean, random_state=0)
    before, after = (price(field.table(a, "data", n_points=51), 2.0) for a in (start, found))
    assert after < before
    gram = found @ found.T
    assert np.allclose(gram, np.eye(len(found))) != lean
    assert np.linalg.cond(found) < 500


def test_the_axes_towards_the_centres_are_a_basis_that_meets_them(both):
    train = both[1]
    axes = centre_axes(train)
    assert np.linalg.cond(axes) < 500
    digits = train.classes[train.reference_rows]
    centres = np.array([train.reference[digits == c].mean(axis=0) for c in range(10)])
    along = (centres - centres.mean(axis=0)) @ np.linalg.inv(axes)
    assert (along.argmax(axis=0) == np.arange(10)).all()
