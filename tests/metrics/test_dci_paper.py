"""Closed-form answers on hand-made tables."""

import math

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.metrics.measures.dci_paper import ALPHAS, alpha_sensitivity, paper_dci


def scores(table, **kwargs):
    return {name: r.score for name, r in paper_dci(table, **kwargs).items()}


def entropy(p):
    p = np.asarray(p) / np.sum(p)
    return -(p * np.log(p)).sum() / np.log(len(p))


def test_diagonal():
    found = scores(np.eye(3))
    expected = 1 - entropy([math.e**10, 1, 1])
    assert found["disentanglement"] == pytest.approx(expected)
    assert found["completeness"] == pytest.approx(expected)
    assert found["informativeness"] == 1.0
    assert scores(np.eye(3), rho="linear")["disentanglement"] == pytest.approx(1.0)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("rho", ["exp", "linear"])
def test_uniform(value, rho):
    found = scores(np.full((4, 3), value), rho=rho)
    assert found["disentanglement"] == pytest.approx(0, abs=1e-12)
    assert found["completeness"] == pytest.approx(0, abs=1e-12)
    assert found["informativeness"] == pytest.approx(value)


def test_redundant_latents_cost_completeness_only():
    table = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    linear = scores(table, rho="linear")
    assert linear["disentanglement"] == pytest.approx(1)
    # column 0 is split over two of three latents
    assert linear["completeness"] == pytest.approx((1 - math.log(2) / math.log(3) + 1) / 2)


def test_missed_factor_costs_informativeness():
    found = paper_dci(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    assert found["informativeness"].score == pytest.approx(2 / 3)
    assert found["completeness"].parts["per_factor"][2] == pytest.approx(0, abs=1e-12)


def test_constant_latent_scores_zero_in_its_row():
    found = paper_dci(np.array([[0.9, 0.0], [0.0, 0.0]]), rho="linear")
    assert found["disentanglement"].parts["per_latent"] == pytest.approx([1, 0])


def test_the_example_of_the_notes():
    table = [[0.9, 0.45], [0.45, 0.9]]
    assert scores(table, alpha=10)["disentanglement"] == pytest.approx(0.91, abs=0.005)
    assert scores(table, rho="linear")["disentanglement"] == pytest.approx(0.08, abs=0.005)


def test_rows_are_normalised_over_factors_when_d_and_k_differ():
    table = np.random.default_rng(0).uniform(size=(5, 3))
    weights = np.exp(10 * table)
    found = scores(table)
    assert found["disentanglement"] == pytest.approx(1 - np.mean([entropy(w) for w in weights]))
    assert found["completeness"] == pytest.approx(1 - np.mean([entropy(w) for w in weights.T]))
    assert found["informativeness"] == pytest.approx(table.max(0).mean())


def test_degenerate_sizes():
    found = paper_dci(np.array([[0.2], [0.7]]))
    assert math.isnan(found["disentanglement"].score)
    assert "one factor" in found["disentanglement"].settings["undefined"]
    assert not math.isnan(found["completeness"].score)
    found = paper_dci(np.array([[0.2, 0.7]]))
    assert math.isnan(found["completeness"].score)
    assert "one axis" in found["completeness"].settings["undefined"]


def test_alpha_is_stored_and_large_ones_do_not_overflow():
    result = paper_dci(np.eye(2), alpha=1e4)["disentanglement"]
    assert result.settings["alpha"] == 1e4
    assert result.score == pytest.approx(1)
    for alpha in (0, -1, math.nan, math.inf):
        with pytest.raises(ConfigError):
            paper_dci(np.eye(2), alpha=alpha)
    for table in ([[1.1]], [[-0.1]], [[math.nan]], [0.5], np.empty((0, 2))):
        with pytest.raises(DataError):
            paper_dci(table)


def test_alpha_sensitivity_rises_and_names_the_linear_one():
    rows = alpha_sensitivity([[0.9, 0.45], [0.45, 0.9]])
    assert [r["alpha"] for r in rows[:-1]] == list(ALPHAS)
    values = [r["disentanglement"] for r in rows[:-1]]
    assert values == sorted(values)
    assert rows[-1]["rho"] == "linear"
    assert rows[-1]["disentanglement"] == pytest.approx(0.0817, abs=1e-3)
