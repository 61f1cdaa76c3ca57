"""How sure axes are, on simulated sheets whose factors are known."""

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.metrics.certainty import DEPENDENT, INSIDE, MIN_ROWS, TURN, axis_certainty, dependence
from rivae.training.smooth_start import whiten
from rivae.training.unfolding import _independent

N = 1500
NAMES = ["z1", "z2", "z3", "z4"]


def uniform(rng, *shape):
    return rng.uniform(-1, 1, (N, *shape)) * 3**0.5


def sheet(factors, rng, noise=0.15):
    """The factors as one fit would find them: mixed, a little noisy, independent components."""
    mixed = factors @ np.linalg.qr(rng.normal(size=(factors.shape[1],) * 2))[0]
    noisy = whiten(mixed + noise * rng.normal(size=mixed.shape))
    return _independent(noisy, int(rng.integers(99)))


def measured(factors, rng, extra=None):
    """The certainty of a run from three fits, and its |r| (axes, factors) with the truth."""
    z, *fits = (sheet(factors, rng) for _ in range(4))
    z = z if extra is None else np.column_stack([z, extra])
    found = axis_certainty(z, np.stack(fits))
    table = np.abs(np.corrcoef(z.T, factors.T)[: z.shape[1], z.shape[1] :])
    return found, table


@pytest.mark.parametrize("seed", range(3))
def test_axes_of_independent_factors_are_sure(seed):
    rng = np.random.default_rng(seed)
    found, table = measured(uniform(rng, 3), rng)
    assert table.max(axis=1).min() > 0.97
    for axis in found:
        assert axis.verdict == "sure" and axis.partners == () and axis.n_fits == 3
        assert axis.agreement > 0.9 and axis.inside > INSIDE and axis.turn < TURN
        assert f"{axis.agreement:.2f}"[1:] in axis.reason(NAMES)


@pytest.mark.parametrize("seed", range(3))
def test_two_gaussian_factors_are_a_plane_though_the_fits_agree(seed):
    rng = np.random.default_rng(seed)
    factors = np.column_stack([uniform(rng), rng.normal(size=(N, 2))])
    found, table = measured(factors, rng)
    flat = int(table[:, 0].argmax())
    others = sorted({0, 1, 2} - {flat})
    assert found[flat].verdict == "sure"
    for j in others:
        (partner,) = set(others) - {j}
        assert found[j].verdict == "plane" and found[j].turned == (partner,)
        assert found[j].inside > INSIDE  # it is there, only its direction is not
        first, second = (NAMES[k] for k in others)
        assert f"{first} and {second}" in found[j].reason(NAMES)


def test_an_axis_that_no_fit_holds_is_unsure():
    rng = np.random.default_rng(0)
    found, _ = measured(uniform(rng, 3), rng, extra=rng.normal(size=N))
    assert [axis.verdict for axis in found] == ["sure", "sure", "sure", "unsure"]
    assert found[3].inside < 0.1 and found[3].reason(NAMES).startswith("None of 3 fits")


def test_axes_that_depend_on_each_other_are_a_plane_though_all_agree():
    rng = np.random.default_rng(1)
    ring = uniform(rng, 2)
    while (inside := (np.abs(ring) < 0.9).all(axis=1)).any():  # a hole in the middle
        ring[inside] = uniform(rng, 2)[inside]
    found, table = measured(np.column_stack([uniform(rng), ring]), rng)
    assert table.max(axis=1).min() > 0.95 and max(axis.turn for axis in found) < TURN
    flat = int(table[:, 0].argmax())
    for axis in found:
        if axis.axis == flat:
            assert axis.verdict == "sure"
        else:
            assert axis.verdict == "plane" and axis.dependence > DEPENDENT
            assert axis.turned == () and len(axis.dependent) == 1


def test_one_fit_that_went_elsewhere_makes_its_axis_unsure():
    rng = np.random.default_rng(2)
    factors = uniform(rng, 2)
    z, one, other = (sheet(factors, rng) for _ in range(3))
    found = axis_certainty(z, np.stack([one, other]))
    assert [axis.verdict for axis in found] == ["sure", "sure"]
    folded = np.column_stack([factors[:, 0], np.abs(factors[:, 1])])
    found = axis_certainty(z, np.stack([one, sheet(folded, rng)]))
    assert sorted(axis.verdict for axis in found) == ["sure", "unsure"]
    # Of three fits one may curl up.
    found = axis_certainty(z, np.stack([one, sheet(folded, rng), other]))
    assert [axis.verdict for axis in found] == ["sure", "sure"]
    assert sorted(axis.n_held for axis in found) == [2, 3]
    assert any("2 of 3 fits" in axis.reason(NAMES) for axis in found)


def test_order_sign_and_scale_of_the_axes_do_not_matter():
    rng = np.random.default_rng(3)
    factors = uniform(rng, 2)
    z, fit, other = (sheet(factors, rng) for _ in range(3))
    same = axis_certainty(z, np.stack([fit, other]))
    turned = axis_certainty(z * [3.0, 0.1] + 7, np.stack([-2 * fit[:, ::-1], other]))
    for a, b in zip(same, turned, strict=True):
        assert a.verdict == b.verdict == "sure"
        assert a.agreement == pytest.approx(b.agreement) and a.inside == pytest.approx(b.inside)


def test_an_axis_that_stands_still_and_one_axis_alone():
    rng = np.random.default_rng(4)
    factors = uniform(rng, 2)
    z, fit, other = (sheet(factors, rng) for _ in range(3))
    found = axis_certainty(np.column_stack([z[:, :1], np.ones(N)]), np.stack([fit, other]))
    assert [axis.verdict for axis in found] == ["sure", "unsure"]
    (alone,) = axis_certainty(factors[:, :1], np.stack([factors[:, :1]] * 2))
    assert alone.verdict == "sure" and alone.agreement == 1.0


def test_dependence_sees_bends_that_a_correlation_does_not():
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, N)
    y = x**2 + 0.2 * rng.normal(size=N)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.1
    found = dependence(np.column_stack([x, y, rng.normal(size=N)]))
    assert found[0, 1] > 0.7 and found[0, 2] < 0.15 and found[0, 0] == 0


@pytest.mark.parametrize(
    ("z", "fits"),
    [
        (np.zeros((N, 2)), np.zeros((2, N - 1, 2))),
        (np.zeros((N, 2)), np.zeros((N, 2))),
        (np.zeros((N, 2)), np.zeros((0, N, 2))),
        (np.zeros((MIN_ROWS - 1, 2)), np.zeros((2, MIN_ROWS - 1, 2))),
        (np.full((N, 2), np.nan), np.zeros((2, N, 2))),
    ],
)
def test_what_cannot_be_measured_is_refused(z, fits):
    with pytest.raises(DataError):
        axis_certainty(z, fits)
