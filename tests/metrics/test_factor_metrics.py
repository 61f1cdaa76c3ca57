"""MCC, R², standard DCI, InfoMEC and the null, on data whose answer is known."""

import math

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.base import FactorSpec
from rivae.metrics.base import MetricResult, halves, standardised
from rivae.metrics.measures.dci_standard import dci_from_importance, dci_standard
from rivae.metrics.measures.infomec import infom_infoc, infomec
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.r2 import held_out_r2, r2
from rivae.metrics.suite import permutation_null, with_nulls

N = 600
RNG = np.random.default_rng(0)
F = RNG.uniform(size=(N, 3))
SPECS = (
    FactorSpec("a", "continuous"),
    FactorSpec("b", "continuous"),
    FactorSpec("p", "continuous", "private1"),
)
SHARED = tuple(FactorSpec(n, "continuous") for n in "abc")


def test_mcc_of_a_signed_permutation_is_one():
    found = mcc(-3 * F[:, [2, 0, 1]] + 7, F)
    assert found.score == pytest.approx(1)
    assert found.parts["latent_of_factor"] == [1, 2, 0]


def test_spearman_sees_through_monotone_changes():
    z = np.exp(6 * F)
    assert mcc(z, F, kind="spearman").score == pytest.approx(1)
    assert mcc(z, F, kind="pearson").score < 0.9


def test_mcc_of_noise_is_small_because_it_is_held_out():
    values = [mcc(RNG.normal(size=(60, 20)), F[:60], random_state=s).score for s in range(20)]
    # The best of 20 noise latents in sample would be about .45; chance of one is E|r| = .15.
    assert np.mean(values) == pytest.approx(0.15, abs=0.05)


def test_mcc_counts_what_is_missing_as_zero():
    assert mcc(F[:, :1], F).score == pytest.approx(1 / 3)
    assert mcc(F[:, :1], F).parts["latent_of_factor"] == [0, -1, -1]
    constant = np.column_stack([F[:, 0], np.full(N, 0.1 + 0.2)])
    assert mcc(constant, F[:, :2]).score == pytest.approx(0.5, abs=0.05)
    assert mcc(F[:, :2], constant).score == pytest.approx(0.5)


@pytest.mark.parametrize(("n", "d"), [(400, 4), (40, 30)])  # the second has more axes than rows
def test_r2_is_that_of_an_independent_least_squares(n, d):
    from sklearn.linear_model import LinearRegression

    rng = np.random.default_rng(n)
    z = rng.normal(size=(n, d))
    z[:, 1], z[:, 2] = z[:, 0], 3.0  # two axes with the same content, one without any
    factor = z[:, 0] + 0.3 * rng.normal(size=n)
    fit, score = halves(n, 7)
    scaled = standardised(z)
    expected = LinearRegression().fit(scaled[fit], factor[fit]).score(scaled[score], factor[score])
    assert held_out_r2(z, factor, "linear", 7) == pytest.approx(expected, abs=1e-9)


def test_r2_linear_and_not():
    z = np.column_stack([F[:, 0] * 2 - 1, (F[:, 1] - 0.5) ** 2])
    linear = r2(z, F, SPECS)
    assert linear.parts["per_factor"]["a"] == pytest.approx(1)
    assert abs(linear.parts["per_factor"]["b"]) < 0.1
    assert linear.score == pytest.approx(0.5, abs=0.05)
    assert linear.parts["by_role"]["private1"] < 0.1
    target = np.column_stack([F[:, 0], (F[:, 1] - 0.5) ** 2])
    for model in ("boosting", "neighbours"):
        curved = r2(F[:, :2], target, SHARED[:2], model=model)
        assert curved.parts["per_factor"]["b"] > 0.9
    assert r2(F[:, :2], target, SHARED[:2]).parts["per_factor"]["b"] < 0.1


def test_r2_is_held_out():
    z = RNG.normal(size=(60, 25))
    assert r2(z, F[:60], SHARED).score < 0  # in sample it would be near .4
    assert r2(z, F[:60], SHARED).low == -math.inf


def test_r2_names_what_it_leaves_out():
    factors = np.column_stack([F[:, 0], np.full(N, 0.3), RNG.integers(0, 3, N)])
    specs = (SPECS[0], FactorSpec("flat", "ordinal"), FactorSpec("kind", "categorical"))
    found = r2(F, factors, specs)
    assert found.settings["left_out"] == ["flat", "kind"]
    assert list(found.parts["per_factor"]) == ["a"]
    nothing = r2(F, factors[:, 1:], specs[1:])
    assert math.isnan(nothing.score)
    assert "undefined" in nothing.settings


@pytest.mark.parametrize(
    ("table", "disentanglement", "completeness"),
    [
        (np.eye(3), 1, 1),
        (np.ones((3, 3)), 0, 0),
        ([[1.0, 0], [1, 0], [0, 1]], 1, (2 - math.log(2) / math.log(3)) / 2),  # redundant
        ([[1.0, 0, 0], [0, 1, 0]], 1, 2 / 3),  # a missed factor
        ([[1.0, 0], [0, 1], [0, 0]], 1, 1),  # a constant latent has no weight
        ([[3.0, 3.0], [2.0, 0]], 0.25, None),  # rows weighted 6/8 and 2/8
    ],
)
def test_dci_of_hand_made_importances(table, disentanglement, completeness):
    found = dci_from_importance(table)
    assert found["dci_disentanglement"].score == pytest.approx(disentanglement)
    if completeness is not None:
        assert found["dci_completeness"].score == pytest.approx(completeness)


def test_dci_degenerate_sizes():
    assert math.isnan(dci_from_importance([[1.0], [2.0]])["dci_disentanglement"].score)
    assert math.isnan(dci_from_importance([[1.0, 2.0]])["dci_completeness"].score)
    assert math.isnan(dci_from_importance(np.zeros((2, 2)))["dci_disentanglement"].score)
    with pytest.raises(DataError):
        dci_from_importance([[-1.0, 1.0]])


def test_dci_of_aligned_and_rotated_latents():
    aligned = dci_standard(F * [2, -1, 5], F, SHARED, n_trees=10)
    assert aligned["dci_disentanglement"].score > 0.9
    assert aligned["dci_completeness"].score > 0.9
    assert aligned["dci_informativeness"].score > 0.95
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    rotated = dci_standard(F @ turn, F, SHARED, n_trees=10)
    assert rotated["dci_disentanglement"].score < 0.6


def test_dci_of_a_categorical_factor_is_above_chance_only():
    kinds = RNG.integers(0, 4, size=N).astype(float)
    factors = np.column_stack([kinds, RNG.integers(0, 4, size=N)])
    specs = tuple(FactorSpec(n, "categorical") for n in ("seen", "unseen"))
    z = np.column_stack([(kinds * 7) % 4, RNG.normal(size=N)])
    quality = dci_standard(z, factors, specs, n_trees=10)["dci_informativeness"].parts["per_factor"]
    assert quality["seen"] > 0.95
    assert quality["unseen"] < 0.1


def test_dci_of_a_constant_factor():
    factors = np.column_stack([F[:, 0], np.ones(N)])
    found = dci_standard(F[:, :2], factors, SHARED[:2], n_trees=10)
    assert found["dci_completeness"].parts["per_factor"][1] == pytest.approx(0)
    assert found["dci_informativeness"].parts["per_factor"]["b"] == 0


@pytest.mark.parametrize(
    ("table", "infom", "infoc"),
    [
        (np.eye(3), 1, 1),
        (np.ones((3, 3)), 0, 0),
        ([[1.0, 0], [1, 0], [0, 1]], 1, ((0.5 - 1 / 3) / (2 / 3) + 1) / 2),
        ([[1.0, 0, 0], [0, 1, 0]], 1, 2 / 3),
        ([[1.0, 0.5], [0, 0]], (2 * (2 / 3) - 1) / 2, 1),  # an empty latent counts as uniform
    ],
)
def test_infomec_of_hand_made_tables(table, infom, infoc):
    found = infom_infoc(table)
    assert found["infom"].score == pytest.approx(infom)
    assert found["infoc"].score == pytest.approx(infoc)


def test_infomec_degenerate_sizes():
    assert math.isnan(infom_infoc([[1.0], [0.5]])["infom"].score)
    assert math.isnan(infom_infoc([[1.0, 0.5]])["infoc"].score)
    flat = infomec(np.ones((N, 2)), F, SHARED)
    assert math.isnan(flat["infom"].score)
    assert flat["infoe"].score == 0
    few = infomec(F[:20], F[:20], SHARED)  # fewer rows than two a bin
    assert few["infom"].score > 0.5


def test_infomec_of_aligned_rotated_and_inactive_latents():
    aligned = infomec(F, F, SHARED)
    assert aligned["infom"].score > 0.8
    assert aligned["infoc"].score > 0.8
    assert aligned["infoe"].score == pytest.approx(1)
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    assert infomec(F @ turn, F, SHARED)["infom"].score < aligned["infom"].score - 0.3
    still = infomec(np.column_stack([F, 1e-3 * RNG.normal(size=N)]), F, SHARED)
    assert still["infom"].settings["active_latents"] == [0, 1, 2]
    assert still["infom"].score == pytest.approx(aligned["infom"].score, abs=0.02)


def test_infoe_of_a_categorical_factor():
    kinds = RNG.integers(0, 3, size=N).astype(float)
    spec = (FactorSpec("kind", "categorical"),)
    seen = infomec(np.column_stack([kinds == 0, kinds == 1]).astype(float), kinds[:, None], spec)
    assert seen["infoe"].score > 0.9
    assert infomec(RNG.normal(size=(N, 2)), kinds[:, None], spec)["infoe"].score < 0.05


def test_null_tells_signal_from_noise():
    def measure(z):
        return lambda f: {"mcc": mcc(z, f)}

    signal = permutation_null(measure(F), F, n_permutations=49)["mcc"]
    assert signal.p_value == pytest.approx(1 / 50)
    assert signal.observed == pytest.approx(1)
    assert signal.mean < 0.2
    values = [
        permutation_null(measure(RNG.normal(size=(N, 3))), F, n_permutations=19)["mcc"].p_value
        for _ in range(10)
    ]
    assert 0.25 < np.mean(values) < 0.75  # uniform under the null


def test_null_respects_the_direction_and_leaves_out_the_undefined():
    def measure(f):
        error = float(np.abs(f[:, 0] - F[:, 0]).mean())
        return {
            "error": MetricResult("error", error, higher_is_better=False),
            "never": MetricResult("never", math.nan),
        }

    nulls = permutation_null(measure, F, n_permutations=19)
    assert nulls["error"].p_value == pytest.approx(1 / 20)
    assert set(nulls) == {"error"}
    results = with_nulls(measure(F), nulls)
    assert results["error"].parts["null"]["n"] == 19
    assert "null" not in results["never"].parts


@pytest.mark.parametrize("metric", [mcc, lambda z, f: r2(z, f, SHARED)])
def test_bad_input_is_refused(metric):
    broken = F.copy()
    broken[3, 1] = np.nan
    for z, f in ((broken, F), (F, broken), (F[:-1], F), (F[:4], F[:4]), (F[:, 0], F)):
        with pytest.raises(DataError):
            metric(z, f)
