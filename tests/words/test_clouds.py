import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.exploring.words.clouds import count_words

SETS = [("salt", "kale"), ("salt", "sugar"), ("sugar",), ("salt", "salt"), ()]


def test_every_recipe_counts_once_and_each_of_its_words_once():
    counts = count_words({"low": [0, 3, 0, 0], "high": np.array([1, 2, 4])}, SETS)
    assert counts.states == ("low", "high")
    assert counts.n_items.tolist() == [2, 3]
    table = {row["word"]: (row["low"], row["high"]) for row in counts.rows()}
    assert table == {"salt": (2, 1), "kale": (1, 0), "sugar": (0, 2)}


def test_frequencies_are_shares_of_the_state():
    counts = count_words({"low": [0, 3], "high": [1, 2, 4]}, SETS)
    share = dict(zip(counts.words, counts.frequency.T, strict=True))
    assert share["salt"] == pytest.approx([1, 1 / 3])


def test_the_most_frequent_of_any_state_come_first():
    counts = count_words({"low": [0, 3], "high": [1, 2, 4]}, SETS)
    assert counts.words == ("salt", "sugar", "kale")
    assert counts.top(1).words == ("salt",)
    assert counts.top(1).counts.shape == (2, 1)


def test_words_can_be_left_out():
    assert count_words({"a": [0, 1]}, SETS, leave_out={"salt"}).words == ("kale", "sugar")


def test_a_state_without_items_and_items_without_words():
    counts = count_words({"none": [], "bare": [4]}, SETS)
    assert counts.words == ()
    assert counts.frequency.shape == (2, 0)
    assert count_words({"none": [], "some": [0]}, SETS).frequency[0].tolist() == [0, 0]


@pytest.mark.parametrize("ids", [[5], [-1], [0, 99]])
def test_an_unknown_item_is_refused(ids):
    with pytest.raises(DataError, match="not among the 5 items"):
        count_words({"a": ids}, SETS)


def test_no_state_is_refused():
    with pytest.raises(DataError, match="at least one state"):
        count_words({}, SETS)
