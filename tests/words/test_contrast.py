import math

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.exploring.words.contrast import contrast, strongest

SETS = [("kale", "salt")] * 30 + [("sugar", "salt")] * 30 + [("truffle", "salt")] + [("salt",)] * 9


def by_word(low=range(30), high=range(30, 61), **settings):
    return {c.word: c for c in contrast(low, high, SETS, **settings)}


def test_the_formula_by_hand():
    found = by_word(prior_strength=10.0)["sugar"]
    # 131 words in the collection, 30 of them sugar; 60 at the low end, 62 at the high end.
    prior = 10 * 30 / 131
    high = (30 + prior) / (62 + 10 - 30 - prior)
    low = prior / (60 + 10 - prior)
    assert found.log_odds == pytest.approx(math.log(high / low))
    assert found.std == pytest.approx(math.sqrt(1 / (30 + prior) + 1 / prior))
    assert found.z == pytest.approx(found.log_odds / found.std)
    start, end = found.interval()
    assert (start + end) / 2 == pytest.approx(found.log_odds)
    assert end - start == pytest.approx(2 * 1.959964 * found.std, rel=1e-6)


def test_direction_and_order():
    found = contrast(range(30), range(30, 61), SETS)
    assert found[0].word == "sugar"
    assert found[-1].word == "kale"
    assert [c.z for c in found] == sorted((c.z for c in found), reverse=True)
    assert (found[0].low, found[0].high) == (0, 30)


def test_ends_exchanged_change_the_sign_only():
    there, back = by_word(), by_word(range(30, 61), range(30))
    assert all(there[w].log_odds == pytest.approx(-back[w].log_odds) for w in there)


def test_a_word_of_all_items_does_not_differ():
    start, end = by_word()["salt"].interval()
    assert start < 0 < end


def test_one_recipe_is_no_evidence():
    start, end = by_word()["truffle"].interval()
    assert start < 0 < end


def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(0)
    sets = [
        tuple(w for w, p in (("a", 0.5), ("b", 0.3), ("c", 0.2)) if rng.random() < p)
        for _ in range(4000)
    ]
    inside = 0
    for k in range(20):
        ends = contrast(
            range(k * 200, k * 200 + 100),
            range(k * 200 + 100, k * 200 + 200),
            sets,
            prior_strength=1.0,
        )
        inside += sum(c.interval()[0] < 0 < c.interval()[1] for c in ends)
    assert inside >= 52  # of 60; the two ends never differ here


def test_the_strongest_of_both_sides():
    shown = strongest(contrast(range(30), range(30, 61), SETS), 1)
    assert [c.word for c in shown] == ["sugar", "kale"]


def test_an_empty_end_is_refused():
    with pytest.raises(DataError, match="both ends"):
        contrast([], [1], SETS)


def test_an_unknown_item_is_refused():
    with pytest.raises(DataError, match="not among"):
        contrast([0], [1000], SETS)


def test_the_prior_must_be_positive():
    with pytest.raises(ValueError, match="above 0"):
        contrast([0], [31], SETS, prior_strength=0)
