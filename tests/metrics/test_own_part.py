"""MCC of own parts, on dependent factors whose answer is known."""

import numpy as np
import pytest

from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.own_part import mcc_own, own_parts
from rivae.metrics.suite import permutation_null

N, R = 20_000, 0.8
RNG = np.random.default_rng(0)
E = RNG.standard_normal((N, 3))
# Two factors with correlation R, and one that is independent.
F = np.column_stack([E[:, 0], R * E[:, 0] + np.sqrt(1 - R**2) * E[:, 1], E[:, 2]])
SUM, DIFFERENCE = F[:, 0] + F[:, 1], F[:, 0] - F[:, 1]


def test_axes_that_are_the_factors_score_one():
    found = mcc_own(-2 * F[:, [2, 0, 1]] + 3, F)
    assert found.score == pytest.approx(1)
    assert found.parts["latent_of_factor"] == [1, 2, 0]


def test_an_axis_that_knows_a_factor_by_another_one_only_has_nothing_of_it():
    z = np.column_stack([F[:, 0], F[:, 0] + 0.2 * RNG.standard_normal(N), F[:, 2]])
    assert mcc(z, F).score > 0.9
    assert sorted(mcc_own(z, F).parts["per_factor"])[0] == pytest.approx(0, abs=0.1)
    assert own_parts(z[:, 2:], F)[0] == pytest.approx([0, 0, 1], abs=0.02)


def test_a_turn_costs_as_it_does_where_factors_are_independent():
    assert own_parts(np.column_stack([SUM, DIFFERENCE]), F)[:, :2] == pytest.approx(
        np.sqrt(0.5), abs=0.01
    )
    turned = mcc_own(np.column_stack([SUM, DIFFERENCE, F[:, 2]]), F).score
    independent = np.column_stack([E[:, 0] + E[:, 1], E[:, 0] - E[:, 1], E[:, 2]])
    assert turned == pytest.approx(mcc(independent, E).score, abs=0.01)
    assert turned < mcc_own(F, F).score


def test_the_shares_of_an_axis_add_up_to_what_the_factors_tell_of_it():
    z = F @ [[1.0], [0.5], [2.0]] + RNG.standard_normal((N, 1))
    residual = z - F @ np.linalg.lstsq(F, z, rcond=None)[0]
    assert (own_parts(z, F) ** 2).sum() == pytest.approx(1 - residual.var() / z.var(), abs=1e-3)


def test_noise_on_an_axis_takes_its_part_away():
    z = F + np.sqrt(3) * RNG.standard_normal(F.shape)
    assert mcc_own(z, F).parts["per_factor"] == pytest.approx([0.5] * 3, abs=0.03)


def test_of_independent_factors_it_is_mcc():
    z = E + 0.7 * RNG.standard_normal(E.shape)
    assert mcc_own(z, E).score == pytest.approx(mcc(z, E).score, abs=0.01)
    assert mcc_own(z, E[:, :1]).score == pytest.approx(mcc(z, E[:, :1]).score)


def test_noise_scores_as_shuffled_factors_do():
    f = F[:400]
    null = permutation_null(
        lambda own: {"own": mcc_own(f, own)}, f, n_permutations=20, random_state=1
    )["own"]
    noise = mcc_own(np.random.default_rng(1).standard_normal((400, 3)), f).score
    assert null.observed == pytest.approx(1) and null.p_value < 0.05
    assert null.mean < 0.1 and abs(noise - null.mean) < 4 * null.std


def test_equal_factors_divide_their_share_and_constant_ones_have_none():
    f = np.column_stack([F, F[:, 2], np.full(N, 5.0)])
    found = own_parts(f, f)
    assert np.diag(found) == pytest.approx([1, 1, *np.sqrt([0.5, 0.5]), 0], abs=1e-6)
    assert mcc_own(F[:, :1], F).parts["latent_of_factor"].count(-1) == 2
