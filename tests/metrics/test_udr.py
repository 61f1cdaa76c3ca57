"""Unsupervised disentanglement ranking on models whose order is known."""

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from rivae.base.errors import ConfigError, DataError
from rivae.metrics.measures.udr import axis_information, similarity_table, udr, udr_of_table

N = 800
RNG = np.random.default_rng(0)
F = RNG.uniform(-1, 1, size=(N, 3))


def turned(seed):
    return F @ np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (np.eye(3), 1),
        (np.eye(3)[[2, 0, 1]], 1),
        (np.ones((3, 3)), 1 / 3),
        (np.zeros((2, 2)), 0),
        ([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]], 2 / 3),  # the cases of the reference implementation
        ([[1.0, 0]], (1 + 0 + 1) / 3),  # one axis against two: the spare one adds 0
        ([[0.8, 0.4]], (0.8 + 0.4 + 0.64 / 1.2) / 3),  # Eq. 2 by hand
    ],
)
def test_hand_made_tables(table, expected):
    assert udr_of_table(table) == pytest.approx(expected)


def test_similarities_are_rank_correlations():
    z = turned(3)
    table = similarity_table(F, z, "spearman")
    assert table[1, 2] == pytest.approx(abs(spearmanr(F[:, 1], z[:, 2]).statistic))
    assert np.allclose(similarity_table(z, F, "spearman"), table.T)


def test_the_lasso_reads_rows_as_the_first_model():
    table = similarity_table(F, np.column_stack([F[:, 2], F[:, 2] + F[:, 0]]), "lasso")
    assert table.shape == (3, 2)
    assert table[2, 0] == pytest.approx(0.9, abs=0.02)  # 1 - penalty
    assert table[0, 1] > 0.5 and table[1, 1] < 0.05
    assert similarity_table(F, F[:, :1], "lasso").shape == (3, 1)


@pytest.mark.parametrize("similarity", ["spearman", "lasso"])
def test_aligned_models_score_above_turned_ones(similarity):
    aligned = [
        np.exp(F[:, [1, 0, 2]]) if similarity == "spearman" else F[:, [1, 0, 2]],
        -F,
        F + 0.05 * RNG.normal(size=F.shape),
        F,
    ]
    results = udr([*aligned, turned(1), turned(2)], similarity=similarity)
    scores = [r.score for r in results]
    assert min(scores[:4]) > max(scores[4:]) + 0.2
    assert all(0 <= s <= 1 for s in scores)
    assert results[0].settings["similarity"] == similarity


def test_order_sign_and_unit_of_the_axes_do_not_matter():
    plain = udr([F, turned(1), turned(2)])
    changed = udr([F[:, [2, 0, 1]] * [-1, 30, 0.01] + 5, turned(1), turned(2)])
    assert [r.score for r in plain] == pytest.approx([r.score for r in changed])


def test_the_score_is_the_median_over_the_others():
    results = udr([F, turned(1), turned(2), turned(3)], names=list("abcd"))
    pairwise = results[0].parts["pairwise"]
    assert set(pairwise) == set("bcd")
    assert results[0].score == pytest.approx(np.median(list(pairwise.values())))
    assert pairwise["b"] == pytest.approx(results[1].parts["pairwise"]["a"])


def test_agreement_is_not_truth():
    """Three seeds with one shared wrong rotation agree: UDR cannot know better."""
    wrong = turned(7)
    results = udr([wrong, -wrong, wrong[:, ::-1], F])
    assert results[0].score > 0.9 and results[3].score < 0.8


def test_axes_that_say_nothing_are_left_out():
    noise = RNG.normal(size=(3, N, 2))
    models = [np.column_stack([F, extra]) for extra in noise]
    mask = [[True] * 3 + [False] * 2] * 3
    clean = udr(models, informative=mask)
    assert [r.score for r in clean] == pytest.approx([1] * 3, abs=0.15)
    assert udr(models)[0].score < clean[0].score - 0.2
    assert clean[0].parts["informative"] == [0, 1, 2]


def test_a_model_that_says_nothing_has_no_score_and_counts_as_zero():
    models, none, full = [F, -F, F, F], [False] * 3, [True] * 3
    results = udr(models, informative=[none, full, full, full])
    assert math.isnan(results[0].score) and "undefined" in results[0].settings
    assert results[1].parts["pairwise"] == pytest.approx({"0": 0, "2": 1, "3": 1}, abs=0.1)


def test_models_may_have_different_numbers_of_axes():
    results = udr([F, F[:, :2], -F])
    assert results[0].parts["pairwise"]["1"] < results[0].parts["pairwise"]["2"]


def test_information_knows_no_unit_and_sees_collapse():
    mu, log_var = F * 3, np.full(F.shape, -2.0)
    mu[:, 2], log_var[:, 2] = 0.4, 1.3  # the same answer for every query
    found = axis_information(mu, log_var)
    assert found[2] == pytest.approx(0, abs=1e-12) and (found[:2] > 0.5).all()
    scaled = axis_information(mu * 100, log_var + 2 * math.log(100))
    assert scaled == pytest.approx(found)
    expected = 0.5 * math.log((9 * F[:, 0].var() + math.exp(-2)) / math.exp(-2))
    assert found[0] == pytest.approx(expected)


def test_information_sees_a_variance_that_changes_with_the_query():
    log_var = np.column_stack([np.where(F[:, 0] > 0, 2.0, -2.0), np.zeros(N)])
    found = axis_information(np.zeros((N, 2)), log_var)
    assert found[0] > 0.3 and found[1] == pytest.approx(0)


def test_bad_input_is_refused():
    with pytest.raises(ConfigError, match="three"):
        udr([F, F])
    with pytest.raises(ConfigError, match="kendall"):
        udr([F, F, F], similarity="kendall")
    with pytest.raises(DataError):
        udr([F, F[:-1], F])
    with pytest.raises(DataError):
        udr([F, F, np.full_like(F, np.nan)])
    with pytest.raises(DataError, match="informative"):
        udr([F, F, F], informative=[[True] * 3, [True] * 2, [True] * 3])
