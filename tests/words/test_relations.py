import numpy as np
import pytest
from scipy.stats import pearsonr

from rivae.base.errors import DataError
from rivae.exploring.words.relations import common_words, holm, relations


def made_up(n=400, seed=0):
    """Kale comes with high values, sugar with low ones, salt with any."""
    rng = np.random.default_rng(seed)
    value = rng.normal(size=n)
    sets = []
    for v in value:
        words = ["salt"] if rng.random() < 0.6 else []
        words += ["kale"] if v + rng.normal(0, 0.5) > 0.5 else []
        words += ["sugar"] if v + rng.normal(0, 0.5) < -0.5 else []
        sets.append(words)
    return sets, value


def test_correlation_and_p_are_those_of_scipy():
    sets, value = made_up()
    found = relations(sets, value)
    for w, word in enumerate(found.words):
        expected = pearsonr([word in words for words in sets], value)
        assert found.correlation[w, 0] == pytest.approx(expected.statistic)
        assert found.p[w, 0] == pytest.approx(expected.pvalue, rel=1e-6)


def test_the_shift_is_in_standard_deviations():
    sets, value = made_up()
    found = relations(sets, value, ["kale"])
    having = np.array(["kale" in words for words in sets])
    expected = (value[having].mean() - value[~having].mean()) / value.std()
    assert found.shift[0, 0] == pytest.approx(expected)


def test_kinds_and_their_direction():
    sets, value = made_up()
    assert relations(sets, value).kinds(0) == {
        "kale": "related",
        "sugar": "opposite",
        "salt": "none",
    }
    assert relations(sets, -value).kinds(0)["kale"] == "opposite"


def test_random_values_relate_to_nothing():
    sets, _ = made_up()
    noise = np.random.default_rng(1).normal(size=(len(sets), 20))
    found = relations(sets, noise)
    assert {kind for j in range(20) for kind in found.kinds(j).values()} == {"none"}


def test_many_items_do_not_make_a_weak_relation_visible():
    rng = np.random.default_rng(0)
    value = rng.normal(size=50_000)
    sets = [
        ["rice"] if v * 0.1 + n > 0 else ["oil"]
        for v, n in zip(value, rng.normal(size=50_000), strict=True)
    ]
    found = relations(sets, value)
    assert found.p.max() < 1e-20
    assert set(found.kinds(0).values()) == {"none"}


def test_unknown_values_are_left_out_and_constant_ones_mean_nothing():
    sets, value = made_up()
    part = value.copy()
    part[200:] = np.nan
    table = np.column_stack([part, np.ones(len(value)), np.full(len(value), np.nan)])
    found = relations(sets, table)
    half = relations(sets[:200], value[:200], found.words)
    assert found.correlation[:, 0] == pytest.approx(half.correlation[:, 0])
    assert not found.correlation[:, 1:].any()
    assert (found.p[:, 1:] == 1).all()


def test_rare_words_are_not_judged():
    sets = [["truffle"] if i < 3 else ["salt"] for i in range(100)]
    assert common_words(sets) == ("salt",)
    found = relations(sets, np.arange(100.0), ["truffle"])
    assert found.p[0, 0] == 1
    assert found.counts[0] == 3


def test_a_word_counts_once_per_item():
    assert relations([["a", "a"]] * 10, np.arange(10.0)).counts.tolist() == [10]


def test_rows_have_to_match():
    with pytest.raises(DataError, match="one row per item"):
        relations([["a"]], np.zeros(2))


def test_no_words_at_all():
    assert relations([[], []], np.zeros(2)).words == ()


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([[0.9], [0.8]])).tolist() == [[1.0], [1.0]]
