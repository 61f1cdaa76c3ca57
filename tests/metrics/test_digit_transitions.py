import math

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.metrics.measures.digits import PAIRS, digit_metrics, transition_table


def row(*pairs):
    out = np.zeros(45)
    for pair in pairs:
        out[PAIRS.index(pair)] = 1
    return out


def test_the_example_of_the_paper():
    path = np.array([2, 2, 2, 3, 8, 8, 9, 3, 2, 2, 2])[None, None]
    np.testing.assert_array_equal(transition_table(path)[0], row((2, 3), (3, 8), (8, 9), (3, 9)))


def test_queries_are_averaged_and_dimensions_kept_apart():
    path = np.array([[[0, 1, 0], [5, 5, 5]], [[0, 0, 0], [5, 4, 4]]])
    table = transition_table(path)
    np.testing.assert_array_equal(table[0], 0.5 * row((0, 1)))
    np.testing.assert_array_equal(table[1], 0.5 * row((4, 5)))


def score(table):
    return {name: r.score for name, r in digit_metrics(table).items()}


def test_separate_rows():
    found = score(np.stack([row((0, 1), (2, 3)), row((4, 5), (6, 7))]))
    assert found["overlap"] == 0
    assert found["coverage"] == pytest.approx(math.log(4) / math.log(45))
    assert found["coverage_minus_overlap"] == pytest.approx(found["coverage"])


def test_identical_rows_reach_the_maximum_of_one_45th():
    table = np.stack([row((0, 1), (2, 3)), 0.2 * row((0, 1), (2, 3))])
    assert score(table)["overlap"] == pytest.approx(1 / 45)
    assert digit_metrics(table)["overlap"].parts["histogram_intersection"] == pytest.approx(1)


def test_uniform_covers_everything():
    assert score(np.ones((3, 45)))["coverage"] == pytest.approx(1)


def test_overlap_by_hand():
    table = np.stack([row((0, 1), (2, 3)), row((0, 1)), row((8, 9))])
    assert score(table)["overlap"] == pytest.approx((0.5 + 0 + 0) / 3 / 45)


def test_empty_rows_and_tables():
    table = np.stack([row((0, 1), (2, 3)), np.zeros(45)])
    found = digit_metrics(table)
    assert found["overlap"].score == 0
    assert found["coverage"].score == pytest.approx(math.log(2) / math.log(45))
    assert found["overlap"].settings["empty_rows"] == [1]
    assert all(math.isnan(r.score) for r in digit_metrics(np.zeros((2, 45))).values())
    single = digit_metrics(row((0, 1))[None])
    assert math.isnan(single["overlap"].score)
    assert single["coverage"].score == 0


FOREIGN = [np.full((1, 1, 3), value) for value in (10, -1, 0.5)]


@pytest.mark.parametrize("path", [*FOREIGN, np.zeros((2, 3)), np.zeros((0, 1, 2))])
def test_foreign_classes_are_refused(path):
    with pytest.raises(DataError):
        transition_table(path)
