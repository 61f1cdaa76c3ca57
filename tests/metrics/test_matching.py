"""Axes of different runs, matched."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.metrics.matching import assignment, cross_correlation, match_axes, match_to_first
from rivae.metrics.measures.mcc import mcc

N = 400
RNG = np.random.default_rng(0)
Z = RNG.normal(size=(N, 4))


def test_a_signed_permutation_is_found_with_its_signs():
    other = Z[:, [2, 0, 3, 1]] * [1, -2, 0.1, -30] + [0, 5, 0, 100]
    match = match_axes(Z, other)
    assert match.pairs == ((0, 1), (1, 3), (2, 0), (3, 2))
    assert match.signs == (-1, -1, 1, 1)
    assert match.strengths == pytest.approx([1, 1, 1, 1])
    assert match.unmatched == ((), ())
    assert match.table[1, 3] == pytest.approx(-1)
    assert match.partner(1) == (3, -1, pytest.approx(1))


def test_the_assignment_is_the_best_one_and_not_the_greedy_one():
    table = np.array([[0.9, -0.85], [0.85, 0.1]])
    rows, columns = assignment(table)
    assert list(zip(rows, columns, strict=True)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_fewer_axes_leave_some_without_a_partner(d):
    narrow = Z[:, :d][:, ::-1]
    match = match_axes(Z, narrow)
    assert len(match.pairs) == d and match.table.shape == (4, d)
    assert match.unmatched == (tuple(range(d, 4)), ())
    assert match.partner(3) is None
    back = match_axes(narrow, Z)
    assert sorted(back.pairs) == sorted((b, a) for a, b in match.pairs)
    assert back.unmatched == ((), tuple(range(d, 4)))


@pytest.mark.parametrize("value", [0.0, 0.1 + 0.2, -1e6])
def test_a_constant_axis_has_no_partner(value):
    dead = np.column_stack([np.full(N, value), Z[:, 0]])
    match = match_axes(Z[:, :2], dead)
    assert match.pairs == ((0, 1),)
    assert match.unmatched == ((1,), (0,))
    assert (match.table[:, 0] == 0).all() and np.isfinite(match.table).all()


def test_rounding_in_float32_is_constant_too():
    wobble = (7.3 + 1e-7 * Z[:, [0]]).astype(np.float32)
    assert match_axes(Z[:, :1], wobble).pairs == ()
    small = 1e-7 * Z[:, [0]]  # small is not constant: the unit of z is free
    assert match_axes(Z[:, :1], small).strengths == pytest.approx((1,))


def test_two_dead_runs_match_nothing():
    match = match_axes(np.zeros((N, 2)), np.ones((N, 3)))
    assert match.pairs == () and match.unmatched == ((0, 1), (0, 1, 2))


def test_spearman_sees_through_monotone_changes():
    bent = np.exp(4 * Z[:, ::-1])
    assert match_axes(Z, bent, kind="spearman").strengths == pytest.approx([1] * 4)
    assert max(match_axes(Z, bent).strengths) < 0.9


def test_strangers_are_weak():
    assert max(match_axes(Z, RNG.normal(size=(N, 4))).strengths) < 0.25


def test_everything_is_matched_to_the_first():
    runs = [Z, Z[:, [1, 0, 2, 3]], -Z, RNG.normal(size=(N, 2))]
    matches = match_to_first(runs)
    assert len(matches) == 3
    assert matches[0].pairs[0] == (0, 1)
    assert matches[1].signs == (-1,) * 4
    assert [len(m.pairs) for m in matches] == [4, 4, 2]


def test_mcc_uses_the_same_table_and_assignment():
    factors = np.column_stack([-Z[:, 2], Z[:, 0]]) + 0.3 * RNG.normal(size=(N, 2))
    found = mcc(Z, factors)
    assert found.parts["latent_of_factor"] == [2, 0]
    assert dict(match_axes(Z, factors).pairs) == {0: 1, 2: 0}
    assert np.abs(cross_correlation(Z, factors)[2, 0]) == pytest.approx(
        found.parts["per_factor"][0], abs=0.03
    )


def test_bad_input_is_refused():
    broken = Z.copy()
    broken[3, 1] = np.nan
    for a, b in ((broken, Z), (Z, Z[:-1]), (Z[:, 0], Z), (Z[:4], Z[:4])):
        with pytest.raises(DataError):
            match_axes(a, b)
    with pytest.raises(ConfigError, match="kendall"):
        match_axes(Z, Z, kind="kendall")
    with pytest.raises(ConfigError, match="two runs"):
        match_to_first([Z])
