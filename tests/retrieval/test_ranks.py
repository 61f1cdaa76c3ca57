import numpy as np
import pytest

from rivae.retrieval.base import median_rank, ranks_of_targets, recall_at_k


def test_ranks_by_hand():
    distances = np.array([[0.1, 0.5, 0.3], [0.5, 0.5, 0.3], [2.0, 2.0, 2.0]])
    np.testing.assert_array_equal(ranks_of_targets(distances, np.array([2, 0, 1])), [2.0, 2.5, 2.0])


def test_a_collapsed_embedding_scores_chance_not_rank_one():
    ranks = ranks_of_targets(np.zeros((9, 9)), np.arange(9))
    np.testing.assert_array_equal(ranks, 5.0)
    assert median_rank(ranks) == 5.0
    assert recall_at_k(ranks, 1) == 0.0


@pytest.mark.parametrize(("k", "share"), [(1, 0.25), (2, 0.5), (5, 1.0)])
def test_recall(k, share):
    assert recall_at_k(np.array([1.0, 1.5, 3.0, 5.0]), k) == share
