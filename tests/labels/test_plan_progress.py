"""How far a plan is, counted by hand."""

import pytest

from rivae.labels.plan_progress import Share, plan_progress
from rivae.labels.store import LabelStore
from tests.labels.making import event, undo

KEYS = ("kitchen:1", "kitchen:2", "kitchen:3", "kitchen:2")  # the last is a hidden repeat


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


def test_a_plan_that_nobody_began(store):
    found = plan_progress(store, KEYS, ("greenness", "fruit"))
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
    found = plan_progress(store, KEYS, ("greenness", "fruit"))
    assert found.needed == 6
    assert found.answered == 4, "items 1 and 2 by greenness, 2 and 3 by fruit"
    bob, ann = found.shares
    assert (bob.annotator, bob.answers, bob.repeats) == ("bob", 3, 0)
    assert ann == Share("ann", answers=2, cannot_tell=1, repeats=1, seconds=3.0)


def test_one_annotator_alone(store):
    store.append([event("ann", 1, 2), event("ann", 2, 2)])
    assert plan_progress(store, KEYS, ("greenness",)).answered == 2
