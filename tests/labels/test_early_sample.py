"""Plans that give numbers early: which items come first, and how likely each was to be chosen."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import ConfigError, DataError
from rivae.labels.early.sample import (
    MIN_ANSWERS,
    RANDOM_SHARE,
    REPEATS,
    SECONDS,
    items_for,
    make_early_plan,
    most_retrieved,
    pace,
    sample_items,
)
from rivae.labels.plan import LabelPlan, read_plan
from rivae.labels.store import LabelStore
from rivae.retrieval.traversal import Traversal
from rivae.runs import find_run
from tests.labels.making import event


def traversal(ids) -> Traversal:
    ids = np.asarray(ids)[..., None]
    q, j, t = ids.shape[:3]
    return Traversal(np.zeros((q, j)), np.arange(j), np.zeros((j, t)), ids, np.zeros(ids.shape))


def test_items_of_most_runs_come_first_and_then_those_of_most_steps():
    first = traversal([[[1, 1, 1, 2, 3]]])
    second = traversal([[[3, 4, 4, 4, 4]]])
    assert most_retrieved([first]).tolist() == [1, 2, 3]
    assert most_retrieved([first, second]).tolist() == [3, 4, 1, 2]


@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 2**31 - 1))
def test_a_sample_holds_each_item_once_and_the_most_retrieved_first(n_items, n_best, seed):
    rows = np.arange(100, 160)
    best = np.random.default_rng(seed).permutation(rows)[:n_best]
    sample = sample_items(best, rows, n_items, random_state=seed)
    assert len(set(sample.rows.tolist())) == len(sample.rows) == n_items
    taken = [row for row, drawn in zip(sample.rows, sample.drawn, strict=True) if not drawn]
    places = [best.tolist().index(row) for row in taken]
    assert places == sorted(places)
    assert (sample.chances > 0).all() and (sample.chances <= 1).all()
    assert (sample.chances[~sample.drawn] == 1).all()


def test_the_stored_probability_is_how_often_an_item_is_chosen():
    rows, best, n_draws = np.arange(50), np.arange(10), 3000
    chosen, said = np.zeros(50), np.zeros(50)
    for seed in range(n_draws):
        sample = sample_items(best, rows, 16, random_state=seed)
        chosen[sample.rows] += 1
        np.add.at(said, sample.rows, 1 / sample.chances)
    assert (chosen[:8] == n_draws).all()
    # Horvitz and Thompson: each item counts once in the mean, whatever its probability.
    assert np.abs(said[20:] / n_draws - 1).max() < 0.25
    assert abs(said[20:].mean() / n_draws - 1) < 0.04


@pytest.mark.parametrize("share, n", [(-0.1, 5), (0.95, 5), (0.25, 0)])
def test_a_sample_that_cannot_be_drawn_is_refused(share, n):
    with pytest.raises(ConfigError):
        sample_items([1, 2], [1, 2, 3], n, random_share=share)


def test_items_of_a_plan_are_searched():
    with pytest.raises(ConfigError):
        sample_items([7], [1, 2, 3])


@given(st.floats(1, 300), st.integers(1, 8), st.floats(0.5, 30))
def test_a_budget_is_kept(minutes, n_factors, seconds):
    n = items_for(minutes, n_factors, seconds)
    spent = n * n_factors * seconds * (1 + REPEATS) / 60
    assert n == 1 or minutes - n_factors * seconds * 2 / 60 <= spent <= minutes + 1e-9


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_no_time_is_no_plan(minutes):
    with pytest.raises(ConfigError):
        items_for(minutes, 8)


def test_pace_is_the_annotators_own_median_once_it_is_known(url):
    with LabelStore(url) as store:
        few = [event("ann", i, seconds_shown=2.0) for i in range(MIN_ANSWERS - 1)]
        store.append(few)
        assert pace(store, "ann") == SECONDS
        store.append([event("ann", 100, seconds_shown=9.0), event("ben", 1, seconds_shown=50.0)])
        assert pace(store, "ann") == 2.0
        assert pace(store, "ben") == SECONDS


@pytest.fixture(scope="module")
def plan() -> LabelPlan:
    runs = [find_run("demo-kitchen"), find_run("demo-kitchen-cos-sim-lvm")]
    return make_early_plan(runs, "early", minutes=60, n_factors=8, random_state=3)


def test_a_plan_stores_its_probabilities_and_opens_again(plan):
    content = json.dumps(plan.model_dump(mode="json"))
    assert read_plan(content.encode()) == plan
    assert len(plan.chances) == len(plan.order)
    assert len(plan.items) == items_for(60, 8)
    share = len(plan.drawn) / len(plan.items)
    assert abs(share - RANDOM_SHARE) < 0.1
    assert abs(len(plan.repeats) / len(plan.items) - REPEATS) < 0.02


def test_a_plan_with_probabilities_that_do_not_fit_is_refused(plan):
    for change in ({"chances": [0.5]}, {"drawn": [len(plan.order)]}):
        document = json.dumps(plan.model_dump(mode="json") | change)
        with pytest.raises(DataError):
            read_plan(document.encode())


def test_a_plan_without_probabilities_is_written_as_before(plan):
    old = plan.model_copy(update={"chances": [], "drawn": []})
    assert {"chances", "drawn"}.isdisjoint(old.model_dump(mode="json"))


def test_a_run_is_named_once():
    run = find_run("demo-kitchen")
    with pytest.raises(ConfigError):
        make_early_plan([run, run], "twice")
